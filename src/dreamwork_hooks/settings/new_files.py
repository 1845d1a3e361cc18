"""Making files and directories that are private from the start, and sweeping up after a killed run."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat

from dreamwork_hooks.settings.snapshot import Snapshot


def temp_path(real: str) -> str:
    """A name beside `real` that nobody has, and that `sweep` knows as ours."""
    directory, base = os.path.split(real)
    return os.path.join(directory, f".{base}.dreamwork-hooks-{os.getpid()}-{secrets.token_hex(4)}.tmp")


def _temp_name(base: str) -> re.Pattern[str]:
    return re.compile(re.escape(f".{base}.dreamwork-hooks-") + r"[0-9]+-[0-9a-f]{8}\.tmp")


def stale(real: str) -> list[str]:
    directory, base = os.path.split(real)
    pattern = _temp_name(base)
    with contextlib.suppress(OSError):
        return [os.path.join(directory, name) for name in os.listdir(directory) if pattern.fullmatch(name)]
    return []


def sweep(real: str) -> None:
    """Remove what a killed run of ours left beside the file. Call it under the lock."""
    for path in stale(real):
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.lstat(path).st_mode):
                os.unlink(path)


def create(path: str) -> int:
    """A new file, private until told otherwise; never one that is there, never through a link."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def give(fd: int, snapshot: Snapshot) -> bool:
    """Give the file at `fd` the owner and group of the snapshot; False when we may not."""
    info = os.fstat(fd)
    if snapshot.uid < 0 or (info.st_uid, info.st_gid) == (snapshot.uid, snapshot.gid):
        return True
    try:
        os.fchown(fd, snapshot.uid, snapshot.gid)
    except OSError:
        return False
    return True


def sync_directory(directory: str) -> None:
    with contextlib.suppress(OSError):
        fd = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def private_directory(path: str) -> str:
    """Make a directory of ours, 0700, with those above it, and return it; what is there already is left as it is."""
    parent = os.path.dirname(path)
    if not os.path.isdir(path):
        if parent != path:
            private_directory(parent)
        os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def write_own(path: str, data: bytes, mode: int) -> None:
    """Replace a file of our own by rename; its directories are made 0700."""
    directory = os.path.dirname(path)
    private_directory(directory)
    sweep(path)
    temp = temp_path(path)
    fd = create(temp)
    try:
        with open(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(fd, mode)
            os.fsync(fd)
        os.rename(temp, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temp)
        raise
    sync_directory(directory)
