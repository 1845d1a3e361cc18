"""Each rule of tasks.md on what it finds and on what it leaves alone."""

from __future__ import annotations

import pytest

from tests.support.ledgers import SOUND_QUESTIONS, SOUND_TASKS, Found, answered, asked, faults, planned


def about(rule: str, tasks: str | bytes | None, questions: str | None = SOUND_QUESTIONS) -> list[Found]:
    return [found for found in faults(questions, tasks, advice=True) if found[0] == f"tasks/{rule}"]


def told(
    rule: str, tasks: str | bytes | None, questions: str | None = SOUND_QUESTIONS
) -> list[tuple[int | None, str | None]]:
    return [found[1:] for found in about(rule, tasks, questions)]


def names(tasks: str, **options: bool) -> list[str]:
    return [found[0].partition("/")[2] for found in faults(SOUND_QUESTIONS, tasks, **options)]


def test_a_missing_file_is_told_once() -> None:
    assert faults(SOUND_QUESTIONS, None) == [("tasks/missing-file", None, None)]


@pytest.mark.parametrize(("data", "line"), [(b"## Open\r\r\n- **#5** f\xfcr", 3), (b"\x80", 1)])
def test_a_bad_byte_is_the_only_fault_told(data: bytes, line: int) -> None:
    assert faults(SOUND_QUESTIONS, data) == [("tasks/not-utf8", line, None)]


LONG = "7" * 4301


@pytest.mark.parametrize(
    "text",
    [
        planned(f"- **#{LONG}** — x ·"),
        planned(f"- **#5/#{LONG}** — x ·"),
        planned(f"- **#{LONG}a** — x ·"),
        planned("- **#5** — x ·", next_id=LONG),
        planned("- **#5** — x ·", f"- **#{LONG}** — y ·"),
    ],
)
def test_id_unreadable_finds(text: str) -> None:
    assert faults(SOUND_QUESTIONS, text) == [("tasks/id-unreadable", None, None)]


@pytest.mark.parametrize("digits", ["7" * 4300, "0" * 4300])
def test_id_unreadable_leaves_alone(digits: str) -> None:
    assert about("id-unreadable", planned(f"- **#{digits}** — x · origin: **loop** ·\n  see #{LONG}")) == []


@pytest.mark.parametrize("header", ["", "Next id: 9", " Next id: **9**", "\ufeffNext id: **9**", "Next id: **nine**"])
def test_next_id_missing(header: str) -> None:
    assert told("next-id-missing", f"{header}\n\n## Open\n\n- **#5** — a ·\n\n## Recently landed\n") == [(None, None)]


@pytest.mark.parametrize(
    ("next_id", "opened", "landed", "found"),
    [
        ("5", "- **#5** — a ·", "", [(3, "5")]),
        ("4", "- **#5** — a ·", "", [(3, "4")]),
        ("5", "- **#2** — a ·", "- **#3 + #9** — b ·", [(3, "5")]),
        ("٣", "- **#2** — a ·", "- **#4** — b ·", [(3, "3")]),
        ("6", "- **#5** — a ·", "", []),
        ("6", "- **#5** — a ·\n- **#9a** — b ·\n- **#9 — c** ·", "", []),
        ("6", "- **#5** — a ·\n  - **#9** — b ·\n  see **#9**", "**#9** inline", []),
        ("1", "", "", []),
    ],
)
def test_next_id_too_small(next_id: str, opened: str, landed: str, found: list[tuple[int, str]]) -> None:
    assert told("next-id-too-small", planned(opened, landed, next_id)) == found


