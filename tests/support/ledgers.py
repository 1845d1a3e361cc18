"""Small ledgers to lint in the tests, and the faults found in them."""

from __future__ import annotations

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
