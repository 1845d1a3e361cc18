"""Saving events, and wrapping a settings file with nothing else of it changed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from dreamwork_hooks.host.recording import RecordingError, save_event, wrapped
from dreamwork_hooks.settings.jsontext import JsonSyntaxError

EVENT = {"hook_event_name": "PostToolUse", "tool_name": "Edit", "cwd": "/home/anna/x", "prompt": "/home/anna/x/a"}


def test_events_are_saved_masked_under_names_that_say_what_they_are(tmp_path: Path) -> None:
    raw = json.dumps(EVENT).encode()
    paths = [save_event(raw, str(tmp_path / "new"), home="/home/anna", env={}) for _ in range(2)]
    assert [Path(path).name for path in paths] == ["PostToolUse-Edit-001.json", "PostToolUse-Edit-002.json"]
    assert json.loads(Path(paths[0]).read_bytes())["prompt"] == "/home/user/project/a"


def test_an_event_s_names_make_no_path(tmp_path: Path) -> None:
    raw = json.dumps({**EVENT, "tool_name": "../../x y"}).encode()
    assert Path(save_event(raw, str(tmp_path), home="/h", env={})).name == "PostToolUse-.._.._x_y-001.json"


@pytest.mark.parametrize("raw", [b"", b"[]", b'{"a":1}', b"\xff"])
def test_what_is_no_event_is_not_saved(raw: bytes, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="not an event"):
        save_event(raw, str(tmp_path / "new"), home="/h", env={})
    assert not (tmp_path / "new").exists()


SETTINGS = """{
    "model" : "m",  "hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "echo \\"it's\\" \\u00e9", "timeout": 5},
        {"command": "/bin/echo", "type": "command", "args": ["a b", "$HOME"]},
        {"type": "prompt", "prompt": "echo"}
    ]}], "Nope": [{"hooks": [{"type": "command", "command": "left alone"}]}]},
    "env": {"A": "\\/slash"}
}
"""


def test_only_the_commands_change() -> None:
    new = wrapped(SETTINGS, ["/bin/python", "/a b/x.pyz"], "/rec")
    entries = json.loads(new)["hooks"]["Stop"][0]["hooks"]
    words = ["/bin/python", "/a b/x.pyz", "record", "--to", "/rec", "--"]
    assert [*words, "/bin/sh", "-c", 'echo "it\'s" é'] == shlex.split(entries[0]["command"])
    assert [*words, "/bin/echo", "a b", "$HOME"] == [entries[1]["command"], *entries[1]["args"]]
    old_lines, new_lines = SETTINGS.splitlines(), new.splitlines()
    assert [at for at, (old, now) in enumerate(zip(old_lines, new_lines)) if old != now] == [2, 3]
    assert len(old_lines) == len(new_lines)
    assert new_lines[2].endswith(', "timeout": 5},')


def test_a_byte_order_mark_stays() -> None:
    assert wrapped("\ufeff" + SETTINGS, ["x"], "/rec").startswith("\ufeff{")


@pytest.mark.parametrize("text", ["{}", '{"hooks": {}}', '{"hooks": {"Stop": [{"hooks": []}]}}', "[]"])
def test_a_file_without_hooks_is_refused(text: str) -> None:
    with pytest.raises(RecordingError, match="no command hook"):
        wrapped(text, ["x"], "/rec")


def test_a_file_that_is_no_json_is_refused() -> None:
    with pytest.raises(JsonSyntaxError):
        wrapped("{,}", ["x"], "/rec")
