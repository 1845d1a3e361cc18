"""The file we install: finding it, pinning its interpreter, putting it in place by rename."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

from dreamwork_hooks.errors import Failed, Refused
from dreamwork_hooks.files import Unreadable, read_head, read_regular
from dreamwork_hooks.install import interpreter, trial
from dreamwork_hooks.install.ours import PROGRAM
from dreamwork_hooks.settings.writing import replace_beside

_HEAD = 1024  # bytes in which the line of the interpreter stands
_HEAD_PINNED = 4096  # ... and once a path in it has pushed its end down
_PIN = re.compile(rb"^python=('[^\n]*')$", re.MULTILINE)
_LIMIT = 64 * 1024 * 1024
_PROOF_SECONDS = 20.0


@dataclass(frozen=True)
class Program:
    """The bytes of a .pyz with no interpreter pinned, and the SHA-256 of those bytes in hex."""

    source: str
    data: bytes
    sha256: str


def find_source(beside: str | None) -> str:
    """The .pyz to install: the one this process runs from, else `dist/` in `beside`, else the one a wheel carries.

    Raises Refused with what brings one.
    """
    running = os.path.abspath(sys.argv[0]) if sys.argv and sys.argv[0] else ""
    if running.endswith(".pyz") and zipfile.is_zipfile(running):
        return running
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    checkout = beside or os.path.dirname(os.path.dirname(package))
    built, carried = os.path.join(checkout, "dist", PROGRAM), os.path.join(package, PROGRAM)
    for path in (built, carried):
        if os.path.isfile(path):
            return path
    script = os.path.join(checkout, "build.py")
    if beside or os.path.isfile(script):
        raise Refused(
            f"{built} is not there, so there is nothing to install; nothing was changed.\n"
            f"  to build it:  python3 {script}"
        )
    raise Refused(
        f"this installation of the package carries no {PROGRAM}, so there is nothing to install; nothing was changed.\n"
        f"  with the file itself:  python3 {PROGRAM} install"
    )


def load(path: str) -> Program:
    """Read a .pyz; raises Refused when there is none to read."""
    try:
        data = unpinned(read_regular(path, _LIMIT))
    except Unreadable as error:
        raise Refused(f"{error.of(path)}; nothing was changed") from None
    if not data:
        raise Refused(f"{path}: the file is empty; nothing was changed")
    return Program(path, data, hashlib.sha256(data).hexdigest())


def unpinned(data: bytes) -> bytes:
    """The bytes with the interpreter's line as it was built."""
    return _with_line(data, b"python=''")


def pinned(data: bytes, python: str | None) -> bytes:
    """The bytes with the interpreter's line naming `python`; zip readers allow for the moved offsets.

    Raises Refused for a file without that line, and for a path that the line cannot hold.
    """
    if python is None:
        return unpinned(data)
    if len(_PIN.findall(data[:_HEAD])) != 1:
        raise Refused("this .pyz has no line for the interpreter near its top: it is not one that build.py made")
    path = os.fsencode(python)
    if b"\n" in path:
        raise Refused("the interpreter's path holds a line break; name another with --python")
    return _with_line(data, b"python='" + path.replace(b"'", b"'\"'\"'") + b"'")


def pin_in(path: str) -> str | None:
    """The interpreter an installed file is pinned to, None when it looks for python3 on PATH. Raises Unreadable."""
    return pin_of(read_head(path, _HEAD_PINNED))


def pin_of(data: bytes) -> str | None:
    """The interpreter that a file of these bytes is pinned to."""
    found = _PIN.search(data[:_HEAD_PINNED])
    if found is None or found.group(1) == b"''":
        return None
    return os.fsdecode(found.group(1)[1:-1].replace(b"'\"'\"'", b"'"))


def _with_line(data: bytes, line: bytes) -> bytes:
    found = _PIN.search(data[:_HEAD_PINNED])
    if found is None:
        return data
    return data[: found.start()] + line + data[found.end() :]


def installed_hash(path: str) -> str | None:
    """SHA-256 of an installed file as it was built, None when there is none that can be read."""
    try:
        return load(path).sha256
    except Refused:
        return None


def put(program: Program, python: str | None, destination: str) -> bool:
    """Install the file by rename, after the new one has answered an event. False when it is there already.

    Raises Failed (the old file is still in place) when the new one cannot be written or does not answer.
    """
    data = pinned(program.data, python)
    if _is_there(destination, data):
        return False

    def check(new: str) -> None:
        problem = does_not_answer(new)
        if problem:
            raise Failed(
                f"the new {os.path.basename(destination)} does not work here, so it was not installed: {problem}"
            )
        if os.path.isdir(destination) and not os.path.islink(destination):
            raise Failed(f"{destination} is a directory; move it away and run this again")

    try:
        replace_beside(destination, data, 0o755, check, swept=True)
    except OSError as error:
        raise Failed(f"{destination}: could not be installed ({error.strerror or error})") from error
    return True


def _is_there(destination: str, data: bytes) -> bool:
    try:
        info = os.lstat(destination)
        if not stat.S_ISREG(info.st_mode) or stat.S_IMODE(info.st_mode) != 0o755:
            return False
        return read_regular(destination, _LIMIT) == data
    except (OSError, Unreadable):
        return False


def does_not_answer(file: str) -> str:
    """Run the file with an event in an empty place; "" when it leaves with 0 and one JSON object, else what it did."""
    with tempfile.TemporaryDirectory(prefix="dreamwork-hooks-") as empty:
        here = {"DREAMWORK_HOOKS_CONFIG": empty}
        path = os.environ.get("PATH", os.defpath)
        ended = trial.run("PostToolUse", [file, "posttooluse"], _PROOF_SECONDS, empty, os.sep, path, here)
    return "" if trial.answered(ended) else trial.told(ended, _PROOF_SECONDS)


def remove(destination: str) -> bool:
    """Remove the installed file; False when there is none. Raises Failed."""
    try:
        os.unlink(destination)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise Failed(f"{destination}: could not be removed ({error.strerror})") from error
    return True


def interpreter_for(
    asked: str | None, installed: str, env: Mapping[str, str], cwd: str
) -> tuple[interpreter.Interpreter | None, list[str]]:
    """The interpreter to pin: the one asked for, else the one pinned already while it works, else a found one.

    Raises Refused when the one asked for cannot be used.
    """
    if asked is None:
        with contextlib.suppress(Unreadable):
            path = pin_in(installed)
            found = interpreter.probe(path) if path is not None else None
            if found is not None and not found.problem:
                return interpreter.Interpreter(found.path, ".".join(str(part) for part in found.version)), []
    return interpreter.choose(asked, env, cwd)
