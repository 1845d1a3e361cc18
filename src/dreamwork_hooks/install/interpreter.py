"""Which Python the installed file shall run: found by running it, never by its name."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from dreamwork_hooks.errors import Refused
from dreamwork_hooks.files import Unreadable, read_head
from dreamwork_hooks.processes.running import run_one

OLDEST = (3, 9)
PROBE_SECONDS = 20.0  # a stub may open a shop window, a network mount may hang

_PROBE = (
    "import sys, os; b = getattr(sys, '_base_executable', None) or sys.executable; "
    "sys.stdout.write('dreamwork %d %d %d|%s|%s' % (sys.version_info[:3] + (os.path.abspath(sys.executable), "
    "os.path.abspath(b))))"
)


@dataclass(frozen=True)
class Interpreter:
    """A Python that was really run. `path` is absolute; `remark` says what was resolved on the way, "" for nothing."""

    path: str
    version: str
    remark: str = ""


@dataclass(frozen=True)
class Probe:
    """What came of running one candidate: `problem` is "" when it is a Python we can use."""

    path: str
    problem: str = ""
    version: tuple[int, int, int] = (0, 0, 0)
    executable: str = ""
    base: str = ""


def probe(path: str) -> Probe:
    """Run a candidate and ask it who it is. Raises nothing: whatever went wrong is `problem`."""
    if not os.path.isfile(path):
        return Probe(path, "there is no such file")
    if not os.access(path, os.X_OK):
        return Probe(path, "it is not executable")
    done = run_one([path, "-I", "-c", _PROBE], env=os.environ, seconds=PROBE_SECONDS)
    if done.timed_out:
        return Probe(path, f"it did not answer within {PROBE_SECONDS:g} s")
    if done.start_error:
        return Probe(path, f"it cannot be run ({done.start_error})")
    said = done.stdout.decode("utf-8", "replace")
    if done.exit_code != 0 or not said.startswith("dreamwork "):
        first = (said + done.stderr.decode("utf-8", "replace")).strip().splitlines()[:1]
        shown = f": {first[0][:120]}" if first else ""
        return Probe(path, f"it is not a Python, but a stub or another program (exit {done.exit_code}{shown})")
    head, executable, base = said.split("|", 2)
    major, minor, micro = (int(number) for number in head.split()[1:])
    found = Probe(path, "", (major, minor, micro), executable, base)
    if (major, minor) < OLDEST:
        return Probe(path, f"it is Python {major}.{minor}.{micro}; 3.9 or newer is needed", found.version, executable)
    return found


def choose(asked: str | None, env: Mapping[str, str], cwd: str) -> tuple[Interpreter | None, list[str]]:
    """The interpreter to pin and what was said about the others.

    `asked` (`--python`) is taken or refused. Without it: python3 on PATH, then this process's own, then the system's.
    None when none of them can be used: the file then looks for python3 on PATH at every start.
    """
    if asked is not None:
        path = asked if os.sep in asked else (shutil.which(asked, path=env.get("PATH")) or asked)
        path = os.path.normpath(os.path.join(cwd, path))
        found = probe(path)
        if found.problem:
            raise Refused(f"--python {asked}: {path}: {found.problem}; nothing was changed")
        return _settle(found, keep_venv=True), []
    remarks: list[str] = []
    tried: set[str] = set()
    on_path = shutil.which("python3", path=env.get("PATH"))
    for candidate in (on_path, sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        if not candidate or not os.path.isabs(candidate) or candidate in tried or not os.path.exists(candidate):
            continue
        tried.add(candidate)
        found = probe(candidate)
        if not found.problem:
            return _settle(found, keep_venv=False), remarks
        remarks.append(f"{candidate}: {found.problem}")
    return None, remarks


def is_shim(path: str) -> bool:
    """Is this a script that looks for the real Python at every start (pyenv, asdf, mise), which costs ten starts?"""
    try:
        head = read_head(path, 2)
    except Unreadable:
        return False
    return head == b"#!" or "shims" in path.split(os.sep)


def _settle(found: Probe, *, keep_venv: bool) -> Interpreter:
    version = ".".join(str(part) for part in found.version)
    if is_shim(found.path):
        real = probe(found.base if not keep_venv else found.executable)
        if not real.problem and not is_shim(real.path):
            return Interpreter(
                real.path, version, f"{found.path} is a shim that costs many starts; the real one is {real.path}"
            )
    if not keep_venv and found.base != found.executable:
        real = probe(found.base)
        if not real.problem:
            return Interpreter(
                real.path, version, f"{found.path} belongs to a virtual environment; its base is {real.path}"
            )
    return Interpreter(found.path, version)
