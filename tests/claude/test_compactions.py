"""The installed hook at compactions of a real session: what is written down, and what the summarizer is told."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.installed import STATUS, Installed, install, make_target
from tests.support.messages_api import FULL, Json, Request, say
from tests.support.session import Place, Ran, run_session

pytestmark = pytest.mark.usefixtures("built")

PROMPTS = ("one", "two", "/compact", "three", "four", "five")
TURNS = (say("1"), say("2"), say("3"), say("4", context_tokens=FULL), say("5"))


@dataclass(frozen=True)
class Compacted:
    """A session compacted by `/compact` and then by itself, in a user's installation."""

    ran: Ran
    installed: Installed
    records: list[Json]

    @property
    def summaries(self) -> list[Request]:
        return self.ran.of_kind("summary")


def compact_twice(client: Path, root: Path, *, target: bool = True, consent: bool = True) -> Compacted:
    place = Place.make(root)
    installed = install(place)
    if target:
        make_target(place.project, consent=consent)
    ran = run_session(client, place, prompts=PROMPTS, turns=TURNS)
    assert ran.compactions == ["manual", "auto"]
    return Compacted(ran, installed, installed.records())


@pytest.fixture(scope="module")
def in_target(client: Path, tmp_path_factory: pytest.TempPathFactory) -> Compacted:
    return compact_twice(client, tmp_path_factory.mktemp("target"))


def test_manual_and_automatic_compaction_leave_one_record_each(in_target: Compacted) -> None:
    assert [record["trigger"] for record in in_target.records] == ["manual", "auto"]
    assert {record["session_id"] for record in in_target.records} == {in_target.ran.session_id}


def test_a_record_holds_what_the_session_was_holding(in_target: Compacted) -> None:
    for record in in_target.records:
        assert record["target"] == str(in_target.installed.place.project)
        assert (record["current_task"], record["current_task_ids"]) == (STATUS["task"], [7])
        assert record["open_questions"] == 2


@pytest.mark.parametrize("which", [0, 1], ids=["manual", "auto"])
def test_the_summarizer_is_told_the_current_task_and_the_question_count(in_target: Compacted, which: int) -> None:
    answer = json.loads(in_target.summaries[which].additional_instructions)
    assert next(iter(answer)) == "preserve"
    assert STATUS["task"] in answer["preserve"]
    assert "2 open questions" in answer["preserve"]


def test_a_summarizer_that_keeps_only_what_it_is_told_keeps_the_task(in_target: Compacted) -> None:
    """The default summarizer of the script forgets the conversation; the task survives through the hook alone."""
    before, _, after_manual, _, after_auto = in_target.ran.of_kind("turn")
    assert str(STATUS["task"]) not in before.text
    for request in (after_manual, after_auto):
        assert str(STATUS["task"]) in request.text


@pytest.mark.parametrize("kind", ["no target", "no consent"])
def test_in_an_unrelated_project_the_summarizer_gets_no_instruction(client: Path, tmp_path: Path, kind: str) -> None:
    """What a hook prints always reaches the summarizer, so there the words must ask for nothing and be few."""
    compacted = compact_twice(client, tmp_path, target=kind == "no consent", consent=False)
    assert compacted.records == []
    for request in compacted.summaries:
        told = request.additional_instructions
        assert len(told) <= 200
        answer = json.loads(told)
        assert answer.keys() <= {"ok", "hook", "plugin", "skipped", "reason", "error"}
        assert str(STATUS["task"]) not in told


def test_words_of_the_person_come_first(client: Path, tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    install(place)
    make_target(place.project)
    ran = run_session(client, place, prompts=["one", "/compact keep marmalade"])
    (summary,) = ran.of_kind("summary")
    assert summary.additional_instructions.startswith('keep marmalade\n\n{"preserve"')


def test_nothing_is_written_in_the_target(in_target: Compacted) -> None:
    project = in_target.installed.place.project
    names = sorted(str(path.relative_to(project)) for path in project.rglob("*"))
    ledger = [".dreamwork", *(f".dreamwork/{name}" for name in ("questions.md", "status.json", "tasks.md"))]
    assert names == [*ledger, "DREAMWORK.md"]


def test_wired_in_one_project_alone_another_projects_summarizer_hears_nothing(client: Path, tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    make_target(place.project)
    install(place, "--scope", "project", "--target", str(place.project))
    elsewhere = place.home / "elsewhere"
    elsewhere.mkdir()
    told = []
    for cwd in (place.project, elsewhere):
        (summary,) = run_session(client, place, prompts=["one", "/compact"], cwd=cwd).of_kind("summary")
        told.append(summary.additional_instructions)
    assert str(STATUS["task"]) in told[0]
    assert told[1] == ""