@pytest.mark.parametrize(
    ("opened", "landed", "found"),
    [
        ("- **#5** — a ·\n- **#5** — b ·", "", [(8, "#5")]),
        ("- **#5** — a ·\n- **#5** — b ·\n- **#5** — c ·", "", [(8, "#5")]),
        ("- **#5** — a ·", "- **#5** — b ·", [(11, "#5")]),
        ("- **#5/#6** — a ·\n- **#6 #5** — b ·", "", [(8, "#5"), (8, "#6")]),
        ("- **#007** — a ·\n- **#7** — b ·", "", [(8, "#7")]),
        ("- **#٧** — a ·\n- **#7** — b ·", "", [(8, "#7")]),
        ("- **#5 #5** — a ·", "", [(7, "#5")]),
        ("- **#5** — a ·\n- **#5a** — b ·\n- **#5, #6** — c ·\n- **#5 — d** ·", "", []),
        ("- **#5** — a ·\n  - **#5** — b ·", "**#5** inline", []),
    ],
)
def test_duplicate_id(opened: str, landed: str, found: list[tuple[int, str]]) -> None:
    assert sorted(told("duplicate-id", planned(opened, landed)), key=str) == found


def test_an_id_above_the_sections_counts_too() -> None:
    text = "Next id: **9**\n- **#5** — x ·\n## Open\n- **#5** — a ·\n## Recently landed\n"
    assert told("duplicate-id", text) == [(4, "#5")]


OPEN, R = "## Open", "## Recently landed"
E5, E4 = "- **#5** — a ·", "- **#4** — b ·"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([OPEN, E5, R], []),
        ([OPEN, E5], [("heading-missing", None, R)]),
        ([E5, R], [("heading-missing", None, OPEN)]),
        ([E5], [("heading-missing", None, OPEN), ("heading-missing", None, R)]),
        (["## open", E5, R], [("heading-missing", None, OPEN)]),
        ([OPEN, E5, OPEN, R], [("heading-duplicated", 4, OPEN)]),
        (
            [OPEN, E5, R, R, "  ## Open\t", R],
            [("heading-duplicated", 6, OPEN), ("heading-duplicated", 5, R), ("heading-duplicated", 7, R)],
        ),
        ([OPEN, E5, "```", OPEN, "```", R], [("heading-duplicated", 5, OPEN)]),
        ([OPEN, E5, f"> {OPEN}", f"see {OPEN}", R], []),
        ([R, E4, OPEN, E5], [("headings-inverted", 2, None)]),
        ([R, E4, OPEN, E5, R], [("heading-duplicated", 6, R)]),
        ([OPEN, E5, R + ":"], [("heading-missing", None, R)]),
    ],
)
def test_headings(lines: list[str], found: list[Found]) -> None:
    text = "\n".join(["Next id: **9**", *lines]) + "\n"
    rules = ("heading-missing", "heading-duplicated", "headings-inverted")
    assert sorted([(rule, *rest) for rule in rules for rest in told(rule, text)], key=str) == sorted(found, key=str)


@pytest.mark.parametrize(
    ("heading", "found"),
    [
        ("## Open", []),
        ("## Open  \t", []),
        ("x\u2028## Open", []),
        ("## Open\u00a0", []),
        ("  ## Open", [(None, None)]),
        ("## Todo", [(None, None)]),
        ("## open", [(None, None)]),
        ("## Opened", [(None, None)]),
        ("### Open", [(None, None)]),
    ],
)
def test_open_heading_missing(heading: str, found: list[tuple[None, None]]) -> None:
    assert told("open-heading-missing", f"Next id: **9**\n{heading}\n{E5}\n{R}\n") == found


@pytest.mark.parametrize(
    ("opened", "found"),
    [
        ("", [(None, None)]),
        ("  - **#5** — a", [(None, None)]),
        ("* **#5** — a", [(None, None)]),
        ("- **words** a", []),
        (E5, []),
    ],
)
def test_no_entries(opened: str, found: list[tuple[None, None]]) -> None:
    assert told("no-entries", planned(opened)) == found


