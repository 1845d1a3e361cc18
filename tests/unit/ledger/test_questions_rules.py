"""Each rule of questions.md on what it finds and on what it leaves alone."""

from __future__ import annotations

import pytest

from tests.support.ledgers import SOUND_QUESTIONS, SOUND_TASKS, Found, answered, asked, faults, planned

U1 = "550e8400-e29b-41d4-a716-446655440001"
U2 = "550e8400-e29b-41d4-a716-446655440002"


def about(rule: str, questions: str | bytes | None, tasks: str | None = SOUND_TASKS) -> list[Found]:
    return [found for found in faults(questions, tasks, advice=True) if found[0] == f"questions/{rule}"]


def lines(rule: str, questions: str | bytes | None, tasks: str | None = SOUND_TASKS) -> list[int | None]:
    return [line for _, line, _ in about(rule, questions, tasks)]


def test_a_sound_file_has_no_faults() -> None:
    assert faults(SOUND_QUESTIONS, advice=True) == []


def test_a_missing_file_is_told_once() -> None:
    assert faults(None) == [("questions/missing-file", None, None)]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"## Open\n- **A** caf\xe9\n", 2),
        (b"## Open\r\n\r- **A** \xff\n", 3),
        (b"\xff", 1),
        (b"## Open\n- **A** x\n\xc3", 3),
        (b"## Open\n- **A\xed\xa0\x80** x\n", 2),
    ],
)
def test_a_bad_byte_is_the_only_fault_told(data: bytes, line: int) -> None:
    assert faults(data) == [("questions/not-utf8", line, None)]


def test_a_damaged_file_is_still_counted_and_still_answers_for_tasks() -> None:
    tasks = planned("- **#7** — a · P2 · blocked-on: **human** ·")
    assert faults(b"## Open\n- **Valve for #7?** caf\xe9\n", tasks) == [("questions/not-utf8", 2, None)]


@pytest.mark.parametrize(
    "text",
    [
        "# Q\n\n## open\n- **A** x\n",
        "## Open:\n",
        "### Open\n",
        "##  Open\n",
        "\ufeff## Open\n- **A** x\n",
        "# Q\n\nprose\n",
        "## Answered\n- **A** → resolved (2026-03-04)\n",
        "## Open questions\n",
    ],
)
def test_heading_not_literal_finds(text: str) -> None:
    assert faults(text) == [("questions/heading-not-literal", None, None)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n\n",
        "## Open\n",
        "## Open  \n- **A** x\n",
        "x\u2028## Open\n- **A** x\n",
        "  ## Open\n## Answered\n- **A** → (2026-03-04)\n",
        "```\n## Open\n```\n- **A** x\n",
    ],
)
def test_heading_not_literal_leaves_alone(text: str) -> None:
    assert lines("heading-not-literal", text) == []


def test_without_the_heading_no_rule_speaks_of_entries() -> None:
    text = "## open\n- **P1: A** x\n## Answered\n- **B** y\n  - **Verdict (2026-03-04):** z\n<<<<<<< HEAD\n"
    assert [found[0] for found in faults(text)] == [
        "questions/heading-not-literal",
        "questions/author-tag-unknown",
        "questions/conflict-marker",
    ]


@pytest.mark.parametrize(
    "text", ["## Open\nprose\n", "## Open\n* **A** x\n", "## Open\n## Answered\n -x", "\ufeff# Q\n## Open"]
)
def test_no_entries_finds(text: str) -> None:
    assert lines("no-entries", text) == [None]


@pytest.mark.parametrize(
    "text", ["## Open\n", "# Q\n\n  # x\n## Open\n## Answered\n", "## Open\nx\n- **A** y\n", "", "## Open\n- **A"]
)
def test_no_entries_leaves_alone(text: str) -> None:
    assert lines("no-entries", text) == []


@pytest.mark.parametrize("mark", ["<<<<<<< HEAD", "=======", ">>>>>>> theirs", "||||||| base", "<<<<<<<x", "=======<"])
def test_conflict_marker_finds(mark: str) -> None:
    assert lines("conflict-marker", asked(f"- **A** x\n{mark}\n")) == [6]
    assert lines("conflict-marker", asked(f"- **A** x\u2028{mark}\n")) == [5]


@pytest.mark.parametrize(
    "mark", ["<<<<<<", "========", "  =======", "-------", "x=======", "<<<<<<<<<<<<<<", "+++++++"]
)
def test_conflict_marker_leaves_alone(mark: str) -> None:
    assert lines("conflict-marker", asked(f"- **A** x\n{mark}\n")) == []


