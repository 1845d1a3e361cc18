"""Which handlers the client takes, row by row as measured."""

from __future__ import annotations

import pytest

from dreamwork_hooks.settings.shape import group_fault, handler_fault, setting_faults

URL = "http://localhost:1/"
WRONG_VALUES: dict[str, list[object]] = {
    "timeout": [None, 0, -1, "5", True, [], {}],
    "if": [None, 1, []],
    "args": [None, "x", [1], {}],
    "shell": [None, "sh", "", 1, "zsh"],
    "async": [None, 1, "x"],
    "asyncRewake": [None, 1, "x"],
    "once": [None, 1, "x"],
    "statusMessage": [None, 1, []],
    "rewakeMessage": [1],
    "rewakeSummary": [1],
}
TAKEN: list[dict[str, object]] = [
    {"type": "command", "command": ""},
    {"type": "command", "command": "x", "url": 1},
    {"type": "command", "command": "x", "timeout": 1e-9},
    {"type": "command", "command": "x", "timeout": 10**20},
    {"type": "command", "command": "x", "shell": "powershell", "args": [], "statusMessage": "", "if": ""},
    {"type": "command", "command": "x", "rewakeMessage": "x", "zzz": None, "model": 1},
    {"type": "prompt", "prompt": ""},
    {"type": "prompt", "prompt": "x", "args": 1},
    {"type": "agent", "prompt": "x"},
    {"type": "mcp_tool", "server": "s", "tool": "t", "input": {}},
    {"type": "http", "url": URL, "headers": {"a": "b"}, "allowedEnvVars": ["A"], "async": 1},
    {"type": "http", "url": "ftp://x/"},
]
REFUSED: list[tuple[dict[str, object], str | None]] = [
    ({"type": "Command", "command": "x"}, "type"),
    ({"type": "", "command": "x"}, "type"),
    ({"type": None, "command": "x"}, None),
    *(
        ({"type": "command", "command": "x", key: value}, key)
        for key, values in WRONG_VALUES.items()
        for value in values
    ),
    ({"type": "prompt"}, None),
    ({"type": "prompt", "prompt": 1}, "prompt"),
    ({"type": "prompt", "prompt": "x", "model": 1}, "model"),
    ({"type": "prompt", "prompt": "x", "timeout": "x"}, "timeout"),
    ({"type": "agent"}, None),
    ({"type": "mcp_tool"}, None),
    ({"type": "mcp_tool", "server": "s"}, None),
    ({"type": "mcp_tool", "server": "s", "tool": "t", "input": 1}, "input"),
    ({"type": "http"}, None),
    ({"type": "http", "url": "x"}, "url"),
    ({"type": "http", "url": ""}, "url"),
    ({"type": "http", "url": 1}, "url"),
    ({"type": "http", "url": URL, "timeout": 0}, "timeout"),
    ({"type": "http", "url": URL, "headers": 1}, "headers"),
    ({"type": "http", "url": URL, "headers": {"a": 1}}, "headers"),
    ({"type": "http", "url": URL, "allowedEnvVars": 1}, "allowedEnvVars"),
    ({"type": "http", "url": URL, "allowedEnvVars": [1]}, "allowedEnvVars"),
]


@pytest.mark.parametrize("entry", TAKEN, ids=repr)
def test_taken(entry: dict[str, object]) -> None:
    assert handler_fault(entry) is None


@pytest.mark.parametrize(("entry", "key"), REFUSED, ids=[repr(entry) for entry, _ in REFUSED])
def test_refused_with_the_key_named(entry: dict[str, object], key: str | None) -> None:
    fault = handler_fault(entry)
    assert fault is not None
    assert key == fault[0]


@pytest.mark.parametrize("value", [None, "x", 1, []])
def test_the_whole_file_goes_for_a_setting_of_the_wrong_type(value: object) -> None:
    assert [keys for keys, _ in setting_faults({"env": value, "other": value})] == [("env",)]


def test_rules_are_a_list_of_anything() -> None:
    assert setting_faults({"permissions": {"allow": [1], "deny": []}}) == []
    assert [keys for keys, _ in setting_faults({"permissions": {"ask": None}})] == [("permissions", "ask")]


@pytest.mark.parametrize(
    ("group", "key"),
    [
        ("x", None),
        ({}, None),
        ({"type": "command"}, None),
        ({"matcher": None, "hooks": []}, "matcher"),
        ({"hooks": {}}, "hooks"),
    ],
)
def test_a_group_is_refused_with_the_key_named(group: object, key: str | None) -> None:
    fault = group_fault(group)
    assert fault is not None
    assert fault[0] == key
