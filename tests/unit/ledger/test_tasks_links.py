"""Relations between entries, and entries that wait for a question."""

from __future__ import annotations

import pytest

from tests.support.ledgers import answered, asked, faults, planned


def told(tasks: str, questions: str | None = None) -> list[tuple[str, int | None, str | None]]:
    found = faults(questions if questions is not None else asked("- **A** x"), tasks)
    return [(rule.partition("/")[2], line, subject) for rule, line, subject in found]


def related(entry: str) -> list[str]:
    """The relation rules that an entry at line 7 breaks, beside #1 and #2 which name nothing."""
    return [rule for rule, line, _ in told(planned(f"{entry}\n- **#1** — one ·\n- **#2** — two ·")) if line == 7]


@pytest.mark.parametrize(
    ("field", "rules"),
    [
        ("related: #1", ["related-unparseable"]),
        ("related:", ["related-unparseable"]),
        ("related: **#1", ["related-unparseable"]),
        ("related: ****", ["related-unparseable"]),
        ("related: the **#1** task", ["related-unparseable"]),
        ("Related: #1", ["related-unparseable"]),
        ("related: #1 · related: **#2**", ["related-unparseable"]),
        ("related: **#1** · related: **#2**", ["related-repeated"]),
        ("related: **#1** · Related: **#1**", ["related-repeated"]),
        ("related: **#1** · related: **#1**, **#2**", ["related-repeated"]),
        ("related: **#1**, **#2**", ["related-two-spans"]),
        ("related: **#1** and **#2**", ["related-two-spans"]),
        ("related: **#1**/**#2**", ["related-two-spans"]),
        ("Related: **#1**, **#2**", ["related-two-spans"]),
        ("Related: **#1**", ["related-spelling"]),
        ("related:**#1**", ["related-spelling"]),
        ("Related: **soon**", ["related-spelling"]),
        ("related: **soon**", ["related-names-no-id"]),
        ("related: **1**", ["related-names-no-id"]),
        ("related: **#9**", ["related-to-itself"]),
        ("related: **#39**", ["related-to-nothing"]),
        ("related: **#9, #39, #1**", ["related-one-sided", "related-to-itself", "related-to-nothing"]),
        ("related: **#1**", ["related-one-sided"]),
        ("related: **#1, #2**", ["related-one-sided", "related-one-sided"]),
        ("related: **#1 #1**", ["related-one-sided"]),
        ("related:  **#1**", ["related-one-sided"]),
        ("related:\n  **#1**", ["related-one-sided"]),
        ("P2 ·related: **#1**", ["related-one-sided"]),
        ("P2\n  · related: **#1**", ["related-one-sided"]),
        ("prose related: **#1**", []),
        ("prose related: #1", []),
        ("correlated: #1", []),
        ("unrelated: **#1**", []),
        ("related to #1", []),
        ("see #1", []),
    ],
)
def test_relation_rules(field: str, rules: list[str]) -> None:
    assert related(f"- **#9** — a · {field} ·") == rules


def test_prose_after_the_field_is_no_second_span() -> None:
    assert related("- **#9** — a · related: **#1**\n  The body may mention **#2**.") == ["related-one-sided"]
    assert related("- **#9** — a · related: **#1** · see **#2**") == ["related-one-sided"]


def test_a_field_right_after_the_head_counts() -> None:
    assert related("- **#9** related: #1") == ["related-unparseable"]


def test_both_sides_carry_a_relation() -> None:
    assert told(planned("- **#8** — a · related: **#9** ·", "- **#9** — b · related: **#8** ·")) == []
    assert told(planned("- **#8** — a · related: **#9** ·", "- **#9** — b ·")) == [("related-one-sided", 7, "#8")]
    assert told(planned("- **#8** — a · related: **#009** ·", "- **#9** — b · related: **#8** ·")) == []


