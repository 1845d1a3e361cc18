"""The page and the picture of a compaction are what a run of today gives, and the table on it says what it should."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.claude.compaction_page import PAGE, PICTURE, Run, drawing, page, record_a_run
from tests.claude.survival import SUMMARIZERS, Survived, measure_all

pytestmark = pytest.mark.usefixtures("built")

AGAIN = "the run of today differs; if it is right:  PYTHONPATH=src python -m tests.claude.compaction_page"


@pytest.fixture(scope="module")
def run(client: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return record_a_run(client, tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def survived(client: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Survived]:
    return measure_all(client, tmp_path_factory.mktemp("survival"))


def test_the_page_is_up_to_date(run: Run, survived: list[Survived]) -> None:
    assert page(run, survived) == PAGE.read_text("utf-8"), AGAIN


def test_the_picture_is_up_to_date(run: Run) -> None:
    assert drawing(run) == PICTURE.read_text("utf-8"), AGAIN


def test_nothing_of_the_run_itself_is_left_on_the_page(run: Run, tmp_path: Path) -> None:
    for text in (PAGE.read_text("utf-8"), PICTURE.read_text("utf-8")):
        assert str(tmp_path.parents[1]) not in text
        assert run.trip.ran.session_id not in text


def of(survived: list[Survived], summarizer: int) -> Iterator[Survived]:
    return (row for row in survived if row.summarizer == list(SUMMARIZERS)[summarizer])


def test_unsteered_a_summarizer_that_drops_things_drops_every_fact(survived: list[Survived]) -> None:
    for row in of(survived, 0):
        if not row.steered:
            assert [kept for kept, _ in row.in_summary.values()] == [0] * 6


def test_steered_it_keeps_every_fact(survived: list[Survived]) -> None:
    for row in of(survived, 0):
        if row.steered:
            assert all(kept == held for kept, held in row.in_summary.values())


def test_with_the_record_given_back_the_model_has_every_fact_whatever_the_summarizer_did(
    survived: list[Survived],
) -> None:
    for row in survived:
        if row.restored:
            assert all(kept == held for kept, held in row.after.values()), row


def test_the_one_sentence_carries_the_task_and_something_of_every_kind(survived: list[Survived]) -> None:
    for row in of(survived, 1):
        if row.steered:
            assert row.in_summary["task"] == (1, 1)
            assert all(kept >= 1 for kept, _ in row.in_summary.values())
