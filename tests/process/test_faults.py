"""Every fault, for every event it concerns: exit status 0, one JSON object, in time, nothing lost, nothing left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import (
    faults_call,
    faults_files,
    faults_limits,
    faults_lint,
    faults_places,
    faults_stdin,
    faults_streams,
)
from tests.support.faults import AFTER, EVENTS, Row, adopt_orphans, make_scene, play
from tests.support.spawn import fed

ROWS = [
    *faults_stdin.ROWS,
    *faults_streams.ROWS,
    *faults_files.ROWS,
    *faults_places.ROWS,
    *faults_call.ROWS,
    *faults_limits.ROWS,
    *faults_lint.ROWS,
]


# What the hooks after a compaction do not look at, or no otherwise than the other two.
PASSED_OVER = (
    *("status.json", "questions.md", "tasks.md", "tool_", "the tool's", "the trigger", "the instructions"),
    *("the installer's config.json", "what a killed rotation left", "the runs' file", "SIG"),
)
CALLS = [*faults_stdin.ROWS, *faults_call.ROWS]  # which end before any hook is known, or nearly


def words_of(row: Row) -> tuple[str, ...]:
    """The events a row is played for: those it names; where it concerns any hook, the ones after a compaction too."""
    if tuple(row.ok) != EVENTS or row in faults_lint.ROWS or row.name.startswith(PASSED_OVER):
        return tuple(row.ok)
    if row in CALLS and CALLS.index(row) % 4:
        return tuple(row.ok)
    return *row.ok, *AFTER


# About the interpreter itself: how it starts, its limits, its signals, its streams. The others are about files.
OF_THE_INTERPRETER = [*faults_streams.ROWS, *faults_call.ROWS, *faults_limits.ROWS]


def marks_of(word: str, row: Row) -> list[pytest.MarkDecorator]:
    if row.once or word in AFTER:
        return [pytest.mark.once]
    return [pytest.mark.every] if row in OF_THE_INTERPRETER else []


def table() -> list[object]:
    return [
        pytest.param(word, row, id=f"{word}: {row.name}", marks=marks_of(word, row))
        for row in ROWS
        for word in words_of(row)
    ]


@pytest.fixture(autouse=True, scope="session")
def orphans() -> None:
    adopt_orphans()


def test_every_row_has_a_name_of_its_own() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("word", "row"), table())
def test_whatever_happens_the_hook_answers(word: str, row: Row, tmp_path: Path, pyz: Path, interpreter: Path) -> None:
    def attempt(number: int) -> None:
        root = tmp_path / f"attempt-{number}"
        root.mkdir()
        play(make_scene(root, word, pyz, interpreter), row)

    fed(attempt)
