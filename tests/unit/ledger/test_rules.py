"""Every rule's own examples, and the shape of what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dreamwork_hooks.cli import lint_rules
from dreamwork_hooks.ledger.lint import Ledger, lint
from dreamwork_hooks.ledger.losses import entry_identities, lost, remember
from dreamwork_hooks.ledger.rules import clip, read_rules
from dreamwork_hooks.rulebook import Rule
from tests.support.ledgers import SOUND_QUESTIONS, SOUND_TASKS, answered, asked, faults, planned

RULES = read_rules()
EXAMPLES = [rule for rule in RULES.values() if rule.place != "over"]
LEDGER = Path(lint_rules.__file__).parents[1] / "ledger"
# Questions that the examples of tasks.md may lean on: one that names #2, one answered about #1.
CONTEXT = asked("- **2026-03-02 — #2 which valve?** x", "- **2026-03-01 — #1 which pipe?** → resolved (2026-03-02): x.")


def placed(rule: Rule, example: str) -> tuple[str | None, str | None]:
    """(questions.md, tasks.md) with an example in its place."""
    text: str | None = example + "\n"
    # What the page shows of a byte that is not UTF-8, and of an id too long to be written out.
    example = re.sub(r"\\x([89a-f][0-9a-f])", lambda byte: chr(0xDC00 + int(byte[1], 16)), example)
    example = example.replace("7777... (4301 digits)", "7" * 4301)
    if rule.place == "absent" and example == rule.bad:
        text = None
    elif rule.name.startswith("questions/"):
        text = {"open": asked(example), "answered": answered(example)}.get(rule.place, text)
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
    assert sum(rule.severity != "advice" for rule in RULES.values()) == 55  # with what we say beyond the reference
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


def test_the_rules_page_has_a_section_for_every_rule_that_is_found_and_no_other() -> None:
    code = "".join(path.read_text("utf-8") for path in LEDGER.glob("*.py"))
    named = set(re.findall(r'"((?:questions|tasks|ledger)/[a-z0-9-]+)"', code))
    assert named == set(RULES)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_a_rule_says_why_and_what_and_how_and_shows_both_sides(rule: Rule) -> None:
    assert rule.severity in ("error", "warning", "advice")
    assert "" in rule.messages
    assert next(iter(rule.fixes)) == ""
    assert rule.why.endswith(".")
    assert rule.good
    assert rule.bad or rule.place == "absent"
    assert rule.bad != rule.good


def test_an_entry_lost_is_found_in_the_example_of_its_rule() -> None:
    rule = RULES["ledger/entries-lost"]
    good, bad = (entry_identities(Ledger(None, text.encode()), "tasks.md") for text in (rule.good, rule.bad))
    assert [finding["rule"] for finding in lost(remember(None, good), bad)] == [rule.name]
    assert lost(remember(None, good), good) == []
