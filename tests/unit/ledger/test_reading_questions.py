"""What the reader sees in questions.md: sections, entries, titles, contributions, counts."""

from __future__ import annotations

from typing import Any

import pytest

from dreamwork_hooks.ledger.questions import Questions, health, is_dated, open_question_count, qid_size, record
from tests.support.ledgers import answered, asked, counts

UUID = "550e8400-e29b-41d4-a716-446655440000"


def seen(text: str) -> dict[str, Any]:
    found: dict[str, Any] = counts(questions=text)["questions"]
    return found


@pytest.mark.parametrize(
    ("text", "opened", "closed"),
    [
        ("## Open\n- **A** x\n## Answered\n- **B** y\n", ["A"], ["B"]),
        ("## Open   \n- **A** x\n", ["A"], []),
        ("## Answered\n- **B** y\n## Open\n- **A** x\n## Answered\n- **C** z\n", ["A"], ["B", "C"]),
        ("## Open\n- **A** x\n### Deeper\n- **B** y\n", ["A", "B"], []),
        ("## Open\n- **A** x\n## Other\n- **B** y\n", ["A"], []),
        ("## Open\n- **A** x\n```\n## Other\n```\n- **B** y\n", ["A"], []),
        ("## Open\n- **A** x\n ## Other\n- **B** y\n", ["A", "B"], []),
        ("##  Open\n- **A** x\n", [], []),
        ("##\tOpen\n- **A** x\n", [], []),
        ("##Open\n- **A** x\n", [], []),
        ("## Open:\n- **A** x\n", [], []),
        ("## open\n- **A** x\n", [], []),
        ("  ## Open\n- **A** x\n", [], []),
        ("\ufeff## Open\n- **A** x\n", [], []),
        ("\ufeff# Q\n## Open\n- **A** x\n", ["A"], []),
        ("- **A** x\n## Open\nprose\n- **B** y\n", ["B"], []),
        ("## Open\u2028- **A** x\x0c- **B** y\x85## Answered\n- **C** z\n", ["A", "B"], ["C"]),
        ("## Open\r\n- **A** x\r\n\r## Answered\r- **C** z", ["A"], ["C"]),
    ],
)
def test_sections(text: str, opened: list[str], closed: list[str]) -> None:
    found = seen(text)
    assert (found["open_titles"], found["answered_titles"]) == (opened, closed)
    assert (found["open_entries"], found["answered"]) == (len(opened), len(closed))


@pytest.mark.parametrize(
    ("lines", "titles"),
    [
        ("- **A** x", ["A"]),
        ("- ** A ** x", ["A"]),
        ("- **** x", [""]),
        ("- **A* b** x", ["A* b"]),
        ("- **A\n  b\n\n  c** x", ["A b c"]),
        ("- **A\nb** x", ["A b"]),
        ("- **\n  A** x", ["A"]),
        ("- **A b\n  c\n\n  d", ["A b c d"]),
        ("- **A\n- **B** x", ["A", "B"]),
        ("- **A\n## Other\n- **B** x", ["A"]),
        ("- **A\n  - **Note (human, 2026-03-02):** x", ["A -"]),
        ("- **A** x **b**", ["A"]),
        ("- **A** x\n* **B** y", ["A"]),
        ("- **A** x\n-  **B** y", ["A"]),
        ("- **A** x\n-\t**B** y", ["A"]),
        ("- **A** x\n - **B** y", ["A"]),
        ("- **A** x\n  - **Note (human, 2026-03-02):** n\n- **B** y", ["A", "B"]),
        ("- **A** x\n- **Note (human, 2026-03-02):** n", ["A"]),
        ("- **A** x\n- **Answer (via watch, 2026-03-02):** n", ["A"]),
        ("- **A** x\n- **Follow-up (loop, 2026-03-02):** n", ["A"]),
        ("- **A** x\n- **note (human, 2026-03-02):** n", ["A", "note (human, 2026-03-02):"]),
        ("- **A** x\n- **Note (loop, 2026-03-02):** n", ["A", "Note (loop, 2026-03-02):"]),
        ("- **A\x00b** x", ["A\x00b"]),
        ("- *A** x\n-**B** y", []),
        ("- **P1 · A** x", ["P1 · A"]),
    ],
)
def test_entries_and_titles(lines: str, titles: list[str]) -> None:
    assert seen(asked(lines))["open_titles"] == titles


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        ("- **A** x", 1),
        ("- **A** x\n  - **Answer (via watch, 2026-03-02 10:00):** yes", 0),
        ("- **A** x\n- **Answer (via watch, 2026-03-02 10:00):** yes", 0),
        ("- **A** x\n\t- **Answer (via watch):** yes", 0),
        ("- **A** x\n  - **Answer (via watch) yes", 0),
        ("- **A** x\n  - **Answer (via watch, 2026-03-02 10:00):**", 1),
        ("- **A** x\n  - **Answer (via watch, 2026-03-02 10:00):**   \n\n  yes", 1),
        ("- **A** x\n  - **Answer (via watch, 2026-03-02 10:00):**\n    yes", 0),
        ("- **A** x\n  - **Answer (via watch, d):**\n    - yes", 1),
        ("- **A** x\n  - **Answer (via watch, d):**\n    * yes", 1),
        ("- **A** x\n  - **Answer (via watch, d):**\n  - **Answer (via watch, d):** yes", 1),
        ("- **A** x\n  - **Answer (via watch, d):** yes\n  - **Answer (via watch, d):**", 0),
        ("- **A** x\n  - **Note (human, 2026-03-02):** yes", 1),
        ("- **A** x\n  - **Follow-up (via watch, 2026-03-02):** yes", 1),
        ("- **A** x\n  - **answer (via watch, 2026-03-02):** yes", 1),
        ("- **A** x\n  - **Answer (in chat, 2026-03-02):** yes", 1),
        ("- **A** x\n  * **Answer (via watch, 2026-03-02):** yes", 1),
        ("- **A** x\n- **B** y\n  - **Answer (via watch, d):** yes\n- **C** z", 2),
        ("- **A never closed\n\n  - Answer (via watch, d): no", 1),
        ("", 0),
    ],
)
def test_the_open_question_count(lines: str, count: int) -> None:
    text = asked(lines, "- **Z** → resolved (2026-03-04): z\n  - **Note (human, 2026-03-04):** z")
    assert seen(text)["open"] == count
    assert open_question_count(text.encode()) == count


