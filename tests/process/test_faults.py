"""Every fault, for every event it concerns: exit status 0, one JSON object, in time, nothing lost, nothing left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.process import (
    faults_call,
    faults_files,
    faults_limits,
    faults_lint,
    faults_places,
    faults_stdin,
    faults_streams,
)
from tests.process.faults import Row, adopt_orphans, make_scene, play

ROWS = [
    *faults_stdin.ROWS,
    *faults_streams.ROWS,
    *faults_files.ROWS,
    *faults_places.ROWS,
    *faults_call.ROWS,
    *faults_limits.ROWS,
    *faults_lint.ROWS,
]


def table() -> list[object]:
    return [
        pytest.param(word, row, id=f"{word}: {row.name}", marks=[pytest.mark.once] if row.once else [])
        for row in ROWS
        for word in row.ok
    ]


@pytest.fixture(autouse=True, scope="session")
def orphans() -> None:
    adopt_orphans()


def test_every_row_has_a_name_of_its_own() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("word", "row"), table())
def test_whatever_happens_the_hook_answers(word: str, row: Row, tmp_path: Path, pyz: Path, interpreter: Path) -> None:
    play(make_scene(tmp_path, word, pyz, interpreter), row)
