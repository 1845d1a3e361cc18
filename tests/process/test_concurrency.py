"""Many hooks at once: no record is lost, none is there twice, and a file replaced under them fails none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.memory.focus_log import KEPT, LOG, encode
from dreamwork_hooks.memory.ledger_seen import LedgerMemory
from dreamwork_hooks.memory.state import StateDir, slug
from tests.support.spawn import clean_env, pin
from tests.support.targets import make_target, precompact_event, snapshot

pytestmark = pytest.mark.once


def state_of(home: Path, target: Path) -> Path:
    return home / ".config" / "dreamwork" / "hooks" / slug(os.path.realpath(target))


def records(home: Path, target: Path) -> list[dict[str, Any]]:
    """The log's records; every line must be one."""
    data = (state_of(home, target) / LOG).read_bytes()
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data.splitlines()]


def start(pyz: Path, home: Path, event: dict[str, Any], tmp_path: Path, number: int) -> subprocess.Popen[bytes]:
    """A hook that runs on its own; its event comes from a file, so that nobody has to feed it."""
    stdin = tmp_path / f"event-{number}"
    stdin.write_text(json.dumps(event))
    with stdin.open("rb") as file:
        return subprocess.Popen(
            [pyz, "precompact"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_env(home)
        )


def answers(running: list[subprocess.Popen[bytes]]) -> list[dict[str, Any]]:
    found = []
    for process in running:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, (out, err)
        assert out.count(b"\n") == 1, (out, err)
        found.append(json.loads(out))
    return found


def session(number: int) -> str:
    return f"22222222-2222-4222-8222-{number:012}"


def at_once(pyz: Path, home: Path, target: Path, tmp_path: Path, count: int, first: int = 0) -> list[dict[str, Any]]:
    events = [precompact_event(target, session_id=session(first + number)) for number in range(count)]
    return answers([start(pyz, home, event, tmp_path, number) for number, event in enumerate(events)])


def test_32_sessions_that_compact_at_once_lose_no_record(pyz: Path, home: Path, target: Path, tmp_path: Path) -> None:
    before = snapshot(target)
    said = at_once(pyz, home, target, tmp_path, 32)
    assert all(answer["wrote"] for answer in said), said
    assert sorted(record["session_id"] for record in records(home, target)) == [session(n) for n in range(32)]
    assert snapshot(target) == before


def test_a_rotation_among_many_keeps_exactly_the_newest_200(
    pyz: Path, home: Path, target: Path, tmp_path: Path
) -> None:
    state = state_of(home, target)
    state.mkdir(parents=True, mode=0o700)
    old = {"event": "PreCompact", "trigger": "auto", "target": str(target), "note": None}
    lines = [
        encode({"ts": f"2026-01-01T00:00:{n % 60:02}Z", "session_id": f"old-{n}", **old}, 2000) for n in range(190)
    ]
    (state / LOG).write_bytes(b"".join(lines))
    said = at_once(pyz, home, target, tmp_path, 40)
    assert all(answer["wrote"] for answer in said), said
    kept = [record["session_id"] for record in records(home, target)]
    assert len(kept) == KEPT
    assert kept[:160] == [f"old-{n}" for n in range(30, 190)]
    assert sorted(kept[160:]) == [session(n) for n in range(40)]
    assert not list(state.glob("*.tmp"))


def test_several_events_of_one_compaction_leave_one_record(pyz: Path, home: Path, target: Path, tmp_path: Path) -> None:
    """The client sends them with other instructions."""
    events = [precompact_event(target, custom_instructions=f"keep {n}") for n in range(4)]
    said = answers([start(pyz, home, event, tmp_path, n) for n, event in enumerate(events)])
    assert sorted(answer["wrote"] for answer in said) == [False, False, False, True]
    assert {answer["ok"] for answer in said} == {True}
    assert {answer["note"] for answer in said if not answer["wrote"]} == {"this compaction is already recorded"}
    assert len(records(home, target)) == 1


@pytest.mark.parametrize(
    "differs",
    [{"session_id": session(9)}, {"trigger": "manual"}],
    ids=["another session", "another trigger"],
)
def test_compactions_that_differ_leave_a_record_each(
    pyz: Path, home: Path, target: Path, tmp_path: Path, differs: dict[str, Any]
) -> None:
    events = [precompact_event(target), precompact_event(target, **differs)]
    said = answers([start(pyz, home, event, tmp_path, n) for n, event in enumerate(events)])
    assert [answer["wrote"] for answer in said] == [True, True]


def test_a_compaction_after_the_state_changed_leaves_a_record(
    pyz: Path, home: Path, target: Path, tmp_path: Path
) -> None:
    answers([start(pyz, home, precompact_event(target), tmp_path, 0)])
    (target / ".dreamwork" / "status.json").write_text('{"task": "another"}')
    assert answers([start(pyz, home, precompact_event(target), tmp_path, 1)])[0]["wrote"] is True


def test_a_compaction_on_a_path_too_long_for_a_record_is_recorded_once(pyz: Path, home: Path, tmp_path: Path) -> None:
    target = make_target(tmp_path.joinpath(*["d" * 200] * 12, "project"))
    said = [answers([start(pyz, home, precompact_event(target), tmp_path, n)])[0] for n in range(2)]
    assert [answer["wrote"] for answer in said] == [True, False]


def another_build(built: Path, path: Path) -> Path:
    """A build that is longer in its tail, so that nothing lies where the other's prefix looks for it."""
    shutil.copy(built, path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("padding", os.urandom(7001))
    return path


def test_replacing_the_file_by_rename_while_200_hooks_start_fails_none(
    built: Path, interpreter: Path, home: Path, target: Path, tmp_path: Path
) -> None:
    """Two installers take turns: the same build pinned and unpinned, and another build."""
    place = tmp_path / "bin" / "hooks.pyz"
    place.parent.mkdir()
    pin(built, tmp_path / "a.pyz", interpreter)
    pin(another_build(built, tmp_path / "other.pyz"), tmp_path / "b.pyz", interpreter)
    pin(built, place, interpreter)
    stop = threading.Event()
    replaced = [0, 0]

    def install(which: int) -> None:
        while not stop.wait(0.004):
            copy = place.with_suffix(f".{which}.tmp")
            shutil.copy(tmp_path / f"{'ab'[which]}.pyz", copy)
            copy.chmod(0o755)
            copy.replace(place)
            replaced[which] += 1

    writers = [threading.Thread(target=install, args=(which,)) for which in (0, 1)]
    for writer in writers:
        writer.start()
    try:
        said = []
        for batch in range(25):
            said += at_once(place, home, target, tmp_path, 8, first=8 * batch)
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert min(replaced) > 20
    assert len(said) == 200
    assert [answer for answer in said if not answer["ok"]] == []
    assert len(records(home, target)) == 200


def test_two_edits_at_once_leave_both_files_in_the_memory(home: Path, target: Path) -> None:
    """Each hook reads the memory, and writes it when it has answered: neither may put back what the other has seen."""
    env = {"HOME": str(home)}
    real = os.path.realpath(target)
    one, other = LedgerMemory.load(env, real), LedgerMemory.load(env, real)
    one.marks, one.told, one.entries = {"tasks.md": [1, 1]}, {"tasks.md": ["a"]}, {"tasks": {"ids": [[1, 9]]}}
    other.marks, other.told, other.entries = {"questions.md": [2, 2]}, {"questions.md": []}, {"questions": {"open": 1}}
    for memory, moved in ((one, ["tasks.md"]), (other, ["questions.md"])):
        state = StateDir(env, real)
        state.lock(1)
        memory.save(state, moved)
        state.close()
    both = LedgerMemory.load(env, real)
    assert both.marks == {"tasks.md": [1, 1], "questions.md": [2, 2]}
    assert both.told == {"tasks.md": ["a"], "questions.md": []}
    assert both.entries == {"tasks": {"ids": [[1, 9]]}, "questions": {"open": 1}}
