"""What Claude Code makes of a settings file, fault by fault, and what it silently leaves out for each."""

from __future__ import annotations

import json

import pytest

from dreamwork_hooks.install import handlers as snippet
from dreamwork_hooks.install import plan
from dreamwork_hooks.settings.doubts import EVENT, FILE, GROUP, HANDLER, NOTHING, about_command
from dreamwork_hooks.settings.found import Finding
from dreamwork_hooks.settings.reading import read_text

RUN = {"type": "command", "command": "true"}


def one(text: str) -> Finding:
    found = read_text(text).problems
    assert len(found) == 1, found
    return found[0]


def settings(event: str, *groups: object) -> str:
    return json.dumps({"hooks": {event: list(groups)}})


def handler(event: str, matcher: str | None = "Write", **keys: object) -> str:
    group: dict[str, object] = {} if matcher is None else {"matcher": matcher}
    return settings(event, {**group, "hooks": [{**RUN, **keys}]})


@pytest.mark.parametrize("options", [frozenset(), frozenset(snippet.WIRED_OPTIONS)])
def test_what_we_write_ourselves_is_faultless(options: frozenset[str]) -> None:
    text = plan.install("", snippet.Wording("/p/dreamwork-hooks.pyz"), options).text
    assert read_text(text, exists=lambda path: True).problems == ()


SOUND = [
    pytest.param("{}", id="nothing in it"),
    pytest.param('\ufeff{"model": "opus"}', id="a byte order mark is read"),
    pytest.param(handler("PreToolUse", None), id="no matcher"),
    pytest.param(handler("PreToolUse", ""), id="an empty matcher"),
    pytest.param(handler("PreToolUse", "*"), id="the star"),
    pytest.param(handler("PreToolUse", "Write, Edit"), id="a list with a comma and a blank"),
    pytest.param(handler("PreToolUse", "^(Write|Edit)$"), id="an anchored expression"),
    pytest.param(handler("PreToolUse", "mcp__server__.*"), id="all tools of a server"),
    pytest.param(handler("PreToolUse", "mcp__server__tool"), id="one tool of a server"),
    pytest.param(handler("PreToolUse", timeout=0.5), id="half a second"),
    pytest.param(handler("PreToolUse", timeout=600), id="ten minutes"),
    pytest.param(handler("PreToolUse", **{"if": ""}), id="an empty if"),
    pytest.param(handler("PreToolUse", **{"if": "Write(**/.dreamwork/*.md)"}), id="our own rule"),
    pytest.param(handler("PreToolUse", "Bash", **{"if": "Bash(git *)"}), id="a shell rule"),
    pytest.param(settings("SessionStart", {"matcher": "compact|resume", "hooks": [RUN]}), id="two sources"),
    pytest.param(settings("Stop", {"hooks": []}), id="a group without handlers"),
    pytest.param(handler("PreToolUse", shell="bash"), id="a shell that is allowed"),
    pytest.param(settings("Stop", {"hooks": [{"type": "prompt", "prompt": "x"}]}), id="another kind of handler"),
]


@pytest.mark.parametrize("text", SOUND)
def test_sound_settings_are_left_alone(text: str) -> None:
    assert read_text(text).problems == ()


FAULTS = [
    ("// x\n{}", FILE, "a comment"),
    ("", FILE, "empty"),
    ('{"a": 1,}', FILE, "trailing comma"),
    ("[]", FILE, "a list where an object belongs"),
    ('{"hooks": []}', FILE, "must be an object, is a list"),
    ('{"model": 3}', FILE, "must be a string, is 3"),
    ('{"permissions": []}', FILE, "must be an object"),
    ('{"permissions": {"deny": "Read"}}', FILE, 'must be a list, is "Read"'),
    ('{"env": ["A=1"]}', FILE, "must be an object, is a list"),
    ('{"disableAllHooks": "yes"}', FILE, 'must be true or false, is "yes"'),
    ('{"hooks": {}, "hooks": {}}', NOTHING, "duplicate key"),
    ('{"hooks": {"Stop": {}}}', EVENT, "must be a list of groups"),
    ('{"hooks": {"PreToolUse": {}}}', FILE, "must be a list of groups"),
    ('{"hooks": {"Stop": null}}', EVENT, "is null"),
    ('{"hooks": {"PreCommit": [1, 2]}}', EVENT, "unknown event"),
    (settings("PreToolUse", 7), FILE, "a group must be an object"),
    (settings("PermissionRequest", 7), FILE, "a group must be an object"),
    (settings("Stop", 7), GROUP, "a group must be an object"),
    (settings("PostToolUse", {"matcher": ["Write"], "hooks": []}), GROUP, "must be a string, is a list"),
    (settings("PreToolUse", {"matcher": None, "hooks": []}), FILE, "must be a string, is null"),
    (settings("PostToolUse", {"matcher": "Write"}), GROUP, "a group needs `hooks`"),
    (settings("PostToolUse", RUN), GROUP, "a bare handler"),
    (settings("PostToolUse", {"hooks": {}}), GROUP, "must be a list"),
    (settings("PostToolUse", {"hooks": [7]}), HANDLER, "a handler must be an object"),
    (settings("PostToolUse", {"hooks": [{"command": "x"}]}), HANDLER, "needs `type`"),
    (settings("PostToolUse", {"hooks": [{"type": "script", "command": "x"}]}), HANDLER, "must be one of"),
    (settings("PostToolUse", {"hooks": [{"type": "command"}]}), HANDLER, "needs `command`"),
    (settings("PostToolUse", {"hooks": [{"type": "http", "url": "x"}]}), HANDLER, "an address with a scheme"),
    (settings("PostToolUse", {"hooks": [{"type": "prompt"}]}), HANDLER, "needs `prompt`"),
    (handler("PostToolUse", timeout=0), HANDLER, "above 0, is 0"),
    (handler("PostToolUse", timeout="10"), HANDLER, 'above 0, is "10"'),
    (handler("PreToolUse", timeout=-1), FILE, "above 0, is -1"),
    (handler("PostToolUse", shell="sh"), HANDLER, 'is "sh"'),
    (handler("PostToolUse", once="yes"), HANDLER, "must be true or false"),
    (handler("PostToolUse", args="x"), HANDLER, "must be a list of strings"),
    (settings("PostToolUse", {"matcher": "Write", "hooks": [{**RUN, "if": 3}]}), HANDLER, "must be a string"),
    (handler("PostToolUse", timeout=10000), NOTHING, "not milliseconds"),
    (handler("PostToolUse", "(Edit"), GROUP, "not a regular expression"),
    (handler("PostToolUse", "edit"), NOTHING, "no tool is called `edit`"),
    (handler("PostToolUse", "mcp__server"), NOTHING, "write `mcp__server.*`"),
    (handler("PostToolUse", "Zzz.*"), NOTHING, "matches no known"),
    (settings("SessionStart", {"matcher": "compaction", "hooks": [RUN]}), NOTHING, "no source `compaction`"),
    (handler("PostToolUse", **{"if": "Edit(*.md)"}), HANDLER, "lets no Edit through"),
    (handler("PostToolUse", "Write|Edit", **{"if": "Edit|Write"}), HANDLER, "one tool only"),
    (handler("PostToolUse", **{"if": "Write(*.{md,txt})"}), HANDLER, "is not understood"),
    (handler("PostToolUse", **{"if": "Write(!x)"}), HANDLER, "matches nothing"),
    (handler("PostToolUse", **{"if": "Writ(x)"}), HANDLER, "no tool is called"),
    (handler("PreCompact", None, **{"if": "Write"}), HANDLER, "is not a tool event"),
    (handler("PostToolUse", command=" "), HANDLER, "is empty"),
    (handler("PostToolUse", command="fmt $CLAUDE_FILE_PATH"), NOTHING, "$CLAUDE_FILE_PATH is not set"),
]


