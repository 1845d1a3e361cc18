"""The types an answer must have. One wrong type voids the whole answer; unknown keys are ignored
(measured)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dreamwork_hooks.contract.events import EVENTS
from dreamwork_hooks.contract.parsing import type_name

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
    "PostToolUse": _CONTEXT,
    "PermissionRequest": {"decision": "object"},
    "WorktreeCreate": {"worktreePath": "string"},
}
_ANY_TYPE = {"PostToolUse": ("updatedToolOutput", "updatedMCPToolOutput")}

NO_SPECIFIC_OUTPUT = frozenset({"PreCompact", "PostCompact", "SessionEnd"})
"""Events whose own `hookSpecificOutput` fails validation, while another event's passes as success
(measured)."""

PERMISSIONS = ("allow", "ask", "deny", "defer")


@dataclass(frozen=True)
class Checked:
    """`problem` voids the answer; `unknown` are the keys nobody reads (`hookSpecificOutput.x` for inner ones).

    `block_counts`: of a void answer a `decision: block` still counts (measured for another event's `hookEventName`).
    """

    problem: str = ""
    unknown: tuple[str, ...] = ()
    block_counts: bool = False


def check(event: str, answer: Mapping[str, object]) -> Checked:
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
    if event in NO_SPECIFIC_OUTPUT:
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
    known = {"hookEventName", *types, *_ANY_TYPE.get(event, ())}
    if event == "PreToolUse":
        known.add("permissionDecision")
        if "permissionDecision" in specific and specific["permissionDecision"] not in PERMISSIONS:
            return Checked(
                f"`permissionDecision` must be one of {', '.join(PERMISSIONS)}, "
                f"is {_short(specific['permissionDecision'])}"
            )
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
