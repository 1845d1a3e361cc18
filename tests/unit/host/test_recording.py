"""Saving events."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dreamwork_hooks.host.recording import RecordingError, save_event

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
