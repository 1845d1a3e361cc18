"""Faults around the running process: resource limits, locks that others hold, signals."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from dreamwork_hooks.memory.focus_log import LOG
from dreamwork_hooks.memory.state import LOCK
from tests.support.faults import Row, Scene, both
from tests.support.faults_call import pinned, script
from tests.support.faults_stdin import never_closes, waiting
from tests.support.spawn import Ran

# ---- resource limits


def _limit(name: str, value: int) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        number = getattr(resource, name)

        def lower() -> None:
            resource.setrlimit(number, (value, value))

        scene.popen["preexec_fn"] = lower

    return prepare


def _few_files(files: int) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        text = f'#!/bin/sh\nulimit -n {files}\nexec "{scene.interpreter}" "$@"\n'
        pinned(lambda scene: script(scene, "few", text))(scene)

    return prepare


def _no_room_in_the_log(extra: int) -> Callable[[Scene], None]:
    """Files may grow to a little more than the log is: a record is written in part, and then no further."""

    def prepare(scene: Scene) -> None:
        _limit("RLIMIT_FSIZE", scene.log.stat().st_size + extra)(scene)

    return prepare


def _little_memory(spare: int) -> Callable[[Scene], None]:
    """The address space in which the interpreter just starts, and `spare` bytes."""

    def prepare(scene: Scene) -> None:
        limit = 0

        def lower() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        command = [str(scene.interpreter), "-E", "-s", "-S", "-c", "pass"]
        low, high = 1 << 20, 1 << 30
        while high - low > 1 << 18:
            limit = (low + high) // 2
            ran = subprocess.run(command, capture_output=True, preexec_fn=lower)
            low, high = (low, limit) if ran.returncode == 0 else (limit, high)
        limit = high + spare

        def did_not_start(ran: Ran) -> bool:
            """Whether the interpreter itself gave up before it read a word of ours; then a little more is given."""
            nonlocal limit
            limit += 1 << 17
            return ran.code == 1 and b"<string>" not in ran.err

        scene.popen["preexec_fn"] = lower
        scene.again = did_not_start

    return prepare


def _large_event_in_little_memory(scene: Scene) -> None:
    scene.event["padding"] = "x" * (24 << 20)
    _little_memory(40 << 20)(scene)


def _busy(scene: Scene) -> None:
    """Four processes that compute while the hook runs, and an end of their own."""
    for _ in range(4):
        process = subprocess.Popen([sys.executable, "-c", "import time\nt=time.time()\nwhile time.time()-t<8: pass"])
        scene.own.add(process.pid)

        def end(process: subprocess.Popen[bytes] = process) -> None:
            process.kill()
            process.wait()

        scene.closers.append(end)


LIMITS = [
    # A dash that may not open 11 files cannot open its script either, and leaves with 2 before a word of it is read; so
    # the lower limits are set behind it.
    *[Row(f"the shell may open {files} files", _limit("RLIMIT_NOFILE", files), both(None)) for files in (11, 12, 16)],
    *[Row(f"the interpreter may open {files} files", _few_files(files), both(None)) for files in (4, 5, 6, 8)],
    Row(
        "no byte may be written to a file",
        _limit("RLIMIT_FSIZE", 0),
        both(precompact=False, posttooluse=True),
        "",
        log_kept=True,
    ),
    Row("the log may not grow", _no_room_in_the_log(0), both(precompact=False, posttooluse=True)),
    Row("the log may grow by half a record", _no_room_in_the_log(100), both(precompact=False, posttooluse=True)),
    *[
        Row(f"{spare} KB of memory are left beyond the start", _little_memory(spare << 10), both(None))
        for spare in (256, 512, 1024, 2048, 4096, 8192)
    ],
    Row("the memory does not hold the event", _large_event_in_little_memory, both(None)),
    Row("no process may be started", _limit("RLIMIT_NPROC", 0), both(True)),
    Row("no core may be dumped and nothing be locked", _limit("RLIMIT_MEMLOCK", 0), both(True)),
    Row("the stack is 256 KB", _limit("RLIMIT_STACK", 256 << 10), both(True)),
    Row("four busy processes steal the processor", _busy, both(True), once=True),
]

# ---- locks and other hooks


def _locked(scene: Scene) -> None:
    fd = scene.keep_open(os.open(scene.state / LOCK, os.O_RDWR | os.O_CREAT, 0o600))
    fcntl.flock(fd, fcntl.LOCK_EX)


def _locked_by_the_dead(scene: Scene) -> None:
    program = "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); print('held', flush=True)"
    program += "; time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", program, scene.state / LOCK], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    assert (scene.state / LOCK).exists()


def _killed_in_a_rotation(scene: Scene) -> None:
    (scene.state / (LOG + ".tmp")).write_bytes(b'{"ts":"2026-01-02T03:04:05Z","ev')
    (scene.state / (LOG + ".tmp")).chmod(0o400)


LOCKS = [
    Row(
        "the lock is held by a living process",
        _locked,
        both(precompact=False, posttooluse=True),
        {"precompact": "locked"},
    ),
    Row("the lock was held by a process that is dead", _locked_by_the_dead, both(True)),
    Row("a process was killed in the midst of a rotation", _killed_in_a_rotation, both(True)),
]

# ---- signals


def _signalled(number: signal.Signals) -> Callable[[Scene], None]:
    """While the hook waits for the rest of its event."""

    def prepare(scene: Scene) -> None:
        never_closes(40)(scene)
        read = scene.stdin
        assert isinstance(read, int)

        def during(process: subprocess.Popen[bytes]) -> None:
            waiting(read)
            process.send_signal(number)

        scene.during = during

    return prepare


def _signalled_at_the_start(number: signal.Signals) -> Callable[[Scene], None]:
    """Before the hook can have taken the signal over: its interpreter takes a while to start."""

    def prepare(scene: Scene) -> None:
        up = scene.aside / "up"
        slow = f'#!/bin/sh\n: >"{up}"\nsleep 0.3\nexec "{scene.interpreter}" "$@"\n'
        pinned(lambda scene: script(scene, "slow", slow))(scene)

        def during(process: subprocess.Popen[bytes]) -> None:
            wait_for(up)
            process.send_signal(number)

        scene.during = during

    return prepare


def wait_for(path: Path) -> None:
    until = time.monotonic() + 10
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.002)
    assert path.exists(), f"{path} never came"


def _storm(scene: Scene) -> None:
    """Signals without end from the moment the hook is up."""
    never_closes(40)(scene)
    read = scene.stdin
    assert isinstance(read, int)

    def during(process: subprocess.Popen[bytes]) -> None:
        waiting(read)
        for _ in range(200):
            if process.poll() is not None:
                return
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                process.send_signal(number)

    scene.during = during


def _stopped_for_a_while(scene: Scene) -> None:
    never_closes(None)(scene)
    read = scene.stdin
    assert isinstance(read, int)

    def during(process: subprocess.Popen[bytes]) -> None:
        waiting(read)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        process.send_signal(signal.SIGCONT)

    scene.during = during


def _handed_down(how: str) -> Callable[[Scene], None]:
    """Signals ignored or blocked by whoever started us."""

    def prepare(scene: Scene) -> None:
        never_closes(None)(scene)
        numbers = {signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGCHLD}

        def before() -> None:
            if how == "blocked":
                signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
            else:
                for number in numbers:
                    signal.signal(number, signal.SIG_IGN)

        scene.popen["preexec_fn"] = before

    return prepare


ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SIGNALS = [
    *[
        Row(f"{number.name} comes while the event is read", _signalled(number), both(False), f"signal {int(number)}")
        for number in (*ENDING, signal.SIGQUIT, signal.SIGXCPU, signal.SIGUSR1)
    ],
    *[
        Row(f"{number.name} comes before the hook is up", _signalled_at_the_start(number), both(True))
        for number in ENDING
    ],
    Row("SIGALRM comes from elsewhere", _signalled(signal.SIGALRM), both(False), "not one JSON event"),
    Row("SIGPIPE comes from elsewhere", _signalled(signal.SIGPIPE), both(False), "not one JSON event"),
    Row("signals come in a storm", _storm, both(False), "stopped by signal"),
    Row("the hook is stopped for a while", _stopped_for_a_while, both(True)),
    Row("the signals are ignored from above", _handed_down("ignored"), both(True)),
    Row("the signals are blocked from above", _handed_down("blocked"), both(True)),
]

ROWS = [*LIMITS, *LOCKS, *SIGNALS]