@pytest.mark.parametrize(
    ("lines", "differs"),
    [
        ([OPEN, E5, R, E4], False),
        ([OPEN, E5, "## Parked", E4, R], True),
        ([OPEN, E5, "  ## Parked", E4, R], True),
        ([OPEN, E5, "## Parked", R], False),
        ([OPEN, E5, "### Deeper", E4, R], False),
        ([OPEN, E5, R, OPEN, E4], True),
        ([OPEN, E5, OPEN, E4, R], False),
        ([OPEN, E5, E5, R], True),
        ([OPEN, "- **#5/#5** — a ·", R], True),
        ([OPEN, f"{E5}\u2028{E4}", R], True),
        ([OPEN, f"{E5}\u2028  {E4}", R], False),
        ([OPEN, "- **#5, #6** — a ·", R], False),
        (["  ## Open", E5, R], False),
        (["## Todo", E5, R], False),
        ([R, E4, OPEN, E5], False),
        ([OPEN, E5, f"x\x0c{R}", E4, R], True),
        ([OPEN, "- **#007** — a ·", "- **#7** — b ·", R], False),
    ],
)
def test_open_count_disagrees(lines: list[str], differs: bool) -> None:
    text = "\n".join(["Next id: **9**", *lines]) + "\n"
    assert bool(told("open-count-disagrees", text)) is differs


@pytest.mark.parametrize("mark", ["<<<<<<< a", "=======", "|||||||", ">>>>>>>"])
def test_conflict_marker(mark: str) -> None:
    assert told("conflict-marker", planned(f"{E5}\n{mark}\n  {mark}\n{mark[0]}{mark}")) == [(8, None)]


ORIGIN_SOUND = [
    "- **#216** — a · origin: **loop** ·",
    "- **#216** — a · origin: ** human ** ·",
    "- **#216** — a · origin:\n  **unknown** ·",
    "- **#216** — a ·\n\n  origin: **human**",
    "- **#216** — a · origin: **loop** ·\n  origin: **human** said",
    "- **#216** — a · origin: **loop** ·\n  origin: **x**",
    "- **#215** — a ·",
    "- **#215** — a · origin: **x** · origin: **y**",
    "- **words** — a ·",
    "- **#21/#30** — a ·",
    "- **#99a** — a ·",
    "- **#0215** — a ·",
]
ORIGIN_MISSING = [
    ("- **#216** — a ·", "#216"),
    ("- **#216** — a · Origin: **loop** ·", "#216"),
    ("- **#216** — a · origin: loop ·", "#216"),
    ("- **#216** — a · origin: **loop ·", "#216"),
    ("- **#216** — a ·\norigin: **loop**", "#216"),
    ("- **#216a** — a ·", "#216"),
    ("- **#216 — a** ·", "#216"),
    ("- **#5/#216** — a ·", "#5/#216"),
    ("- **#5, #300** — a ·", "#5/#300"),
    ("- **#٢١٦** — a ·", "#٢١٦"),
    ("- **#216** — a ·\n- **#2** — b · origin: **loop** ·", "#216"),
]


@pytest.mark.parametrize("entry", ORIGIN_SOUND)
def test_the_origin_rules_leave_alone(entry: str) -> None:
    assert [name for name in names(planned(entry)) if name.startswith("origin")] == []
    assert [name for name in names(planned(E5, entry)) if name.startswith("origin")] == []


@pytest.mark.parametrize(("entry", "subject"), ORIGIN_MISSING)
def test_origin_missing_finds(entry: str, subject: str) -> None:
    assert told("origin-missing", planned(entry)) == [(7, subject)]
    assert told("origin-missing", planned("", entry)) == [(11, subject)]
    assert told("origin-missing", f"{entry}\n{planned(E5)}") == [(1, subject)]


@pytest.mark.parametrize(
    ("entry", "rule"),
    [
        ("- **#216** — a · origin: **loop** · origin: **loop** ·", "origin-repeated"),
        ("- **#216** — a · origin: **x** · origin: **y** ·", "origin-repeated"),
        ("- **#216** — a ·\n  origin: **loop** · origin: **human** ·", "origin-repeated"),
        ("- **#216** — a · origin: **Loop** ·", "origin-not-in-vocabulary"),
        ("- **#216** — a · origin: **robot** ·", "origin-not-in-vocabulary"),
        ("- **#216** — a · origin: **human, loop** ·", "origin-not-in-vocabulary"),
        ("- **#216** — a ·\n  origin: **x** ·", "origin-not-in-vocabulary"),
        ("- **#216** — a · origin: **x** ·\n  origin: **loop** ·", "origin-not-in-vocabulary"),
    ],
)
def test_a_wrong_origin(entry: str, rule: str) -> None:
    assert [name for name in names(planned(entry)) if name.startswith("origin")] == [rule]
    assert told(rule, planned(entry)) == [(7, "#216")]


