"""The `focus` command: what a person, or a loop's agent after a compaction, reads of the records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from freezegun import freeze_time

from dreamwork_hooks.cli.main import main
from tests.support.loop import Loop
from tests.support.targets import make_target
from tests.support.transcripts import Transcript

Json = dict[str, Any]


def focus(*words: str) -> Result:
    return CliRunner().invoke(main, ["focus", *words])


def shown(loop: Loop, *words: str) -> str:
    ran = focus("--target", str(loop.target), *words)
    assert ran.exit_code == 0, ran.output
    assert all(len(line) <= 80 for line in ran.output.splitlines()[1:]), ran.output
    return ran.output


def as_data(loop: Loop, *words: str) -> Json:
    ran = focus("--target", str(loop.target), "--json", *words)
    assert ran.exit_code == 0, ran.output
    data = json.loads(ran.output)
    assert isinstance(data, dict)
    return data


def compact(loop: Loop, tmp_path: Path, summary: str | None = None, **event: Any) -> None:
    told = (
        Transcript().write(loop.target / "src/pump.py").bash("pytest -q", "FAILED t.py::test_a - x", 1).say("in 340 ms")
    )
    loop.configure(evidence=True)
    loop.precompact(transcript_path=str(told.save(tmp_path / "t.jsonl")), **event)
    if summary is not None:
        loop.postcompact(summary, trigger=event.get("trigger", "auto"))


def test_a_record_is_shown_with_what_was_held_and_what_was_lost(loop: Loop, tmp_path: Path) -> None:
    with freeze_time("2026-03-04T05:06:07Z") as clock:
        compact(loop, tmp_path, "#2 — fit the valve; #2 #9a; pytest -q; t.py::test_a")
        clock.tick(7200)
        assert shown(loop).splitlines() == [
            str(loop.target),
            "1 of 1 records, newest first",
            "",
            "2 hours ago · auto · session 11111111",
            "  task       #2 — fit the valve",
            "  ids        #2, #9a",
            "  goal       a tank that does not leak",
            "  questions  2 open, 1 awaiting the human",
            "  failing    t.py::test_a",
            "  files      src/pump.py [lost]",
            "  commands   pytest -q (exit 1)",
            "  numbers    340 ms [lost]",
            "  survived   5 of 7 facts in the summary literally, 0 in part, 2 lost",
        ]


def test_the_newest_come_first_and_no_more_than_asked_for(loop: Loop) -> None:
    for number in range(8):
        loop.say(task=f"task {number}")
        loop.precompact()
    assert [record["current_task"] for record in as_data(loop, "--last", "3")["records"]] == [
        "task 7",
        "task 6",
        "task 5",
    ]
    assert len(as_data(loop)["records"]) == 5


def test_one_session_is_chosen_by_the_beginning_of_its_id(loop: Loop) -> None:
    for session in ("aaaa-1", "bbbb-1", "aaaa-2"):
        loop.precompact(session=session)
    found = as_data(loop, "--session", "aaaa")["records"]
    assert [record["session_id"] for record in found] == ["aaaa-2", "aaaa-1"]
    assert "No record of session cccc yet" in shown(loop, "--session", "cccc")


def test_each_record_has_the_audit_of_its_own_compaction(loop: Loop, tmp_path: Path) -> None:
    compact(loop, tmp_path, "nothing", trigger="manual")
    compact(loop, tmp_path, trigger="auto")
    newer, older = as_data(loop)["records"]
    assert newer["audit"] is None
    assert older["audit"]["facts"]["task"] == [0, 0, 1]
    assert "survived   not audited" in shown(loop)


def test_json_is_the_record_with_its_age_and_audit(loop: Loop) -> None:
    loop.precompact()
    (record,) = as_data(loop)["records"]
    assert {**record} == {**loop.records[0], "age_seconds": record["age_seconds"], "audit": None}
    assert 0 <= record["age_seconds"] < 60


def test_text_of_the_target_cannot_steer_the_terminal(loop: Loop) -> None:
    loop.say(task="a\x1b[2Jb", goal="c\x07d")
    loop.precompact()
    assert "\x1b" not in shown(loop)
    assert "\x07" not in shown(loop)


def test_without_a_record_it_says_when_there_will_be_one(loop: Loop) -> None:
    assert "No record yet" in shown(loop)
    assert as_data(loop)["records"] == []
    assert not (loop.home / ".config").exists()


def test_the_target_is_the_nearest_from_here_up(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    loop.precompact()
    below = loop.target / "a/b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert "fit the valve" in focus().output


def test_outside_a_target_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = focus()
    assert ran.exit_code == 2
    assert "name a project with --project DIR, or use --all" in ran.output


def test_all_projects_of_the_machine(loop: Loop, tmp_path: Path) -> None:
    other = Loop(make_target(tmp_path / "other", status={"task": "elsewhere"}), loop.home)
    loop.precompact()
    other.precompact()
    ran = focus("--all")
    assert ran.exit_code == 0
    assert ran.output.startswith("2 projects of this machine\n2 of 2 records")
    assert str(other.target) in ran.output.replace("\n             ", "")


def test_logs_that_cannot_be_read_are_an_error_that_names_them(loop: Loop) -> None:
    loop.precompact()
    (state,) = (loop.home / ".config/dreamwork/hooks").iterdir()
    (state / "precompact-focus.jsonl").unlink()
    (state / "precompact-focus.jsonl").mkdir()
    ran = focus("--target", str(loop.target))
    assert ran.exit_code == 2
    assert str(state) in ran.output


def test_lines_that_are_no_records_are_passed_over(loop: Loop) -> None:
    loop.precompact()
    (state,) = (loop.home / ".config/dreamwork/hooks").iterdir()
    with (state / "precompact-focus.jsonl").open("ab") as log:
        log.write(b'{"evidence":7,"current_task":{},"head":[],"note":[]}\n[]\nnoise\n{"ts":"2026-')
    (state / "compaction-audit.jsonl").write_text('{"facts":7,"lost":7}\n{"facts":{"task":[1]},"steered":0}\n')
    assert len(as_data(loop)["records"]) == 2
    shown(loop, "--survival")


def test_survival_sums_by_kind_with_steering_and_without(loop: Loop, tmp_path: Path) -> None:
    compact(loop, tmp_path, "#2 — fit the valve #2 #9a src/pump.py pytest -q t.py::test_a 340 ms", trigger="manual")
    loop.start()
    compact(loop, tmp_path, "#2 — fit the valve and pump.py", trigger="auto")
    loop.configure(evidence=True, steer=False)
    loop.say(task="paint")
    loop.precompact(transcript_path=str(tmp_path / "t.jsonl"))
    loop.postcompact("nothing")
    sums = as_data(loop, "--survival")
    assert (sums["compactions"], sums["audited"]) == (3, 3)
    assert (sums["steered"]["compactions"], sums["unsteered"]["compactions"]) == (2, 1)
    assert sums["steered"]["facts"]["file"] == {"held": 2, "kept": 1, "part": 1, "lost": 0}
    assert sums["unsteered"]["facts"]["file"] == {"held": 1, "kept": 0, "part": 0, "lost": 1}
    said = shown(loop, "--survival")
    assert "with steering (2)" in said
    assert "without (1)" in said
    assert "  files          50 %  1 of 2 (+1)                0 %  0 of 1" in said


def test_survival_of_the_machine_adds_up_all_projects(loop: Loop, tmp_path: Path) -> None:
    other = Loop(make_target(tmp_path / "other"), loop.home)
    for one in (loop, other):
        one.precompact()
        one.postcompact("#2 — fit the valve")
    sums = json.loads(focus("--all", "--survival", "--json").output)
    assert (sums["targets"], sums["audited"]) == (2, 2)
    assert sums["steered"]["facts"]["task"]["kept"] == 2


def test_a_record_without_facts_is_no_empty_table(loop: Loop) -> None:
    for name in ("status.json", "questions.md", "tasks.md"):
        (loop.target / ".dreamwork" / name).unlink()
    loop.precompact()
    loop.postcompact("a summary")
    assert "no facts were recorded, so nothing could be lost" in shown(loop)
    assert shown(loop, "--survival").splitlines()[1:] == [
        "1 compaction recorded, 1 audited.",
        "No facts were recorded, so nothing could be lost.",
    ]


def test_survival_without_audits_says_how_to_get_them(loop: Loop) -> None:
    loop.precompact()
    assert "install --with audit" in shown(loop, "--survival")
