"""What a hook printed: which kind of thing it is, and whether it has the types an answer must have.

One wrong type voids the whole answer; unknown keys are ignored (measured).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dreamwork_hooks.contract.decision import PERMISSIONS
from dreamwork_hooks.contract.event import no_constant, type_name
from dreamwork_hooks.contract.events import COMMON_PARTS, EVENTS

Form = Literal["empty", "plain", "json", "null", "two-documents"]


@dataclass(frozen=True)
class Printed:
    """Standard output, read. `text` is decoded and trimmed; `answer` is set for JSON; `remark` says what
    looks wrong."""

    form: Form
    text: str
    answer: dict[str, object] | None = None
    remark: str = ""


def decode(data: bytes | str) -> str:
    """Text of an output stream: bytes that are not UTF-8 are read as U+FFFD, a byte order mark is dropped
    (measured)."""
    text = data.decode("utf-8", errors="replace") if isinstance(data, bytes) else data
    return text.lstrip("\ufeff")


def read_stdout(data: bytes | str) -> Printed:
    """Tell JSON from text the way the client does: only a document that begins with `{` is an answer."""
    text = decode(data).strip()
    if not text:
        return Printed("empty", "")
    if text == "null":
        return Printed("null", text)
    if not text.startswith("{"):
        return Printed("plain", text, remark=_remark(text))
    try:
        answer, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError) as error:
        return Printed("plain", text, remark=f"begins like JSON but is none ({error}), so it is plain text")
    rest = text[end:].strip()
    if not rest:
        return Printed("json", text, answer)
    if rest.startswith("{"):
        return Printed("two-documents", text, remark="two JSON documents on standard output")
    return Printed("plain", text, remark="text after the JSON, so all of it is plain text")


_DECODER = json.JSONDecoder(parse_constant=no_constant)


def _remark(text: str) -> str:
    try:
        value = json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError):
        value = text
    if not isinstance(value, str) or text.startswith('"'):
        return f"JSON, but {type_name(value)} and not an object, so it is plain text"
    at = text.find("\n{")
    if at >= 0:
        try:
            _DECODER.raw_decode(text[at + 1 :])
        except (ValueError, RecursionError):
            return ""
        return "text before the JSON, so the JSON is ignored"
    return ""


_TOP = {
    "continue": "boolean",
    "stopReason": "string",
    "suppressOutput": "boolean",
    "systemMessage": "string",
    "reason": "string",
    "hookSpecificOutput": "object",
}
_CONTEXT = {"additionalContext": "string"}
_SPECIFIC: dict[str, dict[str, str]] = {
    "SessionStart": {**_CONTEXT, "watchPaths": "array"},
    "PreToolUse": {**_CONTEXT, "permissionDecisionReason": "string", "updatedInput": "object"},
    "PreSkillShellCommand": {**_CONTEXT, "permissionDecisionReason": "string"},
    "PostToolUse": _CONTEXT,
    "PermissionRequest": {"decision": "object"},
    "WorktreeCreate": {"worktreePath": "string"},
}


@dataclass(frozen=True)
class Checked:
    """`problem` voids the answer; `unknown` are the keys nobody reads (`hookSpecificOutput.x` for inner ones).

    `block_counts`: of a void answer a `decision: block` still counts (measured for another event's `hookEventName`).
    """

    problem: str = ""
    unknown: tuple[str, ...] = ()
    block_counts: bool = False


def check_answer(event: str, answer: Mapping[str, object]) -> Checked:
    """Hold an answer against the types of an event."""
    for key, wanted in _TOP.items():
        if key in answer and type_name(answer[key]) != wanted:
            return Checked(f"`{key}` must be {wanted}, is {type_name(answer[key])}")
    if "decision" in answer and answer["decision"] not in ("block", "approve"):
        return Checked(f'`decision` must be "block" or "approve", is {_short(answer["decision"])}')
    unknown = [key for key in answer if key not in _TOP and key != "decision"]
    specific = answer.get("hookSpecificOutput")
    if isinstance(specific, Mapping):
        inner = _check_specific(event, specific)
        if inner.problem:
            return inner
        unknown.extend(f"hookSpecificOutput.{key}" for key in inner.unknown)
    return Checked("", tuple(unknown))


def _check_specific(event: str, specific: Mapping[str, object]) -> Checked:
    name = specific.get("hookEventName")
    if not isinstance(name, str):
        return Checked("`hookSpecificOutput` without `hookEventName`")
    if "no-specific-output" in EVENTS[event].traits:
        if name == event:
            return Checked(f"{event} takes no `hookSpecificOutput`")
        if name not in EVENTS:
            return Checked(f"`hookEventName` names no event: {name}")
        return Checked("", tuple(key for key in specific if key != "hookEventName"))
    if name != event:
        return Checked(f"`hookEventName` is {name}, the event is {event}", block_counts=name in EVENTS)
    types = _SPECIFIC.get(event, _CONTEXT)
    for key, wanted in types.items():
        if key in specific and type_name(specific[key]) != wanted:
            return Checked(f"`hookSpecificOutput.{key}` must be {wanted}, is {type_name(specific[key])}")
    known = {"hookEventName", *types, *(EVENTS[event].answers.keys() - COMMON_PARTS)}
    decides = EVENTS[event].effect("permissionDecision").value == "permission"
    permission = specific.get("permissionDecision", "allow")
    if decides and permission not in PERMISSIONS:
        return Checked(f"`permissionDecision` must be one of {', '.join(PERMISSIONS)}, is {_short(permission)}")
    if event == "PermissionRequest":
        problem = _request_problem(specific)
        if problem:
            return Checked(problem)
    paths = specific.get("watchPaths")
    if event == "SessionStart" and isinstance(paths, list) and not all(isinstance(p, str) for p in paths):
        return Checked("`hookSpecificOutput.watchPaths` must hold strings")
    return Checked("", tuple(key for key in specific if key not in known))


def _request_problem(specific: Mapping[str, object]) -> str:
    decision = specific.get("decision")
    if not isinstance(decision, Mapping):
        return "PermissionRequest needs `hookSpecificOutput.decision`; it takes no additionalContext"
    if decision.get("behavior") not in ("allow", "deny"):
        return f'`decision.behavior` must be "allow" or "deny", is {_short(decision.get("behavior"))}'
    if "message" in decision and not isinstance(decision["message"], str):
        return "`decision.message` must be string"
    if "updatedInput" in decision and not isinstance(decision["updatedInput"], Mapping):
        return "`decision.updatedInput` must be object"
    return ""


def _short(value: object) -> str:
    return repr(value)[:60]
