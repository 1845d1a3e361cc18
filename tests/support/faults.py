"""The table of faults: what a row says, the scene it is played in, and what must be true after it.

A row is one fault, played for each event it concerns on the built archive in its own process. Whatever the fault, the
hook leaves with 0 inside its wall budget after one JSON object, nothing but its own state directory changes, what was
recorded stays, and no process of its is left. A row adds what its answer says.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.memory.focus_log import LOG, encode
from dreamwork_hooks.memory.state import slug
from tests.support.spawn import Ran, Starved, StillRunning, clean_env, run_hook
from tests.support.targets import make_target, precompact_event, write_event

HOOK_NAMES = {
    "precompact": "precompact-focus",
    "posttooluse": "ledger-lint",
    "sessionstart": "focus-restore",
    "postcompact": "compaction-audit",
}
EVENTS = ("precompact", "posttooluse")
AFTER = ("sessionstart", "postcompact")  # read what precompact wrote; no row says what they answer
MAX_ANSWER = 4000  # characters on the wire
LARGE = 1 << 20  # files beyond it are compared by their size alone
SEEDED = 3  # records that stand in the log before the fault
SEEDED_AT = time.gmtime(time.time() - 120)  # of this session, as sessionstart and postcompact want them


@dataclass
class Scene:
    """What one hook is run in; a row's `prepare` changes it, and whatever it opened is closed by `closers`."""

    root: Path
    word: str
    pyz: Path
    interpreter: Path
    home: Path
    target: Path
    event: dict[str, Any]
    env: dict[str, str]
    command: list[str]
    stdin: bytes | int | None = None  # None: the event as JSON
    popen: dict[str, Any] = field(default_factory=dict)
    during: Callable[[subprocess.Popen[bytes]], None] | None = None
    again: Callable[[Ran], bool] | None = None  # whether the run does not count, and another one is made
    closers: list[Callable[[], None]] = field(default_factory=list)
    state: Path = Path()
    capture: Path | None = None  # a file stdout goes to, instead of a pipe
    seen_outside: bool = True  # whether what the hook writes can be seen from here
    own: set[int] = field(default_factory=set)  # processes of the test's own

    @property
    def ledger(self) -> Path:
        return self.target / ".dreamwork"

    @property
    def log(self) -> Path:
        return self.state / LOG

    @property
    def aside(self) -> Path:
        """A directory the fault itself may write in."""
        (self.root / "aside").mkdir(exist_ok=True)
        return self.root / "aside"

    def use_target(self, target: Path) -> None:
        """Be about another target: the event, the state directory and its records follow."""
        shutil.rmtree(self.state, ignore_errors=True)
        self.target = target
        self.event = event_for(self.word, target)
        self.seed()

    def seed(self) -> None:
        """Put earlier records of this target where they belong."""
        self.state = self.home / ".config" / "dreamwork" / "hooks" / slug(os.path.realpath(self.target))
        self.state.mkdir(parents=True, mode=0o700, exist_ok=True)
        os.chmod(self.state, 0o700)
        self.log.write_bytes(b"".join(seed_record(number) for number in range(SEEDED)))
        self.log.chmod(0o600)

    def bytes_in(self) -> bytes | int:
        if self.stdin is None:
            return json.dumps(self.event).encode()
        return self.stdin

    def keep_open(self, fd: int) -> int:
        self.closers.append(lambda: os.close(fd))
        return fd


@dataclass(frozen=True)
class Row:
    """One fault.

    Attributes:
        name: the fault in words; with an event's word it names the test.
        prepare: makes it.
        ok: what the answer's `ok` is, for each event; the events not named are not played.
        says: a text the answer holds, for all events or by event.
        answered: False where nobody can read stdout, so that only the rest is checked.
        log_kept: False where the log itself is what is broken.
        once: does not depend on the interpreter.
        all_end: False where a process that nobody can reach may live on.
    """

    name: str
    prepare: Callable[[Scene], None]
    ok: dict[str, bool | None]
    says: str | dict[str, str] = ""
    answered: bool = True
    log_kept: bool = True
    once: bool = False
    all_end: bool = True


