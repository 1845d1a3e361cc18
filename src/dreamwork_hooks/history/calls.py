"""Tool calls of past sessions as the events they were: PreToolUse for each, PostToolUse for those that succeeded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from dreamwork_hooks.evidence.transcript import blocks_of
from dreamwork_hooks.history.transcripts import Entry, Passed, entries

Name = Literal["PreToolUse", "PostToolUse"]

NOT_REBUILT: dict[Name, tuple[str, ...]] = {
    "PreToolUse": ("permission_mode", "effort", "agent_type"),
    "PostToolUse": ("permission_mode", "effort", "agent_type", "duration_ms"),
}
"""Fields of the events that no transcript holds; `permission_mode` is given as `default`."""

_MOST_OPEN = 1000  # calls whose result is awaited


@dataclass(frozen=True)
class Call:
    """One tool call as an event.

    Attributes:
        event: as a hook gets it on its standard input, as far as it can be rebuilt.
        id: the call's `tool_use_id`.
    """

    event: dict[str, object]
    id: str

    @property
    def tool(self) -> str:
        """The tool's name."""
        return str(self.event["tool_name"])

    @property
    def pattern(self) -> str:
        """What the call is like, as the permission rule that would name its kind: `Bash(git push *)`, `Edit(*.py)`."""
        given = self.event["tool_input"]
        given = given if isinstance(given, dict) else {}
        command = given.get("command")
        if isinstance(command, str):
            words = command.split()
            kept = words[:2] if len(words) > 1 and words[1][:1].isalpha() and words[1].isalnum() else words[:1]
            return f"{self.tool}({' '.join(kept)[:60]} *)" if kept else self.tool
        named = (given.get(key) for key in ("file_path", "notebook_path", "path"))
        path = next((value for value in named if isinstance(value, str)), "")
        name = path.rpartition("/")[2]
        ending = name.rpartition(".")[2] if "." in name else ""
        return f"{self.tool}(*.{ending[:20]})" if ending else self.tool


def calls(path: Path, wanted: Name, passed: Passed) -> Iterator[Call]:
    """The calls of one transcript as events of the kind `wanted`, in their order.

    A call that was refused, or failed, is no PostToolUse. In memory are only the calls whose result has not come yet.
    """
    open_calls: dict[str, Call] = {}
    for entry in entries(path, _looks_right, passed):
        for block in blocks_of(entry):
            if entry.get("type") == "assistant" and block.get("type") == "tool_use":
                call = _call(block, entry, path)
                if wanted == "PreToolUse":
                    yield call
                    continue
                open_calls[call.id] = call
                if len(open_calls) > _MOST_OPEN:
                    del open_calls[next(iter(open_calls))]
            elif entry.get("type") == "user" and block.get("type") == "tool_result":
                begun = open_calls.pop(str(block.get("tool_use_id")), None)
                if begun is not None and not block.get("is_error") and "toolUseResult" in entry:
                    event = {**begun.event, "hook_event_name": "PostToolUse", "tool_response": entry["toolUseResult"]}
                    yield Call(event, begun.id)


def _call(block: dict[str, Any], entry: Entry, path: Path) -> Call:
    given = block.get("input")
    event: dict[str, object] = {
        "session_id": str(entry.get("sessionId") or ""),
        "transcript_path": str(path),
        "cwd": str(entry.get("cwd") or ""),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": str(block.get("name") or ""),
        "tool_input": given if isinstance(given, dict) else {},
        "tool_use_id": str(block.get("id") or ""),
    }
    if isinstance(entry.get("agentId"), str):
        event["agent_id"] = entry["agentId"]
    return Call(event, str(event["tool_use_id"]))


def _looks_right(line: bytes) -> bool:
    return b'"tool_use"' in line or b'"tool_result"' in line