PRIORITY_FOUND = [
    "P1: x",
    "P1· x",
    "P1 ·x",
    "P1 ·",
    "P4 · x",
    "P0 · x",
    "P12 · x",
    "P1 - x",
    "P1- x",
    "P2:x",
    "P1  : x",
    "P٣ · x",
    "P3\u00a0-",
]
PRIORITY_LEFT = [
    "P1 · x",
    "P3\u00a0·\u00a0x",
    "P2  ·  x",
    "P1 — x",
    "P1 x",
    "p1: x",
    "Ph 1: x",
    "P: x",
    "P1",
    "x P1: y",
    "P1. x",
    "P1–x",
    "Q1: x",
]


@pytest.mark.parametrize("title", PRIORITY_FOUND)
def test_priority_not_taken_finds(title: str) -> None:
    assert lines("priority-not-taken", asked(f"- **{title}** y")) == [5]
    assert lines("priority-not-taken", answered(f"- **{title}** → (2026-03-04)")) == [7]


@pytest.mark.parametrize("title", PRIORITY_LEFT)
def test_priority_not_taken_leaves_alone(title: str) -> None:
    assert lines("priority-not-taken", asked(f"- **{title}** y")) == []


def test_priority_is_read_from_the_joined_title() -> None:
    assert lines("priority-not-taken", asked("- **P1\n  · x** y")) == []
    assert lines("priority-not-taken", asked("- **P1\n  : x** y")) == [5]


TITLE_RESOLUTION_FOUND = [
    "- **A\n  → resolved (2026-03-04): x** y",
    "- **A\n→ resolved (2026-03-04)** y",
    "- **A\n  b\n\n  → (2026-03-04 10:00)** y",
    "- **A\n  → no date\n  → resolved (2026-03-04)** y",
    "- **A\n  → as he\n  said (2026-03-04)** y",
    "- **A\n  → resolved (2026-03-04) never closed",
]
TITLE_RESOLUTION_LEFT = [
    "- **A** → resolved (2026-03-04): x",
    "- **A\n  b → resolved (2026-03-04): x** y",
    "- **A\n  → note: resolved (2026-03-04)** y",
    "- **A\n  → resolved** (2026-03-04): y",
    "- **A\n  b**\n  → resolved (2026-03-04): y",
    "- **A\n  → soon** y",
    "- **→ resolved (2026-03-04)** y",
]


@pytest.mark.parametrize("entry", TITLE_RESOLUTION_FOUND)
def test_resolution_in_title_finds(entry: str) -> None:
    assert lines("resolution-in-title", answered(entry)) == [7]
    assert lines("resolution-in-title", asked(entry)) == [5]


@pytest.mark.parametrize("entry", TITLE_RESOLUTION_LEFT)
def test_resolution_in_title_leaves_alone(entry: str) -> None:
    assert lines("resolution-in-title", answered(entry)) == []


NOTE = "  - **Note (human, 2026-03-03 09:00):** n"
LOOP = "  - **Follow-up (loop, 2026-03-03 09:00):** n"
SWALLOWED_FOUND = [
    f"- **A** x\n{NOTE}\n  → answered (2026-03-04): y",
    f"- **A** x\n{LOOP}\n  → answered (2026-03-04): y",
    f"- **A** x\n{LOOP}\n    more\n→ (2026-03-04)",
    f"- **A** x\n{LOOP}\n\n{NOTE}\n  → answered,\n  so (2026-03-04)",
    f"- **A** → soon\n{LOOP}\n  → answered (2026-03-04): y",
]
SWALLOWED_LEFT = [
    f"- **A** → resolved (2026-03-04)\n{NOTE}\n  → answered (2026-03-04): y",
    f"- **A** x\n{NOTE}\n\n  → answered (2026-03-04): y",
    f"- **A** x\n{NOTE}\n  - → answered (2026-03-04): y",
    f"- **A** x\n{NOTE}\n  said → answered (2026-03-04): y",
    f"- **A** x\n{NOTE}\n  → answered: (2026-03-04)",
    f"- **A** x\n{NOTE}\n  → answered",
    f"- **A** x\n{NOTE}",
    "- **A** x\n  - **Other (2026-03-03):** n\n  → answered (2026-03-04): y",
]


@pytest.mark.parametrize("entry", SWALLOWED_FOUND)
def test_resolution_after_subbullet_finds(entry: str) -> None:
    assert lines("resolution-after-subbullet", answered(entry)) == [7]
    assert lines("resolution-after-subbullet", asked(entry)) == []