BLOCKED = "blocked-on: **human**"


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("- **#7** — a · blocked-on: **#5** ·", [(7, "#7")]),
        ("- **#7** — a · P2 · blocked-on: **Human** ·", [(7, "#7")]),
        ("- **#7** — a · P2 · blocked-on: **human, loop** ·", [(7, "#7")]),
        ("- **#7/#8** — a ·\n  P2 · blocked-on: **x** ·", [(7, "#7/#8")]),
        ("- **#7a** — a · blocked-on: **x** ·", [(7, "#7")]),
        ("- **#7** — a · prose; · blocked-on: **x** ·", []),
        ("- **#7** — a · " + "x" * 51 + " · blocked-on: **x** ·", []),
        ("- **#7** — a blocked-on: **x**", []),
        ("- **#7** — a blocked-on: **x** · P2", []),
        ("- **#7** – a · blocked-on: **x** ·", []),
        ("- **#7** — a · blocked-on: x ·", []),
    ],
)
def test_blocked_on_vocabulary(entry: str, found: list[tuple[int, str]]) -> None:
    assert told("blocked-on-vocabulary", planned(entry)) == found
    assert told("blocked-on-vocabulary", planned(E5, entry)) == []


@pytest.mark.parametrize(
    ("tags", "title", "found"),
    [
        (BLOCKED, "Which valve?", True),
        (BLOCKED, "Which valve for #8?", True),
        (BLOCKED, "Which valve for #7?", False),
        (BLOCKED, "Which valve\n  for #07?", False),
        (BLOCKED, "Which valve?** #7 **", True),
        (f"{BLOCKED} · gate: **#8**", "Which valve for #8?", False),
        (f"{BLOCKED} · gate: **#8**", "Which valve for #7?", True),
        (f"gate: **#8** · {BLOCKED}", "Which valve for #8?", False),
        (f"{BLOCKED} · x; · gate: **#8**", "Which valve for #7?", False),
        (f"{BLOCKED} · gate: #8", "Which valve for #7?", False),
    ],
)
def test_blocked_without_question(tags: str, title: str, found: bool) -> None:
    tasks = planned(f"- **#7** — a · P2 · {tags} ·")
    for questions in (asked(f"- **{title}** x"), answered(f"- **{title}** → (2026-03-04)")):
        assert told("blocked-without-question", tasks, questions) == ([(7, "#7")] if found else [])


def test_the_vocabulary_of_blocked_on_needs_no_questions() -> None:
    waiting = f"- **#6** — a · {BLOCKED} ·\n"
    tasks = planned(waiting + "- **#7** — b · blocked-on: **#5** ·\n" + waiting.replace("#6", "#8"))
    assert faults(None, tasks) == [("questions/missing-file", None, None), ("tasks/blocked-on-vocabulary", 8, "#7")]


def test_any_id_of_a_combined_head_will_do() -> None:
    tasks = planned(f"- **#7/#8** — a · {BLOCKED} ·")
    assert told("blocked-without-question", tasks, asked("- **For #8?** x")) == []
    assert told("blocked-without-question", tasks, asked("- **For #9?** x")) == [(7, "#7/#8")]


def test_blocked_without_question_needs_questions_and_an_open_entry() -> None:
    entry = f"- **#7** — a · {BLOCKED} ·"
    assert told("blocked-without-question", planned(entry), None) == []
    assert told("blocked-without-question", planned(E5, entry)) == []
    unseen = "## Open\n- **A** x\n## Other\n- **For #7?** x\n"
    assert told("blocked-without-question", planned(entry), unseen) == [(7, "#7")]


