"""Several hooks with different verdicts on one event: whose words arrive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dreamwork_hooks.host import Outcome, Policies
from tests.support.hosts import Load, answer, specific

MakeEvent = Callable[..., dict[str, object]]
Run = Callable[..., Outcome]


@pytest.fixture
def run(load: Load, event: MakeEvent) -> Run:
    def dispatch(name: str, *hooks: str, **policies: Any) -> Outcome:
        """Run hooks in the order they are to finish."""
        return load(
            {name: [f"sleep {i / 10}; {hook}" for i, hook in enumerate(hooks)]}, policies=Policies(**policies)
        ).dispatch(event(name))

    return dispatch


def permission(word: str, reason: str) -> str:
    return specific("PreToolUse", permissionDecision=word, permissionDecisionReason=reason)


def block(reason: str) -> str:
    return answer(decision="block", reason=reason)


def stop(reason: str) -> str:
    return answer(**{"continue": False, "stopReason": reason})


def test_of_several_reasons_to_deny_the_last_arrives(run: Run) -> None:
    outcome = run("PreToolUse", permission("deny", "one"), "echo two >&2; exit 2", permission("ask", "three"))
    assert (outcome.decision.reason, outcome.model) == ("two", ("two",))
    assert len(outcome.decided_by) == 2


def test_of_several_reasons_to_ask_the_first_arrives(run: Run) -> None:
    outcome = run("PreToolUse", permission("ask", "one"), permission("ask", "two"))
    assert (outcome.decision.permission, outcome.decision.reason, outcome.person) == ("ask", "one", ("one",))


def test_a_dropped_prompt_takes_every_other_word_with_it(run: Run) -> None:
    outcome = run("UserPromptSubmit", "echo context", block("one"), block("two"))
    assert (outcome.blocked, outcome.model, outcome.person) == (True, (), ("one",))
    assert outcome.decision.context == ""


def test_a_stopped_prompt_keeps_what_was_said_before(run: Run) -> None:
    outcome = run("UserPromptSubmit", "echo before", stop("enough"), "echo after", block("late"))
    assert (outcome.blocked, outcome.ends_turn) == (False, True)
    assert outcome.model == ("before", "enough")


def test_a_host_that_fails_closed_does_not_let_a_stop_outweigh_a_block(run: Run) -> None:
    assert run("UserPromptSubmit", stop("enough"), block("late"), fail_closed="always").blocked
    assert run("UserPromptSubmit", stop("enough"), "exit 1", fail_closed="always").blocked


def test_a_batch_ends_with_one_reason_and_all_contexts(run: Run) -> None:
    context = specific("PostToolBatch", additionalContext="context")
    outcome = run("PostToolBatch", block("one"), stop("two"), context)
    assert (outcome.ends_turn, outcome.model) == (True, ("one", "context"))


def test_after_a_tool_nothing_is_heard_behind_a_stop(run: Run) -> None:
    outcome = run("PostToolUse", block("one"), stop("two"), block("three"))
    assert (outcome.ends_turn, outcome.model) == (True, ("one", "two"))


def test_an_agent_that_is_told_to_stop_does_not_go_on(run: Run) -> None:
    outcome = run("Stop", block("go on"), stop("no"))
    assert (outcome.continues, outcome.ends_turn, outcome.model) == (False, True, ("go on", "no"))
