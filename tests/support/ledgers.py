"""Small ledgers to lint in the tests, and the faults found in them."""

from __future__ import annotations

from random import Random
from typing import Any

from dreamwork_hooks.ledger.lint import lint

Found = tuple[str, "int | None", "str | None"]

SOUND_QUESTIONS = """\
# Questions for the human

## Open

- **2026-03-02 — Which valve?** Brass.

## Answered

- **2026-03-01 — Which pipe?** → resolved (2026-03-01): copper.
"""
SOUND_TASKS = """\
# Task ledger

Next id: **400**

## Open

- **#2** — read the scale ·

## Recently landed

- **#1** — set up the board · landed `1a2b3c4` ·
"""


def asked(opened: str = "", answered: str = "") -> str:
    """A questions.md; the first open line is line 5, the first answered one is line 5 of the answered part."""
    return f"# Questions\n\n## Open\n\n{opened}\n\n## Answered\n\n{answered}\n"


def answered(lines: str) -> str:
    """A questions.md with nothing open; the first of `lines` is line 7."""
    return f"# Questions\n\n## Open\n\n## Answered\n\n{lines}\n"


def planned(opened: str = "", landed: str = "", next_id: str = "400") -> str:
    """A tasks.md; the first open line is line 7."""
    return f"# Tasks\n\nNext id: **{next_id}**\n\n## Open\n\n{opened}\n\n## Recently landed\n\n{landed}\n"


def faults(
    questions: str | bytes | None = SOUND_QUESTIONS,
    tasks: str | bytes | None = SOUND_TASKS,
    *,
    advice: bool = False,
    **options: Any,
) -> list[Found]:
    """(rule, line, subject) of every finding, advice only where it is asked for."""
    result = lint(_bytes(questions), _bytes(tasks), **options)
    return [
        (finding["rule"], finding["line"], finding["subject"])
        for finding in result["findings"]
        if advice or finding["severity"] != "advice"
    ]


def counts(questions: str | bytes | None = None, tasks: str | bytes | None = None) -> dict[str, Any]:
    """The counts of one or both files."""
    found: dict[str, Any] = lint(_bytes(questions), _bytes(tasks))["counts"]
    return found


def _bytes(text: str | bytes | None) -> bytes | None:
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text


_WORDS = ["pump", "valve", "sensor", "tank", "hose", "scale", "frost", "spring", "when", "before", "keep", "12", "mm"]


def _prose(random: Random, most: int) -> str:
    return " ".join(random.choice(_WORDS) for _ in range(random.randint(3, most))) + random.choice((".", "?", ""))


def _notes(random: Random) -> list[str]:
    """What people put into the body of an entry: none of it is an entry."""
    day = f"2026-0{random.randint(1, 9)}-{random.randint(10, 28)}"
    text = _prose(random, 9)
    return random.choice(
        (
            [f"  {text}", f"  {random.randint(1, 90)} of the {text}"],
            ["", f"  {text}"],
            [f"  - {text}", f"  * **{text}**", f"    - {day} — {text}"],
            [f"  - **{day}** {text}", f"  - {day} — {text}"],
            [f"  1. **Option A**: {text}", f"  2. **Option B?** {text}"],
            [f"  - [ ] {text}", f"  - [x] **{text}**"],
            [f"  > - **{day} — Which one?** {text}", f"> * **#7777** — {text}"],
            ["  ```", "- #7777 — in a listing", f"* **{day} — Which one?**", "1. **#7778** — x", "  ```"],
            ["~~~text", "### #7779 — x", "~~~"],
            ["  <!-- the form:", " - **#7776** — title", "* **2026-01-01 — Title?**", "  -->"],
            [f"  - **Note (human, {day} 10:00):** {text}", f"    {text}"],
            [f"  - **#1** needs it first · {text}", "  - #1 — first", "  * #2: then"],
            [f"  {day} — {text}", f"  | #7777 | {text} |"],
        )
    )


def large_questions(random: Random, entries: int) -> str:
    """A sound questions.md of so many entries, with the notes that real ones have."""
    parts: list[list[str]] = [
        ["# Questions for the human", "", f"Ask here. {_prose(random, 9)}", ""],
        ["## Open", ""],
        [],
    ]
    for part in (1, 2):
        if part == 2:
            parts[2] = ["## Answered", ""]
        for _ in range(entries // 2):
            title = f"2026-0{random.randint(1, 9)}-{random.randint(10, 28)} — {_prose(random, 8).rstrip('.?')}?"
            arrow = " → resolved (2026-03-02): copper." if part == 2 else " " + _prose(random, 20)
            parts[part] += [f"- **{title}**{arrow}"]
            for _ in range(random.randint(0, 4)):
                parts[part] += _notes(random)
            parts[part] += [""] * random.randint(0, 2)
    return "\n".join(line for part in parts for line in part) + "\n"


def large_tasks(random: Random, entries: int) -> str:
    """A sound tasks.md of so many entries, with the notes that real ones have."""
    opened, landed = ["## Open", ""], ["## Recently landed", ""]
    for number in range(1, entries + 1):
        part, fields = (opened, "") if random.random() < 0.5 else (landed, " · landed `1a2b3c4`")
        part += [f"- **#{number}** — {_prose(random, 9)} · P{random.randint(1, 3)} · origin: **loop**{fields} ·"]
        for _ in range(random.randint(0, 3)):
            part += _notes(random)
        part += [""] * random.randint(0, 1)
    head = ["# Task ledger", "", f"Next id: **{entries + 1}**", ""]
    return "\n".join([*head, *opened, *landed]) + "\n"
