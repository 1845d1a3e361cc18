"""Checks of what is run: the registered commands, the installed file, its interpreter, our state directory."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import stat
from collections.abc import Mapping, Sequence

from dreamwork_hooks.doctor.checks import FAIL, NOTE, OK, WARN, Check
from dreamwork_hooks.doctor.settings import Layer, active, shown
from dreamwork_hooks.files import Unreadable
from dreamwork_hooks.install import handlers as snippet
from dreamwork_hooks.install import interpreter, program, trial
from dreamwork_hooks.install.ours import EVENTS
from dreamwork_hooks.install.places import Places
from dreamwork_hooks.install.receipts import Config
from dreamwork_hooks.install.request import OwnCommand
from dreamwork_hooks.install.survey import Found
from dreamwork_hooks.install.wrapping import unwrapped
from dreamwork_hooks.processes.running import Ended, run_one
from dreamwork_hooks.settings.writing import create, fill, temp_path

_RUNS = 3
_DEFAULT_TIMEOUT = 60.0  # seconds, for a handler that names no time limit
_PATIENCE = 20.0  # seconds we wait at most, whatever the handler is allowed
_SLOW = 3.0  # times the start of the interpreter behind it: more than that is a launcher's doing


def check_commands(
    env: Mapping[str, str], here: Places, layers: Sequence[Layer], own: OwnCommand, directory: str
) -> list[Check]:
    """Run each distinct command of ours exactly as it is registered."""
    found = []
    seen: set[tuple[str, str]] = set()
    for layer, one in active(layers):
        handler = unwrapped(one.value)
        command = str(handler.get("command"))
        key = (command, repr(handler.get("args")))
        if key not in seen:
            seen.add(key)
            if _may_run(layer, one, here):
                found += _command(env, here, one, command, own, directory)
            else:
                line = f"{one.event}: {shown(command, here.home)}\nnot run here: it comes with {layer.path}"
                found.append(Check("command", NOTE, line, "read it; only what the installer writes is run from there"))
    return found


def _may_run(layer: Layer, one: Found, here: Places) -> bool:
    """Settings that come with a repository may hold anything behind our name: of those, only what we write is run."""
    if layer.scope not in ("project", "local"):
        return True
    wording = snippet.Wording(here.program, here.home)
    return any(wording.names_it(unwrapped(one.value), word) for word in EVENTS)


def _command(
    env: Mapping[str, str], here: Places, one: Found, command: str, own: OwnCommand, directory: str
) -> list[Check]:
    args = unwrapped(one.value).get("args")
    words = trial.words_of(command, [str(word) for word in args] if isinstance(args, list) else None)
    limit = one.value.get("timeout")
    seconds = float(limit) if isinstance(limit, (int, float)) and limit > 0 else _DEFAULT_TIMEOUT
    wait = min(seconds, _PATIENCE)
    label = f"{one.event}: {shown(command, here.home)}"
    # Only what the client is sure to have: its PATH may be that of a desktop, not of a shell.
    extra = {name: env[name] for name in ("DREAMWORK_HOOKS_CONFIG",) if env.get(name)}
    runs = [trial.run(one.event, words, wait, here.home, directory, extra=extra)]
    if not trial.answered(runs[0]):
        again = trial.run(one.event, words, wait, here.home, directory, env.get("PATH", os.defpath), extra)
        if trial.answered(again):
            line = f"{label}\nanswers only with your shell's PATH, not with {os.defpath}: {trial.told(runs[0], wait)}"
            return [Check("command", WARN, line, "pin the interpreter", own("install --python PATH"))]
        return [Check("command", FAIL, f"{label}\n{_why(again, wait, here)}", *_cure(again, here, own))]
    runs += [trial.run(one.event, words, wait, here.home, directory, extra=extra) for _ in range(_RUNS - 1)]
    best = min(run.seconds for run in runs)
    state = OK if best < seconds / 2 else WARN
    remedy = "" if state == OK else "see the interpreter below; a hook that is too slow is cancelled"
    line = f"{label}\nanswers in {best * 1000:.0f} ms of its {seconds:g} s"
    absent = trial.run(one.event, trial.without_the_file(words), wait, here.home, directory).exit_code
    if absent not in (0, 2):
        line += f"; without the file it would exit with {127 if absent is None else absent}, which blocks nothing"
    found = [Check("command", state, line, remedy)]
    if absent == 2:
        line = f"{one.event}: if the file went missing this would exit with 2, which blocks"
        found.append(Check("command", FAIL, line, "register the file itself", own("install --force")))
    elif absent == 0:
        line = f"{one.event}: behind a guard; if the file went missing nobody would notice"
        found.append(Check("command", NOTE, line))
    return found


def _why(run: Ended, wait: float, here: Places) -> str:
    if run.exit_code == 0 and not run.stdout and not os.path.exists(here.program):
        return "silent, since a guard hides that the file is not there"
    return f"does not answer: {trial.told(run, wait)}"


def _cure(run: Ended, here: Places, own: OwnCommand) -> tuple[str, str]:
    if not os.path.exists(here.program) or run.exit_code in (None, 126, 127):
        return "", own("install")
    return "if that does not help, run the command above by hand", own("install")


def check_program(here: Places, config: Config, own: OwnCommand) -> list[Check]:
    """The installed file: there, executable, nobody else's, and the bytes that were installed."""
    path = shown(here.program, here.home)
    try:
        info = os.stat(here.program)
    except OSError as error:
        return [Check("program", FAIL, f"{path}: {(error.strerror or 'cannot be read').lower()}", "", own("install"))]
    found = []
    if not os.access(here.program, os.X_OK):
        found.append(Check("program", FAIL, f"{path} is not executable", "", f"chmod 755 {shlex.quote(here.program)}"))
    if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        line = f"{path} may be changed by others (mode {stat.S_IMODE(info.st_mode):04o})"
        found.append(Check("program", WARN, line, "", f"chmod 755 {shlex.quote(here.program)}"))
    if info.st_uid not in (0, os.geteuid()):
        line = f"{path} belongs to another user ({info.st_uid})"
        found.append(Check("program", WARN, line, "", own("install")))
    sha256 = program.installed_hash(here.program)
    recorded = {str(one["sha256"]) for one in config.receipts if one.get("sha256")}
    if sha256 is None:
        found.append(Check("program", FAIL, f"{path} is empty or cannot be read", "", own("install")))
    elif recorded and sha256 not in recorded:
        found.append(
            Check(
                "program",
                FAIL,
                f"{path} is not the file that was installed ({sha256[:12]})",
                "build or fetch it again, and let the new one replace it",
                "python3 NEW/dreamwork-hooks.pyz upgrade",
            )
        )
    elif not recorded:
        found.append(
            Check(
                "program", NOTE, f"{path}: no receipt tells which file it should be ({sha256[:12]})", "", own("install")
            )
        )
    else:
        found.append(Check("program", OK, f"{path} is whole ({sha256[:12]})"))
    return found


