"""Lines, ids, digits and dates as the ledger's readers take them."""

from __future__ import annotations

import pytest

from dreamwork_hooks.ledger.text import (
    around_damage,
    closed_stamp,
    decode,
    find_closed_stamp,
    find_date,
    ids_in,
    number,
    plain,
    wide_lines,
)


@pytest.mark.parametrize(
    ("data", "text", "bad"),
    [
        (b"a\r\nb\rc\nd", "a\nb\nc\nd", 0),
        (b"a\r\r\nb", "a\n\nb", 0),
        (b"\xef\xbb\xbfa", "\ufeffa", 0),
        (b"a\xffb", "a\ufffdb", 1),
        (b"a\r\nb\rc\n\xe4x", "a\nb\nc\n\ufffdx", 4),
        (b"caf\xc3", "caf\ufffd", 1),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd", 1),
        (b"a\x00b", "a\x00b", 0),
        (b"", "", 0),
    ],
)
def test_decode(data: bytes, text: str, bad: int) -> None:
    assert decode(data) == (text, bad)


@pytest.mark.parametrize(
    ("text", "lines", "numbers"),
    [
        ("a\nb", ["a", "b"], None),
        ("a\nb\n", ["a", "b"], None),
        ("", [], None),
        ("\n", [""], None),
        ("a\u2028b\nc", ["a", "b", "c"], [1, 1, 2]),
        ("a\x0b\nb", ["a", "", "b"], [1, 1, 2]),
        ("a\nb\x85", ["a", "b"], [1, 2]),
        ("a\x1cb\x1dc\x1ed\x0ce\u2029f", ["a", "b", "c", "d", "e", "f"], [1] * 6),
    ],
)
def test_the_wide_cut_numbers_lines_by_line_feeds(text: str, lines: list[str], numbers: list[int] | None) -> None:
    assert wide_lines(text) == (lines, numbers)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("#1", ["1"]),
        ("##2 #x #", ["2"]),
        ("#392a/#7", ["392", "7"]),
        ("#007 #٣", ["007", "٣"]),
        ("#² 5", []),
        ("no", []),
    ],
)
def test_ids_in(text: str, ids: list[str]) -> None:
    assert ids_in(text) == ids


def test_an_id_of_more_than_4300_digits_is_no_number() -> None:
    assert number("9" * 4300) > 0
    assert number("9" * 4301) == -1
    assert plain("9" * 4301) == "9" * 4301
    assert plain("٠٠٧") == plain("7") == "7"


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("2026-03-04)", "2026-03-04"),
        ("2026-03-04 )", "2026-03-04"),
        ("2026-03-04 10:30)", "2026-03-04 10:30"),
        ("2026-03-04\n  10:30 )", "2026-03-04 10:30"),
        ("٢٠٢٦-٠٣-٠٤)", "٢٠٢٦-٠٣-٠٤"),
        ("2026-03-04", ""),
        ("2026-03-04,", ""),
        ("2026-03-0410:30)", ""),
        ("2026-3-4)", ""),
        ("2026-03-04 1:30)", ""),
        ("2026-03-04 10:30 UTC)", ""),
        ("", ""),
    ],
)
def test_closed_stamp(text: str, stamp: str) -> None:
    assert closed_stamp(text, 0)[0] == stamp


def test_the_first_date_before_a_parenthesis_is_found() -> None:
    assert find_closed_stamp("- **Note (human, 2026-03-01, via watch, 2026-03-02 10:00)") == "2026-03-02 10:00"
    assert find_closed_stamp("a-b-c 2026-03-01") == ""
    assert find_closed_stamp("x12026-03-01)") == "2026-03-01"


def test_find_date() -> None:
    assert find_date("x 2026-03-01 y")
    assert not find_date("x 2026-03-1 y - 2026-0303")


def test_a_damaged_byte_far_out_is_still_quoted() -> None:
    assert "\ufffd" in around_damage("x" * 500 + "\ufffd" + "y" * 500)[:60]
