"""Typed events, and errors that name the field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.contract import event as typed
from dreamwork_hooks.contract.event import EventError, parse_event, sample_event
from dreamwork_hooks.contract.events import EVENTS

EVENT_FILES = sorted((Path(__file__).parents[2] / "data" / "events").glob("*.json"))


@pytest.mark.parametrize("path", EVENT_FILES, ids=lambda p: p.stem)
def test_every_recorded_event_is_parsed(path: Path) -> None:
    event = parse_event(path.read_bytes(), cwd_must_exist=False)
    assert event.name == path.stem.split("-")[0]
    assert event.raw == json.loads(path.read_bytes())


@pytest.mark.parametrize("name", EVENTS)
def test_a_sample_of_every_event_is_parsed(name: str, tmp_path: Path) -> None:
    assert parse_event(sample_event(name, str(tmp_path))).name == name


@pytest.mark.parametrize(
    ("stem", "kind"),
    [
        ("PreToolUse-Bash", "shell.pre"),
        ("PostToolUse-Bash", "shell.post"),
        ("PreToolUse-Write", "write.pre"),
        ("PreToolUse-NotebookEdit", "write.pre"),
        ("PreToolUse-Read", "tool.pre"),
        ("SessionStart-startup", "session.start"),
        ("PostToolBatch-parallel", "context.turn"),
        ("SubagentStart", "subagent.start"),
        ("SubagentStop", "subagent.stop"),
        ("UserPromptSubmit", "prompt.submit"),
        ("PreCompact-auto", "compact.pre"),
        ("Stop", "stop"),
    ],
)
def test_the_kind_is_the_host_neutral_word(stem: str, kind: str) -> None:
    path = next(p for p in EVENT_FILES if p.stem == stem)
    assert kind == parse_event(path.read_bytes(), cwd_must_exist=False).kind


def test_writes_name_their_targets_and_shells_their_command(tmp_path: Path) -> None:
    given = {"file_path": "sub/../a.md", "content": ""}
    write = parse_event(sample_event("PreToolUse", str(tmp_path), "Write", tool_input=given))
    assert isinstance(write, typed.WriteEvent)
    assert write.targets == ("sub/../a.md",)
    assert (str(tmp_path / "a.md"),) == write.absolute_targets
    shell = parse_event(sample_event("PreToolUse", str(tmp_path), "Bash", tool_input={"command": "ls"}))
    assert isinstance(shell, typed.ShellEvent)
    assert shell.command == "ls"


def test_subagents_prompts_and_stop_flags_have_names(tmp_path: Path) -> None:
    stop = parse_event(sample_event("SubagentStop", str(tmp_path), agent_id="a1", stop_hook_active=True))
    assert isinstance(stop, typed.StopEvent)
    assert (stop.agent_id, stop.stop_hook_active) == ("a1", True)
    prompt = parse_event(sample_event("UserPromptSubmit", str(tmp_path), prompt="hi"))
    assert isinstance(prompt, typed.PromptEvent)
    assert prompt.prompt == "hi"


def _broken(**changes: Any) -> dict[str, object]:
    event = sample_event("PreToolUse", "/", "Bash")
    event.update(changes)
    return {key: value for key, value in event.items() if value != "DELETED"}


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        pytest.param(b"", "", id="nothing"),
        pytest.param(b"[1]", "", id="not an object"),
        pytest.param(b"{", "", id="cut off"),
        pytest.param(b'{"a":NaN}', "", id="NaN is not JSON"),
        pytest.param(b"[" * 100_000, "", id="nested too deep"),
        pytest.param(_broken(hook_event_name="PreCommit"), "hook_event_name", id="no such event"),
        pytest.param(_broken(hook_event_name=3), "hook_event_name", id="event is a number"),
        pytest.param(_broken(session_id="DELETED"), "session_id", id="no session"),
        pytest.param(_broken(cwd="here"), "cwd", id="relative cwd"),
        pytest.param(_broken(cwd="/gone/away"), "cwd", id="cwd is gone"),
        pytest.param(_broken(cwd="/etc/passwd"), "cwd", id="cwd is a file"),
        pytest.param(_broken(tool_input={}), "tool_input.command", id="a shell without a command"),
        pytest.param(_broken(tool_input=[]), "tool_input", id="tool input is a list"),
        pytest.param(_broken(tool_name="Write"), "tool_input.file_path", id="a write without a path"),
        pytest.param(sample_event("SessionStart", "/", source="boot"), "source", id="an unknown source"),
        pytest.param(sample_event("PreCompact", "/", trigger=None), "trigger", id="a trigger of null"),
    ],
)
def test_what_is_no_event_names_the_field(raw: bytes | dict[str, object], field: str) -> None:
    with pytest.raises(EventError) as caught:
        parse_event(raw)
    assert field == caught.value.field


@pytest.mark.parametrize("response", [{}, "text", None, [1]])
def test_a_tool_response_may_be_anything(response: object, tmp_path: Path) -> None:
    event = parse_event(sample_event("PostToolUse", str(tmp_path), tool_response=response))
    assert isinstance(event, typed.ToolEvent)
    assert response == event.tool_response
