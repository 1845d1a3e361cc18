"""A machine without a processor to spare is told from a slow hook, and a slow hook from such a machine."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from tests.support import spawn
from tests.support.spawn import ATTEMPTS, STARVED, UNJUDGED, Beside, Ran, Starved, clean_env, fed, run_hook

pytestmark = pytest.mark.once


@pytest.fixture
def starving(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """No bare start gets the processor; holds when each was asked for."""
    asked: list[float] = []

    def has_a_processor() -> bool:
        asked.append(time.monotonic())
        return False

    monkeypatch.setattr(spawn, "has_a_processor", has_a_processor)
    return asked


def test_what_ends_soon_starts_nothing_beside_it(starving: list[float]) -> None:
    with Beside() as beside:
        pass
    assert not starving
    assert not beside.starved


def test_what_waits_while_a_bare_start_waits_is_starved(starving: list[float], home: Path) -> None:
    ran = run_hook([sys.executable, "-S", "-c", "import time; time.sleep(0.8)"], env=clean_env(home))
    assert ran.starved
    assert len(starving) >= 1


def test_what_took_the_processor_itself_is_slow_and_not_starved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn, "has_a_processor", lambda: False)
    computed = iter([10.0, 10.6])
    monkeypatch.setattr(spawn, "_computed_by_children", lambda: next(computed))
    with Beside() as beside:
        time.sleep(0.8)
    assert not beside.starved


def test_a_slow_hook_is_slow_where_a_bare_start_is_not(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setattr(spawn, "has_a_processor", lambda: True)
    ran = run_hook([sys.executable, "-S", "-c", "import time; time.sleep(2.1)"], env=clean_env(home))
    assert not ran.starved
    with pytest.raises(AssertionError, match=r"took 2\.\d+ s of 2 s") as slow:
        ran.check_budget("precompact")
    assert slow.type is AssertionError


def test_a_starved_run_is_repeated_and_counted(starving: list[float]) -> None:
    numbers = []

    def attempt(number: int) -> None:
        numbers.append(number)
        Ran(0, b"", b"", 9.0 if number < 2 else 0.1, starved=True).check_budget("precompact")

    fed(attempt, patience=0)
    assert numbers == [0, 1, 2]
    assert len(STARVED) == 2
    STARVED.clear()


def test_a_budget_that_no_run_could_be_judged_by_is_told(starving: list[float]) -> None:
    fed(lambda number: Ran(0, b"", b"", 9.0, starved=True).check_budget("precompact"), patience=0)
    assert STARVED[-1] == UNJUDGED
    assert len(STARVED) == ATTEMPTS + 1
    STARVED.clear()


def test_what_is_wrong_in_every_starved_run_is_wrong(starving: list[float]) -> None:
    def attempt(number: int) -> None:
        raise Starved("the answer") from AssertionError("the answer")

    with pytest.raises(AssertionError, match="the answer"):
        fed(attempt, patience=0)
    STARVED.clear()


def test_a_bare_start_has_a_processor_when_nothing_else_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Beside, "WAITED_S", 60.0)
    assert spawn.has_a_processor()
    monkeypatch.setattr(Beside, "WAITED_S", 0.0)
    monkeypatch.setattr(Beside, "WAITED", 0.5)
    assert not spawn.has_a_processor()
