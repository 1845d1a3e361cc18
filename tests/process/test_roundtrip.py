"""The hooks of a compaction as processes: evidence, restoring and auditing from the built archive, in their budgets."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.spawn import Ran, clean_env, run_hook
from tests.support.targets import precompact_event
from tests.support.transcripts import Transcript

pytestmark = pytest.mark.every

Json = dict[str, Any]
SESSION = "11111111-1111-4111-8111-111111111111"
TASK = "#2 — fit the valve"


class Archive:
    """The installed file, with a target and a home."""

    def __init__(self, pyz: Path, target: Path, home: Path) -> None:
        self.pyz = pyz
        self.target = target
        self.home = home

    def choose(self, **choices: Any) -> None:
        hooks = self.home / ".config/dreamwork/hooks"
        hooks.mkdir(parents=True, exist_ok=True)
        (hooks / "config.json").write_text(json.dumps(choices))

    def run(self, word: str, event: Json, **popen: Any) -> Ran:
        ran = run_hook([self.pyz, word], json.dumps(event).encode(), env=clean_env(self.home), **popen)
        assert ran.code == 0, ran
        assert ran.err == b"", ran
        assert len(ran.out) <= 4000
        ran.note_budget(word)
        return ran

    def precompact(self, transcript: Path | str = "/gone", **more: Any) -> Json:
        return self.run("precompact", precompact_event(self.target, transcript_path=str(transcript), **more)).answer()

    def start(self, **more: Any) -> Json:
        event = {"session_id": SESSION, "cwd": str(self.target), "hook_event_name": "SessionStart", "source": "compact"}
        return self.run("sessionstart", {**event, **more}).answer()

    def postcompact(self, summary: str, **more: Any) -> Json:
        event = {"session_id": SESSION, "cwd": str(self.target), "hook_event_name": "PostCompact", "trigger": "auto"}
        return self.run("postcompact", {**event, "compact_summary": summary, **more}).answer()

    def lines(self, log: str) -> list[Json]:
        return [json.loads(line) for path in self.home.rglob(log) for line in path.read_bytes().splitlines()]


@pytest.fixture
def archive(pyz: Path, target: Path, home: Path) -> Archive:
    return Archive(pyz, target, home)


def told(target: Path) -> Transcript:
    transcript = Transcript().write(target / "src/pump.py")
    return transcript.bash("pytest -q", "FAILED t.py::test_a - no", 1).say("It took 340 ms.")


def test_a_compaction_goes_all_the_way_round(archive: Archive, tmp_path: Path) -> None:
    archive.choose(evidence=True)
    path = told(archive.target).save(tmp_path / "t.jsonl")
    assert '"src/pump.py"' in archive.precompact(path)["preserve"]
    given = archive.start()["hookSpecificOutput"]
    assert given["hookEventName"] == "SessionStart"
    assert "src/pump.py" in given["additionalContext"]
    audited = archive.postcompact(f"<summary>{TASK} #2 #9a pytest -q t.py::test_a 340 ms</summary>")
    assert (audited["kept"], audited["lost"]) == (6, 1)
    assert 'file "src/pump.py"' in audited["systemMessage"]
    resumed = archive.start(source="resume")["hookSpecificOutput"]["additionalContext"]
    assert resumed.splitlines()[1] == 'Lost by the last compaction\'s summary: file "src/pump.py"'
    assert archive.start(source="resume")["skipped"] is True


def a_fifo(path: Path) -> Path:
    os.mkfifo(path)
    return path


def a_gigabyte(path: Path) -> Path:
    path.write_bytes(b"")
    os.truncate(path, 1 << 30)
    with path.open("ab") as file:
        file.write(b"\n" + Transcript().say("340 ms").encoded())
    return path


def garbage(path: Path) -> Path:
    path.write_bytes(os.urandom(1 << 20) + b"\n")
    return path


def deep(path: Path) -> Path:
    path.write_bytes(b'{"type":"user","message":' + b"[" * 500_000 + b"\n")
    return path


TRANSCRIPTS: list[Any] = [
    pytest.param(lambda path: path, "the transcript is not there", id="missing"),
    pytest.param(a_fifo, "the transcript is not a regular file", id="a FIFO"),
    pytest.param(lambda path: path.parent, "the transcript is a directory", id="a directory"),
    pytest.param(lambda path: "", "the event names no transcript", id="an empty name"),
    pytest.param(garbage, "the transcript's end holds no messages", id="garbage"),
    pytest.param(deep, "the transcript's end holds no messages", id="nested past the recursion limit"),
    pytest.param(a_gigabyte, None, id="a gigabyte"),
]


@pytest.mark.parametrize(("make", "note"), TRANSCRIPTS)
def test_no_transcript_keeps_the_record_from_being_written(
    archive: Archive, tmp_path: Path, make: Any, note: str | None
) -> None:
    archive.choose(evidence=True)
    answer = archive.precompact(make(tmp_path / "t.jsonl"))
    assert (answer["ok"], answer["wrote"], answer.get("note")) == (True, True, note)
    assert TASK in answer["preserve"]
    if note is None:
        assert 'number "340 ms"' in answer["preserve"]


def test_of_many_sessions_starts_at_once_one_gives_the_record_back(archive: Archive) -> None:
    archive.precompact()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: archive.start(), range(8)))
    assert sum("hookSpecificOutput" in answer for answer in answers) == 1


def test_of_many_audits_at_once_one_is_written(archive: Archive) -> None:
    archive.precompact()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: archive.postcompact("x"), range(8)))
    assert sum("systemMessage" in answer for answer in answers) == 1
    assert len(archive.lines("compaction-audit.jsonl")) == 1


@pytest.mark.parametrize("word", ["sessionstart", "postcompact"])
def test_a_lock_held_by_a_live_process_is_not_waited_for_beyond_the_budget(archive: Archive, word: str) -> None:
    fcntl = pytest.importorskip("fcntl", reason="there are no such locks here")
    archive.precompact()
    (lock,) = archive.home.rglob("lock")
    with lock.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        answer = archive.start() if word == "sessionstart" else archive.postcompact("x")
    assert ("hookSpecificOutput" in answer) is (word == "sessionstart")
    assert answer["ok"] is (word == "sessionstart")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.parametrize("word", ["sessionstart", "postcompact"])
def test_state_that_may_only_be_read_is_read(archive: Archive, word: str) -> None:
    archive.precompact()
    (log,) = archive.home.rglob("precompact-focus.jsonl")
    log.parent.chmod(0o500)
    try:
        answer = archive.start() if word == "sessionstart" else archive.postcompact("x")
    finally:
        log.parent.chmod(0o700)
    assert answer["hook"] in ("focus-restore", "compaction-audit")


@pytest.mark.parametrize("summary", ["x" * (20 << 20), "\ud800" * 1000, "<summary>" * 100_000, ""])
def test_a_summary_of_any_kind_is_audited_in_time(archive: Archive, summary: str) -> None:
    archive.precompact()
    answer = archive.postcompact(summary)
    assert answer.get("lost") == 3, answer


def test_the_audit_log_keeps_the_newest_200(archive: Archive) -> None:
    archive.precompact()
    archive.postcompact("x")
    (log,) = archive.home.rglob("compaction-audit.jsonl")
    old = {"ts": "2020-01-01T00:00:00Z", "session_id": "old", "note": None}
    log.write_bytes(b"".join(json.dumps({**old, "n": n}).encode() + b"\n" for n in range(300)))
    archive.precompact(trigger="manual")
    archive.postcompact("x", trigger="manual")
    kept = archive.lines("compaction-audit.jsonl")
    assert [row.get("n") for row in kept] == [*range(101, 300), None]


@pytest.mark.once
def test_focus_shows_it_from_the_archive(archive: Archive) -> None:
    archive.precompact()
    env = clean_env(archive.home)
    ran = subprocess.run([archive.pyz, "focus"], env=env, cwd=archive.target, capture_output=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert TASK in ran.stdout.decode()


def test_a_transcript_that_grows_while_it_is_read_is_read_once(archive: Archive, tmp_path: Path) -> None:
    archive.choose(evidence=True)
    path = told(archive.target).save(tmp_path / "t.jsonl")
    over = threading.Event()

    def grow() -> None:
        with path.open("ab") as file:
            while not over.wait(0.0005):
                file.write(Transcript().say("x").encoded())
                file.flush()

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        answer = archive.precompact(path)
    finally:
        over.set()
        writer.join()
    assert 'file "src/pump.py"' in answer["preserve"]
