"""A short soak for each interpreter; `python -m tests.support.soak` is the long one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dreamwork_hooks.memory.focus_log import KEPT
from tests.support.soak import Happened, of_target, soak

WROTE = '{"ok":true,"wrote":true}\n'


def happened(number: int, *, started: float, ended: float, printed: str = WROTE) -> Happened:
    return Happened(0, f"s{number}", started, ended, False, 0, printed)


def lines(*sessions: str) -> list[bytes]:
    return [json.dumps({"session_id": session}).encode() for session in sessions]


def test_many_writers_and_kills_lose_no_acknowledged_record(tmp_path: Path, pyz: Path, interpreter: Path) -> None:
    done = soak(pyz, interpreter, tmp_path, events=640, targets=2)
    assert done.faults == []
    assert sum(one.killed for one in done.events) > 20
    assert sum(one.acknowledged for one in done.events) > 2 * KEPT
    assert [len(log) for log in done.logs] == [KEPT, KEPT]


@pytest.mark.once
def test_a_soak_takes_a_record_for_lost_only_where_it_cannot_have_been_dropped_as_old() -> None:
    one, two = happened(1, started=1, ended=2), happened(2, started=3, ended=4)
    assert of_target([one, two], lines("s1", "s2", "last")) == []
    assert of_target([one, two], lines("s2", "last")) == ["s1 was acknowledged and is lost"]
    assert of_target([happened(1, started=1, ended=2, printed=""), two], lines("s2", "last")) == []

    many = [happened(number, started=number, ended=number + 0.5) for number in range(300)]
    newest = [one.session for one in many[-KEPT + 1 :]]
    assert of_target(many, lines(*newest, "last")) == []
    assert of_target(many, lines("x", *newest[1:], "last")) == []
    assert of_target(many, lines("x", newest[0], *newest[2:], "last")) == [f"{newest[1]} was acknowledged and is lost"]


@pytest.mark.once
def test_a_soak_sees_what_a_log_may_not_hold() -> None:
    one, two = happened(1, started=1, ended=2), happened(2, started=3, ended=4)
    assert of_target([one, two], lines("s2", "s1", "last")) == ["s1 stands after one that began when it had ended"]
    assert of_target([one], lines("s1", "s1", "last")) == ["a record stands there twice"]
    assert of_target([one], [*lines("s1"), b'{"ts":', *lines("last")]) == ["a line that is no record: b'{\"ts\":'"]
    assert of_target([], lines(*map(str, range(200)), "last")) == ["201 records are kept"]
    assert of_target([one], lines("s1")) == ["the last record is not there"]
