"""Writing files: private from the start, replaced whole or not at all, under a lock that leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator

from dreamwork_hooks.errors import Refused
from dreamwork_hooks.files import hold, make_private

WAIT = 10.0  # seconds for the installer's lock


def temp_path(real: str) -> str:
    """A name beside `real` that nobody has, and that `sweep` knows as ours."""
    directory, base = os.path.split(real)
    return os.path.join(directory, f".{base}.dreamwork-hooks-{os.getpid()}-{secrets.token_hex(4)}.tmp")


def stale(real: str) -> list[str]:
    """What killed runs of ours left beside the file."""
    directory, base = os.path.split(real)
    pattern = re.compile(re.escape(f".{base}.dreamwork-hooks-") + r"[0-9]+-[0-9a-f]{8}\.tmp")
    with contextlib.suppress(OSError):
        return [os.path.join(directory, name) for name in os.listdir(directory) if pattern.fullmatch(name)]
    return []


def sweep(real: str) -> None:
    """Remove what a killed run of ours left beside the file. Call it under the lock."""
    for path in stale(real):
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.lstat(path).st_mode):
                os.unlink(path)


def create(path: str, mode: int = 0o600) -> int:
    """A new file, private until told otherwise; never one that is there, never through a link. Raises OSError."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)


def fill(fd: int, data: bytes, mode: int | None = 0o600) -> None:
    """Write all of `data` to a new file, down to the disk, and close it; a `mode` of None leaves its own."""
    with open(fd, "wb") as file:
        if mode is not None:
            os.fchmod(fd, mode)
        file.write(data)
        file.flush()
        os.fsync(fd)


def sync_directory(directory: str) -> None:
    """Have the names in a directory on the disk, where the system can say so."""
    with contextlib.suppress(OSError):
        fd = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def replace_beside(
    path: str, data: bytes, mode: int = 0o600, check: Callable[[str], None] | None = None, swept: bool = False
) -> None:
    """Replace a file of our own by way of a new one beside it; its directories are made 0700.

    `check` is called with the path of the new file, whole and closed, before it takes the old one's place: what it
    raises leaves the old one there. With `swept` the caller holds the lock, and what a killed run left is removed.
    Raises OSError.
    """
    directory = os.path.dirname(path)
    make_private(directory)
    if swept:
        sweep(path)
    temp = temp_path(path)
    try:
        fill(create(temp), data, mode)
        if check is not None:
            check(temp)
        os.replace(temp, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temp)
        raise
    sync_directory(directory)


def overwrite(path: str) -> int:
    """An existing file to be read and written in place, never through a link. Raises OSError."""
    return os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


@contextlib.contextmanager
def locked(directory: str, wait: float | None = None) -> Iterator[None]:
    """Hold the installer's lock on an existing directory; raises Refused after `wait` seconds (default 10).

    The lock ends with the process, however it ends. A file system that cannot lock a directory is used without.
    """
    fd = os.open(directory, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | os.O_CLOEXEC)
    try:
        held = True
        with contextlib.suppress(OSError):  # no locks here (some network file systems)
            held = hold(fd, WAIT if wait is None else wait)
        if not held:
            raise Refused(
                f"another install or uninstall is working in {directory}; nothing was changed.\n"
                "  Wait for it to end and run this again."
            )
        yield
    finally:
        os.close(fd)
