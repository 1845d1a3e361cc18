"""Running the core repo's `lint.py` under a hard deadline, in a process group of its own that is killed whole."""

from __future__ import annotations

import os
import sys
import time
from subprocess import Popen

from dreamwork_hooks.quoting import one_line, quoted
from dreamwork_hooks.targets.find import LEDGER_FILES

LIMIT = 4.0  # seconds
MAX_LINES = 20
MAX_CHARS = 2000
_MAX_OUTPUT = 1 << 20  # of a talkative lint, this much from its start and this much of its end

_running: list[int] = []  # process groups to kill if we have to leave early


class LintRun:
    """What a run of the core lint came to.

    Attributes:
        status: its exit status (negative: the signal that ended it); None when it was stopped at the deadline.
        rows: its output, one bounded printable line each.
    """

    __slots__ = ("rows", "status")

    def __init__(self, status: int | None, rows: list[str]) -> None:
        self.status = status
        self.rows = rows


class CannotRun(Exception):
    """The lint that was asked for is not one that can be run; the text says why."""


def chosen_lint(env: dict[str, str], config: dict[str, object], target: str) -> str | None:
    """The path of the core lint to run; None for the embedded lint alone.

    `$DREAMWORK_LINT` goes before the path the installer recorded. A lint inside the target is
    under its author's control and is run only when the installer recorded exactly it.

    Raises:
        CannotRun: a lint was asked for that is not there or may not be run.
    """
    recorded = config.get("lint")
    asked = env.get("DREAMWORK_LINT") or (recorded if isinstance(recorded, str) else None) or "embedded"
    if asked == "embedded":
        return None
    if not os.path.isabs(asked):
        raise CannotRun("the core lint's path is not absolute: " + quoted(asked, 120))
    inside = os.path.realpath(target) + os.sep
    try:
        real = os.path.realpath(asked)
        agreed = isinstance(recorded, str) and os.path.realpath(recorded) == real
    except ValueError:  # NUL or a lone surrogate
        raise CannotRun("the core lint's path is not valid: " + quoted(asked, 120)) from None
    if real.startswith(inside) and not agreed:
        raise CannotRun("the core lint is inside the target and the installer did not record it")
    if not os.path.isfile(real):
        raise CannotRun("there is no core lint at " + quoted(asked, 120))
    return real


def time_limit(env: dict[str, str]) -> float:
    """`$DREAMWORK_LINT_TIMEOUT` in seconds when it is a number from 0.1 to 4, else 4."""
    try:
        seconds = float(env.get("DREAMWORK_LINT_TIMEOUT", ""))
    except ValueError:
        return LIMIT
    return seconds if 0.1 <= seconds <= LIMIT else LIMIT


