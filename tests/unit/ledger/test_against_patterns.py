"""The hand-written scans against the patterns that they stand for.

The lint may not import `re`, so each shape is scanned by hand. Here each scan is compared with the plain pattern on
text made of the pieces that matter to it.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamwork_hooks.ledger import tasks_landings, tasks_rules
from dreamwork_hooks.ledger.questions import is_dated, qid_size
from dreamwork_hooks.ledger.tasks import Tasks, head_at, ids_only
from dreamwork_hooks.ledger.text import conflict_markers, find_closed_stamp, find_date, ids_in
from tests.support.ledgers import asked, faults, planned

STAMP = r"\d{4}-\d{2}-\d{2}(?:\s+\d{2}:\d{2})?"
EXAMPLES = settings(max_examples=200, deadline=None)


def made_of(*pieces: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), max_size=14).map("".join)


@EXAMPLES
@given(made_of("#", "7", "42", "٣", "²", "/", "+", " ", "\t", "\u00a0", ",", "a", "#8", "#9"))
def test_ids_alone(span: str) -> None:
    pattern = r"#\d+(?:[ \t]*[/+][ \t]*#\d+|[ \t]+#\d+)*"
    assert ids_only(span) == bool(re.fullmatch(pattern, span))
    assert ids_in(span) == re.findall(r"#(\d+)", span)


@EXAMPLES
@given(made_of("- **", "**", "*", "#7", "a", " ", "—", "/#8"))
def test_heads(rest: str) -> None:
    line = "- **" + rest
    match = re.match(r"- \*\*([^*]+)\*\*", line)
    head = head_at(0, line)
    assert (head is None) == (match is None)
    if head and match:
        assert head.size == match.end()
        assert head.ids == re.findall(r"#(\d+)", match[1])


DATES = ("2026-03-04", "2026-3-04", "٢٠٢٦-٠٣-٠٤", " ", "\n", "10:30", ")", "(", "-", "1", ":", "x")


@EXAMPLES
@given(made_of(*DATES))
def test_dates(text: str) -> None:
    match = re.search(rf"({STAMP})\s*\)", text)
    found = find_closed_stamp(text)
    assert " ".join(found.split()) == (" ".join(match[1].split()) if match else "")
    assert find_date(text) == bool(re.search(r"\d{4}-\d{2}-\d{2}", text))


@EXAMPLES
@given(made_of(*DATES, "→", "→ ", "(2026-03-04", "\n→ so (", "\n  ", "\u3000"))
def test_resolutions(body: str) -> None:
    pattern = rf"^\s*→[^:]*\({STAMP}\s*\)"
    assert is_dated(body.split("\n")) == bool(re.search(pattern, body, re.MULTILINE))


UUID = "550e8400-e29b-41d4-a716-446655440001"


@EXAMPLES
@given(
    st.builds(
        lambda before, comment, at, char: before + comment[:at] + char + comment[at + 1 :],
        st.sampled_from(["", " ", "\t", "x"]),
        st.sampled_from([f"<!-- qid:{UUID} --> x", f"<!-- QID:{UUID.upper()} -->"]),
        st.integers(0, 52),
        st.sampled_from(["a", "F", "g", "6", "-", " ", "", "0", "\u0660"]),
    )
)
def test_identity_comments(text: str) -> None:
    pattern = r"\s*<!-- qid:[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12} -->"
    match = re.match(pattern, text, re.IGNORECASE | re.ASCII) or re.match(pattern, text, re.IGNORECASE)
    assert qid_size(text) == (match.end() if match else 0)


@EXAMPLES
@given(made_of("<", "<<<", "<<<<<<<", "=======", ">>>>>>>", "|||||||", "=", "\n", " ", "x"))
def test_conflict_markers(text: str) -> None:
    lines = text.splitlines()
    pattern = r"(?:<{7}(?!<)|={7}(?!=)|>{7}(?!>)|\|{7}(?!\|))"
    assert sorted(conflict_markers(text, lines)) == [i for i, line in enumerate(lines) if re.match(pattern, line)]


@EXAMPLES
@given(made_of("completed", "Landed", "merged", " ", "x" * 17, "2026-03-02", "aa11bb2", "AA11BB", "1", "`", "_", ":"))
def test_completion(tags: str) -> None:
    pattern = r"\b(?:completed|landed|merged)\b.{0,40}?(?:\d{4}-\d{2}-\d{2}|[0-9a-f]{7})"
    match = re.search(pattern, tags, re.IGNORECASE)
    found = tasks_rules.completion(tags)
    assert bool(found) == bool(match)
    if match:
        assert tags.index(found) == match.start()


@EXAMPLES
@given(made_of("origin:", "origin: **", "**", "*", "loop", " ", "\n", "x"))
def test_origins(text: str) -> None:
    assert tasks_rules._origins(text) == [
        " ".join(value.split()) for value in re.findall(r"origin:\s*\*\*([^*]+)\*\*", text)
    ]


WORDS = r"\b(?:landed|merged?|closed?|commit|fixed|reverted|sha)[\s*]*(?:\b(?:at|in|as)[\s*]*)?`([^`]{1,40})`"
SLOT = r"<.*>|pending|tbd|todo|x{3,}|sha|hash|\?+|-+"


@EXAMPLES
@given(
    made_of(
        "landed", "Merge", "sha", "commit", " ", "*", "at", "as", "`", "`TBD`", "`?`", "`<x>`", "aa11bb2", "\n", "xxx"
    )
)
def test_placeholders(text: str) -> None:
    doc = Tasks(text.encode())
    found = {detail["token"] for _, _, _, detail in tasks_landings.placeholders(doc)}
    # every back-tick may open a token: a landing word may stand inside another token
    tokens = set()
    for tick in range(len(text)):
        for match in re.finditer(WORDS, text[: tick + 42], re.IGNORECASE):
            if match.start(1) - 1 == tick and re.fullmatch(SLOT, match[1], re.IGNORECASE | re.DOTALL):
                tokens.add(match[1])
    assert tokens <= found


@EXAMPLES
@given(made_of("**", "#5", "#7/#8", " ", "a", "*", "#"))
def test_ids_that_land_in_a_line(line: str) -> None:
    wanted = set()
    if line[:1] not in (" ", "\t"):
        for match in re.finditer(r"\*\*(#\d+(?:[ \t]*[/+][ \t]*#\d+|[ \t]+#\d+)*)\*\*", line):
            wanted.update(re.findall(r"#(\d+)", match[1]))
    assert Tasks(planned("", line).encode()).landed_ids() == wanted


@EXAMPLES
@given(made_of("P", "1", "4", "·", ":", "-", " ", "\u00a0", "x", "٣"))
def test_priorities(rest: str) -> None:
    title = ("P1" + rest).strip()
    wanted = re.match(r"P\d+\s*[·:-]", title) and not re.match(r"P[123]\s+·\s", title)
    found = [rule for rule, _, _ in faults(asked(f"- **{title}** x")) if rule == "questions/priority-not-taken"]
    assert bool(found) == bool(wanted)


@EXAMPLES
@given(made_of("Note", " (", "(", ")", "):", "2026-03-02", "loop, ", "human, ", " ", "-", "a"))
def test_author_tags(rest: str) -> None:
    line = "  - **Note" + rest
    wanted = re.match(r"\s*- \*\*[A-Z][\w-]* \([^)]*?\d{4}-\d{2}-\d{2}[^)]*\):", line)
    if line.strip().startswith("- **Note (human,"):
        wanted = None
    found = [rule for rule, _, _ in faults(asked(f"- **A** x\n{line}")) if rule == "questions/author-tag-unknown"]
    assert bool(found) == bool(wanted)


@pytest.mark.parametrize(
    "words", ["blocked on", "Blocked  on", "unblocked on", "blocked once", "blocked_on", "blocked\ton it"]
)
def test_the_words_blocked_on(words: str) -> None:
    assert tasks_rules.says_blocked(words) == bool(re.search(r"\bblocked\s+on\b", words, re.IGNORECASE))