@pytest.mark.parametrize("entry", SWALLOWED_LEFT)
def test_resolution_after_subbullet_leaves_alone(entry: str) -> None:
    assert lines("resolution-after-subbullet", answered(entry)) == []


D = "**Sub-decisions:**"
DROPPED_FOUND = [
    (f"- **A** → (2026-03-04) Q1\n  {D} `Q1`, `Q2`", "Q2"),
    (f"- **A** → (2026-03-04)\n  {D} `Q1`, `Q2`", "Q1, Q2"),
    (f"- **A** → (2026-03-04) Q12 xQ1 Q1_ aQ1b\n  {D} `Q1`", "Q1"),
    (f"- **A** → (2026-03-04) q1\n  {D} `Q1`", "Q1"),
    (f"- **A** → (2026-03-04)\n  x {D} `Q1` and Q1", "Q1"),
    (f"- **A** → (2026-03-04) Q1\n  {D} `Q1`, `Q2`\n  {D} `Q3`", "Q2"),
    (f"- **A** x {D} `M1`", "M1"),
    (f"- **A** → (2026-03-04)\n  {D} `Q1`, `Q1`", "Q1"),
]
DROPPED_LEFT = [
    f"- **A** → (2026-03-04) Q1, Q2.\n  {D} `Q1`, `Q2`",
    f"- **A Q1** → (2026-03-04)\n  {D} `Q1`",
    f"- **A** → (2026-03-04)\n  {D} `Q1`\n{LOOP} `Q1`",
    f"- **A** → (2026-03-04)\n  {D} `Q1`\n  Q1: yes",
    f"- **A** → (2026-03-04) Q1 {D} `Q1`",
    f"- **A** → (2026-03-04)\n  {D} `Q1`\n{LOOP}\n    wrapped Q1",
    f"- **A** → (2026-03-04)\n  {D} none\n  {D} `Q1`",
    f"- **A** → (2026-03-04)\n  {D}\n  `Q1`",
    f"- **A** → (2026-03-04)\n  {D} `q1`, `Q`, `QQ1`, `Q1a`, Q1",
    f"- **A** → (2026-03-04)\n  {D} `Q1",
    f"- **A** → (2026-03-04)\n{LOOP} {D} `Q1`",
    "- **A** → (2026-03-04)\n  **sub-decisions:** `Q1`",
]


@pytest.mark.parametrize(("entry", "labels"), DROPPED_FOUND)
def test_subdecision_dropped_finds(entry: str, labels: str) -> None:
    assert about("subdecision-dropped", answered(entry)) == [("questions/subdecision-dropped", 7, labels)]
    assert lines("subdecision-dropped", asked(entry)) == []


@pytest.mark.parametrize("entry", DROPPED_LEFT)
def test_subdecision_dropped_leaves_alone(entry: str) -> None:
    assert lines("subdecision-dropped", answered(entry)) == []


def test_many_subdecisions_are_told_as_a_few_are() -> None:
    labels = ", ".join(f"`Q{i}`" for i in range(40))
    named = ", ".join(f"Q{i}" for i in range(39))
    entry = f"- **A** → (2026-03-04) {named}\n  {D} {labels}"
    assert about("subdecision-dropped", answered(entry)) == [("questions/subdecision-dropped", 7, "Q39")]


@pytest.mark.parametrize(
    "entry",
    [
        "- **A** <!-- qid:12345 --> x",
        "- **A** <!-- qid --> x",
        "- **A** <!-- qid:",
        "- **A** x <!-- QID: y -->",
        f"- **A** <!-- qid: {U1} --> x",
        f"- **A** <!-- qid:{U1}--> x",
        f"- **A** <!-- qid:{U1[:-1]} --> x",
        "- **A <!-- qid:1 --> b** x",
    ],
)
def test_qid_malformed_finds(entry: str) -> None:
    assert faults(asked(entry)) == [("questions/qid-malformed", 5, None)]


@pytest.mark.parametrize(
    "entry",
    [
        f"- **A** x <!-- qid:{U1} -->",
        f"- **A <!-- qid:{U1} --> b** x",
        f"- **A never closed <!-- qid:{U1} -->",
        f"- **A** <!-- note --> <!-- qid:{U1} --> x",
    ],
)
def test_qid_misplaced_finds(entry: str) -> None:
    assert faults(asked(entry)) == [("questions/qid-misplaced", 5, None)]


def test_qid_misplaced_finds_a_comment_outside_an_entry() -> None:
    text = f"<!-- qid:{U1} -->\n## Open\n- **A** x\n## Other\n- **B** <!-- qid:{U2} --> y\n"
    assert lines("qid-misplaced", text) == [1, 5]


