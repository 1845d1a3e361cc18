"""The whole way of a compaction on the real client: evidence, steering, restoring, auditing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.claude.round_trip import (
    COMMANDS,
    EVERYTHING,
    FAILING,
    FILES,
    NUMBERS,
    RoundTrip,
    asks_for,
    compact,
    keeps_only_what_it_is_asked_to,
    logged,
    prepare,
    resume,
    round_trip,
)
from tests.support.installed import STATUS, install
from tests.support.messages_api import Request, keeps_everything, keeps_nothing

pytestmark = pytest.mark.usefixtures("built")

TASK = str(STATUS["task"])
MARK = "a record from before the compaction"


@pytest.fixture(scope="module")
def kept(client: Path, tmp_path_factory: pytest.TempPathFactory) -> RoundTrip:
    """An automatic compaction whose summarizer keeps what it is asked to."""
    return round_trip(client, tmp_path_factory.mktemp("kept"))


@pytest.fixture(scope="module")
def lost(client: Path, tmp_path_factory: pytest.TempPathFactory) -> RoundTrip:
    """A `/compact` whose summarizer loses everything."""
    return round_trip(client, tmp_path_factory.mktemp("lost"), manual=True, summarizer=keeps_nothing)


def test_the_record_holds_the_evidence_of_the_real_transcript(kept: RoundTrip) -> None:
    evidence = kept.record["evidence"]
    assert evidence["files"] == list(reversed(FILES))
    exits = [(command.replace("hunter2hunter2", "***"), status) for command, (status, _) in COMMANDS.items()]
    assert [(ran["command"], ran["exit"]) for ran in evidence["commands"]] == list(reversed(exits))
    assert evidence["failing_tests"] == [FAILING]
    assert evidence["numbers"] == list(reversed(NUMBERS))
    assert kept.record["note"] is None


def test_no_secret_of_a_command_is_written_down_or_told(kept: RoundTrip) -> None:
    (summary,) = kept.ran.of_kind("summary")
    assert "hunter2" not in json.dumps(kept.record)
    assert "hunter2" not in summary.additional_instructions
    assert "hunter2" not in kept.restored


def test_the_summarizer_is_told_the_evidence(kept: RoundTrip) -> None:
    (summary,) = kept.ran.of_kind("summary")
    told = json.loads(summary.additional_instructions)
    assert len(told["preserve"]) <= 1500
    for part in (TASK, '"#7"', "2 open questions", FILES[-1], "340 ms", FAILING):
        assert part in told["preserve"]
    assert next(iter(told)) == "preserve"
    assert set(told) <= {"preserve", "ok", "hook", "plugin", "trigger", "wrote", "note"}


def test_a_summary_that_kept_everything_asked_for_is_audited_so(kept: RoundTrip) -> None:
    assert kept.audit is not None
    assert kept.audit["facts"] == {
        "task": [1, 0, 0],
        "id": [1, 0, 0],
        "file": [len(FILES), 0, 0],
        "command": [len(COMMANDS), 0, 0],
        "test": [1, 0, 0],
        "number": [len(NUMBERS), 0, 0],
    }
    assert kept.audit["lost"] == []
    assert (kept.audit["steered"], kept.audit["restored"], kept.audit["trigger"]) == (True, True, "auto")


def test_the_record_is_in_the_request_after_the_compaction_once(kept: RoundTrip) -> None:
    assert kept.after.text.count(MARK) == 1
    assert kept.restored.startswith(f"dreamwork-hooks: {MARK}")
    for part in (f'Current task: "{TASK}"', '"#7"', "2 in questions.md", *FILES):
        assert part in kept.restored


def test_a_summary_that_lost_the_task_is_told_from_one_that_kept_it(kept: RoundTrip, lost: RoundTrip) -> None:
    assert kept.audit is not None
    assert lost.audit is not None
    assert kept.audit["facts"]["task"] == [1, 0, 0]
    assert lost.audit["facts"]["task"] == [0, 0, 1]
    assert ["task", TASK] in lost.audit["lost"]


def test_the_person_is_told_only_when_something_was_lost(
    client: Path, tmp_path: Path, kept: RoundTrip, lost: RoundTrip
) -> None:
    """Print mode shows the hooks' output of a compaction by command, and of an automatic one nothing."""
    assert (
        f'"systemMessage":"dreamwork-hooks: the summary lost 21 of 21 held facts: current task \\"{TASK}' in lost.shown
    )
    assert "summary lost" not in json.dumps(kept.ran.stream)
    told_nothing = round_trip(client, tmp_path, manual=True).shown
    assert "compaction-audit" in told_nothing
    assert "systemMessage" not in told_nothing


def test_what_was_lost_is_given_back_all_the_same(lost: RoundTrip) -> None:
    assert f'Current task: "{TASK}"' in lost.restored


def test_at_the_next_resume_what_was_lost_comes_first_and_once(client: Path, lost: RoundTrip) -> None:
    news = resume(client, lost).news
    first = news[news.index(MARK) :].splitlines()[1]
    assert first.startswith(f'Lost by the last compaction\'s summary: current task "{TASK}"')
    again = resume(client, lost)
    assert MARK not in again.news


def test_after_a_summary_that_lost_nothing_a_resume_adds_nothing(client: Path, kept: RoundTrip) -> None:
    assert MARK not in resume(client, kept).news


def test_a_summarizer_that_keeps_all_is_audited_as_one(client: Path, tmp_path: Path) -> None:
    trip = round_trip(client, tmp_path, summarizer=keeps_everything)
    assert trip.audit is not None
    assert trip.audit["lost"] == []


def test_unsteered_the_summarizer_hears_nothing_of_the_target_and_the_audit_says_so(
    client: Path, tmp_path: Path
) -> None:
    trip = round_trip(client, tmp_path, ("audit", "evidence"), steer=False)
    (summary,) = trip.ran.of_kind("summary")
    assert TASK not in summary.additional_instructions
    assert FILES[0] not in summary.additional_instructions
    assert trip.audit is not None
    assert (trip.audit["steered"], trip.audit["restored"]) == (False, False)
    assert trip.audit["facts"]["file"] == [0, 0, len(FILES)]
    assert trip.restored == ""


def test_without_the_opt_in_parts_nothing_is_read_restored_or_audited(client: Path, tmp_path: Path) -> None:
    trip = round_trip(client, tmp_path, ())
    assert "evidence" not in trip.record
    assert trip.audit is None
    assert trip.restored == ""


@pytest.mark.parametrize("manual", [True, False], ids=["manual", "auto"])
def test_wired_twice_a_compaction_is_recorded_restored_and_audited_once(
    client: Path, tmp_path: Path, manual: bool
) -> None:
    """User and project settings both hold the hooks, in two spellings that the client does not take for one."""
    installed = prepare(tmp_path)
    words = [word for part in EVERYTHING for word in ("--with", part)]
    install(installed.place, "--scope", "project", "--target", str(installed.place.project), *words)
    trip = compact(client, installed, manual=manual, summarizer=keeps_only_what_it_is_asked_to)
    assert len(installed.records()) == 1
    assert len(logged(installed, "compaction-audit.jsonl")) == 1
    assert trip.after.text.count(MARK) == 1


def test_the_summarizer_of_the_script_keeps_only_what_it_is_asked_to() -> None:
    told = json.dumps({"preserve": 'keep "a"; file "b"', "ok": True, "hook": "c"})
    assert asks_for(told) == 'keep "a"; file "b"'
    assert asks_for('{"ok":true}') == ""
    assert Request("", {}).additional_instructions == ""
