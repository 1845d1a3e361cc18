"""From bytes to a typed event, or to an error that names the field."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from dreamwork_hooks.contract import tools
from dreamwork_hooks.contract.event import (
    CompactEvent,
    Event,
    PromptEvent,
    SessionEvent,
    ShellEvent,
    StopEvent,
    ToolEvent,
    WriteEvent,
)
from dreamwork_hooks.contract.events import EVENTS, TOOL_EVENTS, nearest
from dreamwork_hooks.contract.spec import EventSpec, FieldSpec


class EventError(ValueError):
    """The input is not an event. `field` is the dotted name of the key at fault; empty for the whole
    document."""

    def __init__(self, field: str, problem: str) -> None:
        self.field = field
        self.problem = problem
        super().__init__(f"{field}: {problem}" if field else problem)


def parse_event(raw: bytes | str | Mapping[str, object], *, cwd_must_exist: bool = True) -> Event:
    """Read an event.

    `cwd_must_exist=False` accepts the directories of a recording made elsewhere. Raises EventError naming
    the field.
    """
    data = raw if isinstance(raw, Mapping) else _document(raw)
    name = data.get("hook_event_name")
    if not isinstance(name, str):
        raise EventError("hook_event_name", "missing or not a string")
    spec = EVENTS.get(name)
    if spec is None:
        close = nearest(name)
        raise EventError("hook_event_name", f"no event is called `{name}`" + (f"; `{close}`?" if close else ""))
    for field in spec.fields:
        _check(field, data)
    cwd = str(data["cwd"])
    if not os.path.isabs(cwd):
        raise EventError("cwd", f"not an absolute path: {cwd!r}")
    if cwd_must_exist and not os.path.isdir(cwd):
        raise EventError("cwd", f"no such directory: {cwd}")
    return _typed(spec, data, cwd)


def type_name(value: object) -> str:
    """The JSON word for a value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (int, float)):
        return "number"
    return "object" if isinstance(value, Mapping) else "array"


def no_constant(word: str) -> float:
    """For `json.loads(parse_constant=...)`: the client's JSON has no NaN or Infinity."""
    raise ValueError(f"{word} is not JSON")


def _document(raw: bytes | str) -> Mapping[str, object]:
    text = raw.decode("utf-8", errors="replace") if isinstance(raw, bytes) else raw
    try:
        data = json.loads(text.lstrip("\ufeff"), parse_constant=no_constant)
    except json.JSONDecodeError as error:
        raise EventError("", f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise EventError("", f"not JSON: {error}") from None
    if not isinstance(data, dict):
        raise EventError("", f"not an object but {type_name(data)}")
    return data


def _check(field: FieldSpec, data: Mapping[str, object]) -> None:
    if field.name not in data:
        if field.required:
            raise EventError(field.name, "missing")
        return
    value = data[field.name]
    if type_name(value) not in field.types:
        raise EventError(field.name, f"must be {' or '.join(field.types)}, is {type_name(value)}")
    if field.closed and value not in field.values:
        raise EventError(field.name, f"must be one of {', '.join(field.values)}, is {value!r}")


def _typed(spec: EventSpec, data: Mapping[str, object], cwd: str) -> Event:
    on = spec.matcher.value
    base: dict[str, Any] = {
        "spec": spec,
        "raw": data,
        "kind": spec.kind,
        "session_id": str(data["session_id"]),
        "transcript_path": str(data["transcript_path"]),
        "cwd": cwd,
        "subject": _text(data, on) if on else None,
        "agent_id": _text(data, "agent_id"),
        "agent_type": _text(data, "agent_type"),
    }
    if spec.name in TOOL_EVENTS:
        return _tool_event(spec, data, base)
    if spec.name == "UserPromptSubmit":
        return PromptEvent(**base, prompt=str(data["prompt"]))
    if spec.name in ("Stop", "SubagentStop"):
        return StopEvent(
            **base,
            stop_hook_active=data["stop_hook_active"] is True,
            last_assistant_message=_text(data, "last_assistant_message"),
        )
    if spec.name in ("SessionStart", "SessionEnd"):
        return SessionEvent(**base, source=str(data.get("source", data.get("reason"))))
    if spec.name in ("PreCompact", "PostCompact"):
        return CompactEvent(
            **base,
            trigger=str(data["trigger"]),
            custom_instructions=_text(data, "custom_instructions"),
            compact_summary=_text(data, "compact_summary"),
        )
    return Event(**base)


def _tool_event(spec: EventSpec, data: Mapping[str, object], base: dict[str, Any]) -> ToolEvent:
    name = str(data["tool_name"])
    tool_input = data["tool_input"]
    assert isinstance(tool_input, Mapping)
    kind = tools.kind_of(name)
    base["kind"] = spec.kind if kind == tools.TOOL else spec.kind.replace("tool.", f"{kind}.")
    parts: dict[str, Any] = {
        "tool_name": name,
        "tool_input": tool_input,
        "tool_use_id": _text(data, "tool_use_id"),
        "tool_response": data.get("tool_response"),
    }
    if kind == tools.SHELL:
        command = tool_input.get("command")
        if not isinstance(command, str):
            raise EventError("tool_input.command", f"missing or not a string; {name} needs it")
        return ShellEvent(**base, **parts, command=command)
    if kind == tools.WRITE:
        key = tools.TOOLS[name].path
        assert key is not None
        path = tool_input.get(key)
        if not isinstance(path, str):
            raise EventError(f"tool_input.{key}", f"missing or not a string; {name} needs it")
        absolute = os.path.normpath(os.path.join(str(base["cwd"]), os.path.expanduser(path)))
        return WriteEvent(**base, **parts, targets=(path,), absolute_targets=(absolute,))
    return ToolEvent(**base, **parts)


def _text(data: Mapping[str, object], key: str) -> str | None:
    value = data.get(key)
    return value if isinstance(value, str) else None
