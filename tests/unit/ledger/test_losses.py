"""What is remembered of a ledger, and when an entry counts as lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dreamwork_hooks.ledger import losses
from dreamwork_hooks.ledger.lint import Ledger
from tests.support.ledgers import answered, asked, planned

U1 = "<!-- qid:550e8400-e29b-41d4-a716-446655440001 -->"
U2 = "<!-- qid:550e8400-e29b-41d4-a716-446655440002 -->"


def look(questions: str | None, tasks: str | None, store: bool = False, only: str | None = None) -> dict[str, Any]:
    data = [None if text is None else text.encode() for text in (questions, tasks)]
    return losses.entry_identities(Ledger(data[0], data[1], store), only)


def lost(before: tuple[str | None, str | None], now: tuple[str | None, str | None], **options: Any) -> list[str]:
    memory = json.loads(json.dumps(losses.remember(None, look(*before))))
    return [finding["message"] for finding in losses.lost(memory, look(*now, **options))]


A, B, C = (
    "- **2026-03-02 — Which valve?** a",
    "- **P1 · 2026-03-03 — Which seal?** b",
    "- **2026-03-04 — Which pipe?** c",
)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (asked(f"{A}\n{B}"), asked(f"{A}\n{B}")),
        (asked(f"{A}\n{B}"), asked(f"{B}\n{A}\n{C}")),
        (asked(f"{A}\n{B}"), asked(A, B)),
        (asked(A), answered(A)),
        (asked(A, B), asked(f"{A}\n{B}")),
        (asked(B), asked("- **2026-03-03 — Which seal?** b")),
        (asked(A), asked("- **2026-03-02 —\n  Which  valve?** more")),
        (asked(A), asked("- **2026-03-02 — Which gate valve?** a")),
        (asked(A), answered("- **2026-03-02 — Which gate valve?** a")),
        (asked(f"- **Old title** {U1} a"), asked(f"- **New title** {U1} a")),
        (asked(f"- **Title** {U1} a"), asked(f"- **Title** {U2} a")),
        (asked("- **Title** a"), asked(f"- **Title** {U2} a")),
        (asked(f"- **Title** {U1} a"), asked("- **Title** a")),
        (asked(A, B), asked(A)),
        (None, asked(A)),
    ],
)
def test_no_question_is_lost(before: str | None, now: str) -> None:
    assert lost((before, None), (now, None)) == []


@pytest.mark.parametrize(
    ("before", "now", "message"),
    [
        (asked(f"{A}\n{B}"), asked(A), 'gone since the file was last seen: "2026-03-03 — Which seal?"'),
        (asked(f"{A}\n{B}"), asked(f"{A}\n## Notes\n{B}"), "1 open question is gone"),
        (asked(f"{A}\n{B}\n{C}"), asked("- **New** x"), "3 open questions are gone"),
        (
            asked(f"- **T** {U1} a"),
            asked(f"- **V** {U2} a"),
            '1 open question is gone since the file was last seen: "T"',
        ),
        (
            asked(f"- **T** {U1} a\n{A}"),
            asked(f"{A}\n{B}\n{C}"),
            '1 open question is gone since the file was last seen: "T"',
        ),
        (asked(A, f"{B}\n{C}"), asked("- **New** x", B), "1 open question is gone"),
        (asked(A), None, "1 open question is gone"),
        (asked(A), "", "1 open question is gone"),
    ],
)
def test_a_lost_question_is_named(before: str, now: str | None, message: str) -> None:
    (told,) = lost((before, None), (now, None))
    assert message in told


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (planned("- **#5** — a", "- **#4** — b"), planned("", "- **#5** — a\n- **#4** — b")),
        (planned("- **#5** — a", "- **#4** — b"), planned("- **#5** — a\n- **#4** — b\n- **#9** — c")),
        (planned("- **#5/#6** — a"), planned("- **#5** — a\n- **#6** — b")),
        (planned("- **#5** — a"), planned("- **#5 — a** ·")),
        (planned("- **#5** — a"), planned("- **#005** — a")),
        (planned("", "**#5** inline"), planned("", "- **#7** — x · also-landed: **#5**")),
        (planned("- **#5** — a"), "- **#5** — a"),
    ],
)
def test_no_task_is_lost(before: str, now: str) -> None:
    assert lost((None, before), (None, now)) == []


@pytest.mark.parametrize(
    ("before", "now", "message"),
    [
        (
            planned("- **#5** — a\n- **#6** — b"),
            planned("- **#5** — a"),
            "1 task id is gone since the file was last seen: #6",
        ),
        (
            planned("", "- **#5** — a\n- **#6** — b"),
            planned(""),
            "2 task ids are gone since the file was last seen: #5, #6",
        ),
        (planned("- **#5** — a"), planned("  - **#5** — a"), ": #5"),
        (planned("- **#5** — a"), None, ": #5"),
    ],
)
def test_a_lost_task_is_named(before: str, now: str | None, message: str) -> None:
    (told,) = lost((None, before), (None, now))
    assert message in told


def test_many_lost_tasks_are_named_in_part() -> None:
    before = planned("\n".join(f"- **#{i}** — a" for i in range(1, 101)))
    (told,) = lost((None, before), (None, planned("- **#200** — a")))
    assert "100 task ids" in told
    assert told.endswith("#20, and 80 more")


NOTICE = "<!--dreamwork-migration-notice\nmigration: x\n-->\n"


def test_a_ledger_that_moved_to_the_store_lost_nothing() -> None:
    before = planned("- **#5** — a")
    assert lost((None, before), (None, NOTICE), store=True) == []
    assert lost((None, before), (None, None), store=True) == []
    assert len(lost((None, before), (None, NOTICE))) == 1


def test_a_file_that_was_not_looked_at_is_not_compared_and_not_forgotten() -> None:
    memory = losses.remember(None, look(asked(A), planned("- **#5** — a")))
    now = look(asked(""), planned(""), only="questions.md")
    assert [finding["file"] for finding in losses.lost(memory, now)] == ["questions.md"]
    kept = losses.remember(memory, now)
    assert kept["tasks"] == memory["tasks"]
    assert kept["questions"]["titles"] == []


def test_a_file_that_is_away_for_a_moment_is_remembered() -> None:
    memory = losses.remember(None, look(asked(A), None))
    kept = losses.remember(memory, look(None, None))
    assert kept["questions"] == memory["questions"]


def test_the_finding_is_an_error_about_its_file() -> None:
    memory = losses.remember(None, look(asked(A), None))
    (finding,) = losses.lost(memory, look("", None))
    assert finding["rule"] == "ledger/entries-lost"
    assert (finding["severity"], finding["file"], finding["line"]) == ("error", "questions.md", None)
    assert list(finding) == ["rule", "severity", "file", "line", "subject", "message", "fix"]


def test_a_title_with_braces_is_named_as_it_is() -> None:
    (told,) = lost((asked("- **A {b} {0}** x\n"), None), ("", None))
    assert '"A {b} {0}"' in told


@pytest.mark.parametrize(
    "memory",
    [
        None,
        [],
        "x",
        {},
        {"questions": None, "tasks": 3},
        {"questions": {"titles": 3}, "tasks": {"ids": "1-3"}},
        {"questions": {"titles": [1, ["a"], [1, 2], [None, "x"]], "open": "x"}, "tasks": {"ids": [1, [1], ["a", "b"]]}},
        {"tasks": {"ids": [[1, 10**15]]}},
    ],
)
def test_a_memory_that_is_not_ours_finds_nothing(memory: object) -> None:
    assert losses.lost(memory, look(asked(A), planned("- **#5** — a"))) == []
    losses.remember(memory, look(None, None))


def test_the_memory_is_small() -> None:
    tasks = planned("\n".join(f"- **#{i}** — a" for i in range(1, 5001)))
    memory = losses.remember(None, look(asked(f"{A}\n{B}"), tasks))
    assert memory["tasks"] == {"open": 5000, "landed": 0, "ids": [[1, 5000]]}
    assert len(json.dumps(memory)) < 400


def test_the_memory_is_bounded() -> None:
    tasks = planned("\n".join(f"- **#{i}** — a" for i in range(1, 100_001, 2)))
    questions = asked("\n".join(f"- **{i} {'x' * 500}** y" for i in range(5000)))
    now = look(questions, tasks)
    memory = losses.remember(None, now)
    assert len(json.dumps(memory)) < 700_000
    assert losses.lost(memory, now) == []
