"""Answers say what was decided, in the form the event takes, and nothing more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamwork_hooks.contract.answer import validate_output
from dreamwork_hooks.contract.decision import Decision
from dreamwork_hooks.contract.events import EVENTS
from dreamwork_hooks.contract.render import render

texts = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=20)
decisions = st.builds(
    Decision,
    permission=st.sampled_from([None, "allow", "ask", "deny", "defer"]),
    block=st.booleans(),
    reason=texts,
    context=texts,
    updated_input=st.none() | st.fixed_dictionaries({"command": texts}),
    stop=st.booleans(),
    stop_reason=texts,
    system_message=texts,
)


@given(decision=decisions, event=st.sampled_from(sorted(EVENTS)))
def test_what_is_rendered_is_valid_and_allows_only_when_asked(decision: Decision, event: str) -> None:
    rendered = render(decision, event)
    reading = validate_output(event, rendered.stdout, "", 0)
    assert reading.status == "ok", (rendered, reading)
    if decision.permission != "allow":
        assert reading.decision.permission != "allow"
    if event == "PreToolUse" and decision.permission == "deny":
        assert reading.decision.block


@given(decision=decisions, event=st.sampled_from(["PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit"]))
def test_what_is_not_dropped_is_read_back(decision: Decision, event: str) -> None:
    rendered = render(decision, event)
    found = validate_output(event, rendered.stdout, "", 0).decision
    for part in ("context", "stop", "system_message"):
        if part not in rendered.dropped:
            assert getattr(decision, part) == getattr(found, part)
    if "updated_input" not in rendered.dropped:
        assert decision.updated_input == found.updated_input
    if decision.block and event != "PreToolUse" and "block" not in rendered.dropped:
        assert found.block


@pytest.mark.parametrize(
    ("event", "decision", "stdout"),
    [
        ("PreCompact", Decision(context="keep this"), "keep this"),
        ("PreCompact", Decision(block=True, reason="no"), '{"decision": "block", "reason": "no"}\n'),
        ("SessionStart", Decision(block=True), ""),
        ("UserPromptSubmit", Decision(block=True, stop=True, context="seen by nobody"), '{"decision": "block"}\n'),
        ("PreToolUse", Decision(), ""),
        (
            "PreToolUse",
            Decision(updated_input={"command": "ls"}),
            '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "ls"}}}\n',
        ),
    ],
)
def test_the_text_of_an_answer(event: str, decision: Decision, stdout: str) -> None:
    assert stdout == render(decision, event).stdout


def test_what_an_event_cannot_say_is_named() -> None:
    assert render(Decision(permission="deny", context="x", stop=True), "SessionEnd").dropped == (
        "permission",
        "context",
        "stop",
    )
