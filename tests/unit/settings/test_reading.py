"""What the client leaves out of a settings file for what is wrong in it, row by row of what was measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.settings.configuration import load_configuration
from dreamwork_hooks.settings.doubts import EVENT, FILE, GROUP, HANDLER
from dreamwork_hooks.settings.found import Layer
from dreamwork_hooks.settings.layers import FLAG, LOCAL, MANAGED, PROJECT, USER, LayerFile
from dreamwork_hooks.settings.reading import read_layer
from dreamwork_hooks.settings.sources import layer_files

GOOD = {"type": "command", "command": "good"}


def layer(value: object, kind: str = USER) -> Layer:
    text = value if isinstance(value, str) else json.dumps(value, indent=1)
    return read_layer(LayerFile(kind, "settings.json", text=text))


def hooks(event: str, *groups: object, **more: object) -> dict[str, object]:
    return {"hooks": {event: list(groups), "Stop": [{"hooks": [GOOD]}]}, "env": {"A": "1"}, **more}


def commands(found: Layer) -> list[str]:
    return [handler.command for handler in found.handlers]


WRONG_GROUPS = [
    pytest.param({}, id="no hooks"),
    pytest.param({"hooks": {}}, id="hooks is an object"),
    pytest.param({"type": "command", "command": "x"}, id="a bare handler"),
    pytest.param("x", id="a string"),
    pytest.param({"matcher": 1, "hooks": [GOOD]}, id="matcher is a number"),
    pytest.param({"matcher": ["Edit"], "hooks": [GOOD]}, id="matcher is a list"),
    pytest.param({"matcher": None, "hooks": [GOOD]}, id="matcher is null"),
]
WRONG_HANDLERS: list[Any] = [
    pytest.param({"type": "command"}, id="no command"),
    pytest.param({"command": "x"}, id="no type"),
    pytest.param({"type": "shell", "command": "x"}, id="unknown type"),
    pytest.param("x", id="a string"),
    *(
        pytest.param({"type": "command", "command": "x", key: value}, id=f"{key} {value!r}")
        for key, value in [
            ("timeout", 0),
            ("timeout", -1),
            ("timeout", "5"),
            ("timeout", True),
            ("if", 1),
            ("async", "yes"),
            ("once", 1),
            ("args", "x"),
            ("args", [1]),
            ("statusMessage", 1),
            ("shell", "sh"),
        ]
    ),
]


@pytest.mark.parametrize("group", WRONG_GROUPS)
def test_a_wrong_group_goes_alone_under_most_events(group: object) -> None:
    found = layer(hooks("PostToolUse", group, {"hooks": [{"type": "command", "command": "beside"}]}))
    assert commands(found) == ["beside", "good"]
    assert [problem.takes for problem in found.problems] == [GROUP]


@pytest.mark.parametrize("entry", WRONG_HANDLERS)
def test_a_wrong_handler_goes_alone_under_most_events(entry: object) -> None:
    found = layer(hooks("PostToolUse", {"hooks": [entry, {"type": "command", "command": "beside"}]}))
    assert commands(found) == ["beside", "good"]
    assert [problem.takes for problem in found.problems] == [HANDLER]


@pytest.mark.parametrize("event", ["PreToolUse", "PermissionRequest"])
@pytest.mark.parametrize(
    "group", [*WRONG_GROUPS, *(pytest.param({"hooks": [p.values[0]]}, id=p.id) for p in WRONG_HANDLERS)]
)
def test_under_two_events_anything_wrong_voids_the_file(event: str, group: object) -> None:
    found = layer(hooks(event, group, disableAllHooks=True))
    assert found.void
    assert (commands(found), found.env, found.disable_all_hooks) == ([], None, None)
    assert FILE in [problem.takes for problem in found.problems]
    assert "good" in [handler.command for handler in found.lost]


@pytest.mark.parametrize(
    ("value", "takes"),
    [
        pytest.param({"hooks": {"PreCommit": {"x": 1}, "Stop": [{"hooks": [GOOD]}]}}, EVENT, id="unknown event"),
        pytest.param({"hooks": {"PreToolUse": None, "Stop": [{"hooks": [GOOD]}]}}, EVENT, id="event null"),
        pytest.param(
            hooks("PreToolUse", {"hooks": [{"type": "command", "command": " "}]}), HANDLER, id="empty command"
        ),
        pytest.param(
            {"hooks": {"PreToolUse": [{"hooks": [{**GOOD, "if": "Edit|Write"}]}]}}, HANDLER, id="an if that is none"
        ),
    ],
)
def test_what_leaves_the_rest_standing(value: object, takes: str) -> None:
    found = layer(value)
    assert commands(found) == ["good"]
    assert [takes] == [problem.takes for problem in found.problems]


def test_extra_keys_are_no_problem() -> None:
    value = {"hooks": {"Stop": [{"hooks": [{**GOOD, "x": 1}], "y": 2}]}, "z": 3}
    assert (commands(layer(value)), layer(value).problems) == (["good"], ())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param({"hooks": {"PreToolUse": {}, "Stop": [{"hooks": [GOOD]}]}}, id="guarding event is an object"),
        pytest.param({"hooks": {"Stop": [{"hooks": [GOOD]}]}, "env": []}, id="env is a list"),
        pytest.param({"hooks": {"Stop": [{"hooks": [GOOD]}]}, "disableAllHooks": 0}, id="disableAllHooks is a number"),
        pytest.param({"hooks": {"Stop": [{"hooks": [GOOD]}]}, "cleanupPeriodDays": "x"}, id="another key's type"),
        pytest.param({"hooks": []}, id="hooks is a list"),
        pytest.param({"hooks": {"Stop": [{"hooks": [GOOD]}]}, "permissions": []}, id="permissions is a list"),
        pytest.param({"hooks": {"Stop": [{"hooks": [GOOD]}]}, "permissions": {"deny": "x"}}, id="deny is a string"),
        pytest.param({"hooks": {"Stop": [{"hooks": [GOOD]}]}, "model": 1}, id="model is a number"),
        pytest.param('{"hooks": {}, // no\n}', id="comment"),
        pytest.param('{"hooks": {},}', id="trailing comma"),
        pytest.param('{"hooks": ', id="cut off"),
        pytest.param("", id="empty"),
    ],
)
def test_what_voids_the_whole_file(text: object) -> None:
    found = layer(text)
    assert (found.void, commands(found)) == (True, [])
    assert found.problems[0].takes == FILE


def test_a_problem_names_file_line_and_place() -> None:
    text = '{\n "hooks": {\n  "PostToolUse": [\n   {"hooks": [\n    {"type": "command", "command": "x", "timeout": 0}\n'
    problem = layer(text + "   ]}\n  ]\n }\n}").problems[0]
    assert (problem.path, problem.line, problem.where) == ("settings.json", 5, "hooks.PostToolUse[0].hooks[0].timeout")
    assert str(problem).startswith("settings.json:5: hooks.PostToolUse[0].hooks[0].timeout: must be a number")


def test_a_file_that_is_not_there_is_no_problem(tmp_path: Path) -> None:
    found = read_layer(LayerFile(USER, str(tmp_path / "none.json")))
    assert (found.present, found.problems) == (False, ())


def test_a_file_that_cannot_be_read_is_one(tmp_path: Path) -> None:
    found = read_layer(LayerFile(USER, str(tmp_path)))
    assert (found.void, found.problems[0].takes) == (True, FILE)


# -- layers together


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def stop(command: str, **more: object) -> dict[str, object]:
    return {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}, **more}


def found_in(project: Path, home: Path, **env: str) -> list[str]:
    files = layer_files(str(project), env=env, home=str(home), managed=str(home / "managed.json"))
    return [handler.command for handler in load_configuration(files).handlers]


def test_all_layers_are_merged_in_order(tmp_path: Path) -> None:
    project, home = tmp_path / "p", tmp_path / "h"
    write(home / ".claude/settings.json", stop("user"))
    write(home / ".claude/settings.local.json", stop("never read"))
    write(project / ".claude/settings.json", stop("project"))
    write(project / ".claude/settings.local.json", stop("local"))
    write(home / "managed.json", stop("managed"))
    flag = write(tmp_path / "flag.json", stop("flag"))
    files = layer_files(
        str(project),
        env={},
        home=str(home),
        settings=[str(flag), json.dumps(stop("inline"))],
        managed=str(home / "managed.json"),
    )
    assert [handler.command for handler in load_configuration(files).handlers] == [
        "user",
        "project",
        "local",
        "inline",
        "managed",
    ]


def test_the_config_directory_replaces_the_home_one_and_is_taken_literally(tmp_path: Path) -> None:
    write(tmp_path / "h/.claude/settings.json", stop("home"))
    write(tmp_path / "c/settings.json", stop("elsewhere"))
    assert found_in(tmp_path / "p", tmp_path / "h", CLAUDE_CONFIG_DIR=str(tmp_path / "c")) == ["elsewhere"]
    assert found_in(tmp_path / "p", tmp_path / "h", CLAUDE_CONFIG_DIR=str(tmp_path / "none")) == []
    write(tmp_path / "p/ /settings.json", stop("blank"))
    write(tmp_path / "p/~/w/settings.json", stop("tilde"))
    write(tmp_path / "p/settings.json", stop("empty"))
    for value, command in ((" ", "blank"), ("~/w", "tilde"), ("", "empty")):
        assert found_in(tmp_path / "p", tmp_path / "h", CLAUDE_CONFIG_DIR=value) == [command]


def test_a_project_that_is_the_home_directory_reads_its_file_once(tmp_path: Path) -> None:
    write(tmp_path / ".claude/settings.json", stop("once"))
    write(tmp_path / ".claude/settings.local.json", stop("never read"))
    assert found_in(tmp_path, tmp_path) == ["once"]


def test_the_file_of_a_parent_directory_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "p/.claude/settings.json", stop("parent"))
    (tmp_path / "p/sub").mkdir()
    assert found_in(tmp_path / "p/sub", tmp_path / "h") == []


def off(*layers: tuple[str, object]) -> set[str]:
    files = [LayerFile(kind, f"{kind}.json", text=json.dumps(value)) for kind, value in layers]
    return {handler.command for handler in load_configuration(files).off}


def test_disable_all_hooks_holds_for_all_files_unless_a_higher_one_says_false() -> None:
    user, project = stop("user", disableAllHooks=True), stop("project")
    assert {"user", "project"} == off((USER, user), (PROJECT, project))
    assert {"user", "project"} == off((USER, stop("user")), (PROJECT, {**project, "disableAllHooks": True}))
    assert set() == off((USER, user), (PROJECT, {**project, "disableAllHooks": False}))
    assert {"user", "local"} == off((LOCAL, stop("local", disableAllHooks=True)), (USER, stop("user")))


def test_managed_hooks_only() -> None:
    managed = stop("managed", allowManagedHooksOnly=True)
    assert {"user", "flag"} == off((USER, stop("user")), (FLAG, stop("flag")), (MANAGED, managed))
    assert set() == off((USER, stop("user", allowManagedHooksOnly=True)), (MANAGED, stop("managed")))


def test_a_void_file_disables_nothing() -> None:
    void = {"hooks": {"PreToolUse": [{}]}, "disableAllHooks": True}
    assert set() == off((USER, stop("user")), (PROJECT, void))


@pytest.mark.parametrize("value", [{}, "x", 1, None])
def test_another_event_that_is_no_list_takes_itself_along_alone(value: object) -> None:
    found = layer({"hooks": {"SessionEnd": value, "Stop": [{"hooks": [GOOD]}]}})
    assert (found.void, commands(found)) == (False, ["good"])
    assert len(found.problems) == 1
