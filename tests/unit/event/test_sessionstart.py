"""SessionStart and PostCompact in process: what is given back, how often, and what an audit leads to."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from freezegun import freeze_time
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamwork_hooks.event.sessionstart import context
from dreamwork_hooks.jsonlite import dumps
from dreamwork_hooks.memory.focus_log import age_of, in_words, timestamp
from tests.support.loop import SESSION, Loop
from tests.support.targets import make_target
from tests.support.transcripts import Transcript

TASK = "#2 — fit the valve"
OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.mark.parametrize("source", ["compact", "resume", "fork"])
def test_the_record_is_given_back_and_marked_as_one_to_be_checked(loop: Loop, source: str) -> None:
    loop.precompact()
    text = loop.restored(source)
    assert text.startswith("dreamwork-hooks: a record from before the compaction, written just now. Check it against")
    for part in (f'Current task: "{TASK}"', '"#2", "#9a"', 'Goal: "a tank', "2 in questions.md, 1 awaiting the human"):
        assert part in text
    assert "another session's" not in text


def test_given_twice_it_is_there_once(loop: Loop) -> None:
    loop.precompact()
    assert loop.restored()
    assert loop.start() == {
        "ok": True,
        "skipped": True,
        "reason": "the newest record was already given back",
        "hook": "focus-restore",
        "plugin": "ud-dreamwork-hooks",
    }
    assert loop.restored("resume") == ""


def test_the_next_compaction_gives_its_own_record(loop: Loop) -> None:
    loop.precompact()
    loop.restored()
    loop.say(task="paint the tank")
    loop.precompact()
    assert "paint the tank" in loop.restored()


def test_two_compactions_of_one_second_are_two(loop: Loop) -> None:
    loop.precompact(trigger="manual")
    assert loop.restored()
    loop.precompact(trigger="auto")
    assert loop.restored()


def test_without_a_record_of_its_own_a_session_gets_the_targets_newest_and_is_told_so(loop: Loop) -> None:
    loop.precompact(session=OTHER)
    text = loop.restored("resume")
    assert "This session has no record of its own: this one is another session's in the same project." in text
    assert TASK in text
    assert loop.restored("resume") == ""


def test_its_own_older_record_goes_before_another_sessions_newer_one(loop: Loop) -> None:
    loop.precompact()
    loop.say(task="of the other")
    loop.precompact(session=OTHER)
    assert TASK in loop.restored()


def test_how_old_the_record_is_stands_in_it_and_after_a_day_it_is_not_given(loop: Loop) -> None:
    start = time.time()
    with freeze_time("2026-03-04T05:06:07Z") as clock:
        loop.precompact()
        clock.tick(3 * 3600)
        assert "written 3 hours ago" in loop.restored()
        clock.tick(21 * 3600 + 1)
        assert loop.restored("resume", OTHER) == ""
    assert time.time() - start < 60


@pytest.mark.parametrize("source", ["startup", "clear", None, 7])
def test_other_starts_get_nothing(loop: Loop, source: Any) -> None:
    loop.precompact()
    assert loop.start(source)["skipped"] is True


def test_nothing_is_given_or_written_where_there_is_nothing(loop: Loop, tmp_path: Path) -> None:
    assert loop.start()["reason"] == "there is no record"
    assert loop.postcompact("x")["reason"] == "there is no record of this compaction"
    assert not (loop.home / ".config").exists()
    elsewhere = Loop(tmp_path, loop.home)
    assert elsewhere.start()["reason"] == "no dreamwork target here"
    assert elsewhere.postcompact("x")["reason"] == "no dreamwork target here"
    refused = Loop(make_target(tmp_path / "refused", consent=None), loop.home)
    assert refused.start()["reason"] == "there is no DREAMWORK.md"
    assert refused.postcompact("x")["reason"] == "there is no DREAMWORK.md"


def test_of_two_targets_each_gets_its_own(loop: Loop, tmp_path: Path) -> None:
    other = Loop(make_target(tmp_path / "other", status={"task": "elsewhere"}), loop.home)
    loop.precompact()
    other.precompact()
    assert "elsewhere" not in loop.restored()
    assert "elsewhere" in other.restored()


def test_an_audit_counts_what_a_summary_kept(loop: Loop) -> None:
    loop.precompact()
    answer = loop.postcompact(f"<summary>{TASK}, #2</summary>")
    assert (answer["kept"], answer["part"], answer["lost"]) == (2, 0, 1)
    (audit,) = loop.audits
    assert audit["facts"] == {"task": [1, 0, 0], "id": [1, 0, 1]}
    assert (audit["session_id"], audit["steered"], audit["restored"]) == (SESSION, True, False)


def test_the_person_is_told_only_when_something_was_lost(loop: Loop) -> None:
    loop.precompact()
    assert "systemMessage" not in loop.postcompact(f"{TASK} #2 #9a")
    loop.precompact(trigger="manual")
    message = loop.postcompact("nothing", trigger="manual")["systemMessage"]
    assert 'the summary lost 3 of 3 held facts: current task "#2 — fit the valve"' in message


def test_an_audit_is_made_once_for_each_compaction(loop: Loop) -> None:
    loop.precompact()
    loop.postcompact("x")
    assert loop.postcompact("x")["reason"] == "this compaction was already audited"
    assert len(loop.audits) == 1


def test_a_record_of_an_hour_ago_is_not_of_this_compaction(loop: Loop) -> None:
    with freeze_time("2026-03-04T05:06:07Z") as clock:
        loop.precompact()
        clock.tick(3601)
        assert loop.postcompact("x")["reason"] == "there is no record of this compaction"


def test_another_sessions_record_is_not_audited(loop: Loop) -> None:
    loop.precompact(session=OTHER)
    assert loop.postcompact("x")["reason"] == "there is no record of this compaction"


def test_the_audit_knows_whether_the_record_was_given_back(loop: Loop) -> None:
    loop.precompact()
    loop.start()
    message = loop.postcompact("x")["systemMessage"]
    assert loop.audits[0]["restored"] is True
    assert message.endswith("The model was given the record back; they come first at the next resume or compaction.")


def test_what_was_lost_comes_first_at_the_next_resume_and_once(loop: Loop) -> None:
    loop.precompact()
    loop.start()
    loop.postcompact("about #2 and #9a")
    lines = loop.restored("resume").splitlines()
    assert lines[1] == f'Lost by the last compaction\'s summary: current task "{TASK}"'
    assert loop.restored("resume") == ""


def test_what_was_lost_comes_first_at_the_next_compaction(loop: Loop, tmp_path: Path) -> None:
    loop.configure(evidence=True)
    told = Transcript().write(loop.target / "old.py").write(loop.target / "mid.py").write(loop.target / "new.py")
    path = str(told.save(tmp_path / "t.jsonl"))
    loop.precompact(transcript_path=path, trigger="manual")
    loop.start()
    loop.postcompact(f"{TASK} #2 #9a new.py mid.py", trigger="manual")
    said = loop.precompact(transcript_path=path)["preserve"]
    assert 'files "old.py", "new.py", "mid.py"' in said
    assert loop.restored().splitlines()[1] == 'Lost by the last compaction\'s summary: file "old.py"'


def test_a_loss_of_another_session_is_not_told(loop: Loop) -> None:
    loop.precompact(session=OTHER)
    loop.postcompact("x", session=OTHER)
    assert "Lost by" not in loop.restored("resume")


@pytest.mark.parametrize("summary", [None, 7, ["x"]])
def test_an_event_without_a_summary_is_passed_over(loop: Loop, summary: Any) -> None:
    loop.precompact()
    assert loop.postcompact(summary)["reason"] == "the event holds no summary"


def test_damaged_state_gives_what_can_be_read(loop: Loop) -> None:
    loop.precompact()
    (state,) = (loop.home / ".config/dreamwork/hooks").iterdir()
    log = state / "precompact-focus.jsonl"
    log.write_bytes(b"\x00\xff\n[1]\n" + log.read_bytes() + b'{"ts":"2026')
    (state / "restored.json").write_text('{"x": }')
    (state / "compaction-audit.jsonl").write_text('{"half')
    assert TASK in loop.restored()
    assert loop.postcompact("x")["lost"] == 3
    assert len(loop.audits) == 1


def test_logs_that_cannot_be_opened_are_told_not_raised(loop: Loop) -> None:
    loop.precompact()
    (state,) = (loop.home / ".config/dreamwork/hooks").iterdir()
    (state / "precompact-focus.jsonl").unlink()
    (state / "precompact-focus.jsonl").symlink_to("/etc/passwd")
    assert loop.start()["ok"] is False
    assert loop.postcompact("x")["ok"] is False


def test_a_lock_that_somebody_holds_costs_the_audit_but_not_the_record(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl", reason="there are no such locks here")
    loop.precompact()
    (state,) = (loop.home / ".config/dreamwork/hooks").iterdir()
    fd = os.open(state / "lock", os.O_RDWR)
    fcntl.flock(fd, fcntl.LOCK_EX)
    for word in ("sessionstart", "postcompact"):
        monkeypatch.setattr(f"dreamwork_hooks.event.{word}.LOCK_WAIT", 0.02)
    try:
        answer = loop.start()
        assert TASK in answer["hookSpecificOutput"]["additionalContext"]
        assert "may be repeated" in answer["note"]
        assert loop.postcompact("x")["error"] == "the audit was not written: the log is locked by another process"
    finally:
        os.close(fd)


def test_the_marks_of_many_sessions_stay_bounded(loop: Loop) -> None:
    loop.precompact()
    for number in range(60):
        assert loop.restored("resume", f"session-{number}")
    (state,) = (loop.home / ".config/dreamwork/hooks").iterdir()
    kept = json.loads((state / "restored.json").read_bytes())
    assert list(kept) == [f"session-{number}" for number in range(20, 60)]


TEXT = st.text(max_size=250)


@settings(max_examples=100, deadline=None)
@given(
    TEXT, TEXT, st.lists(TEXT, max_size=12), st.lists(st.tuples(st.sampled_from(["task", "file"]), TEXT), max_size=20)
)
def test_whatever_is_held_the_context_keeps_its_bounds(
    task: str, goal: str, files: list[str], lost: list[tuple[str, str]]
) -> None:
    evidence = {"files": files, "numbers": files, "failing_tests": files, "commands": [{"command": t} for t in files]}
    record = {"current_task": task, "current_task_ids": files, "goal": goal, "evidence": evidence, "open_questions": 2}
    said = context(record, lost, False, "5 seconds ago")
    assert len(said) <= 1500
    assert len(dumps(said)) <= 3600
    assert all(line.isprintable() and line.count('"') % 2 == 0 for line in said.split("\n"))
    assert said.endswith("tasks.md.")


@given(st.integers(0, 4_102_444_800))
def test_an_age_is_the_time_since_the_stamp(seconds: int) -> None:
    assert age_of({"ts": timestamp(seconds)}, seconds + 7.5) == 7.5
    assert age_of({"ts": timestamp(seconds)}, seconds - 100) == 0


@pytest.mark.parametrize("stamp", [None, 7, "", "2026-03-04", "2026-0x-04T05:06:07Z", "x" * 19 + "Z"])
def test_a_stamp_that_is_none_has_no_age(stamp: Any) -> None:
    assert age_of({"ts": stamp}, 0.0) is None


@pytest.mark.parametrize(
    ("age", "words"),
    [(0, "0 seconds"), (1, "1 second"), (59.9, "59 seconds"), (60, "1 minute"), (7300, "2 hours"), (90000, "1 day")],
)
def test_an_age_in_words(age: float, words: str) -> None:
    assert in_words(age) == words


def test_a_forked_session_is_given_the_record(loop: Loop) -> None:
    loop.precompact()
    assert TASK in loop.restored("fork", OTHER)


def on_branch(loop: Loop, name: str, commit: str) -> None:
    git = loop.target / ".git"
    (git / "refs/heads").mkdir(parents=True, exist_ok=True)
    (git / "HEAD").write_text(f"ref: refs/heads/{name}\n")
    (git / f"refs/heads/{name}").write_text(commit * 40 + "\n")


def test_what_changed_since_is_said_as_changed_and_not_as_current(loop: Loop) -> None:
    on_branch(loop, "main", "a")
    loop.precompact()
    loop.say(task="#3 — paint", current_task_ids=[3], goal="a tank that does not leak")
    on_branch(loop, "paint", "b")
    tasks = loop.target / ".dreamwork/tasks.md"
    tasks.write_text(
        tasks.read_text("utf-8").replace("- **#2** — fit the valve · P1 ·\n  It waits for nothing.\n", ""), "utf-8"
    )
    tasks.write_text(tasks.read_text("utf-8") + "- **#2** — fit the valve · landed `0a1b2c4` ·\n", "utf-8")
    text = loop.restored()
    line = text.splitlines()[1]
    for part in (
        f'the current task was "{TASK}"; status.json now says "#3 — paint"',
        'the task ids were "#2", "#9a"; status.json now says "#3"',
        '"#2" has landed since, by tasks.md',
        'the branch was "main", now "paint"',
        "the commit was aaaaaaaaaaaa, now bbbbbbbbbbbb",
    ):
        assert part in line
    assert line.startswith("Changed since: ")
    for label in ("Current task:", "Task ids:", "HEAD was on"):
        assert label not in text
    assert 'Goal: "a tank' in text


def test_a_status_that_cannot_be_read_now_changed_nothing(loop: Loop) -> None:
    loop.precompact()
    (loop.target / ".dreamwork/status.json").write_text("{")
    text = loop.restored()
    assert f'Current task: "{TASK}"' in text
    assert "Changed since" not in text


def test_a_status_that_names_no_task_now_says_so(loop: Loop) -> None:
    loop.precompact()
    loop.say(goal="another")
    assert f'the current task was "{TASK}"; status.json names none now' in loop.restored()
