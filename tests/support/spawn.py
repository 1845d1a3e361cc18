"""The one way tests run the built archive: a real process, bytes in, a record out, always under a wall limit."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BUDGETS = {"precompact": 2.0, "posttooluse": 5.0, "sessionstart": 2.0, "postcompact": 2.0}  # seconds, start to exit


@dataclass(frozen=True)
class Ran:
    """One finished run. `seconds` is from before the start to after the exit; see `Beside` for `starved`."""

    code: int
    out: bytes
    err: bytes
    seconds: float
    starved: bool = False

    def answer(self) -> dict[str, Any]:
        """The one JSON object on stdout.

        Raises:
            AssertionError: stdout is not exactly one JSON object and one newline.
        """
        assert self.out.endswith(b"\n"), self
        assert self.out.count(b"\n") == 1, self
        answer = json.loads(self.out)
        assert isinstance(answer, dict), self
        return answer

    def check_budget(self, word: str) -> None:
        """Raise AssertionError where the hook took longer than it may; Starved where the machine did."""
        if self.seconds >= BUDGETS[word]:
            said = f"{word} took {self.seconds:.2f} s of {BUDGETS[word]:.0f} s: {self}"
            raise Starved(said) if self.starved else AssertionError(said)

    def note_budget(self, word: str) -> None:
        """The same for a run that cannot be repeated: where the machine took the time, that is told and no more."""
        try:
            self.check_budget(word)
        except Starved:
            STARVED.append(UNJUDGED)


class Starved(AssertionError):
    """A run was over its budget while a bare interpreter beside it waited for a processor, so it says nothing."""


class Beside:
    """Bare starts of the interpreter beside what runs in a `with` block, once that has taken a while.

    A bare start computes from its first moment to its last. One that took much longer than it computed had no
    processor, and neither had what ran beside it; unless that took the processor itself, which its own time tells.
    """

    AFTER_S = 0.5  # hooks that have no cause to wait end long before, and then nothing is started
    WAITED = 3.0  # a bare start was starved when it took this many times what it computed,
    WAITED_S = 0.03  # and this much longer
    COMPUTED = 0.5  # of the time something took: it was not starved when it computed for so large a part of it

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._begun = self._computed_before = 0.0
        self._waited = False
        self.starved = False

    def __enter__(self) -> Beside:
        self._begun, self._computed_before = time.monotonic(), _computed_by_children()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        took = time.monotonic() - self._begun
        self._ended.set()
        self._thread.join()
        computed = _computed_by_children() - self._computed_before
        self.starved = self._waited and computed < self.COMPUTED * took

    def _watch(self) -> None:
        while not self._ended.wait(self.AFTER_S):
            self._waited = not has_a_processor() or self._waited


def has_a_processor() -> bool:
    """Whether a bare start of the interpreter now gets the processor when it wants it."""
    began = time.monotonic()
    pid = os.posix_spawn(sys.executable, [sys.executable, "-E", "-s", "-S", "-c", "pass"], {})
    _, _, usage = os.wait4(pid, 0)
    took, computed = time.monotonic() - began, usage.ru_utime + usage.ru_stime
    return took < Beside.WAITED * computed or took - computed < Beside.WAITED_S


def _computed_by_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


STARVED: list[str] = []  # of the running test: the runs that did not count; conftest.py tells them at the end
UNJUDGED = "the budget could not be judged"
ATTEMPTS = 5


def fed(attempt: Callable[[int], None], patience: float = 20.0) -> None:
    """Run an attempt until its budget can be judged: as long as it raises Starved, again, when a processor is free.

    An attempt checks its budget last. When the machine starves every one, all else has been checked; then the budget
    is left unjudged, and the session says so at its end.

    Args:
        attempt: given its number, from 0.
        patience: seconds to wait for a processor before each repetition.
    """
    for number in range(ATTEMPTS):
        try:
            return attempt(number)
        except Starved as starved:
            if number == ATTEMPTS - 1 and starved.__cause__ is not None:
                raise  # more than the time was wrong, every time
            STARVED.append(str(starved)[:100])
        until = time.monotonic() + patience
        while not has_a_processor() and time.monotonic() < until:
            time.sleep(0.2)
    STARVED.append(UNJUDGED)
    return None


class StillRunning(AssertionError):
    """A hook outlived its limit and was killed.

    Attributes:
        armed: whether it had taken over the alarm by then, so that it was our code that went on.
    """

    def __init__(self, text: str, armed: bool) -> None:
        super().__init__(text)
        self.armed = armed


def _catches_the_alarm(pid: int) -> bool:
    """Whether a process handles SIGALRM; also true where that cannot be seen, so that nothing is excused by it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True
    caught = int(status.split("SigCgt:")[1].split()[0], 16)
    return bool(caught >> (signal.SIGALRM - 1) & 1)


def clean_env(home: Path | str, **more: str) -> dict[str, str]:
    """An environment built from nothing: PATH and HOME, and what is asked for."""
    return {"PATH": os.defpath, "HOME": str(home), **more}


def pin(pyz: Path, copy: Path, interpreter: Path | str) -> None:
    """A copy of the archive with an interpreter pinned into its prefix, as the installer leaves it."""
    data = pyz.read_bytes()
    assert data.count(b"\npython='", 0, 1024) == 1
    start = data.index(b"\npython='") + len(b"\npython='")
    end = data.index(b"'\n", start)
    copy.write_bytes(data[:start] + os.fsencode(interpreter) + data[end:])
    copy.chmod(0o755)


def run_hook(
    command: Sequence[str | Path],
    stdin: bytes | int = b"",
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    limit: float = 20.0,
    during: Callable[[subprocess.Popen[bytes]], None] | None = None,
    **popen: Any,
) -> Ran:
    """Run a hook's command in its own process group, which is killed whole when it outlives `limit` seconds.

    Args:
        stdin: the bytes of the event, or an open descriptor.
        during: called in a thread of its own once the process has started.
    """
    with Beside() as beside:
        code, out, err, seconds = _run(command, stdin, env, cwd, limit, during, popen)
    return Ran(code, out, err, seconds, beside.starved)


def _run(
    command: Sequence[str | Path],
    stdin: bytes | int,
    env: Mapping[str, str],
    cwd: Path | None,
    limit: float,
    during: Callable[[subprocess.Popen[bytes]], None] | None,
    popen: dict[str, Any],
) -> tuple[int, bytes, bytes, float]:
    started = time.monotonic()
    given = stdin if isinstance(stdin, int) else subprocess.PIPE
    process = subprocess.Popen(
        [str(word) for word in command],
        stdin=given,
        stdout=popen.pop("stdout", subprocess.PIPE),
        stderr=popen.pop("stderr", subprocess.PIPE),
        env=dict(env),
        cwd=cwd,
        start_new_session=True,
        **popen,
    )
    thread = threading.Thread(target=during, args=(process,)) if during is not None else None
    if thread is not None:
        thread.start()
    try:
        out, err = process.communicate(stdin if isinstance(stdin, bytes) else None, timeout=limit)
        ended = time.monotonic()
    except subprocess.TimeoutExpired:
        armed = _catches_the_alarm(process.pid)
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        what = f"{command} still ran after {limit} s, armed: {armed}; stdout {out!r}, stderr {err!r}"
        raise StillRunning(what, armed) from None
    finally:
        if thread is not None:
            thread.join()
    return process.returncode, out or b"", err or b"", ended - started
