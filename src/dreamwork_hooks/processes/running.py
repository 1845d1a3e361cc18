"""Running commands side by side: bounded output, a time limit each, and nothing left behind by one that
overran.

One selector in the calling thread serves all of them; POSIX only.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dreamwork_hooks.contract.limits import HELD_PIPE_SECONDS
from dreamwork_hooks.processes import process_tree


class Cancel:
    """Thrown once. `fileno()` becomes readable then, so that a selector can wait on it. Close it, or use
    `with`."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        self._lock = threading.Lock()
        self._open = True
        self.thrown = False

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._read

    def throw(self) -> None:
        """Cancel; again is allowed and changes nothing."""
        with self._lock:
            if not self.thrown and self._open:
                self.thrown = True
                os.write(self._write, b"x")

    def close(self) -> None:
        """Give the descriptors back."""
        with self._lock:
            if self._open:
                self._open = False
                os.close(self._read)
                os.close(self._write)

    def __enter__(self) -> Cancel:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


_CHUNK = 1 << 16
_POLL = 0.01  # between two looks at a process no descriptor tells of
_LONGEST_WAIT = 3600.0  # a selector refuses what a settings file may well hold
_LAST_WAIT = 1.0  # for a killed process to be gone


@dataclass(frozen=True)
class Job:
    """One command: words (no shell), its standard input, and its limits. `timeout` is seconds, None for
    none."""

    argv: Sequence[str]
    stdin: bytes
    cwd: str
    env: Mapping[str, str]
    timeout: float | None = None


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    `exit_code` is negative for a signal, None when it never started or was not seen to end. `held`: something else
    kept its output open after it ended. Times are seconds (`ended_at` on the monotonic clock), sizes bytes; output
    beyond the cap was read and thrown away, and is counted in `stdout_size` and `stderr_size`.
    """

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    seconds: float
    ended_at: float
    timed_out: bool = False
    cancelled: bool = False
    held: bool = False
    stdout_size: int = 0
    stderr_size: int = 0
    start_error: str = ""

    @property
    def truncated(self) -> bool:
        """Whether standard output was longer than what was kept."""
        return self.stdout_size > len(self.stdout)


def run_jobs(
    jobs: Sequence[Job],
    *,
    output_cap: int = 4 << 20,
    grace: float = 2.0,
    kill_leftovers: bool = False,
    cancel: Cancel | None = None,
) -> list[Ended]:
    """Run all jobs at once and wait for each to end; results in the order of the jobs.

    At its limit a job's group and every descendant get SIGTERM, after `grace` seconds SIGKILL. A thrown
    `cancel` does that to all of them. Once a command has ended, its pipes are waited for half a second more
    and then let go.
    """
    return _Loop(jobs, output_cap, grace, kill_leftovers, cancel).run()


def run_one(
    argv: Sequence[str], stdin: bytes = b"", *, cwd: str = os.sep, env: Mapping[str, str], seconds: float
) -> Ended:
    """Run one command that is to answer at once: killed at its limit, and what it left running with it."""
    return run_jobs([Job(argv, stdin, cwd, env, seconds)], output_cap=1 << 20, grace=0.0, kill_leftovers=True)[0]


@dataclass
class _Running:
    index: int
    job: Job
    process: subprocess.Popen[bytes]
    began: float
    deadline: float | None
    pidfd: int | None
    pending: memoryview
    output: dict[str, bytearray] = field(default_factory=lambda: {"stdout": bytearray(), "stderr": bytearray()})
    sizes: dict[str, int] = field(default_factory=lambda: {"stdout": 0, "stderr": 0})
    open_pipes: set[str] = field(default_factory=lambda: {"stdout", "stderr"})
    ended_at: float | None = None
    timed_out: bool = False
    cancelled: bool = False
    tree: list[process_tree.Process] = field(default_factory=list)
    kill_at: float | None = None
    give_up_at: float | None = None


class _Loop:
    def __init__(
        self, jobs: Sequence[Job], cap: int, grace: float, kill_leftovers: bool, cancel: Cancel | None
    ) -> None:
        self.jobs = jobs
        self.cap = cap
        self.grace = grace
        self.kill_leftovers = kill_leftovers
        self.cancel = cancel
        self.selector = selectors.DefaultSelector()
        self.live: dict[int, _Running] = {}
        self.results: dict[int, Ended] = {}

    def run(self) -> list[Ended]:
        try:
            if self.cancel is not None:
                self.selector.register(self.cancel, selectors.EVENT_READ, ("cancel", None))
            for index, job in enumerate(self.jobs):
                self._start(index, job)
            while self.live:
                for key, _ in self.selector.select(self._until_next()):
                    self._serve(*key.data)
                self._look_at_clocks()
        finally:
            for running in list(self.live.values()):
                self._abandon(running)
            self.selector.close()
        return [self.results[index] for index in range(len(self.jobs))]

    def _start(self, index: int, job: Job) -> None:
        began = time.monotonic()
        try:
            process = subprocess.Popen(
                list(job.argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=job.cwd,
                env=dict(job.env),
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            said = str(error.strerror or error) if isinstance(error, OSError) else str(error)
            said = f"{job.argv[0]}: {said}"
            seconds = time.monotonic() - began
            self.results[index] = Ended(
                None, b"", said.encode("utf-8", "replace"), seconds, began + seconds, start_error=said
            )
            return
        deadline = began + job.timeout if job.timeout is not None else None
        running = _Running(index, job, process, began, deadline, _pidfd(process.pid), memoryview(job.stdin))
        self.live[index] = running
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for pipe in (process.stdin, process.stdout, process.stderr):
            os.set_blocking(pipe.fileno(), False)
        self.selector.register(process.stdout, selectors.EVENT_READ, ("stdout", running))
        self.selector.register(process.stderr, selectors.EVENT_READ, ("stderr", running))
        if running.pidfd is not None:
            self.selector.register(running.pidfd, selectors.EVENT_READ, ("ended", running))
        self._write(running, first=True)

    def _serve(self, what: str, running: _Running | None) -> None:
        if running is None:
            self._cancel_all()
        elif running.index not in self.live:
            return
        elif what == "stdin":
            self._write(running)
        elif what == "ended":
            self._look(running)
        else:
            self._read(running, what)

    def _write(self, running: _Running, first: bool = False) -> None:
        """Hand over what the pipe takes. A hook that does not read, or closes early, is fine."""
        pipe = running.process.stdin
        assert pipe is not None
        try:
            while running.pending:
                running.pending = running.pending[os.write(pipe.fileno(), running.pending) :]
        except BlockingIOError:
            if first:
                self.selector.register(pipe, selectors.EVENT_WRITE, ("stdin", running))
            return
        except OSError:
            pass
        self._close(pipe, registered=not first)

    def _read(self, running: _Running, name: str) -> None:
        pipe = getattr(running.process, name)
        try:
            data = os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            running.open_pipes.discard(name)
            self._close(pipe)
            if running.ended_at is not None or running.pidfd is None:
                self._look(running)
            return
        running.sizes[name] += len(data)
        kept = running.output[name]
        if len(kept) < self.cap:
            kept += data[: self.cap - len(kept)]

    def _look(self, running: _Running) -> None:
        """See whether the command has ended, and whether that is all."""
        if running.ended_at is None:
            if running.process.poll() is None:
                return
            running.ended_at = time.monotonic()
            if running.pidfd is not None:
                self.selector.unregister(running.pidfd)
                os.close(running.pidfd)
                running.pidfd = None
        stopping = running.timed_out or running.cancelled
        if stopping:
            lives = process_tree.group_lives(running.process.pid)
            if not lives and not any(process_tree.alive(process) for process in running.tree):
                self._finish(running)
        elif not running.open_pipes:
            self._finish(running)

    def _look_at_clocks(self) -> None:
        now = time.monotonic()
        for running in list(self.live.values()):
            unwatched = running.ended_at is None and running.pidfd is None
            stopping = running.ended_at is not None and running.kill_at is not None
            if unwatched or stopping:
                self._look(running)
            if running.index not in self.live:
                continue
            if running.kill_at is not None:
                if running.give_up_at is None and now >= running.kill_at:
                    running.tree = running.tree or process_tree.descendants(running.process.pid)
                    process_tree.signal_tree(running.process.pid, running.tree, signal.SIGKILL)
                    running.give_up_at = now + _LAST_WAIT
                elif running.give_up_at is not None and now >= running.give_up_at:
                    self._finish(running)
            elif running.ended_at is not None:
                if now >= running.ended_at + HELD_PIPE_SECONDS:
                    self._finish(running, held=True)
            elif running.deadline is not None and now >= running.deadline:
                running.timed_out = True
                self._terminate(running, now)

    def _until_next(self) -> float | None:
        now = time.monotonic()
        nearest: float | None = None
        for running in self.live.values():
            if running.kill_at is not None:
                ends = now + _POLL if running.ended_at is not None else (running.give_up_at or running.kill_at)
            elif running.ended_at is not None:
                ends = running.ended_at + HELD_PIPE_SECONDS
            else:
                ends = running.deadline if running.deadline is not None else float("inf")
            if running.pidfd is None and running.ended_at is None:
                ends = min(ends, now + _POLL)
            nearest = ends if nearest is None else min(nearest, ends)
        if nearest is None or nearest == float("inf"):
            return None
        return min(max(0.0, nearest - now), _LONGEST_WAIT)

    def _terminate(self, running: _Running, now: float) -> None:
        running.tree = process_tree.descendants(running.process.pid)
        process_tree.signal_tree(running.process.pid, running.tree, signal.SIGTERM)
        running.kill_at = now + self.grace

    def _cancel_all(self) -> None:
        if self.cancel is not None:
            self.selector.unregister(self.cancel)
            self.cancel = None
        now = time.monotonic()
        for running in self.live.values():
            if running.kill_at is None:
                running.cancelled = True
                self._terminate(running, now)

    def _finish(self, running: _Running, held: bool = False) -> None:
        if self.kill_leftovers:
            process_tree.signal_tree(running.process.pid, [], signal.SIGKILL)
        self._let_go(running)
        out, err = running.output["stdout"], running.output["stderr"]
        ended = running.ended_at if running.ended_at is not None else time.monotonic()
        self.results[running.index] = Ended(
            exit_code=running.process.returncode,
            stdout=bytes(out),
            stderr=bytes(err),
            seconds=ended - running.began,
            ended_at=ended,
            timed_out=running.timed_out,
            cancelled=running.cancelled,
            held=held,
            stdout_size=running.sizes["stdout"],
            stderr_size=running.sizes["stderr"],
        )

    def _abandon(self, running: _Running) -> None:
        """Only on the way out of an exception (an interrupt): leave nothing running."""
        tree = process_tree.descendants(running.process.pid)
        process_tree.signal_tree(running.process.pid, tree, signal.SIGKILL)
        running.process.wait()
        self._let_go(running)

    def _let_go(self, running: _Running) -> None:
        del self.live[running.index]
        for pipe in (running.process.stdin, running.process.stdout, running.process.stderr):
            if pipe is not None and not pipe.closed:
                self._close(pipe)
        if running.pidfd is not None:
            self.selector.unregister(running.pidfd)
            os.close(running.pidfd)
            running.pidfd = None

    def _close(self, pipe: object, registered: bool = True) -> None:
        if registered:
            try:
                self.selector.unregister(pipe)  # type: ignore[arg-type]
            except KeyError:
                pass
        pipe.close()  # type: ignore[attr-defined]


def _pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None where the system has none."""
    opener = getattr(os, "pidfd_open", None)
    if opener is None:
        return None
    try:
        return int(opener(pid))
    except OSError:
        return None