def test_every_open_section_counts() -> None:
    text = "## Open\n- **A** x\n## Answered\n- **B** y\n## Open\n- **C** z\n## Notes\n- **D** w\n"
    assert open_question_count(text.encode()) == 2


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (None, "missing"),
        ("## Open\n- **A** x\n", "ok"),
        ("## Answered\n- **A** x\n", "ok"),
        ("# Q\n\n## Open\n\n## Answered\n", "empty"),
        ("  ## Open\n", "empty"),
        ("## Open\n#hash\n   \n", "empty"),
        ("## Open\nprose\n", "unreadable"),
        ("## Answered\n", "unreadable"),
        ("## open\n", "unreadable"),
        ("", "unreadable"),
        ("\n\n", "unreadable"),
        ("\ufeff## Open\n", "unreadable"),
    ],
)
def test_health(text: str | None, state: str) -> None:
    assert health(None if text is None else text.encode()) == state


@pytest.mark.parametrize(
    ("comment", "valid"),
    [
        (f"<!-- qid:{UUID} -->", True),
        (f"  \t<!-- qid:{UUID} --> more", True),
        (f"<!-- QID:{UUID.upper()} -->", True),
        ("<!-- qid:550e8400-e29b-11d4-8716-446655440000 -->", True),
        ("<!-- qid:550e8400-e29b-61d4-a716-446655440000 -->", False),
        ("<!-- qid:550e8400-e29b-01d4-a716-446655440000 -->", False),
        ("<!-- qid:550e8400-e29b-41d4-c716-446655440000 -->", False),
        ("<!-- qid:550e8400e29b-41d4-a716-4466554400000 -->", False),
        ("<!-- qid:550e840g-e29b-41d4-a716-446655440000 -->", False),
        ("<!-- qid:550e8400-e29b-41d4-a716-44665544000 -->", False),
        ("<!-- qid:550e8400-e29b-41d4-a716-4466554400000 -->", False),
        (f"<!-- qid:{UUID}-->", False),
        (f"<!--qid:{UUID} -->", False),
        (f"x <!-- qid:{UUID} -->", False),
        (f"<!-- qid:{UUID}", False),
        ("", False),
    ],
)
def test_a_valid_identity_comment(comment: str, valid: bool) -> None:
    assert bool(qid_size(comment)) is valid


def test_the_identity_is_in_lower_case_and_no_part_of_the_body() -> None:
    entry = Questions(f"## Open\n- **A\n  b** <!-- qid:{UUID.upper()} --> text\n  more".encode()).entries[0]
    assert entry.qid == UUID
    assert entry.body() == [" text", "  more"]


@pytest.mark.parametrize(
    ("body", "dated"),
    [
        (" → resolved (2026-03-04): yes", True),
        ("→ (2026-03-04)", True),
        (" text\n  → resolved (2026-03-04 10:30)", True),
        (" → resolved (2026-03-04\n  10:30): yes", True),
        (" → resolved, as he\n  said (2026-03-04 ): yes", True),
        (" → resolved\n\n\n  then (2026-03-04)", True),
        (" → a (b) (2026-03-04)", True),
        (" → no colon\n → second (2026-03-04)", True),
        (" → with: colon\n → second (2026-03-04)", True),
        ("\n\n\t→ resolved (2026-03-04)", True),
        (" → a (2026-03-04 10:30: x)\n → b: c\n → (2026-03-05)", True),
        (" → note: resolved (2026-03-04)", False),
        (" → resolved 2026-03-04", False),
        (" said → resolved (2026-03-04)", False),
        (" → resolved (2026-3-4)", False),
        (" → resolved (on 2026-03-04)", False),
        (" → resolved (2026-03-04 10:30 UTC)", False),
        (" → resolved\n: (2026-03-04)", False),
        (" -> resolved (2026-03-04)", False),
        (" (2026-03-04)", False),
        ("", False),
    ],
)
def test_what_dates_a_resolution(body: str, dated: bool) -> None:
    assert is_dated(body.split("\n")) is dated


