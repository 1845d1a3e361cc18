"""The one quotation: whatever is inside, it stays one line, can be seen, and ends where we end it."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamwork_hooks.quoting import BACKTICKS, LOOK_ALIKES, MOST_MARKS, inside, one_line, plain_marks, quoted

EVERY = [chr(code) for code in range(sys.maxunicode + 1)]
TEXT = st.text(alphabet=st.one_of(st.characters(), st.sampled_from("\"`\\'" + LOOK_ALIKES + BACKTICKS)), max_size=300)


@given(st.text(alphabet=st.characters(), max_size=600), st.integers(1, 200))
def test_one_line_is_printable_bounded_and_one_line(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert line.isprintable()
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in line)
    assert line == line.strip()


def test_a_line_that_is_fine_stays_as_it_is() -> None:
    assert one_line("#2 — fit the valve", 100) == "#2 — fit the valve"


@given(TEXT, st.integers(2, 200), st.sampled_from('"`'))
def test_nothing_inside_ends_the_quotation(text: str, limit: int, mark: str) -> None:
    said = quoted(text, limit, mark)
    assert said[0] == said[-1] == mark
    assert said.count(mark) == 2
    assert said[-2:-1] != "\\"
    assert len(said) <= limit + 2
    assert said.isprintable()
    assert not set(said[1:-1]) & set(LOOK_ALIKES)


def test_every_quotation_mark_of_unicode_is_replaced() -> None:
    marks = "".join(char for char in EVERY if unicodedata.category(char) in ("Pi", "Pf"))
    listed = (
        "\u201a\u201e\u2e42\u301d\u301e\u301f\uff02\u02ba\u02dd\u02ee\u05f4\u2033\u275d\U0001f676\U0001f677\U0001f678"
    )
    for char in marks + listed:
        assert quoted(f"a{char}b", 40) == '"a\'b"', f"U+{ord(char):04X}"
    for char in BACKTICKS:
        assert quoted(f"a{char}b", 40, "`") == "`a'b`", f"U+{ord(char):04X}"
    assert quoted("`make`", 40) == '"`make`"'


def test_the_letters_that_many_languages_need_stay() -> None:
    for text in ("Größe", "прокладка", "שלום", "नमस्ते", "ภาษาไทย", "日本語", "café", "Việt Nam", "#2 — fit · the valve"):
        assert one_line(text, 60) == text


@pytest.mark.parametrize(
    "code",
    [
        *(0x34F, 0x115F, 0x1160, 0x17B4, 0x180B, 0x180F, 0x2800, 0x3164, 0xFFA0, 0xFE00, 0xFE0F, 0xE0100, 0xE01EF),
        *(0xAD, 0x200B, 0x200D, 0x202E, 0x2060, 0x2066, 0xFEFF, 0xE0041),
    ],
)
def test_what_cannot_be_seen_goes(code: int) -> None:
    assert one_line(f"a{chr(code)}b", 40) == "ab"


def test_a_heap_of_combining_characters_is_cut_down() -> None:
    marks = [char for char in EVERY if unicodedata.category(char) in ("Mn", "Me") and char.isprintable()]
    for mark in marks:
        kept = one_line("a" + mark * 20 + "b", 200)
        assert len(kept) <= 2 + MOST_MARKS or not kept.isprintable() or ord(mark) in (0x1885, 0x1886)
    assert len(one_line("a" + "\u0301\u0323\u0488" * 50, 200)) == 1 + MOST_MARKS


def test_a_text_that_ends_in_a_backslash_does_not_escape_the_mark() -> None:
    assert quoted("C:\\", 40) == '"C:\\ "'
    assert inside("x" * 39 + "\\", 40) == "x" * 39 + " "


def test_plain_marks_leaves_ascii_alone() -> None:
    assert plain_marks('"a" `b`') == '"a" `b`'
    assert plain_marks("“a” ’") == "'a' '"