@pytest.mark.parametrize(
    "text",
    [
        asked(f"- **A** <!-- qid:{U1} --> x\n- **B**<!-- QID:{U2.upper()} -->"),
        answered(f"- **A\n  b**  <!-- qid:{U1} --> → (2026-03-04)"),
        asked("- **A** <!-- note --> <!--qid:1--> <!--  qid:1 --> qid:12 x"),
    ],
)
def test_the_identity_rules_leave_alone(text: str) -> None:
    assert faults(text) == []


def test_qid_duplicate_finds_each_further_use() -> None:
    text = asked(
        f"- **A** <!-- qid:{U1} --> x\n- **B** <!-- qid:{U1.upper()} --> y\n- **C** <!-- qid:{U2} --> z",
        f"- **E** <!-- qid:{U1} --> → (2026-03-04)",
    )
    assert faults(text) == [("questions/qid-duplicate", 6, U1), ("questions/qid-duplicate", 11, U1)]


def test_a_copy_of_an_identity_in_a_body_is_both_a_second_use_and_misplaced() -> None:
    text = asked(f"- **A** <!-- qid:{U1} --> x\n  see <!-- qid:{U1} -->")
    assert [found[:2] for found in faults(text)] == [("questions/qid-duplicate", 6), ("questions/qid-misplaced", 6)]


@pytest.mark.parametrize(
    ("entry", "rule"),
    [
        ("- **A** x", "no-resolution-date"),
        ("- **A** x\n  - **Folded (2026-03-04):** y", "folded-without-response"),
        ("- **A** x\n  - **Verdict (2026-03-04):** y", "unknown-resolution-label"),
    ],
)
def test_an_answered_entry_without_a_response(entry: str, rule: str) -> None:
    names = {"no-resolution-date", "folded-without-response", "unknown-resolution-label"}
    found = [name.partition("/")[2] for name, _, _ in faults(answered(entry))]
    assert [name for name in found if name in names] == [rule]
    assert not names & {name.partition("/")[2] for name, _, _ in faults(asked(entry))}


TAG_FOUND = [
    "  - **Note (loop, 2026-03-02):** x",
    "- **Folded (2026-03-04):** x",
    "\t- **Reply (2026-03-02 10:00): x",
    "  - **Follow-up (via chat, 2026-03-02):** x",
    "  - **Answer (in chat, 2026-03-02):** x",
    "  - **Comment (via watch, 2026-03-02):** x",
    "  - **A (b 2026-03-02 c):** x",
    "  - **Note (human 2026-03-02):** x",
]
TAG_LEFT = [
    "  - **Note (human, 2026-03-02):** x",
    "  - **Follow-up (in-session, 2026-03-02):** x",
    "  - **Two words (2026-03-02):** x",
    "  - **note (loop, 2026-03-02):** x",
    "  - **Note (loop, today):** x",
    "  - **Note (loop, 2026-03-02)** x",
    "  - **Note (loop, 2026-03-02) :** x",
    "  - **Note (loop) (2026-03-02):** x",
    "  * **Note (loop, 2026-03-02):** x",
    "  **Note (loop, 2026-03-02):** x",
    "  - **Note(loop, 2026-03-02):** x",
    "  x - **Note (loop, 2026-03-02):** x",
    "  - **2026 (2026-03-02):** x",
]


@pytest.mark.parametrize("line", TAG_FOUND)
def test_author_tag_unknown_finds(line: str) -> None:
    assert lines("author-tag-unknown", asked(f"- **A** x\n{line}")) == [6]
    assert lines("author-tag-unknown", asked(f"- **A** x\x0b{line}")) == [5]


@pytest.mark.parametrize("line", TAG_LEFT)
def test_author_tag_unknown_leaves_alone(line: str) -> None:
    assert lines("author-tag-unknown", asked(f"- **A** x\n{line}")) == []


