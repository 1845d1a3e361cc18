"""From a decision to the answer an event accepts."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from dreamwork_hooks.contract.decision import Decision
from dreamwork_hooks.contract.event import Event
from dreamwork_hooks.contract.events import EVENTS, EventSpec


@dataclass(frozen=True)
class Rendered:
    """An answer: a JSON object, or plain text for the events that read plain text, or nothing (both empty).

    `dropped` names the parts of the decision the event has no way to say.
    """

    answer: dict[str, object] | None = None
    text: str = ""
    dropped: tuple[str, ...] = ()

    @property
    def stdout(self) -> str:
        """What to print: one line of ASCII-safe JSON, or the text."""
        if self.answer is not None:
            return json.dumps(self.answer) + "\n"
        return self.text


def render(decision: Decision, event: Event | str) -> Rendered:
    """The answer that says `decision` to that event, exit status 0.

    Nothing is allowed unless `decision.permission` is "allow": a decision without a permission renders
    none, also beside an updated input. Raises KeyError for an event that is not in the table.
    """
    spec = event.spec if isinstance(event, Event) else EVENTS[event]
    answer: dict[str, object] = {}
    specific: dict[str, object] = {}
    dropped: list[str] = []
    text = ""

    if spec.name == "UserPromptSubmit":
        decision = _one_verdict(decision, dropped)
    _permission(decision, spec, specific, dropped)
    if decision.block and "permissionDecision" not in specific:
        if spec.effect("decision: block").value in ("nothing", "unknown"):
            if spec.name != "PermissionRequest":
                dropped.append("block")
        elif decision.stop and "stop-outweighs-block" in spec.traits:
            dropped.append("block")
        elif not (spec.effect("additionalContext").value == "continues" and decision.context and not decision.reason):
            answer["decision"] = "block"
            if decision.reason:
                answer["reason"] = decision.reason
    if decision.context:
        if spec.effect("additionalContext").value in ("context", "continues"):
            specific["additionalContext"] = decision.context
        elif spec.effect("stdout").value in ("summarizer", "shown"):
            text = decision.context
        else:
            dropped.append("context")
    if decision.updated_output is not None:
        if spec.effect("updatedToolOutput").value == "replaces-output":
            specific["updatedToolOutput"] = decision.updated_output
        else:
            dropped.append("updated_output")
    if decision.watch_paths:
        if spec.effect("watchPaths").value == "watches":
            specific["watchPaths"] = list(decision.watch_paths)
        else:
            dropped.append("watch_paths")
    if decision.worktree:
        if "worktreePath" in spec.answers:
            text = decision.worktree
        else:
            dropped.append("worktree")
    _common(decision, spec, answer, dropped)
    if specific:
        answer["hookSpecificOutput"] = {"hookEventName": spec.name, **specific}
    if answer and text:
        dropped.append("worktree" if decision.worktree else "context")
        text = ""
    return Rendered(answer or None, text, tuple(dropped))


def _one_verdict(decision: Decision, dropped: list[str]) -> Decision:
    """What keeps a prompt from the model goes alone. Of a block and a stop the block: after a stop the model reads it
    with the next request."""
    if not (decision.block or decision.stop):
        return decision
    if decision.context:
        dropped.append("context")
    if decision.system_message:
        dropped.append("system_message")
    if decision.block and decision.stop:
        dropped.append("stop")
    stop = decision.stop and not decision.block
    return replace(decision, context="", system_message="", stop=stop)


def _permission(decision: Decision, spec: EventSpec, specific: dict[str, object], dropped: list[str]) -> None:
    permission = decision.permission
    if spec.effect("permissionDecision").value == "permission":
        if permission is None and decision.block:
            permission = "deny"
        if permission is not None:
            specific["permissionDecision"] = permission
            if decision.reason:
                specific["permissionDecisionReason"] = decision.reason
        if decision.updated_input is not None and spec.effect("updatedInput").value == "replaces-input":
            specific["updatedInput"] = dict(decision.updated_input)
        elif decision.updated_input is not None:
            dropped.append("updated_input")
    elif spec.name == "PermissionRequest":
        if permission is None and decision.block:
            permission = "deny"
        if permission in ("allow", "deny"):
            inner: dict[str, object] = {"behavior": permission}
            if permission == "deny" and decision.reason:
                inner["message"] = decision.reason
            if permission == "allow" and decision.updated_input is not None:
                inner["updatedInput"] = dict(decision.updated_input)
            specific["decision"] = inner
        elif permission is not None:
            dropped.append("permission")
    else:
        if permission is not None:
            dropped.append("permission")
        if decision.updated_input is not None:
            dropped.append("updated_input")


def _common(decision: Decision, spec: EventSpec, answer: dict[str, object], dropped: list[str]) -> None:
    if decision.stop:
        if spec.effect("continue: false").value == "stops":
            answer["continue"] = False
            if decision.stop_reason:
                answer["stopReason"] = decision.stop_reason
        else:
            dropped.append("stop")
    if decision.system_message:
        if spec.effect("systemMessage").value == "person":
            answer["systemMessage"] = decision.system_message
        else:
            dropped.append("system_message")
