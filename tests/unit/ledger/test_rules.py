"""Every rule's own examples, and the shape of what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dreamwork_hooks.cli import lint_rules
from dreamwork_hooks.ledger.lint import lint
from dreamwork_hooks.ledger.rules import RULES, Rule, clip
from tests.support.ledgers import SOUND_QUESTIONS, SOUND_TASKS, answered, asked, faults, planned

EXAMPLES = [rule for rule in RULES.values() if rule.place != "memory"]
# Questions that the examples of tasks.md may lean on: one that names #2, one answered about #1.
CONTEXT = asked("- **2026-03-02 — #2 which valve?** x", "- **2026-03-01 — #1 which pipe?** → resolved (2026-03-02): x.")


def placed(rule: Rule, example: str) -> tuple[str | None, str | None]:
    """(questions.md, tasks.md) with an example in its place."""
    text: str | None = example
    if rule.place == "absent" and not example:
        text = None
    elif rule.name.startswith("questions/"):
        text = {"open": asked(example), "answered": answered(example)}.get(rule.place, example)
    elif rule.place == "open":
        text = planned(example)
    return (text, SOUND_TASKS) if rule.name.startswith("questions/") else (CONTEXT, text)


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: rule.name)
def test_the_bad_example_is_found(rule: Rule) -> None:
    assert rule.name in [found[0] for found in faults(*placed(rule, rule.bad), advice=True)]


# What a good example leaves for another rule to say: a skeleton is empty, and an answer waits to be folded.
LEFT = {"tasks/missing-file": ["tasks/no-entries"], "questions/answer-duplicated": ["questions/answer-not-folded"]}


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: rule.name)
def test_the_good_example_is_sound(rule: Rule) -> None:
    found = faults(*placed(rule, rule.good), advice=True)
    assert [name for name, _, _ in found] == LEFT.get(rule.name, [])


def test_there_are_fifty_rules_and_some_advice() -> None:
    assert sum(rule.severity != "advice" for rule in RULES.values()) == 51  # with ledger/entries-lost
    assert {rule.severity for rule in RULES.values()} == {"error", "warning", "advice"}


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: rule.name)
def test_a_finding_is_one_line_with_no_gap_left(rule: Rule) -> None:
    questions, tasks = placed(rule, rule.bad)
    result = lint(*(t if t is None else t.encode("utf-8", "surrogateescape") for t in (questions, tasks)))
    for finding in result["findings"]:
        assert list(finding) == ["rule", "severity", "file", "line", "subject", "message", "fix"]
        for words in (finding["message"], finding["fix"]):
            assert words.isprintable()
            assert not re.search(r"\{\w+\}", words)
            assert 10 < len(words) < 400


def test_what_a_file_says_is_quoted_on_one_short_line() -> None:
    hostile = "P1: a\x00b\x1b[31m\u2028\u202e{ids}{0}" + "x" * 500
    result = lint(asked(f"- **{hostile}** x").encode(), SOUND_TASKS.encode())
    message = result["findings"][0]["message"]
    assert message.isprintable()
    assert len(message) < 200


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\tb\nc", "a b c"),
        ("x" * 61, "x" * 59 + "…"),
        ("\x00\u202e\u2028", ""),
        ("x" * 60, "x" * 60),
    ],
)
def test_clip(text: str, shown: str) -> None:
    assert clip(text) == shown


def test_a_heading_with_braces_is_quoted_as_it_is() -> None:
    tasks = planned("- **#5** — a ·\n\n## {Parked}\n\n- **#6** — b ·")
    assert "`## {Parked}`" in lint(SOUND_QUESTIONS.encode(), tasks.encode())["findings"][0]["message"]


def test_the_rules_page_is_generated_from_the_rules() -> None:
    page = Path(lint_rules.__file__).parents[1] / "ledger" / "RULES.md"
    assert page.read_text(encoding="utf-8") == lint_rules.page()