def check_python(env: Mapping[str, str], here: Places, own: OwnCommand) -> list[Check]:
    """The interpreter the file runs under: real, new enough, and how slow it starts."""
    try:
        pinned = program.pin_in(here.program)
    except Unreadable:
        return []
    path = pinned or shutil.which("python3", path=env.get("PATH", os.defpath))
    if path is None:
        return [Check("python", FAIL, "no python3 on PATH, and none is pinned", "", own("install --python PATH"))]
    whose = "pinned" if pinned else "not pinned; python3 on PATH"
    probe = interpreter.probe(path)
    if probe.problem:
        return [Check("python", FAIL, f"{path} ({whose}): {probe.problem}", "", own("install --python PATH"))]
    version = ".".join(str(part) for part in probe.version)
    same = os.path.realpath(probe.base) == os.path.realpath(path)
    start, base = _starts(path, path if same else probe.base)
    line = f"{path} ({whose}), Python {version}, starts in {start * 1000:.0f} ms"
    if interpreter.is_shim(path) or start > _SLOW * base:
        line += f"; the interpreter behind it needs {base * 1000:.0f} ms, {start / base:.0f} times less"
        return [Check("python", WARN, line, "", own(f"install --python {shlex.quote(probe.base)}"))]
    fallback = shutil.which("python3", path=env.get("PATH", os.defpath))
    problem = "there is none" if fallback is None else interpreter.probe(fallback).problem
    if pinned and problem:
        line += f"; were it gone, python3 on your PATH would not do: {problem}"
    if not pinned:
        return [
            Check(
                "python", NOTE, line, "pin it, to spare the search", own(f"install --python {shlex.quote(probe.base)}")
            )
        ]
    return [Check("python", OK, line)]


def _starts(path: str, base: str) -> tuple[float, float]:
    """The shortest of a few starts of each, in seconds; in turns, so that a busy moment hits both."""
    times: dict[str, list[float]] = {path: [], base: []}
    for _ in range(5):
        for one, taken in times.items():
            taken.append(run_one([one, "-I", "-S", "-c", "pass"], env=os.environ, seconds=_PATIENCE).seconds)
    return max(min(times[path]), 0.0001), max(min(times[base]), 0.0001)


def check_state(here: Places) -> list[Check]:
    """Our state directory: writable, and private."""
    path = shown(here.state, here.home)
    if not os.path.lexists(here.state):
        above = here.state
        while not os.path.lexists(above) and os.path.dirname(above) != above:
            above = os.path.dirname(above)
        if os.path.isdir(above) and os.access(above, os.W_OK):
            return [Check("state", NOTE, f"{path} is not there yet; the hooks make it when they first write")]
        return [Check("state", FAIL, f"{path} cannot be made below {above}", f"make {above} a directory you can write")]
    if not os.path.isdir(here.state):
        return [Check("state", FAIL, f"{path} is not a directory", "move it away")]
    found = []
    if not os.access(here.state, os.W_OK | os.X_OK) or not _can_write(here.state):
        found.append(
            Check(
                "state",
                FAIL,
                f"{path} cannot be written",
                "or free some space",
                f"chmod u+rwx {shlex.quote(here.state)}",
            )
        )
    wide = [here.state] if stat.S_IMODE(os.stat(here.state).st_mode) & 0o077 else []
    for name in sorted(os.listdir(here.state)):
        inner = os.path.join(here.state, name)
        info = os.lstat(inner)
        if stat.S_ISLNK(info.st_mode):
            found.append(
                Check("state", WARN, f"{shown(inner, here.home)} is a link; the hooks do not follow it", "remove it")
            )
        elif stat.S_IMODE(info.st_mode) & 0o077 and name != "backups":
            wide.append(inner)
    for one in wide[:5]:
        mode = stat.S_IMODE(os.lstat(one).st_mode)
        found.append(
            Check(
                "state",
                WARN,
                f"{shown(one, here.home)} is open to others ({mode:04o})",
                "",
                f"chmod go= {shlex.quote(one)}",
            )
        )
    return found or [Check("state", OK, f"{path} is writable and private")]


def _can_write(directory: str) -> bool:
    path = temp_path(os.path.join(directory, "doctor"))
    try:
        fill(create(path), b"x")
    except OSError:
        return False
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)
    return True
