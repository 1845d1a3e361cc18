"""A line that was meant as an entry is found; what is none stays quiet."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamwork_hooks.ledger.lint import lint
from tests.support.ledgers import SOUND_QUESTIONS, SOUND_TASKS, asked, faults, large_questions, large_tasks, planned

CASES = Path(__file__).parents[2] / "data" / "ledger" / "cases"
Q = "- **2026-03-02 — Which valve?** Brass.\n"
T = "- **#2** — read the scale · P2 ·\n"


def unread(questions: str, tasks: str) -> list[tuple[str, int | None, str]]:
    found = lint(questions.encode(), tasks.encode())["findings"]
    return [(f["rule"], f["line"], f["fix"]) for f in found if f["rule"].endswith("-unread")]


TASK_SLIPS = {
    "another bullet": ("* **#5** — fit the valve · P2 ·", "- **#5** — fit the valve · P2 ·"),
    "a plus": ("+ **#5** — fit the valve", "- **#5** — fit the valve"),
    "a bullet of print": ("• **#5** — fit the valve", "- **#5** — fit the valve"),
    "another dash": ("– **#5** — fit the valve", "- **#5** — fit the valve"),
    "a minus": ("−  **#5** — fit the valve", "- **#5** — fit the valve"),
    "a blank before": (" - **#5** — fit the valve", "- **#5** — fit the valve"),
    "two blanks after": ("-  **#5** — fit the valve", "- **#5** — fit the valve"),
    "a tab after": ("-\t**#5** — fit the valve", "- **#5** — fit the valve"),
    "no blank": ("-**#5** — fit the valve", "- **#5** — fit the valve"),
    "no bold": ("- #5 — fit the valve · P2 ·", "- **#5** — fit the valve · P2 ·"),
    "no bold and a minus": ("- #5 - fit the valve", "- **#5** - fit the valve"),
    "no bold and a colon": ("- #5: fit the valve", "- **#5** — fit the valve"),
    "no number sign": ("- **5** — fit the valve · P2 ·", "- **#5** — fit the valve · P2 ·"),
    "a checkbox": ("- [ ] **#5** — fit the valve", "- **#5** — fit the valve"),
    "a checkbox and no bold": ("- [x] #5 — fit the valve", "- **#5** — fit the valve"),
    "numbered": ("1. **#5** — fit the valve", "- **#5** — fit the valve"),
    "numbered, no bold": ("2) #5 — fit the valve", "- **#5** — fit the valve"),
    "a heading": ("### #5 — fit the valve", "- **#5** — fit the valve"),
    "a bold heading": ("### **#5** — fit the valve", "- **#5** — fit the valve"),
    "no dash": ("**#5** — fit the valve", "- **#5** — fit the valve"),
    "nothing": ("#5 — fit the valve", "- **#5** — fit the valve"),
    "two ids": ("* **#5/#6** — fit both", "- **#5/#6** — fit both"),
}


@pytest.mark.parametrize("slip", TASK_SLIPS)
@pytest.mark.parametrize("gap", ["", "\n"], ids=["next line", "after a blank"])
def test_a_task_with_a_slip_at_its_start_is_found(slip: str, gap: str) -> None:
    line, form = TASK_SLIPS[slip]
    at = 8 + len(gap)
    assert unread(SOUND_QUESTIONS, planned(T + gap + line)) == [
        ("tasks/entry-unread", at, f"write it like this, at column 0: `{form}`")
    ]
    assert unread(SOUND_QUESTIONS, planned(T + gap + form)) == []


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("- **#5 — fit the valve** · P2 ·", "- **#5** — fit the valve · P2 ·"),
        ("- **#5: fit the valve**", "- **#5** — fit the valve"),
        ("- **fit the valve** · P2 · origin: **loop** ·", "- **#400** — fit the valve · P2 · origin: **loop** ·"),
        ("- fit the valve · P2 · origin: **loop** ·", "- **#400** — fit the valve · P2 · origin: **loop** ·"),
    ],
)
def test_a_task_that_may_be_something_else_is_a_warning(line: str, form: str) -> None:
    found = unread(SOUND_QUESTIONS, planned(T + line))
    assert [(rule, at) for rule, at, _ in found] == [("tasks/entry-perhaps-unread", 8)]
    assert form in found[0][2]


def test_what_has_landed_and_is_unread_is_a_warning() -> None:
    assert [rule for rule, _, _ in unread(SOUND_QUESTIONS, planned(T, "- #5 — fit the valve"))] == [
        "tasks/entry-perhaps-unread"
    ]
    assert unread(SOUND_QUESTIONS, planned(T, "**#5** fitted (1a2b3c4) — long ago. **#6** too.")) == []


QUESTION_SLIPS = {
    "another bullet": "* **2026-03-03 — Which pump?** Small.",
    "a plus": "+ **2026-03-03 — Which pump?** Small.",
    "a bullet of print": "• **2026-03-03 — Which pump?** Small.",
    "another dash": "— **2026-03-03 — Which pump?** Small.",
    "a blank before": " - **2026-03-03 — Which pump?** Small.",
    "two blanks after": "-  **2026-03-03 — Which pump?** Small.",
    "a tab after": "-\t**2026-03-03 — Which pump?** Small.",
    "no blank": "-**2026-03-03 — Which pump?** Small.",
    "no bold": "- 2026-03-03 — Which pump? Small.",
    "a checkbox": "- [ ] **2026-03-03 — Which pump?** Small.",
    "a checkbox and no bold": "- [ ] 2026-03-03 — Which pump? Small.",
    "numbered": "1. **2026-03-03 — Which pump?** Small.",
    "a heading": "### **2026-03-03 — Which pump?** Small.",
    "no dash": "**2026-03-03 — Which pump?** Small.",
    "a priority": "* **P1 · 2026-03-03 — Which pump?** Small.",
    "a clock": "* **2026-03-03 10:30 — Which pump?** Small.",
}


@pytest.mark.parametrize("slip", QUESTION_SLIPS)
@pytest.mark.parametrize("gap", ["", "\n"], ids=["next line", "after a blank"])
def test_a_question_with_a_slip_at_its_start_is_found(slip: str, gap: str) -> None:
    line = QUESTION_SLIPS[slip]
    if (slip, gap) == ("a checkbox and no bold", "") or (slip, gap) == ("no bold", ""):
        gap = "\n"  # right below an entry it is a note of it
    title = re.search(r"(P1 · )?2026-03-03[^?]*\?", line)
    assert title
    form = f"- **{title[0]}** Small."
    assert unread(asked(Q + gap + line), SOUND_TASKS) == [
        ("questions/entry-unread", 6 + len(gap), f"write it like this, at column 0: `{form}`")
    ]
    assert unread(asked(Q + gap + form), SOUND_TASKS) == []


def test_a_question_without_a_date_is_a_warning() -> None:
    for line in ("* **Which pump?** Small.", "-  **Which pump?**", "### Which pump?", "+ **Which pump?**"):
        found = unread(asked(Q + "\n" + line), SOUND_TASKS)
        expected = [("questions/entry-perhaps-unread", 7)] if not line.startswith("- ") else []
        assert [(rule, at) for rule, at, _ in found] == expected, line
    assert [rule for rule, _, _ in unread(asked("- [ ] Which pump?\n\n" + Q), SOUND_TASKS)] == [
        "questions/entry-perhaps-unread"
    ]


QUIET_TASKS = [
    "- #1 — first, since it blocks the rest",  # landed: a list of known tasks
    "* **#1** — done before",
    "1. #2 — this comes first",
    "  - **#9** indented head, not an entry",
    "  - #9 — a note",
    "- **#7 stage 1** — words · P2",
    "- **#392a** — a sub id",
    "- a plain list, #9 among it",
    "* note to self: 12 mm",
    "12 mm is what #9 needs",
    "- **2031** — a year, not an id",
    "> * **#9** — quoted",
    "| #9 | in a table |",
    "### Notes",
    "### #1 — first",
    "`* **#9** — in code`",
]


@pytest.mark.parametrize("line", QUIET_TASKS)
def test_what_names_a_task_without_being_one_is_quiet(line: str) -> None:
    assert unread(SOUND_QUESTIONS, planned(T + line, "- **#1** — x · landed `1a2b3c4` ·")) == []


QUIET_QUESTIONS = [
    "  - **2026-03-03 — vendor replied** no",
    "  - 2026-03-03 — vendor replied?",
    "- 2026-03-03: vendor called",
    "- 2026-03-03 — vendor called",
    "* note: call the vendor",
    "* 2026-03-03: vendor called",
    "1. **Brass?** cheap",
    "2. **Steel?** dear",
    "- is brass cheaper?",
    "- [ ] ask the vendor?",
    "12 mm or 14?",
    "### Options",
    "> - **2026-03-03 — Which pump?**",
]


@pytest.mark.parametrize("line", QUIET_QUESTIONS)
def test_a_note_of_a_question_is_quiet(line: str) -> None:
    assert unread(asked(Q + line), SOUND_TASKS) == []


def test_a_heading_over_a_group_of_entries_is_quiet() -> None:
    assert unread(asked("### 2026-03-03 — the pumps?\n\n" + Q), SOUND_TASKS) == []


@pytest.mark.parametrize("seed", range(40))
def test_a_large_sound_ledger_is_quiet(seed: int) -> None:
    random = Random(seed)
    assert unread(large_questions(random, 60), large_tasks(random, 60)) == []


def _sound() -> list[tuple[str, str]]:
    """The ledgers of the cases in which nothing is wrong."""
    found = []
    for case in CASES.iterdir():
        texts = [case / name for name in ("questions.md", "tasks.md")]
        if all(text.exists() for text in texts):
            questions, tasks = (text.read_bytes().decode("utf-8", "replace") for text in texts)
            if not faults(questions, tasks):
                found.append((questions, tasks))
    return found


SOUND = _sound()


def _mangled(random: Random, line: str) -> str:
    """The head of an entry with one slip, or two."""
    slips: list[Callable[[str], str]] = [
        lambda s: random.choice("*+•–—") + s[1:],
        lambda s: " " + s,
        lambda s: "- " + random.choice((" ", "\t")) + s[2:],
        lambda s: "-" + s[2:],
        lambda s: "- [" + random.choice(" x") + "] " + s[2:],
        lambda s: f"{random.randint(1, 30)}{random.choice('.)')} " + s[2:],
        lambda s: random.choice(("###", "####")) + " " + s[2:],
        lambda s: s[2:],
    ]
    return random.choice(slips)(line)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 1 << 32), st.booleans(), st.sampled_from([0, *range(1, len(SOUND) + 1)]))
def test_one_entry_mangled_in_a_sound_ledger_is_found_at_its_line_and_nothing_else_is(
    seed: int, of_tasks: bool, case: int
) -> None:
    random = Random(seed)
    texts = list(SOUND[case - 1]) if case else [large_questions(random, 20), large_tasks(random, 20)]
    assert unread(*texts) == []
    lines = texts[of_tasks].split("\n")
    begin = next((i for i, line in enumerate(lines) if line.rstrip() == "## Open"), None)
    if begin is None:
        return  # an indented heading, which the reader does not see
    # A head with a tag run or a date, below `## Open`; not in a fence, which the notes of `large_tasks` have.
    shape = r"- \*\*#\d+\*\* [—-] " if of_tasks else r"- \*\*(P\d · )?20\d\d-\d\d-\d\d — [^*]*\*\*"
    end = next((i for i, line in enumerate(lines) if i > begin and line.startswith("## ")), len(lines))
    heads = [i for i in range(begin, end) if re.match(shape, lines[i])]
    if not heads:
        return
    at = random.choice(heads)
    lines[at] = _mangled(random, lines[at])
    texts[of_tasks] = "\n".join(lines)
    name = ("questions", "tasks")[of_tasks]
    rules = [rule for rule in unread(*texts) if rule[0].startswith(name)]
    assert [(rule, line) for rule, line, _ in rules] == [(f"{name}/entry-unread", at + 1)], lines[at]
