"""The focus log: what a record may grow to, what is kept, and what is one compaction."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamwork_hooks.jsonlite import dumps
from dreamwork_hooks.memory import focus_log as records
from dreamwork_hooks.memory.focus_log import (
    KEPT,
    LOG,
    MAX_RECORD,
    append,
    damaged_lines,
    encode,
    halved,
    read_records,
    timestamp,
)
from dreamwork_hooks.memory.state import StateDir

NOW = 1_770_000_000.0


@pytest.fixture
def state(home: Path) -> Iterator[StateDir]:
    state = StateDir({"HOME": str(home)}, "/t")
    yield state
    state.close()


def record(**more: Any) -> dict[str, Any]:
    return {
        "ts": timestamp(NOW),
        "event": "PreCompact",
        "trigger": "auto",
        "session_id": "s",
        "target": "/t",
        "current_task": "#2 — fit",
        "current_task_ids": [2],
        "goal": None,
        "open_questions": 1,
        "awaiting_human": 0,
        "head": {"branch": "main", "commit": "0" * 40},
        "note": None,
        **more,
    }


def log_of(state: StateDir) -> bytes:
    return Path(state.path, LOG).read_bytes()


ENORMOUS = "🚰" * 50_000


@pytest.mark.parametrize(
    "more",
    [
        {"session_id": ENORMOUS},
        {"target": ENORMOUS, "note": ENORMOUS},
        {key: ENORMOUS for key in record() if key not in ("ts", "head", "current_task_ids")},
        {"current_task_ids": ["x" * 1000] * 1000},
        {"current_task_ids": list(range(100_000))},
        {"head": {"branch": ENORMOUS, "commit": ENORMOUS}},
        {"target": "\x00\x1b\udcff" * 50_000},
    ],
    ids=["session", "target and note", "every text", "long ids", "many ids", "head", "control characters"],
)
def test_a_record_of_enormous_fields_is_one_bounded_line(more: dict[str, Any]) -> None:
    line = encode(record(**more), MAX_RECORD)
    assert len(line) <= MAX_RECORD
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    kept = json.loads(line)
    assert list(kept) == list(record())
    assert kept["ts"] == timestamp(NOW)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(sorted(record())), json_values), st.integers(600, 2000))
def test_whatever_the_fields_hold_a_line_is_bounded(more: dict[str, Any], limit: int) -> None:
    line = encode(record(**more), limit)
    assert len(line) <= limit
    json.loads(line)


@pytest.mark.parametrize(
    "held",
    [
        {"ts": "x", "session_id": {"K" * 700: []}, "note": None},
        {"ts": "x", "session_id": {"K" * 700: {"K" * 700: 0}}, "note": None},
        {"ts": {"K" * 700: ""}, "note": [[], {"K" * 700: [[]]}]},
        {"K" * 700: "", "k" * 700: [], "Q" * 700: None},
        {"ts": {str(number): number for number in range(20_000)}},
        {"ts": "abcde" * 200, "note": ["abcde"] * 200},
        {"ts": -(10**900), "note": 10**900},
    ],
    ids=["a long key", "two long keys", "long keys of nothing", "long fields", "many", "short texts", "long numbers"],
)
def test_shrinking_comes_to_an_end(held: dict[str, Any]) -> None:
    """What makes a record long need not be a text: a key cannot be halved, and an empty list does not get shorter."""
    assert len(encode(held, 600)) <= 600
    left: Any = held
    for _ in range(1000):
        if left is None:
            break
        shorter = halved(left)
        assert shorter is None or len(dumps(shorter)) < len(dumps(left))
        left = shorter
    assert left is None


def test_records_are_kept_in_order_and_are_whole(state: StateDir) -> None:
    for number in range(5):
        assert append(state, record(session_id=str(number)), NOW)
    assert [found["session_id"] for found in read_records(state)] == list("01234")
    assert log_of(state).count(b"\n") == 5


def test_the_newest_200_are_kept(state: StateDir) -> None:
    for number in range(KEPT + 7):
        assert append(state, record(session_id=str(number)), NOW)
        assert len(read_records(state)) == min(number + 1, KEPT)
    assert [found["session_id"] for found in read_records(state)] == [str(n) for n in range(7, KEPT + 7)]
    assert sorted(os.listdir(state.path)) == [LOG]


@pytest.mark.parametrize(
    "torn",
    [
        b'{"ts":"2026',
        b"\x00" * 300,
        b"[]\n",
        b"garbage\n",
        b"\n\n",
        b'{"ts":"x","note":"cut',
        b"\xff\xfe\n",
        b"[" * 9999 + b"\n",
    ],
)
def test_a_line_that_is_no_record_goes_and_the_others_stay(state: StateDir, torn: bytes) -> None:
    append(state, record(session_id="before"), NOW)
    Path(state.path, LOG).write_bytes(log_of(state) + torn)
    append(state, record(session_id="after"), NOW)
    assert [json.loads(line)["session_id"] for line in log_of(state).splitlines()] == ["before", "after"]


def test_a_torn_line_in_the_middle_costs_only_itself(state: StateDir) -> None:
    append(state, record(session_id="1"), NOW)
    one = log_of(state)
    Path(state.path, LOG).write_bytes(one + one[:40] + one + one)
    append(state, record(session_id="2"), NOW)
    assert [json.loads(line)["session_id"] for line in log_of(state).splitlines()] == ["1", "1", "2"]


def test_records_of_another_shape_are_kept(state: StateDir) -> None:
    Path(state.path, LOG).write_bytes(b'{"session_id": "older", "ts": 7}\n')
    append(state, record(), NOW)
    assert read_records(state)[0] == {"session_id": "older", "ts": 7}


def test_the_same_compaction_is_recorded_once_within_ten_seconds(state: StateDir) -> None:
    assert append(state, record(), NOW)
    assert not append(state, record(note="another"), NOW + 9)
    assert not append(state, record(), NOW - 9)
    assert append(state, record(ts=timestamp(NOW + 11)), NOW + 11)


@pytest.mark.parametrize(
    "differs",
    [
        {"session_id": "t"},
        {"trigger": "manual"},
        {"current_task": None},
        {"current_task_ids": [2, 3]},
        {"open_questions": 2},
        {"awaiting_human": 1},
        {"goal": "g"},
        {"head": None},
    ],
    ids=lambda differs: next(iter(differs)),
)
def test_a_compaction_of_another_session_or_state_is_another(state: StateDir, differs: dict[str, Any]) -> None:
    assert append(state, record(), NOW)
    assert append(state, record(**differs), NOW)


def test_the_same_compaction_is_known_again_where_its_record_had_to_be_cut(state: StateDir) -> None:
    assert append(state, record(target="/x" * 2000), NOW)
    assert not append(state, record(target="/x" * 2000), NOW)


def test_a_record_written_in_part_is_taken_back(state: StateDir, monkeypatch: pytest.MonkeyPatch) -> None:
    append(state, record(), NOW)
    before = log_of(state)
    write = os.write

    def in_part(fd: int, data: bytes) -> int:
        if len(data) < 50:
            raise OSError(28, "No space left on device")
        return write(fd, data[:-20] if len(data) > 70 else data[:30])

    monkeypatch.setattr(os, "write", in_part)
    with pytest.raises(OSError, match="No space"):
        append(state, record(session_id="t"), NOW)
    assert log_of(state) == before


def test_a_log_beyond_its_bound_keeps_the_newest(state: StateDir, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_MAX_LOG", 4000)
    for number in range(30):
        append(state, record(session_id=str(number)), NOW)
    found = [kept["session_id"] for kept in read_records(state)]
    assert found == [str(n) for n in range(30 - len(found), 30)]
    assert len(found) > 3


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, "1970-01-01T00:00:00Z"), (1774746000.9, "2026-03-29T01:00:00Z"), (1798761599, "2026-12-31T23:59:59Z")],
    ids=["the epoch", "a change to summer time", "a year's end"],
)
def test_a_stamp_is_utc_whatever_the_zone(seconds: float, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert timestamp(seconds) == expected
    finally:
        monkeypatch.undo()
        time.tzset()


def test_torn_and_foreign_lines_are_kept_aside_and_counted(state: StateDir) -> None:
    append(state, record(session_id="1"), NOW)
    log = Path(state.path, LOG)
    log.write_bytes(b"of another program\n" + log.read_bytes() + b'{"ts":"2026-0')
    assert damaged_lines(state) == 0
    append(state, record(session_id="2"), NOW)
    assert [row["session_id"] for row in read_records(state)] == ["1", "2"]
    assert Path(state.path, "precompact-focus.damaged").read_bytes() == b'of another program\n{"ts":"2026-0\n'
    log.write_bytes(log.read_bytes() + b"again\n")
    append(state, record(session_id="3"), NOW)
    assert damaged_lines(state) == 3


def test_what_is_kept_aside_stays_bounded(state: StateDir) -> None:
    append(state, record(), NOW)
    for number in range(4):
        log = Path(state.path, LOG)
        log.write_bytes(log.read_bytes() + b"x" * 700_000 + b"\n")
        append(state, record(session_id=str(number)), NOW)
    assert Path(state.path, "precompact-focus.damaged").stat().st_size <= 1 << 20