@pytest.mark.parametrize(("text", "takes", "words"), FAULTS)
def test_each_fault_is_named_with_what_it_takes_along(text: str, takes: str, words: str) -> None:
    found = one(text)
    assert words in str(found)
    assert found.takes == takes
    assert not found.harmless
    assert found.remedy


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (handler("PostToolUse", "Task"), "older name"),
        (handler("Stop", "Write"), "looks at no matcher"),
        (handler("PostToolUse", "Write|Edti"), "`Edit`?"),
    ],
)
def test_what_works_all_the_same_is_only_noted(text: str, words: str) -> None:
    found = one(text)
    assert words in str(found)
    assert found.harmless


def test_findings_stand_in_the_order_of_the_text_with_line_and_column() -> None:
    text = '{\n  "hooks": {\n    "Stop": [7],\n    "PreCommit": []\n  },\n  "model": 3\n}\n'
    assert [(f.line, f.column, f.where) for f in read_text(text).problems] == [
        (3, 14, "hooks.Stop[0]"),
        (4, 5, "hooks.PreCommit"),
        (6, 12, "model"),
    ]


def test_why_a_file_is_void_is_told_with_its_line() -> None:
    assert read_text('{\n "hooks": {"PreToolUse": [7]}\n}').void_reason.startswith("line 2: hooks.PreToolUse[0]: ")
    assert read_text('{"hooks": {"PostToolUse": [7]}}').void_reason == ""


GONE = "/no/such/place/x.py"


@pytest.mark.parametrize(
    ("event", "command", "args", "words"),
    [
        ("PreToolUse", f"python3 {GONE}", None, "exits with 2, which blocks"),
        ("SessionEnd", f"python3 -I {GONE}", None, "exits with 2"),
        ("PreToolUse", f"A=1 {GONE} --x", None, "nothing runs (exit 127)"),
        ("PreToolUse", "~/no/such/place", None, "nothing runs (exit 127)"),
        ("PreToolUse", "set -o pipefail; a | b", None, "exits with 2, which blocks"),
        ("PreToolUse", "echo 'x", None, "not closed"),
        ("PreToolUse", "prog with args", [], "one program name"),
        ("PreToolUse", "prog", ["~/x"], "no shell expands ~"),
    ],
)
def test_a_command_is_judged_without_being_run(event: str, command: str, args: list[str] | None, words: str) -> None:
    (doubt,) = about_command(event, command, args)
    assert words in doubt.problem


@pytest.mark.parametrize(
    "command",
    [
        "prettier --write .",
        f"[ -f {GONE} ] && python3 {GONE}",
        "python3 -c 'print(1)'",
        "python3 -m black .",
        '"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.sh',
        "echo $CLAUDE_CODE_SESSION_ID",
        "/bin/sh -c 'exit 0'",
    ],
)
def test_a_sound_command_is_left_alone(command: str) -> None:
    assert about_command("PreToolUse", command, None) == []


def test_a_handler_nested_deeper_than_python_recurses_is_judged_all_the_same() -> None:
    deep = "[" * 20_000 + "]" * 20_000
    text = handler("PostToolUse", timeout="deep").replace('"command": "true"', '"x": 1').replace('"deep"', deep)
    assert "needs `command`" in str(one(text))
