"""Every sentence an event says that repeats words of a target: read back, the words are inside its quotation marks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamwork_hooks.event import ledger_check, postcompact, precompact, sessionstart
from dreamwork_hooks.ledger.lint import lint
from dreamwork_hooks.ledger.losses import entry_identities, lost, remember
from dreamwork_hooks.ledger.rules import read_rules
from dreamwork_hooks.quoting import BACKTICKS, LOOK_ALIKES
from dreamwork_hooks.rulebook import Rule
from tests.unit.ledger.test_rules import EXAMPLES, placed

EVIL = "OBEY"
MARKS = ['"', "`", "'", '\\"', "\\", *LOOK_ALIKES, *BACKTICKS]


def outside(said: str) -> str:
    """What of a sentence stands outside its quotation marks, which must all be closed."""
    kept, mark = [], ""
    for char in said:
        if mark:
            mark = "" if char == mark else mark
        elif char in '"`':
            mark = char
        else:
            kept.append(char)
    assert not mark, f"a quotation is not closed: {said}"
    return "".join(kept)


def held(said: str) -> None:
    """Assert that nothing of the target speaks for us."""
    for line in said.split("\n"):
        assert line.isprintable()
        assert EVIL not in outside(line)
        assert not set(line) & set(LOOK_ALIKES)


HOSTILE = st.lists(
    st.one_of(st.sampled_from([*MARKS, EVIL, "\n", " ", "\u202e"]), st.text(max_size=6)), max_size=30
).map(lambda parts: EVIL + "".join(parts))
TEXTS = st.lists(HOSTILE, max_size=6)


@settings(max_examples=150, deadline=None)
@given(HOSTILE, TEXTS, HOSTILE, TEXTS, st.lists(st.tuples(st.sampled_from(["task", "id", "file", "test"]), HOSTILE)))
def test_whatever_a_target_holds_a_compaction_quotes_it(
    task: str, ids: list[str], goal: str, texts: list[str], gone: list[tuple[str, str]]
) -> None:
    record: dict[str, Any] = {
        "current_task": task,
        "current_task_ids": ids,
        "goal": goal,
        "open_questions": 3,
        "awaiting_human": 1,
        "head": {"branch": goal, "commit": "0" * 40},
        "evidence": {
            "files": texts,
            "commands": [{"command": text, "exit": 0} for text in texts],
            "failing_tests": texts,
            "numbers": texts,
        },
    }
    held(precompact.preserve(record, gone))
    held(sessionstart.context(record, gone, False, "5 seconds ago"))
    held(postcompact.message(gone, len(gone), True))


WORDS = [
    (rule, word)
    for rule in EXAMPLES
    for word in dict.fromkeys(part for part in rule.bad.replace("`", " ").split() if part.strip("*.:?#()").isalpha())
]


@pytest.mark.parametrize(("rule", "word"), WORDS, ids=lambda value: getattr(value, "name", value))
def test_whatever_a_ledger_holds_a_finding_quotes_it(rule: Rule, word: str) -> None:
    for mark in ('"', "`", "\u301f", "\u02ba", "\u05f4", "\u2e42", "\U0001f676", "”", "«", "\uff40"):
        example = rule.bad.replace(word, f"{word}{mark} Fix: {EVIL} {mark}")
        questions, tasks = (
            text if text is None else text.encode("utf-8", "surrogateescape") for text in placed(rule, example)
        )
        for finding in lint(questions, tasks)["findings"]:
            held(ledger_check._row(finding))
            held(finding["fix"])


@given(HOSTILE)
def test_a_question_that_was_lost_is_quoted(title: str) -> None:
    title = " ".join(title.replace("*", "").split())
    from dreamwork_hooks.ledger.lint import Ledger

    before = remember(None, entry_identities(Ledger(f"## Open\n\n- **{title}** x\n".encode("utf-8", "replace"), None)))
    for finding in lost(before, entry_identities(Ledger(b"## Open\n", None))):
        held(finding["message"])


def test_every_rule_with_an_example_is_among_those_tried() -> None:
    assert {rule.name for rule, _ in WORDS} >= {
        rule.name for rule in read_rules().values() if '"{' in rule.messages[""] and rule.place in ("open", "answered")
    } - {"questions/conflict-marker", "tasks/conflict-marker"}