def both(ok: bool | None = None, **of: bool | None) -> dict[str, bool | None]:
    """The same outcome for both events, or one for each; None leaves it open."""
    return of or dict.fromkeys(EVENTS, ok)


def event_for(word: str, target: Path | str) -> dict[str, Any]:
    if word == "precompact":
        return precompact_event(target)
    if word == "sessionstart":
        more = {"hook_event_name": "SessionStart", "source": "compact"}
        return precompact_event(target, session_id="earlier", **more)
    if word == "postcompact":
        more = {"hook_event_name": "PostCompact", "compact_summary": "<summary>#2 is in work</summary>"}
        return precompact_event(target, session_id="earlier", **more)
    return write_event(os.path.join(target, ".dreamwork", "tasks.md"), cwd=target)


def seed_record(number: int) -> bytes:
    ts = time.strftime(f"%Y-%m-%dT%H:%M:{number:02}Z", SEEDED_AT)
    record = {"ts": ts, "event": "PreCompact", "trigger": "auto", "session_id": "earlier"}
    return encode({**record, "target": "/t", "current_task": f"#{number}", "note": None}, 2000)


def make_scene(root: Path, word: str, pyz: Path, interpreter: Path) -> Scene:
    home = root / "home"
    home.mkdir(exist_ok=True)
    target = make_target(root / "project")
    scene = Scene(
        root, word, pyz, interpreter, home, target, event_for(word, target), clean_env(home), [str(pyz), word]
    )
    scene.seed()
    return scene


def play(scene: Scene, row: Row) -> None:
    """Make the row's fault, run the hook, and check all that must be true.

    Raises:
        Starved: something is not as it must be, and the machine had no processor to spare.
    """
    from_nothing = children()
    try:
        row.prepare(scene)
        before = world(scene)
        known = children() | scene.own
        ran = run_scene(scene)
        left = still_alive(children() - known)
        after = world(scene)
        try:
            check(scene, row, ran, before, after)
            if row.all_end:
                assert not left, f"left alive: {left}"
        except AssertionError as wrong:
            if ran.starved:
                raise Starved(f"{scene.word} had no processor: {row.name}") from wrong
            raise
        ran.check_budget(scene.word)
        for pid in left:
            os.kill(pid, 9)
    finally:
        for close in reversed(scene.closers):
            close()
        still_alive(children() - from_nothing)


def run_scene(scene: Scene) -> Ran:
    ran = _run_or_stuck(scene)
    while scene.again is not None and scene.again(ran):
        ran = _run_or_stuck(scene)
    return ran


def _run_or_stuck(scene: Scene) -> Ran:
    """One run; an interpreter that got stuck in its own start counts as one that gave up there.

    Seen once, on 3.13 with next to no memory left, in some thousands of such runs: nothing had been printed.
    """
    try:
        return _run_once(scene)
    except StillRunning as stuck:
        if scene.again is None or stuck.armed:
            raise
        return Ran(1, b"", b"", 0.0)


