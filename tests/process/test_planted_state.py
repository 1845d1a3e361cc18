"""What stands in our own files may be old, cut off, another's or nonsense: the hooks say what they know, and go on."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.memory.focus_log import AUDIT_LOG, LOG
from dreamwork_hooks.memory.ledger_seen import SEEN
from dreamwork_hooks.memory.notes import RESTORED, RUNS
from tests.support.machine import STATE_FILES, Machine, check_answer
from tests.support.spawn import clean_env, run_hook
from tests.support.targets import precompact_event, write_event
from tests.support.transcripts import Transcript

Answer = dict[str, Any]
Play = Callable[..., Answer]
COMPACT = {"hook_event_name": "SessionStart", "source": "compact"}
SUMMED = {"hook_event_name": "PostCompact", "compact_summary": "<summary>nothing of it</summary>"}


@pytest.fixture
def play(pyz: Path, machine: Machine) -> Play:
    def play(word: str, **changes: Any) -> Answer:
        more = {"sessionstart": COMPACT, "postcompact": SUMMED}.get(word, {})
        event = {**precompact_event(machine.target, session_id="s"), **more, **changes}
        if word == "posttooluse":
            event = {**write_event(machine.target / ".dreamwork/tasks.md", machine.target), **changes}
        ran = run_hook([pyz, word], json.dumps(event).encode(), env=clean_env(machine.home), cwd=machine.root)
        assert ran.code == 0
        assert ran.err == b""
        return check_answer(ran.out)

    return play


def stamp(ago: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - ago))


def plant(machine: Machine, *records: Any, log: str = LOG) -> None:
    """Put records into a log; text stands there as it is."""
    lines = [record if isinstance(record, str) else json.dumps(record, separators=(",", ":")) for record in records]
    machine.put_state(log, "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass"))


def record(ago: float = 60, **fields: Any) -> Answer:
    held: Answer = {"ts": stamp(ago), "event": "PreCompact", "session_id": "s", "current_task": "the task"}
    return {**held, **fields, "note": None}


ODD = [
    {"current_task": 7, "current_task_ids": {}, "goal": [], "open_questions": "x", "awaiting_human": None, "head": 1},
    {"head": {"branch": 1, "commit": []}, "evidence": []},
    {
        "head": {"branch": "b", "commit": "x\u001b[31m" * 9},
        "evidence": {"files": 7, "commands": [1, {}, {"command": 2}]},
    },
    {"evidence": {"files": ["a", 1], "commands": [{"command": "c", "exit": "failed"}, {"command": "c", "exit": 1}]}},
    {"evidence": {"failing_tests": ["t"] * 300, "numbers": ["1 ms"] * 300, "files": ["f" * 200] * 300}},
    {"goal": "g" * 5000, "current_task": "🚰" * 900, "current_task_ids": list(range(300))},
    {"steered": False, "open_questions": 3, "awaiting_human": 2, "head": {"branch": "main", "commit": "0" * 40}},
]


@pytest.mark.parametrize("fields", ODD)
def test_an_odd_record_is_given_back_as_far_as_it_goes(machine: Machine, play: Play, fields: Answer) -> None:
    plant(machine, record(**fields))
    given = play("sessionstart")
    assert "written 1 minute ago" in given["hookSpecificOutput"]["additionalContext"]
    audited = play("postcompact")
    assert audited["ok"]
    plant(machine, record(**fields))
    assert play("precompact", session_id="s")["wrote"]


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (0, "just now"),
        (90, "1 minute"),
        (7_300, "2 hours"),
        (86_000, "23 hours"),
        (90_000, None),
        (-9_000, "still to come by this machine's clock"),
    ],
)
def test_ages_are_said_in_words(machine: Machine, play: Play, ago: float, said: str | None) -> None:
    plant(machine, record(ago))
    given = play("sessionstart")
    if said is None:
        assert given["reason"] == "the newest record is older than a day"
    else:
        assert said in given["hookSpecificOutput"]["additionalContext"].split("ago")[0]


@pytest.mark.parametrize(
    "ts", [None, 7, "", "yesterday", "2026-0x-04T05:06:07Z", "x" * 19 + "Z", "9999-99-99T99:99:99Z"]
)
def test_a_record_without_a_time_is_of_no_known_age(machine: Machine, play: Play, ts: object) -> None:
    plant(machine, record(ts=ts))
    assert play("sessionstart")["ok"]
    assert play("postcompact")["ok"]
    assert play("precompact")["wrote"]


def test_nothing_is_given_back_where_there_is_nothing(machine: Machine, play: Play) -> None:
    assert play("sessionstart")["reason"] == "there is no record"
    assert "no record" in play("postcompact")["reason"]
    plant(machine, "", "nonsense", "[1]", '{"ts":"x"', '{"event":"PostCompact","ts":"x","note":null}')
    assert play("sessionstart")["reason"] == "there is no record"
    assert "no record" in play("postcompact")["reason"]
    assert play("postcompact", session_id=7)["skipped"]
    assert play("postcompact", compact_summary=None)["reason"] == "the event holds no summary"
    for word in ("sessionstart", "postcompact"):
        assert play(word, cwd=str(machine.root))["reason"] == "no dreamwork target here"
    machine.put("DREAMWORK.md", b"# nothing\n")
    for word in ("sessionstart", "postcompact", "precompact", "posttooluse"):
        assert play(word)["reason"] == "DREAMWORK.md does not load this plugin"


def test_a_record_is_given_back_once_and_a_loss_once_more(machine: Machine, play: Play) -> None:
    plant(machine, record(session_id="other"))
    assert "another session's" in play("sessionstart")["hookSpecificOutput"]["additionalContext"]
    plant(machine, record())
    assert play("sessionstart")["ok"]
    assert play("sessionstart")["reason"] == "the newest record was already given back"
    assert "the task" in play("postcompact")["systemMessage"]
    assert play("postcompact")["reason"] == "this compaction was already audited"
    again = play("sessionstart", source="resume")["hookSpecificOutput"]["additionalContext"]
    assert "Lost by the last compaction's summary" in again
    assert play("sessionstart", source="resume")["skipped"]
    assert play("precompact", custom_instructions="x")["wrote"]


@pytest.mark.parametrize("name", sorted(STATE_FILES))
@pytest.mark.parametrize("what", ["directory", "fifo", "nonsense", "list", "deep", "large"])
def test_a_file_of_ours_that_is_none_is_told_or_replaced(machine: Machine, play: Play, name: str, what: str) -> None:
    plant(machine, record())
    path = machine.state / name
    path.unlink(missing_ok=True)
    if what == "directory":
        path.mkdir()
    elif what == "fifo":
        os.mkfifo(path)
    else:
        content = {
            "nonsense": b"\xff\x00nonsense",
            "list": b"[1,2]\n",
            "deep": b"[" * 50_000,
            "large": b"x" * (9 << 20),
        }
        path.write_bytes(content[what])
    for word in ("precompact", "posttooluse", "sessionstart", "postcompact"):
        said = play(word, session_id="new")
        assert said["ok"] or name in (LOG, AUDIT_LOG, "lock"), (name, what, said)
        assert "unexpected" not in said.get("error", "")
    if name in (SEEN, RUNS, RESTORED) and what not in ("directory",):
        assert isinstance(json.loads(path.read_bytes()), dict) or name == RESTORED
    shutil.rmtree(machine.state)


DEEP = "[" * 700 + "]" * 700  # which is parsed, but overflows whoever walks it


@pytest.mark.parametrize(
    "planted",
    [
        {RUNS: '{"x":DEEP,"posttooluse":{"run":DEEP}}'},
        {RUNS: json.dumps({"x": "y" * 16_300})},
        {RESTORED: '{"q":{"record":DEEP},"s":{"record":DEEP}}'},
        {RESTORED: json.dumps({"q": {"record": "x" * 65_500}})},
        {SEEN: '{"marks":{"x":DEEP},"told":{},"entries":{"tasks":{"ids":DEEP}}}'},
        {SEEN: json.dumps({"entries": {"tasks": {"ids": [[n * 10**6, n * 10**6 + 999_999] for n in range(20_000)]}}})},
        {LOG: '{"ts":"NOW","event":"PreCompact","session_id":"s","current_task_ids":[DEEP],"note":null}\n'},
        {LOG: '{"ts":"NOW","event":"PreCompact","session_id":"s","current_task":"t","x":DEEP,"note":null}\n'},
        {AUDIT_LOG: '{"ts":"NOW","event":"PostCompact","session_id":"s","lost":[["file","a"],DEEP],"note":null}\n'},
    ],
    ids=lambda planted: " ".join(planted),
)
def test_a_file_of_ours_that_another_made_monstrous_costs_itself_alone(
    machine: Machine, play: Play, planted: dict[str, str]
) -> None:
    plant(machine, record())
    for name, text in planted.items():
        machine.put_state(name, text.replace("NOW", stamp(20)).replace("DEEP", DEEP).encode())
    for again in range(2):
        for word in ("precompact", "posttooluse", "sessionstart", "postcompact"):
            assert play(word, session_id=f"s{again}", custom_instructions=str(again))["ok"]
    for name in (RUNS, RESTORED, SEEN):  # all are in use again
        data = (machine.state / name).read_bytes()
        assert b"[" * 20 not in data
        assert len(data) < 5_000


@pytest.mark.parametrize(
    "evidence",
    [
        {"numbers": ["abc", ""], "files": ["", "..", "/"], "failing_tests": [""], "commands": [{"command": ""}]},
        {"files": [f"f{number}" for number in range(300_000)]},
    ],
)
def test_evidence_of_any_kind_is_held_against_the_summary_in_time(
    machine: Machine, play: Play, evidence: Answer
) -> None:
    plant(machine, record(evidence=evidence))
    for word in ("sessionstart", "postcompact", "precompact"):
        assert play(word)["ok"]


def test_a_session_is_known_again_by_whatever_name_it_has(machine: Machine, play: Play) -> None:
    name = "s\u001b[31m" + "x" * 70_000
    assert play("precompact", session_id=name)["wrote"]
    assert "another session's" not in play("sessionstart", session_id=name)["hookSpecificOutput"]["additionalContext"]
    assert play("sessionstart", session_id=name)["reason"] == "the newest record was already given back"
    assert "lost" in play("postcompact", session_id=name)


@pytest.mark.parametrize(
    "told",
    [
        {"s": {"record": 7}},
        {"s": []},
        {"s": {"record": "x", "audit": None}},
        {str(number): {"record": "x" * 40} for number in range(60)},
        {"x" * 70_000: {"record": "x"}},
    ],
)
def test_what_was_told_may_say_anything(machine: Machine, play: Play, told: Answer) -> None:
    plant(machine, record())
    machine.put_state(RESTORED, json.dumps(told).encode())
    assert play("sessionstart")["ok"]


@pytest.mark.parametrize(
    "audit",
    [
        {"lost": 7},
        {"lost": [["task"], ["task", 1], ["nothing", "x"], ["task", "the task"]]},
        {"lost": [["file", "a\u001b"], ["number", "1 ms"]]},
        {},
        {"ts": "x", "lost": [["task", "the task"]]},
    ],
)
def test_an_odd_audit_is_used_as_far_as_it_goes(machine: Machine, play: Play, audit: Answer) -> None:
    plant(machine, record())
    base = {"ts": stamp(30), "event": "PostCompact", "session_id": "s", "record_ts": "x"}
    plant(machine, {**base, **audit, "note": None}, log=AUDIT_LOG)
    assert play("sessionstart", source="resume")["ok"]
    assert play("precompact", custom_instructions="other")["ok"]


def test_the_person_may_do_without_steering(machine: Machine, play: Play) -> None:
    machine.hooks.mkdir(parents=True)
    (machine.hooks / "config.json").write_text('{"steer": false, "evidence": true}')
    said = play("precompact", transcript_path="relative")
    assert said["wrote"]
    assert "preserve" not in said
    assert "focus" not in said


def test_the_longest_of_everything_still_fits(machine: Machine, play: Play) -> None:
    machine.hooks.mkdir(parents=True)
    (machine.hooks / "config.json").write_text('{"evidence": true}')
    wide = "🚰" * 400
    status = {"task": wide, "goal": wide, "current_task_ids": [f"{at}{wide}" for at in range(30)]}
    machine.put(".dreamwork/status.json", json.dumps(status).encode())
    machine.put(".git/HEAD", b"ref: refs/heads/" + wide.encode())
    transcript = Transcript()
    for at in range(15):
        transcript.write(machine.target / f"{at}{wide[:50]}").bash(f"run {at} {wide}", f"FAILED {wide}::{at} - no", 1)
    path = transcript.say(" ".join(f"{at} ms" for at in range(40))).save(machine.root / "t.jsonl")
    said = play("precompact", transcript_path=str(path))
    assert said["wrote"]
    assert "quotation marks" in said["preserve"]
    assert play("sessionstart")["hookSpecificOutput"]["additionalContext"]
    assert play("postcompact")["systemMessage"]


@pytest.mark.parametrize("tasks", [None, "<!--dreamwork-migration-notice\nmigration: x\n-->\n", "# T\n"])
def test_a_ledger_that_moved_to_the_store_lost_nothing(machine: Machine, play: Play, tasks: str | None) -> None:
    assert play("posttooluse")["lint"] == "clean"
    machine.put(".dreamwork/ledger.sqlite3", b"")
    (machine.target / ".dreamwork/tasks.md").unlink()
    if tasks is not None:
        machine.put(".dreamwork/tasks.md", tasks.encode())
    lost = "entries-lost" in str(play("posttooluse"))
    assert lost is (tasks == "# T\n")
    assert play("precompact")["ok"]


@pytest.mark.parametrize(
    "entries",
    [
        {"ids": [[1, 9_000_000], ["a"], 7, [3, 2]], "questions": [1, {}, ["x"]]},
        {"ids": [[1, 3], [50, 400]], "questions": []},
        {"ids": 7, "questions": {}},
        [],
        "x",
    ],
)
def test_remembered_entries_may_be_anything(machine: Machine, play: Play, entries: Any) -> None:
    machine.put_state(SEEN, json.dumps({"entries": entries, "marks": {}, "told": {}}).encode())
    assert "unexpected" not in str(play("posttooluse"))
    assert play("posttooluse", tool_name="Bash", tool_input={})["ok"] in (True, False)


@pytest.mark.parametrize(
    "content", [b'{"x":"' + b"y" * 16_000 + b'"}', b'{"precompact":{"run":"' + b"y" * 16_350 + b'"}}']
)
def test_last_runs_stay_small(machine: Machine, play: Play, content: bytes) -> None:
    machine.put_state(RUNS, content)
    assert play("precompact")["wrote"]
    assert (machine.state / RUNS).stat().st_size <= 16_384


@pytest.mark.parametrize(
    "consent",
    [
        "## Plugins\n##   \n- Load: `ud-dreamwork-hooks`\n",
        "## Plugins\n- Load: ``\n-\n- Load\n- Load: x\n- Load: `open\n* Load: `x`\n- Load: `ud-dreamwork-hooks`\t\n",
    ],
)
def test_lines_that_declare_nothing_are_passed_over(machine: Machine, play: Play, consent: str) -> None:
    machine.put("DREAMWORK.md", consent.encode())
    assert play("precompact")["wrote"]


@pytest.mark.parametrize("form", [" \r\n\t{}", "{}\n \n", "\ufeff{}"])
def test_white_space_and_a_byte_order_mark_around_an_event_are_nothing(pyz: Path, machine: Machine, form: str) -> None:
    event = json.dumps({**precompact_event(machine.target), "a": True, "b": -1.5, "c": 10**30})
    data = form.replace("{}", event).encode()
    assert run_hook([pyz, "precompact"], data, env=clean_env(machine.home)).answer()["wrote"]