DONE_FOUND = [
    "completed 2026-03-02",
    "P1 · Completed: 2026-03-02",
    "landed `aa11bb2`",
    "MERGED as AA11BB2",
    "merged 1234567",
    "landed **2026-03-02 10:00**",
    "landed · aa11bb2",
    "completed · " + "x" * 34 + " · 2026-03-02",
    "landed `aa11bb2cc33dd44`",
    "P2 · x ·\n  y · landed `aa11bb2`",
    "owner: İİİİİİİİ · landed 2026-03-02",
]
DONE_LEFT = [
    "completed soon",
    "landed `aa11bb`",
    "completed · " + "x" * 35 + " · 2026-03-02",
    "half landed `aa11bb2`; rest open",
    "relanded 2026-03-02",
    "finished 2026-03-02",
    "2026-03-02 landed",
    "landed `gg11bb2`",
    "x" * 51 + " · landed `aa11bb2`",
    "completeds 2026-03-02",
]


@pytest.mark.parametrize("tags", DONE_FOUND)
def test_completed_but_open_finds(tags: str) -> None:
    assert told("completed-but-open", planned(f"- **#7** — a · {tags} ·")) == [(7, "#7")]
    assert told("completed-but-open", planned(E5, f"- **#7** — a · {tags} ·")) == []


@pytest.mark.parametrize("tags", DONE_LEFT)
def test_completed_but_open_leaves_alone(tags: str) -> None:
    assert told("completed-but-open", planned(f"- **#7** — a · {tags} ·")) == []


def test_completion_in_a_title_or_without_a_separator_is_prose() -> None:
    assert told("completed-but-open", planned("- **#7** — landed 2026-03-02 · P2")) == []
    assert told("completed-but-open", planned("- **#7** – a · landed 2026-03-02")) == []
    assert told("completed-but-open", planned("- **#7** landed 2026-03-02")) == []


def test_completion_is_looked_for_under_an_indented_heading_and_under_a_third_one() -> None:
    done = "- **#5** — a · landed 2026-03-02 ·"
    assert told("completed-but-open", f"Next id: **9**\n  {OPEN}\n{done}\n{R}\n") == [(3, "#5")]
    assert told("completed-but-open", f"Next id: **9**\n{OPEN}\n## Parked\n{done}\n{R}\n") == [(4, "#5")]


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("- **#7** — blocked on x · P2", True),
        ("- **#7** — a, BLOCKED  On x · P2", True),
        ("- **#7** — a, blocked\n  on x · P2", True),
        ("- **#7** — a,\n  blocked on x · P2", True),
        ("- **#7** — unless blocked on", True),
        ("- **#7** — a\n  Blocked on x", False),
        ("- **#7** - blocked on x · blocked-on: **human**; no ·", True),
        ("- **#7** — blocked on x · P2 · blocked-on: **human** ·", False),
        ("- **#7** — blocked_on x · P2", False),
        ("- **#7** — blocked-on x · P2", False),
        ("- **#7** — unblocked on x · P2", False),
        ("- **#7** — blocked once · P2", False),
        ("- **#7** — a · blocked on x", False),
        ("- **#7** — a · P2\n  blocked on x", False),
        ("- **#7** – blocked on x · P2", False),
    ],
)
def test_title_says_blocked(entry: str, found: bool) -> None:
    assert told("title-says-blocked", planned(entry)) == ([(7, "#7")] if found else [])
    assert told("title-says-blocked", planned(E5, entry)) == []


def test_titles_are_examined_under_the_first_literal_heading_only() -> None:
    entry = "- **#7** — blocked on x · P2"
    assert told("title-says-blocked", f"Next id: **9**\n  {OPEN}\n{entry}\n{R}\n") == []
    assert told("title-says-blocked", f"Next id: **9**\n{OPEN}\n## Parked\n{entry}\n{R}\n") == []
    assert told("title-says-blocked", f"Next id: **9**\n{OPEN}\n{E5}\n{R}\n{OPEN}\n{entry}\n") == []
    assert told("title-says-blocked", f"Next id: **9**\n{OPEN}\n{E5}\u2028{entry}\n{R}\n") == [(3, "#7")]


