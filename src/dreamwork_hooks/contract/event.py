"""Events with types: what a hook is told, read from bytes, with the parts a host needs pulled out by name."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dreamwork_hooks.contract import tools
from dreamwork_hooks.contract.events import EVENTS, TOOL_EVENTS, EventSpec, FieldSpec, nearest
from dreamwork_hooks.errors import UserError


@dataclass(frozen=True)
class Event:
    """Any event. `raw` is all of it, as it goes to the hook."""

    spec: EventSpec
    raw: Mapping[str, object]
    kind: str
    """The host-neutral word: `shell.pre`, `write.post`, `session.start`, `stop`, ..."""
    session_id: str
    transcript_path: str
    cwd: str
    subject: str | None
    """What a matcher is tested against; None when the event takes no matcher."""
    agent_id: str | None
    """Set inside a subagent, and for events about one."""
    agent_type: str | None

    @property
    def name(self) -> str:
        """The client's name of the event."""
        return self.spec.name


@dataclass(frozen=True)
class ToolEvent(Event):
    """An event about one tool call."""

    tool_name: str
    tool_input: Mapping[str, object]
    tool_use_id: str | None
    tool_response: object


@dataclass(frozen=True)
class ShellEvent(ToolEvent):
    """A tool event of a shell."""

    command: str


@dataclass(frozen=True)
class WriteEvent(ToolEvent):
    """A tool event of a tool that writes files. Paths as the event has them, and absolute."""

    targets: tuple[str, ...]
    absolute_targets: tuple[str, ...]


@dataclass(frozen=True)
class PromptEvent(Event):
    """The person's prompt, before it reaches the model."""

    prompt: str


@dataclass(frozen=True)
class StopEvent(Event):
    """The agent, or a subagent, is about to stop."""

    stop_hook_active: bool
    """Whether a hook already kept it from stopping in this turn."""
    last_assistant_message: str | None


@dataclass(frozen=True)
class SessionEvent(Event):
    """A session begins or ends; `source` is the source or the reason."""

    source: str


@dataclass(frozen=True)
class CompactEvent(Event):
    """Before or after a compaction."""

    trigger: str
    custom_instructions: str | None
    compact_summary: str | None


class EventError(UserError, ValueError):
    """The input is not an event. `field` is the dotted name of the key at fault; empty for the whole
    document."""

    def __init__(self, field: str, problem: str) -> None:
        self.field = field
        self.problem = problem
        super().__init__(f"{field}: {problem}" if field else problem)
        if field:
            self.hint = "`events EVENT` shows what an event holds"


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
    faults = [fault for field in spec.fields for fault in _faults(field, data)]
    if faults:
        more = "".join(f"; {name}: {problem}" for name, problem in faults[1:])
        raise EventError(faults[0][0], faults[0][1] + more)
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


def _faults(field: FieldSpec, data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    if field.name not in data:
        if field.required:
            yield field.name, "missing"
        return
    value = data[field.name]
    if type_name(value) not in field.types:
        yield field.name, f"must be {' or '.join(field.types)}, is {type_name(value)}"
    elif field.closed and value not in field.values:
        yield field.name, f"must be one of {', '.join(field.values)}, is {value!r}"


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
    base["kind"] = spec.kind if kind == "tool" else spec.kind.replace("tool.", f"{kind}.")
    parts: dict[str, Any] = {
        "tool_name": name,
        "tool_input": tool_input,
        "tool_use_id": _text(data, "tool_use_id"),
        "tool_response": data.get("tool_response"),
    }
    if kind == "shell":
        command = tool_input.get("command")
        if not isinstance(command, str):
            raise EventError("tool_input.command", f"missing or not a string; {name} needs it")
        return ShellEvent(**base, **parts, command=command)
    if kind == "write":
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


_RESPONSES: dict[str, object] = {
    "Bash": {"stdout": "", "stderr": "", "interrupted": False, "isImage": False},
    "Write": {"type": "create", "filePath": "/tmp/sample.txt", "content": "text\n", "structuredPatch": []},
    "Edit": {"filePath": "/tmp/sample.txt", "oldString": "a", "newString": "b", "structuredPatch": []},
    "Read": {"type": "text", "file": {"filePath": "/tmp/sample.txt", "content": "text\n"}},
}
_BY_TYPE: dict[str, object] = {
    "string": "",
    "number": 0,
    "boolean": False,
    "object": {},
    "array": [],
    "null": None,
}
_INPUTS: dict[str, dict[str, object]] = {
    "Bash": {"command": "true"},
    "Write": {"file_path": "/tmp/sample.txt", "content": "text\n"},
    "Edit": {"file_path": "/tmp/sample.txt", "old_string": "a", "new_string": "b", "replace_all": False},
    "Read": {"file_path": "/tmp/sample.txt"},
    "NotebookEdit": {"notebook_path": "/tmp/sample.ipynb", "new_source": "1"},
    "Agent": {"description": "a task", "prompt": "do it"},
}


def sample_event(name: str, cwd: str, tool: str = "Bash", **changes: object) -> dict[str, object]:
    """An event with every required field, `changes` laid over it. Raises KeyError for an unknown event."""
    event: dict[str, object] = {}
    for field in EVENTS[name].fields:
        if field.required:
            event[field.name] = field.values[0] if field.values else _BY_TYPE[field.types[0]]
    event["hook_event_name"] = name
    event["session_id"] = "11111111-1111-4111-8111-111111111111"
    event["cwd"] = cwd
    if "tool_name" in event:
        event["tool_name"] = tool
        spec = tools.TOOLS.get(tool)
        event["tool_input"] = _INPUTS.get(tool) or dict.fromkeys(spec.required if spec else (), "")
        if any(field.name == "tool_response" for field in EVENTS[name].fields):
            event["tool_response"] = _RESPONSES.get(tool, "")
    event.update(changes)
    return event


COMMON = ("session_id", "transcript_path", "cwd", "permission_mode")
"""What every event carries, and says nothing of what happened."""


def filled(data: Mapping[str, object], cwd: str) -> tuple[dict[str, object], tuple[str, ...]]:
    """A hand-written event with the common fields it lacks, and their names; as it is where the event is unknown."""
    name = data.get("hook_event_name")
    sample = sample_event(name, cwd) if isinstance(name, str) and name in EVENTS else {}
    missing = tuple(key for key in COMMON if key in sample and key not in data)
    return {**data, **{key: sample[key] for key in missing}}, missing