@pytest.mark.parametrize(
    ("lines", "state"),
    [
        ("- **T** → resolved (2026-03-04): x", "dated"),
        (f"- **T** <!-- qid:{UUID} --> → resolved (2026-03-04): x", "dated"),
        (f"- **T** <!-- qid:{UUID} -->\n  → resolved (2026-03-04): x", "dated"),
        ("- **T** x\n  - **Comment (via watch, 2026-03-04):** y", "response"),
        ("- **T** x\n  - **Comment (via watch, 2026-03-04 10:00) — y**", "response"),
        ("- **T** x\n  - **Comment (via watch, 2026-03-04) y**", "absent"),
        ("- **T** - **Comment (via watch, 2026-03-04):** y", "response"),
        ("- **T** x - **Comment (via watch, 2026-03-04):** y", "absent"),
        ("- **T** - **Folded (2026-03-04):** y", "folded"),
        ("- **T** x\n  - **Answer (via watch, 2026-03-04):** y", "response"),
        ("- **T** x\n  - **Answer (via watch):** y", "absent"),
        ("- **T** x\n  - **Note (human, 2026-03-04):** y", "response"),
        ("- **T** x\n  - **Note (human, on 2026-03-04):** y", "response"),
        ("- **T** x\n  - **Note (human, 2026-03-04, late):** y", "absent"),
        ("- **T** x\n  - **Note (human, today):** y (2026-03-04)", "absent"),
        ("- **T** x\n  - **Follow-up (via watch, 2026-03-04):** y", "response"),
        ("- **T** x\n  - **Follow-up (loop, 2026-03-04):** y", "absent"),
        ("- **T** x\n  - **Follow-up (in-session, 2026-03-04):** y", "absent"),
        ("- **T** x\n  - **Folded (2026-03-04):** y", "folded"),
        ("- **T** x\n  - **Folded (via chat, 2026-03-04 10:00) — y", "folded"),
        ("- **T** x\n  - **folded (2026-03-04):** y", "unknown"),
        ("- **T** x\n  - **Verdict (2026-03-04):** y\n  - **Folded (2026-03-04):** z", "unknown"),
        ("- **T** x\n  - **Folded (2026-03-04):** z\n  - **Verdict (2026-03-04):** y", "folded"),
        ("- **T** x\n  - **Folded (2026-03-04):** z\n  - **Note (human, 2026-03-04):** y", "response"),
        ("- **T** x\n  - **Folded (2026-03-04):** z\n\n  → resolved (2026-03-04)", "dated"),
        ("- **T** x\n  - **Two words (2026-03-04):** y", "unknown"),
        ("- **T** x\n  - **Verdict (2026-03-04)** y", "absent"),
        ("- **T** x\n  - **Verdict (loop, 2026-03-04):** y", "absent"),
        ("- **T** x\n  - **(2026-03-04):** y", "absent"),
        ("- **T** x", "absent"),
        ("- **T never closed\n  → resolved (2026-03-04)", "absent"),
    ],
)
def test_the_record_of_an_answered_entry(lines: str, state: str) -> None:
    assert record(Questions(answered(lines).encode()).entries[0])[0] == state


@pytest.mark.parametrize(
    ("lines", "texts", "body"),
    [
        ("  - **Note (human, d):** a\n    b\n  c\n\n  d", ["a b c"], ["", "  d"]),
        ("  - **Note (human, d):** a\n  - b\n  c", ["a"], ["  - b", "  c"]),
        ("  - **Note (human, d):** a\n  * b", ["a"], ["  * b"]),
        ("  - **Note (human, d):** a\n  -b", ["a -b"], []),
        ("  - **Note (human, d) a\n  b", ["- **Note (human, d) a b"], []),
        ("  - **Note (human, d):** a:** b", ["a:** b"], []),
        ("  - **Note (human, d):**\n  - **Note (human, d):** b", ["", "b"], []),
        ("\u3000- **Note (human, d):** a", ["a"], []),
        ("  - ** Note (human, d):** a", [], ["  - ** Note (human, d):** a"]),
    ],
)
def test_contributions_and_body(lines: str, texts: list[str], body: list[str]) -> None:
    entry = Questions(f"## Open\n- **T** x\n{lines}".encode()).entries[0]
    assert [item.text for item in entry.contributions] == texts
    assert entry.body()[1:] == body
