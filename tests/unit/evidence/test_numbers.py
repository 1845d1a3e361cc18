"""Numbers with a unit: which are taken from a text, and when a summary states one again."""

from __future__ import annotations

import pytest

from dreamwork_hooks.evidence.numbers import number_of, stated_numbers, states

TAKEN = [
    ("it took 340 ms", ["340 ms"]),
    ("340ms", ["340ms"]),
    ("97.5 % of them", ["97.5 %"]),
    ("97.5%", ["97.5%"]),
    ("1,200 requests", ["1,200 requests"]),
    ("1_000 rows and 3 entries", ["1_000 rows", "3 entries"]),
    ("12 MB (was 14 MiB)", ["12 MB", "14 MiB"]),
    ("45 req/s", ["45 req/s"]),
    ("10 m/s", ["10 m/s"]),
    ("3.2x faster", ["3.2x"]),
    ("$1,200 or €5", ["$1,200", "€5"]),
    ("5-10 min", ["10 min"]),
    ("~2s", ["2s"]),
    ("12 Tests failed.", ["12 Tests"]),
    ("340\u00a0ms", ["340 ms"]),
    ("1 ms, 2 ms, 1 ms", ["2 ms", "1 ms"]),
]
LEFT_ALONE = [
    pytest.param("v3.11.2 of it", id="a version"),
    pytest.param("2026-04-02 at", id="a date"),
    pytest.param("#7 s", id="an id"),
    pytest.param("abc12 s", id="the end of a word"),
    pytest.param("3 apples", id="what is no unit"),
    pytest.param("3 in all", id="a word that could be inches"),
    pytest.param("5   ms", id="spaces that part it from the unit"),
    pytest.param("sha 12d34", id="inside hexadecimal"),
    pytest.param("/usr/7 s", id="inside a path"),
    pytest.param("test-3 s", id="behind a hyphen"),
    pytest.param("٣ ms", id="digits that are not ASCII"),
]


@pytest.mark.parametrize(("text", "numbers"), TAKEN)
def test_a_number_with_its_unit_is_taken(text: str, numbers: list[str]) -> None:
    assert stated_numbers(text, 12) == numbers


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_other_digits_are_left_alone(text: str) -> None:
    assert stated_numbers(text, 12) == []


def test_the_last_are_kept() -> None:
    assert stated_numbers(" ".join(f"{n} ms" for n in range(20)), 3) == ["17 ms", "18 ms", "19 ms"]


@pytest.mark.parametrize(
    ("text", "stated", "fate"),
    [
        ("p95 is 340 ms.", "340 ms", "kept"),
        ("p95 is 340ms", "340 ms", "kept"),
        ("340 milliseconds", "340 ms", "part"),
        ("about 340", "340 ms", "part"),
        ("3400 ms", "340 ms", "lost"),
        ("1340 ms and 340.5 ms", "340 ms", "lost"),
        ("40 ms", "340 ms", "lost"),
        ("1340 ms, then 340 ms", "340 ms", "kept"),
        ("97.5% of", "97.5 %", "kept"),
        ("1200", "$1,200", "lost"),
        ("1,200", "$1,200", "part"),
        ("$1,200.", "$1,200", "kept"),
        ("", "340 ms", "lost"),
        ("340 ms", "no number", "lost"),
        ("340 ms", "", "lost"),
    ],
)
def test_what_a_summary_states_of_it(text: str, stated: str, fate: str) -> None:
    assert states(text, stated) == fate


def test_the_number_alone() -> None:
    assert [number_of(stated) for stated in ("340 ms", "$1,200", "97.5%", "1_000 rows")] == [
        "340",
        "1,200",
        "97.5",
        "1_000",
    ]