def run(lint: str, target: str, seconds: float) -> LintRun:
    """Run `lint` on `target` with this interpreter, for at most `seconds`.

    The target is its `--target` and its working directory. Its output is read only while it lives: a grandchild that
    keeps the pipe open does not hold us, and nothing of its process group is left.

    Raises:
        CannotRun: it could not be started.
    """
    import select

    # Not through `processes`, which runs many side by side and loads as much as an event costs.
    import subprocess

    deadline = time.monotonic() + seconds
    # -B: no __pycache__ beside a lint that lies in the target
    program = [lint] if _is_wrapper(lint) else [sys.executable, "-B", lint]
    try:
        process = subprocess.Popen(
            [*program, "--target", target],
            cwd=target,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise CannotRun("the core lint cannot be started: " + quoted(str(error), 120)) from None
    _running.append(process.pid)
    assert process.stdout is not None
    out = process.stdout.fileno()
    os.set_blocking(out, False)
    head = bytearray()
    tail = bytearray()
    finished = False
    try:
        while not finished and time.monotonic() < deadline:
            finished = process.poll() is not None
            if not finished:
                select.select([out], [], [], min(0.01, max(0.0, deadline - time.monotonic())))
            _drain(out, head, tail)
    finally:
        kill_running()
    _reap(process)
    text = (bytes(head) + b"\n" + bytes(tail)).decode("utf-8", "replace")
    rows = [row for row in (one_line(line, 300) for line in text.splitlines()) if row]
    return LintRun(process.returncode if finished else None, rows)


def _is_wrapper(lint: str) -> bool:
    """Whether the chosen lint is an executable of its own, around `lint.py` and whatever it needs."""
    return not lint.endswith(".py") and os.access(lint, os.X_OK)


def why_no_verdict(ran: LintRun, seconds: float) -> str:
    """Why a run is no verdict on the ledger; empty when it is one.

    0 and 1 are verdicts. Python itself leaves with 1 as well, and a wrapper may hide the status of its usage text.
    """
    if ran.status is None:
        return "the core lint did not finish in " + str(round(seconds, 1)) + " s"
    if ran.status not in (0, 1):
        return "the core lint exited with status " + str(ran.status)
    if any(row.lower().startswith("usage:") for row in ran.rows[:3]):
        return "the core lint printed its usage and exited with status " + str(ran.status)
    if ran.status == 1:
        if any(row.startswith("Traceback (most recent") for row in ran.rows):
            return "the core lint crashed: " + quoted(ran.rows[-1], 120)
        named = [row for row in ran.rows if _severity(row) == "error" or any(file in row for file in LEDGER_FILES)]
        if not named:
            return "the core lint exited with status 1 and named no error"
    return ""


def _severity(row: str) -> str:
    return "error" if "ERROR" in row or "FAIL" in row else "warning" if "WARN" in row else ""


def rows_about(ran: LintRun, name: str) -> list[tuple[str, str]]:
    """(severity, row) of each row of a verdict that finds something in the file `name`: errors first, none twice."""
    graded = any(_severity(row) for row in ran.rows)
    found: dict[str, str] = {}
    for row in ran.rows:
        if name in row:
            severity = _severity(row) if graded else "error" if ran.status == 1 else ""
            if severity and (severity == "warning" or ran.status == 1):
                found.setdefault(row, severity)
    rows = [(severity, row) for row, severity in found.items()]
    return [pair for pair in rows if pair[0] == "error"] + [pair for pair in rows if pair[0] != "error"]


def is_said(row: str, name: str, findings: list[dict[str, object]]) -> bool:
    """Whether one of the embedded lint's findings of the file says what the row says: of the same line, or of the same
    entry, or in the same words.
    """
    line = _line_of(row, name)
    words = _words(row)
    for finding in findings:
        if line and finding["line"] == line:
            return True
        subject = str(finding["subject"] or "").lower()
        said = _words(str(finding["message"]))
        shared = len(said & words)
        if not line and ((subject and subject in words and shared > 2) or shared * 2 > max(4, len(said))):
            return True
    return False


def _words(text: str) -> set[str]:
    return {word.strip("`\"'.,:;()*").lower() for word in text.split()}


def _line_of(row: str, name: str) -> int:
    """The line number behind the file's name; 0 if there is none."""
    digits = ""
    for char in row.partition(name + ":")[2]:
        if not ("0" <= char <= "9") or len(digits) > 8:
            break
        digits += char
    return int(digits or 0)


def without_line(row: str, name: str) -> str:
    """The row without its line number: the same when other lines come or go."""
    line = _line_of(row, name)
    return row.replace(name + ":" + str(line), name, 1) if line else row


def kill_running() -> None:
    """Kill every process group that is still running."""
    while _running:
        try:
            os.killpg(_running.pop(), 9)
        except OSError:
            pass


def tail_of(rows: list[str]) -> str:
    """The rows worth reporting, in at most 20 lines and 2,000 characters.

    Errors about a ledger file come first and are never cut off by anything else; then other rows about one; then the
    last of the rest.
    """

    def rank(row: str) -> int:
        if any(name in row for name in LEDGER_FILES):
            return 0 if "ERROR" in row else 1
        return 2

    ranked = sorted(range(len(rows)), key=lambda at: (rank(rows[at]), at if rank(rows[at]) < 2 else -at))
    chosen: list[int] = []
    room = MAX_CHARS
    for at in ranked[:MAX_LINES]:
        if len(rows[at]) + 1 > room:
            break
        chosen.append(at)
        room -= len(rows[at]) + 1
    chosen.sort(key=lambda at: (rank(rows[at]), at))
    return "\n".join([rows[at] for at in chosen])


def _environment() -> dict[str, str]:
    names = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TERM", "SYSTEMROOT")
    return {name: os.environ[name] for name in names if name in os.environ}


def _drain(out: int, head: bytearray, tail: bytearray) -> None:
    """Take what is in the pipe now, but no more than one pipe's worth: the deadline is looked at in between."""
    for _ in range(16):
        try:
            chunk = os.read(out, 65536)
        except OSError:
            return
        if not chunk:
            return
        if len(head) < _MAX_OUTPUT:
            head += chunk
        else:
            tail += chunk
            del tail[:-_MAX_OUTPUT]


def _reap(process: Popen[bytes]) -> None:
    until = time.monotonic() + 0.2
    while process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    if process.stdout is not None:
        process.stdout.close()