ANSWER = "  - **Answer (via watch, 2026-03-02 10:00):** yes"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (asked(f"- **A** x\n{ANSWER}"), [5]),
        (asked(f"- **A** x\n\t- **Answer (via watch, d):**\n- **B** y\n{ANSWER}"), [5, 7]),
        (asked(f"- **A\n  b** x\n\n  - other\n{ANSWER}"), [5]),
        (asked(f"- **A** x\n{ANSWER}\n{ANSWER}"), [5]),
        (asked(f"- **A** x\n{ANSWER}\n- **A** y\n{ANSWER}"), [5]),
        (asked(f"- **A** x\n- **Note (human, d):** n\n{ANSWER}"), [5]),
        (f"## Open\n- **A** x\n{ANSWER}\n## Open\n- **B** y\n{ANSWER}\n", [2]),
        (asked("- **A** x\n- **Answer (via watch, d):** yes"), []),
        (asked("- **A** x\n  - **Answer (in chat, d):** yes"), []),
        (asked("- **A** x\n  said - **Answer (via watch, d):** yes"), []),
        (asked(f"- **A** x\u2028{ANSWER}"), []),
        (asked(f"{ANSWER}\n- **A** x"), []),
        (answered(f"- **A** x\n{ANSWER}"), []),
        (asked(f"- **A** x\n### Deeper\n{ANSWER}"), [5]),
        (f"## Open\n- **A** x\n## Other\n{ANSWER}\n", []),
    ],
)
def test_answer_not_folded(text: str, where: list[int]) -> None:
    assert lines("answer-not-folded", text) == where


@pytest.mark.parametrize(
    ("entry", "stamps"),
    [
        (f"- **A** x\n{ANSWER}\n{ANSWER}", ["2026-03-02 10:00"]),
        (f"- **A** x\n{ANSWER}\n{ANSWER}\n{ANSWER}", ["2026-03-02 10:00"]),
        (f"- **A** x\n{ANSWER}\n{ANSWER.replace('yes', 'no')}", ["2026-03-02 10:00"]),
        (f"- **A** x\n{ANSWER}\n{ANSWER.replace('10:00', '10:01')}", []),
        (f"- **A** x\n{ANSWER}\n- **B** y\n{ANSWER}", []),
        ("- **A** x\n  - **Answer (via watch, 2026-03-02):** a\n  - **Answer (via watch, 2026-03-02):** b", []),
        (f"- **A** x\n{ANSWER}\n  - **Note (human, 2026-03-02 10:00):** n", []),
        (
            f"- **A** x\n{ANSWER}\n{ANSWER.replace('10:00', '11:00')}\n{ANSWER.replace('10:00', '11:00')}\n{ANSWER}",
            ["2026-03-02 10:00", "2026-03-02 11:00"],
        ),
    ],
)
def test_answer_duplicated(entry: str, stamps: list[str]) -> None:
    found = about("answer-duplicated", asked(entry))
    assert sorted(str(subject) for _, _, subject in found) == stamps
    assert {line for _, line, _ in found} <= {5}


@pytest.mark.parametrize(
    ("title", "subject"),
    [
        ("Ship #1?", "#1"),
        ("Ship #1/#3?", "#1, #3"),
        ("Ship #1 and #1a?", "#1"),
        ("Ship\n  #1?", "#1"),
        ("Ship #2?", None),
        ("Ship #1 and #2?", None),
        ("Ship #1 and #99?", None),
        ("Ship #01?", None),
        ("Ship 1?", None),
        ("Ship it?** #1 **", None),
    ],
)
def test_ask_already_landed(title: str, subject: str | None) -> None:
    tasks = planned("- **#2** — a ·", "- **#1** — b ·\n- **#3** — c ·")
    found = about("ask-already-landed", asked(f"- **{title}** x"), tasks)
    assert found == ([] if subject is None else [("questions/ask-already-landed", 5, subject)])


def test_ask_already_landed_needs_tasks_and_an_open_question() -> None:
    assert lines("ask-already-landed", asked("- **Ship #1?** x"), None) == []
    assert lines("ask-already-landed", answered("- **Ship #1?** → (2026-03-04)"), SOUND_TASKS) == []


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("## Open\n- **A** x\n## Other\n- **B** y\n- **C** z\n", [("questions/entries-outside-sections", 3, None)]),
        ("## Open\n- **A** x\n## answered\n- **B** y\n", [("questions/answered-heading-not-literal", 3, None)]),
        ("## Open\n- **A** x\n## Answered:\n- **B** y\n", [("questions/answered-heading-not-literal", 3, None)]),
        ("## Open\n- **A x\n", [("questions/title-unclosed", 2, None)]),
        ("x\n ## Open\n## Answered\n- **B** → (2026-03-04)\n", [("questions/open-heading-indented", 2, None)]),
        ("## Open\n- **A** x\n## Other\nprose\n", []),
        ("- **list** x\n## Open\n- **A** x\n", []),
        ("## Open\n- **A** x\n  ## Open\n", []),
    ],
)
def test_advice_is_no_part_of_the_verdict(text: str, advice: list[Found]) -> None:
    assert faults(text, advice=True) == advice
    assert faults(text) == []