PLACE_FOUND = [
    "landed `PENDING`",
    "landed at `tbd`",
    "merged in `todo`",
    "merge as `Hash`",
    "close `sha`",
    "closed `???`",
    "commit `-`",
    "fixed `--`",
    "reverted `xxx`",
    "sha `XXXXXXX`",
    "**merged `<sha>`**",
    "**landed** `<the commit>`",
    "Landed `?`",
    "landed\n  at `TBD`",
    "landed`pending`",
]
PLACE_LEFT = [
    "landed `aa11bb2`",
    "landed `xx`",
    "landed `pending review`",
    "landed `x.html`",
    "landed `<a`",
    "landed pending",
    "wait `PENDING`",
    "unlanded `PENDING`",
    "landed on `PENDING`",
    "landed: `PENDING`",
    "landed `" + "-" * 41 + "`",
    "landed ``",
    "landed `PENDING",
    "format `PENDING`",
    "landed `?x`",
]


@pytest.mark.parametrize("words", PLACE_FOUND)
def test_landing_placeholder_finds(words: str) -> None:
    line = 11 + words.count("\n")
    assert told("landing-placeholder", planned(E5, f"- **#4** — b · {words} ·")) == [(line, "#4")]


@pytest.mark.parametrize("words", PLACE_LEFT)
def test_landing_placeholder_leaves_alone(words: str) -> None:
    assert told("landing-placeholder", planned(E5, f"- **#4** — b · {words} ·")) == []


def test_a_placeholder_belongs_to_the_nearest_id_before_it() -> None:
    assert told("landing-placeholder", "landed `TBD`\nx #5 landed `TBD`, #6 landed `TBD`\n") == [
        (1, None),
        (2, "#5"),
        (2, "#6"),
    ]
    assert told("landing-placeholder", planned("- **#7** — a · landed `TBD` · see #8: landed `TBD`")) == [
        (7, "#7"),
        (7, "#8"),
    ]


def test_a_placeholder_is_told_once_for_an_id_and_token() -> None:
    assert told(
        "landing-placeholder", planned(E5, "- **#4** — b · landed `TBD` and `TBD` landed `TBD`, merged `?`")
    ) == [
        (11, "#4"),
        (11, "#4"),
    ]


NOTICE = "<!--dreamwork-migration-notice\nmigration: x.md\nsummary: landed `PENDING`\n-->\n"


def test_a_notice_alone_is_silent_only_with_the_store_beside_it() -> None:
    assert names(NOTICE, store_present=True) == []
    assert names(NOTICE + "\n \n", store_present=True) == []
    assert sorted(set(names(NOTICE))) == ["heading-missing", "next-id-missing", "no-entries", "open-heading-missing"]


def test_a_notice_above_a_ledger_is_invisible_and_the_lines_stay() -> None:
    for store in (True, False):
        found = faults(SOUND_QUESTIONS, NOTICE + planned("- **#5** — a ·\n- **#5** — b ·"), store_present=store)
        assert found == [("tasks/open-count-disagrees", None, None), ("tasks/duplicate-id", 12, "#5")]


def test_a_notice_alone_is_named_in_the_messages() -> None:
    from dreamwork_hooks.ledger.lint import lint

    for finding in lint(SOUND_QUESTIONS.encode(), NOTICE.encode())["findings"]:
        assert "only a migration notice" in finding["message"]
        assert "ledger.sqlite3" in finding["fix"]


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("- **#7 stage 1** — title · P2", [(7, "#7")]),
        ("- **#7, #8** — a", [(7, "#7/#8")]),
        ("- **#7a** — a", [(7, "#7")]),
        ("- **#7** — a", []),
        ("- **words** a", []),
    ],
)
def test_a_head_that_does_not_count_is_advice(entry: str, found: list[tuple[int, str]]) -> None:
    assert told("head-not-counted", planned(entry)) == found
    assert faults(SOUND_QUESTIONS, planned(entry)) == []


def test_sound_files_have_no_faults() -> None:
    assert faults(SOUND_QUESTIONS, SOUND_TASKS, advice=True) == []