def test_an_entry_whose_own_field_is_wrong_makes_no_claim() -> None:
    found = told(planned("- **#8** — a · related: **#9** ·\n- **#9** — b · Related: **#8** ·"))
    assert found == [("related-one-sided", 7, "#8"), ("related-spelling", 8, "#9")]


def test_a_combined_head_claims_for_each_of_its_ids() -> None:
    one = "- **#1** — x · related: **#8** ·"
    assert told(planned(f"- **#7/#8** — a · related: **#1** ·\n{one}")) == [("related-one-sided", 7, "#7")]
    assert told(planned(f"- **#7/#8** — a · related: **#1** ·\n{one.replace('#8', '#7, #8')}")) == []
    assert told(planned("- **#7/#8** — a · related: **#8** ·")) == [("related-to-itself", 7, "#7/#8")]


def test_a_head_that_is_not_counted_is_an_entry_of_a_relation() -> None:
    assert told(planned("- **#8a** — a · related: **#9** ·\n- **#9 stage 1** — b · related: **#8** ·")) == []


def test_a_long_list_of_relations_is_read_in_reasonable_time() -> None:
    ids = ", ".join(f"#{i}" for i in range(1, 201))
    head = "/".join(f"#{i}" for i in range(1, 201))
    assert {rule for rule, _, _ in told(planned(f"- **{head}** — a · related: **{ids}** ·"))} == {"related-to-itself"}


def test_with_too_many_claims_no_side_is_said_to_be_missing() -> None:
    here, there = ("/".join([f"#{i}" for i in range(first, first + 500)]) for first in (1000, 2000))
    heads = f"- **{here}** — a · related: **{there}** ·\n- **{there}** — b · related: **{here}** ·\n"
    one_sided = "- **#3** — a · related: **#4** ·\n- **#4** — b ·"
    assert [rule for rule, _, _ in told(planned(heads + one_sided)) if rule.startswith("related")] == []
    assert told(planned(one_sided)) != []


WAITS = [
    "Blocked on the ruling in #8.",
    "blocked  on his decision about #8",
    "Do not start before he rules: decision #8.",
    "#8 authorises nothing until the question is answered",
    "Must authorise nothing until he answers #8",
    "waiting on the human for #8",
    "Waiting for a design call, #8",
    "gated on question #8",
    "This is a gate on the decision #8",
    "It WAITS. Now Waiting for decision #8! Done",
    "waiting for #8 to be ruled",
]
WAITS_NOT = [
    "Blocked on #8.",
    "The decision in #8.",
    "Blocked on the ruling. See #8",
    "Blocked on the ruling! See #8",
    "Blocked on the ruling? See #8",
    "Blocked on the\n  ruling in #8",
    "Blocked on the ruling in #5",
    "Blocked on the ruling in 8",
    "unblocked on the ruling in #8",
    "delegate on the decision #8",
    "waiting forever for the decision #8",
    "waiting for the ruler #8",
    "Context.\n\n  Blocked on the ruling in #8.",
    "Context.\n  · Blocked on the ruling in #8.",
    "· x\n  Blocked on the ruling in #8.",
]


@pytest.mark.parametrize("words", WAITS)
def test_prose_that_waits_for_a_question(words: str) -> None:
    assert told(planned(f"- **#5** — a · P2\n  {words}")) == [("blocker-without-question", 7, "#5 -> #8")]


@pytest.mark.parametrize("words", WAITS_NOT)
def test_prose_that_does_not_wait(words: str) -> None:
    assert told(planned(f"- **#5** — a · P2\n  {words}")) == []


def test_a_title_can_wait_too_and_its_fields_do_not() -> None:
    assert told(planned("- **#5** — gated on the question #8 · P2")) == [("blocker-without-question", 7, "#5 -> #8")]
    assert told(planned("- **#5** — a · gated on the question #8 · P2")) == []


def test_landed_entries_wait_for_nothing() -> None:
    assert told(planned("- **#5** — a ·", "- **#6** — a · P2\n  Waiting for the decision on #8.")) == []


