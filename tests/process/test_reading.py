"""How an event is read: as slowly as it comes, and not a moment longer than it takes."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
import time
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.machine import Machine
from tests.support.spawn import clean_env
from tests.support.targets import precompact_event

AT_ONCE = 0.1  # seconds
AT_ONCE_IF_BUSY = 0.6  # this machine's processors may be somebody else's for a while


def start(pyz: Path, home: Path, word: str = "precompact") -> subprocess.Popen[bytes]:
    return subprocess.Popen([pyz, word], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=clean_env(home))


def answer_of(process: subprocess.Popen[bytes]) -> tuple[dict[str, object], float]:
    """The answer, and the seconds until it was there."""
    assert process.stdout is not None
    begun = time.monotonic()
    line = process.stdout.readline()
    seconds = time.monotonic() - begun
    process.stdout.close()
    assert process.wait(10) == 0
    return json.loads(line), seconds


def feed(process: subprocess.Popen[bytes], pieces: list[tuple[bytes, float]], close: bool = True) -> None:
    assert process.stdin is not None
    for piece, pause in pieces:
        try:
            os.write(process.stdin.fileno(), piece)
        except BrokenPipeError:
            break
        time.sleep(pause)
    if close:
        close_pipe(process)


def close_pipe(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.tuples(st.integers(0, 2000), st.floats(0, 0.25)), max_size=4),
    st.booleans(),
    st.sampled_from(["", " \n", "}" * 40, '{"a":{}}' * 30]),
    st.integers(0, 10**9),
)
def test_an_event_may_come_in_pieces_with_pauses(
    pyz: Path, machine: Machine, cuts: list[tuple[int, float]], close: bool, padding: str, number: int
) -> None:
    event = precompact_event(machine.target, session_id=f"{number}-{time.monotonic_ns()}", padding=padding)
    data = json.dumps(event).encode()
    pieces = []
    at = 0
    for cut, pause in sorted(cuts):
        cut = min(cut, len(data))
        pieces.append((data[at:cut], pause))
        at = max(at, cut)
    process = start(pyz, machine.home)
    feeder = threading.Thread(target=feed, args=(process, [*pieces, (data[at:], 0)], close))
    feeder.start()
    said, _ = answer_of(process)
    feeder.join(10)
    close_pipe(process)
    assert (said["ok"], said["wrote"]) == (True, True), said


def test_a_pause_of_a_second_costs_nothing_but_the_second(pyz: Path, machine: Machine) -> None:
    data = json.dumps(precompact_event(machine.target)).encode()
    process = start(pyz, machine.home)
    feed(process, [(data[:100], 1.0), (data[100:], 0)])
    said, _ = answer_of(process)
    close_pipe(process)
    assert said["wrote"] is True


def test_a_pipe_held_open_after_a_whole_event_is_answered_at_once(pyz: Path, machine: Machine) -> None:
    """Also when it is so large that its end was passed over: an object ends wherever it likes in a pipe's pieces."""
    for padding in ("", "x" * 300_000, "}" * 300_000):
        best = 10.0
        for _ in range(3):
            data = json.dumps(precompact_event(machine.target, padding=padding)).encode()
            process = start(pyz, machine.home)
            time.sleep(0.3)  # the interpreter is up and waits
            feed(process, [(data, 0)], close=False)
            said, seconds = answer_of(process)
            close_pipe(process)
            assert said["ok"] is True
            best = min(best, seconds)
        assert best < AT_ONCE_IF_BUSY
        if os.getloadavg()[0] < (os.cpu_count() or 1):
            assert best < AT_ONCE


def test_an_event_too_large_is_called_so_however_slowly_it_comes(pyz: Path, machine: Machine) -> None:
    process = start(pyz, machine.home)
    feeder = threading.Thread(
        target=feed, args=(process, [(b'{"a":"' + b"x" * (1 << 20), 0)] + [(b"x" * (1 << 20), 0.01)] * 70)
    )
    feeder.start()
    said, _ = answer_of(process)
    feeder.join(20)
    close_pipe(process)
    assert "larger than 32 MiB" in str(said["error"])
