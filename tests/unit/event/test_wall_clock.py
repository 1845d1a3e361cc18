"""What depends on the time of day: stamps, the ten seconds in which a compaction repeats itself, and ages.

The clock is frozen, jumps back, stands on a year's end or in the hour that summer time says twice.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from freezegun import freeze_time
from freezegun.api import FrozenDateTimeFactory

from dreamwork_hooks.event import ledger_check, postcompact, precompact, sessionstart
from dreamwork_hooks.memory.focus_log import LOG, SAME_WITHIN, age_of, in_words, timestamp
from dreamwork_hooks.memory.notes import RUNS
from dreamwork_hooks.memory.state import slug
from tests.support.targets import make_target, precompact_event

HOUR = 3600


class Loop:
    """A target, and the hooks called as the door calls them."""

    def __init__(self, root: Path, home: Path) -> None:
        self.target = make_target(root / "project")
        self.env = {"HOME": str(home)}
        self.state = home / ".config" / "dreamwork" / "hooks" / slug(os.path.realpath(self.target))

    def compact(self, session: str = "s", **more: Any) -> dict[str, Any]:
        answer, after = precompact.answer(
            precompact_event(self.target, session_id=session, **more), self.env, time.monotonic() + 2
        )
        assert after is None
        return answer

    def start(self, session: str = "s", source: str = "compact") -> dict[str, Any]:
        event = precompact_event(self.target, session_id=session, hook_event_name="SessionStart", source=source)
        return sessionstart.answer(event, self.env, time.monotonic() + 2)[0]

    def compacted(self, session: str = "s", summary: str = "nothing") -> dict[str, Any]:
        event = precompact_event(
            self.target, session_id=session, hook_event_name="PostCompact", compact_summary=summary
        )
        return postcompact.answer(event, self.env, time.monotonic() + 2)[0]

    def stamps(self) -> list[str]:
        return [json.loads(line)["ts"] for line in (self.state / LOG).read_text().splitlines()]


@pytest.fixture
def loop(tmp_path: Path, home: Path) -> Loop:
    return Loop(tmp_path, home)


@pytest.fixture(params=["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The machine's time zone; nothing we write depends on it."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    "now",
    [
        "2026-12-31T23:59:59Z",
        "2027-01-01T00:00:00Z",
        "2028-02-29T12:00:00Z",
        "2026-03-29T01:30:00Z",  # summer time begins in Berlin
        "2026-10-25T00:30:00Z",  # the hour that Berlin has twice, first
        "2026-10-25T01:30:00Z",  # and second
        "1970-01-01T00:00:00Z",
        "2038-01-19T03:14:08Z",
        "9999-12-31T23:59:59Z",
    ],
)
def test_stamps_are_utc_to_the_second_and_can_be_read_back(zone: str, now: str) -> None:
    with freeze_time(now):
        assert timestamp(time.time()) == now
        assert age_of({"ts": now}, time.time()) == 0
        assert age_of({"ts": now}, time.time() + 90.5) == 90.5


def test_stamps_sort_as_text_over_summer_time_and_year_ends(zone: str) -> None:
    with freeze_time("2026-10-24T22:00:00Z") as clock:
        stamps = []
        for _ in range(80 * 48):
            stamps.append(timestamp(time.time()))
            clock.tick(HOUR / 2)
    assert stamps == sorted(stamps)
    assert len(set(stamps)) == len(stamps)


def test_a_frozen_clock_records_one_compaction_once_and_each_session_once(loop: Loop) -> None:
    with freeze_time("2026-04-02T07:00:00Z"):
        assert loop.compact("a")["wrote"]
        again = loop.compact("a", custom_instructions="other words")
        assert not again["wrote"]
        assert again["ok"]
        assert "already recorded" in again["note"]
        assert loop.compact("b")["wrote"]
        assert not loop.compact("a")["wrote"]
    assert loop.stamps() == ["2026-04-02T07:00:00Z"] * 2


@pytest.mark.parametrize("start", ["2026-04-02T07:00:00Z", "2026-12-31T23:59:55Z", "2026-10-25T00:59:55Z"])
@pytest.mark.parametrize(("later", "wrote"), [(1, False), (SAME_WITHIN, False), (SAME_WITHIN + 1, True), (HOUR, True)])
def test_the_same_compaction_is_one_within_ten_seconds(loop: Loop, start: str, later: int, wrote: bool) -> None:
    with freeze_time(start) as clock:
        assert loop.compact()["wrote"]
        clock.tick(later)
        assert loop.compact()["wrote"] is wrote


@pytest.mark.parametrize(("back", "wrote"), [(1, False), (SAME_WITHIN, False), (SAME_WITHIN + 1, True), (HOUR, True)])
def test_a_clock_that_jumps_back_neither_loses_nor_doubles_a_record(loop: Loop, back: int, wrote: bool) -> None:
    with freeze_time("2026-04-02T07:00:00Z") as clock:
        assert loop.compact()["wrote"]
        clock.tick(-back)
        assert loop.compact()["wrote"] is wrote
        assert loop.compact("another")["wrote"]
    assert len(loop.stamps()) == (3 if wrote else 2)


def test_the_record_of_a_clock_that_ran_ahead_is_still_given_back(loop: Loop) -> None:
    with freeze_time("2027-01-01T00:00:30Z") as clock:
        loop.compact()
        clock.tick(-400 * 24 * HOUR)
        given = loop.start()
        assert given["record"] == "2027-01-01T00:00:30Z"
        assert (
            "at a time that is still to come by this machine's clock"
            in given["hookSpecificOutput"]["additionalContext"]
        )
        assert loop.compacted()["lost"]


@pytest.mark.parametrize("start", ["2026-04-02T07:00:00Z", "2026-12-31T20:00:00Z", "2026-03-28T12:00:00Z"])
@pytest.mark.parametrize(
    ("later", "said"), [(40, "40 seconds"), (90, "1 minute"), (5 * HOUR, "5 hours"), (24 * HOUR, "1 day"), (90_000, "")]
)
def test_a_record_is_given_back_for_a_day(loop: Loop, start: str, later: int, said: str) -> None:
    with freeze_time(start) as clock:
        loop.compact()
        clock.tick(later)
        given = loop.start()
    assert given["ok"]
    assert said == "" if given.get("skipped") else f"written {said} ago" in str(given["hookSpecificOutput"])


@pytest.mark.parametrize(("later", "audited"), [(30, True), (HOUR, True), (HOUR + 1, False)])
def test_a_summary_is_held_against_a_record_of_the_last_hour(loop: Loop, later: int, audited: bool) -> None:
    with freeze_time("2026-12-31T23:30:00Z") as clock:
        loop.compact()
        clock.tick(later)
        assert ("lost" in loop.compacted()) is audited


def test_what_was_lost_is_told_again_for_a_day(loop: Loop) -> None:
    with freeze_time("2026-12-31T23:30:00Z") as clock:
        loop.compact()
        assert loop.compacted()["lost"]
        clock.tick(23 * HOUR)
        first = loop.start(source="resume")["hookSpecificOutput"]["additionalContext"]
        assert "Lost by the last compaction" in first
        clock.tick(2 * HOUR)
        assert loop.start(source="resume").get("skipped")


def test_the_last_runs_keep_success_and_failure_apart(loop: Loop) -> None:
    with freeze_time("2026-12-31T23:59:59Z") as clock:
        loop.compact()
        clock.tick(2)
        (loop.state / LOG).unlink()
        (loop.state / LOG).mkdir()
        assert not loop.compact()["ok"]
    last = json.loads((loop.state / RUNS).read_bytes())["precompact"]
    assert last["ok"] == "2026-12-31T23:59:59Z"
    assert last["run"] == last["failure"] == "2027-01-01T00:00:01Z"


def test_a_ledger_check_notes_its_run_by_the_clock(loop: Loop) -> None:
    with freeze_time("2027-01-01T00:00:00Z"):
        said, after = ledger_check.check(str(loop.target), "tasks.md", loop.env, time.monotonic() + 4)
        assert said["ok"]
        assert after is not None
        after()
    assert json.loads((loop.state / RUNS).read_bytes())["posttooluse"]["ok"] == "2027-01-01T00:00:00Z"


def test_a_wall_clock_that_jumps_while_the_lock_is_awaited_lengthens_no_wait(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.compact("a")
    other = os.open(loop.state / "lock", os.O_RDWR)
    fcntl = pytest.importorskip("fcntl", reason="no file locks on this system")
    fcntl.flock(other, fcntl.LOCK_EX)
    moments = iter(range(10**9, 0, -(10**6)))  # the day runs backwards, a million seconds at each look
    monkeypatch.setattr(time, "time", lambda: float(next(moments)))
    started = time.monotonic()
    assert "locked" in loop.compact("b")["error"]
    os.close(other)
    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    "stamp",
    [
        "",
        "2026",
        "2026-13-45T99:99:99Z",
        "2026-01-02 03:04:05Z",
        "tomorrow, at about noZ",
        "-026-01-02T03:04:05Z",
        None,
        7,
    ],
)
def test_a_stamp_that_is_none_has_no_age_or_one_that_is_a_number(stamp: object) -> None:
    age = age_of({"ts": stamp}, 1e9)
    assert age is None or age >= 0
    assert in_words(age or 0.0)


def test_the_clock_of_a_machine_that_lost_its_date_still_gives_a_record(loop: Loop, zone: str) -> None:
    with freeze_time("1970-01-01T00:00:05Z") as clock:
        assert loop.compact()["wrote"]
        assert not loop.compact()["wrote"]
        assert isinstance(clock, FrozenDateTimeFactory)
        clock.move_to("2026-06-01T00:00:00Z")
        assert loop.compact()["wrote"]
    assert loop.stamps() == ["1970-01-01T00:00:05Z", "2026-06-01T00:00:00Z"]
