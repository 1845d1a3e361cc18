"""Copies of a file before we change it: named by time, never wider than the file, at most ten."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Callable, Sequence

from dreamwork_hooks.errors import Failed
from dreamwork_hooks.settings.new_files import create, give, private_directory
from dreamwork_hooks.settings.replacing import NO_RENAME
from dreamwork_hooks.settings.snapshot import Snapshot

KEEP = 10


def _backup_name(base: str) -> re.Pattern[str]:
    return re.compile(re.escape(base) + r"\.bak-([0-9]{8}T[0-9]{6}Z)(?:-([0-9]+))?")


def back_up(snapshot: Snapshot, spare: str, now: Callable[[], float], known: Sequence[str] = ()) -> str | None:
    """A copy of the file beside it (beside the link, when it is one), never wider than the file; None for no file."""
    if not snapshot.data:
        return None
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now()))
    base = os.path.basename(snapshot.path)
    try:
        return _copy(snapshot, os.path.dirname(snapshot.path), base, stamp, known)
    except OSError as error:
        if error.errno not in NO_RENAME:
            raise Failed(f"{snapshot.path}: no backup could be made ({error.strerror}); it was not changed") from error
    try:
        private_directory(spare)
        return _copy(snapshot, spare, base, stamp, known)
    except OSError as error:
        raise Failed(
            f"{snapshot.path}: no backup could be made beside it or in {spare} ({error.strerror}); it was not changed"
        ) from error


def _copy(snapshot: Snapshot, directory: str, base: str, stamp: str, known: Sequence[str]) -> str:
    assert snapshot.data is not None
    # After the highest number of this second, not into a gap: the names tell the age.
    number = 1 + max((number for at, number, _ in _backups(directory, base) if at == stamp), default=0)
    while True:
        name = f"{base}.bak-{stamp}" + (f"-{number}" if number > 1 else "")
        path = os.path.join(directory, name)
        try:
            fd = create(path)
            break
        except FileExistsError:
            number += 1
    try:
        with open(fd, "wb") as file:
            mode = snapshot.mode & 0o777
            os.fchmod(fd, mode if give(fd, snapshot) else mode & 0o700)
            file.write(snapshot.data)
            file.flush()
            os.fsync(fd)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise
    _prune(directory, base, known)
    return path


def _prune(directory: str, base: str, known: Sequence[str]) -> None:
    """Keep ten with the newest. A person's own copies have such names too: only what is `known` as ours may go."""
    ours = [one for one in _backups(directory, base) if one[2] in known]
    for _, _, path in ours[: max(0, len(ours) - (KEEP - 1))]:
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.lstat(path).st_mode):
                os.unlink(path)


def _backups(directory: str, base: str) -> list[tuple[str, int, str]]:
    """Time, number and path of every name that is a backup of ours, oldest first."""
    matches = [(_backup_name(base).fullmatch(name), name) for name in os.listdir(directory)]
    return sorted(
        (found.group(1), int(found.group(2) or 1), os.path.join(directory, name)) for found, name in matches if found
    )