RULED = "→ answered (2026-03-02): copper."


@pytest.mark.parametrize(
    ("questions", "rule"),
    [
        (asked("- **#8 which?** x"), None),
        (asked("- **Which, #8?** x"), None),
        (asked("- **#9 or #8?** x"), "blocker-without-question"),
        (answered(f"- **#8 which?** {RULED}"), "blocker-already-answered"),
        (answered(f"- **#08 which?** {RULED}"), "blocker-already-answered"),
        (answered("- **#8 which?** x\n  - **Note (human, 2026-03-02):** y"), "blocker-already-answered"),
        (answered("- **#8 which?** withdrawn"), "blocker-without-question"),
        (answered("- **#8 which?** x\n  - **Folded (2026-03-02):** y"), "blocker-without-question"),
        (asked("- **#8 again?** x", f"- **#8 which?** {RULED}"), "blocker-already-answered"),
    ],
)
def test_the_question_that_is_waited_for(questions: str, rule: str | None) -> None:
    tasks = planned("- **#5** — a · P2\n  Waiting for the decision on #8.")
    found = [(name, line, subject) for name, line, subject in told(tasks, questions) if name.startswith("blocker")]
    assert found == ([(rule, 7, "#5 -> #8")] if rule else [])


@pytest.mark.parametrize(
    ("note", "silent"),
    [
        ("· **UNBLOCKED** 2026-03-02", True),
        ("· UNBLOCKED: #8", True),
        ("· CLEARED", True),
        ("· **RESOLVED** by #8", True),
        ("· NO LONGER BLOCKED", True),
        ("· BLOCKER CLEARED", True),
        ("· **BLOCKER RESOLVED**", True),
        ("Prose.\n\n  More.\n  · UNBLOCKED", True),
        ("UNBLOCKED", False),
        ("· now UNBLOCKED", False),
        ("· BLOCKER gone", False),
        ("· unblocked", False),
    ],
)
def test_a_note_that_the_blocker_is_cleared(note: str, silent: bool) -> None:
    tasks = planned(f"- **#5** — a · P2\n  Waiting for the decision on #8.\n  {note}")
    found = [name for name, _, _ in told(tasks, answered(f"- **#8 which?** {RULED}")) if name.startswith("blocker")]
    assert found == ([] if silent else ["blocker-already-answered"])


def test_with_two_blockers_the_note_must_name_the_one_it_clears() -> None:
    questions = answered(f"- **#8 which?** {RULED}\n- **#9 what?** {RULED}")
    tasks = "- **#5** — a · P2\n  Waiting for the decisions on #8 and #9.\n  · UNBLOCKED{}"
    assert [s for _, _, s in told(planned(tasks.format("")), questions)] == ["#5 -> #8", "#5 -> #9"]
    assert [s for _, _, s in told(planned(tasks.format(" by #8")), questions)] == ["#5 -> #9"]


def test_a_question_title_says_what_it_blocks() -> None:
    tasks = planned("- **#5** — a · P2\n  · UNBLOCKED")
    assert told(tasks, answered(f"- **#8 (blocks #5) which?** {RULED}")) == [
        ("blocker-already-answered", 7, "#5 -> #8")
    ]
    assert told(tasks, answered("- **#8 (blocks #5) which?** gone"))[-1] == ("blocker-without-question", 7, "#5 -> #8")
    assert told(tasks, asked("- **#8 (blocks #5) which?** x")) == []
    assert told(tasks, answered(f"- **#8 which (blocks #5)?** {RULED}")) == []
    assert told(tasks, answered(f"- **#8 (blocks #6) which?** {RULED}")) == []


def test_without_questions_nothing_answers() -> None:
    tasks = planned("- **#5** — a · P2\n  Waiting for the decision on #8.")
    found = faults(None, tasks)
    assert found[1:] == [("tasks/blocker-without-question", 7, "#5 -> #8")]
