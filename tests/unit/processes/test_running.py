"""Real processes: time limits, pipes, output and what is left behind."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from dreamwork_hooks.processes import running
from dreamwork_hooks.processes.process_tree import Process, alive
from dreamwork_hooks.processes.running import Cancel, Ended, Job, run_jobs

ENV = {"PATH": os.defpath + ":/usr/bin:/bin"}
WAIT = 10.0  # how long a test waits for something that should come at once


def sh(script: str, *, stdin: bytes = b"", timeout: float | None = WAIT, cwd: str = "/") -> Job:
    return Job(["/bin/sh", "-c", script], stdin, cwd, ENV, timeout)


def one(script: str, *, stdin: bytes = b"", timeout: float | None = WAIT, grace: float = 2.0) -> Ended:
    return run_jobs([sh(script, stdin=stdin, timeout=timeout)], grace=grace)[0]


def gone(pid: int) -> bool:
    """Whether a process has ended, or ends soon: a kill is not a wait."""
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        try:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
        except OSError:
            return True
        if stat.rpartition(b")")[2].split()[0] == b"Z":
            return True
        time.sleep(0.01)
    return False


def test_a_hook_gets_its_input_and_gives_its_output_and_status() -> None:
    ended = one("cat; echo err >&2; exit 3", stdin=b"in")
    assert (ended.exit_code, ended.stdout, ended.stderr) == (3, b"in", b"err\n")
    assert {ended.timed_out, ended.held, ended.truncated} == {False}


def test_a_signal_is_a_negative_status() -> None:
    assert one("kill -9 $$").exit_code == -9


@pytest.mark.parametrize(
    ("argv", "cwd"), [(["/no/such/program"], "/"), (["/etc/passwd"], "/"), (["/bin/true"], "/no/such/directory")]
)
def test_what_cannot_start_says_why(argv: list[str], cwd: str) -> None:
    ended = run_jobs([Job(argv, b"", cwd, ENV)])[0]
    assert ended.exit_code is None
    assert argv[0] in ended.start_error


def test_a_null_byte_in_a_command_is_a_start_error() -> None:
    assert run_jobs([sh("echo \0")])[0].start_error


@pytest.mark.parametrize("script", ["exit 0", "exec 0<&-; exit 0", "head -c 10 >/dev/null"])
def test_a_hook_that_does_not_read_three_megabytes_is_fine(script: str) -> None:
    ended = one(script, stdin=b"x" * 3_000_000)
    assert (ended.exit_code, ended.held) == (0, False)


def test_a_large_event_arrives_whole() -> None:
    assert one("wc -c", stdin=b"x" * 3_000_000).stdout.strip() == b"3000000"


def test_output_beyond_the_cap_is_counted_and_thrown_away() -> None:
    ended = run_jobs([sh("head -c 3000000 /dev/zero; echo e >&2")], output_cap=1000)[0]
    assert (
        ended.exit_code,
        len(ended.stdout),
        ended.stdout_size,
        ended.truncated,
    ) == (0, 1000, 3_000_000, True)


def test_handlers_run_side_by_side(tmp_path: Path) -> None:
    """Each waits for a file the other makes: one after the other they would wait for ever."""
    wait = "touch {0}; while [ ! -e {1} ]; do sleep 0.01; done"
    a, b = tmp_path / "a", tmp_path / "b"
    ended = run_jobs([sh(wait.format(a, b)), sh(wait.format(b, a))])
    assert [e.exit_code for e in ended] == [0, 0]


def test_a_hook_has_a_group_and_a_session_of_its_own() -> None:
    ended = run_jobs(
        [Job([sys.executable, "-c", "import os; print(os.getsid(0) == os.getpgid(0) == os.getpid())"], b"", "/", ENV)]
    )
    assert ended[0].stdout == b"True\n"


def test_at_its_limit_a_hook_is_asked_to_end() -> None:
    ended = one("trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done", timeout=0.3)
    assert (ended.timed_out, ended.stdout) == (True, b"bye\n")


def test_a_hook_that_ignores_the_request_is_killed() -> None:
    ended = one("trap '' TERM; while :; do sleep 0.05; done", timeout=0.3, grace=0.2)
    assert (ended.timed_out, ended.exit_code) == (True, -9)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="the tree of processes is read from /proc")
@pytest.mark.parametrize(
    "child",
    [
        pytest.param("sleep 60 &", id="in its group"),
        pytest.param("(trap '' TERM; sleep 60) &", id="in its group, deaf"),
        pytest.param("setsid sleep 60 >/dev/null 2>&1 </dev/null &", id="in a session of its own, no shared streams"),
        pytest.param("setsid sh -c 'trap \"\" TERM; while :; do sleep 0.1; done' &", id="in a session, deaf"),
    ],
)
def test_nothing_of_a_timed_out_hook_survives(child: str, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    ended = one(f"{child} echo $! > {note}; sleep 60", timeout=0.5, grace=0.2)
    assert ended.timed_out
    assert gone(int(note.read_text()))


def test_a_grandchild_that_holds_the_pipe_does_not_hold_the_host(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    ended = one(f"sleep 60 & echo $! > {note}; echo said")
    pid = int(note.read_text())
    try:
        assert (ended.exit_code, ended.held, ended.stdout) == (0, True, b"said\n")
        assert ended.seconds < WAIT
        assert not _is_gone_now(pid), "the client lets it live"
    finally:
        os.kill(pid, 9)


def test_leftovers_are_killed_by_policy(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    run_jobs([sh(f"sleep 60 & echo $! > {note}")], kill_leftovers=True)
    assert gone(int(note.read_text()))


def test_cancelling_ends_all_hooks(tmp_path: Path) -> None:
    started = tmp_path / "started"
    with Cancel() as cancel:

        def throw_when_started() -> None:
            while not started.exists():
                time.sleep(0.01)
            cancel.throw()
            cancel.throw()

        thread = threading.Thread(target=throw_when_started)
        thread.start()
        ended = run_jobs([sh(f"touch {started}; sleep 60"), sh("sleep 60")], cancel=cancel, grace=0.2)
        thread.join()
    assert [e.cancelled for e in ended] == [True, True]


def test_without_process_descriptors_all_of_it_works_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(running, "_pidfd", lambda pid: None)
    test_a_hook_gets_its_input_and_gives_its_output_and_status()
    test_a_hook_that_ignores_the_request_is_killed()
    test_a_grandchild_that_holds_the_pipe_does_not_hold_the_host(tmp_path)


def test_no_descriptor_is_left_open() -> None:
    one("true")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        one("sleep 60 & kill $!; echo x")
        one("sleep 60", timeout=0.05, grace=0.1)
    assert before == len(os.listdir("/proc/self/fd"))


def test_a_process_is_told_from_a_later_one_with_its_id() -> None:
    assert not alive(Process(os.getpid(), "another start", 0, 0))


def _is_gone_now(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False