def _run_once(scene: Scene) -> Ran:
    popen = dict(scene.popen)
    if scene.capture is not None:
        popen["stdout"] = os.open(scene.capture, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        ran = run_hook(scene.command, scene.bytes_in(), env=scene.env, during=scene.during, **popen)
    finally:
        if scene.capture is not None:
            os.close(popen["stdout"])
    if scene.capture is not None:
        ran = Ran(ran.code, scene.capture.read_bytes(), ran.err, ran.seconds, ran.starved)
    return ran


def check(scene: Scene, row: Row, ran: Ran, before: dict[str, object], after: dict[str, object]) -> None:
    assert ran.code == 0, ran
    if row.answered:
        answer = ran.answer()
        assert answer["plugin"] == "ud-dreamwork-hooks", answer
        assert answer["hook"] in (HOOK_NAMES[scene.word], "unknown"), answer
        assert isinstance(answer["ok"], bool), answer
        assert len(ran.out) <= MAX_ANSWER, answer
        assert answer["ok"] is not isinstance(answer.get("error"), str), answer
        assert b"Traceback" not in ran.err, ran
        expected = row.ok.get(scene.word)
        assert expected is None or answer["ok"] is expected, answer
        says = row.says.get(scene.word, "") if isinstance(row.says, dict) else row.says if scene.word in row.ok else ""
        assert says in json.dumps(answer, ensure_ascii=False), answer
        assert scene.word not in AFTER or "out of its time" not in answer.get("error", ""), answer
        assert "unexpected" not in answer.get("error", "") or "unexpected" in says, answer
    assert after == before
    if row.log_kept:
        seed = b"".join(seed_record(number) for number in range(SEEDED))
        log = scene.log.read_bytes()
        assert log.startswith(seed), log[:400]
        if scene.word in AFTER:  # which only read it
            assert log == seed, log[-400:]
            return
        assert log.endswith(b"\n")
        for line in log.splitlines():
            json.loads(line)
        added = len(log.splitlines()) - SEEDED
        assert added in (0, 1)
        if row.answered and scene.seen_outside and "wrote" in answer:
            assert added == (1 if answer["wrote"] else 0), answer


def world(scene: Scene) -> dict[str, object]:
    """Everything below the scene's root but our state directory and, above it, what making it touches."""
    found: dict[str, object] = {}
    ours = os.fsencode(scene.state)
    above = {os.fsencode(parent) for parent in scene.state.parents}
    for directory, names, files in os.walk(os.fsencode(scene.root)):
        names[:] = [name for name in names if os.path.join(directory, name) != ours]
        if os.path.basename(directory) == b"aside":
            names[:] = []
            continue
        for name in [*names, *files]:
            path = os.path.join(directory, name)
            if path in above or path == ours or path.startswith(os.fsencode(scene.root / "aside")):
                continue
            found[repr(path)] = _looks(path)
    return found


def _looks(path: bytes) -> object:
    status = os.lstat(path)
    data: object = None
    if stat.S_ISLNK(status.st_mode):
        data = os.readlink(path)
    elif stat.S_ISREG(status.st_mode):
        data = status.st_size
        if status.st_size <= LARGE and os.access(path, os.R_OK):
            with open(path, "rb") as file:
                data = file.read()
    return status.st_mode, status.st_uid, status.st_mtime_ns, data


def children() -> set[int]:
    """The processes whose parent this is; orphans of a hook become ours, see `adopt_orphans`."""
    found: set[int] = set()
    if not os.path.isdir("/proc/self"):
        return found
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == os.getpid():
                found.add(int(name))
    return found


def still_alive(pids: set[int]) -> set[int]:
    """Of these children, the ones that do not end by themselves in a moment; the others are reaped."""
    until = time.monotonic() + 1.0
    left = set(pids)
    while left:
        for pid in list(left):
            try:
                if os.waitpid(pid, os.WNOHANG)[0]:
                    left.discard(pid)
            except ChildProcessError:
                left.discard(pid)
        if time.monotonic() > until:
            break
        if left:
            time.sleep(0.005)
    return left


def adopt_orphans() -> None:
    """Make the orphans of our descendants our children (Linux), so that a test sees what a hook left running."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def without_override() -> None:
    """In a child that is root: give up root's licence to pass over file modes, so that they mean what they say."""
    if os.geteuid() == 0:
        import ctypes

        libc = ctypes.CDLL(None)
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def obey_modes(scene: Scene) -> None:
    scene.popen["preexec_fn"] = without_override


def need_root(why: str) -> None:
    if os.geteuid() != 0:
        pytest.skip(f"only root can {why}")


def fill(fd: int) -> None:
    """Fill a pipe to the brim."""
    os.set_blocking(fd, False)
    for size in (65536, 4096, 1):
        try:
            while True:
                os.write(fd, b"x" * size)
        except BlockingIOError:
            pass
    os.set_blocking(fd, True)
