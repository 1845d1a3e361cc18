"""Reading and replacing a file that belongs to somebody else: its link, hard link, mode and owner stay what they were.

The order is always: lock, read, plan, back up, write beside, compare, rename, read back. A hard link, a file mounted
alone, a directory that takes no new file and an owner we may not give are written in place, by one write from the first
byte that differs. Backups are named by time, never wider than the file, at most ten.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shlex
import stat
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dreamwork_hooks.errors import Failed, Refused
from dreamwork_hooks.files import make_private
from dreamwork_hooks.settings.snapshot import Snapshot, read
from dreamwork_hooks.settings.writing import create, fill, locked, overwrite, stale, sweep, sync_directory, temp_path

ATTEMPTS = 6
KEEP = 10  # backups of one file
NO_RENAME = (errno.EBUSY, errno.EXDEV, errno.EACCES, errno.EPERM, errno.EROFS)


class Changed(Exception):
    """Somebody else wrote the file between our reading and our writing."""


@dataclass(frozen=True)
class Edited:
    """What an edit did. `method` is "rename", "in place", "created", "removed" or "none"."""

    before: Snapshot
    after: Snapshot
    method: str
    backup: str | None


def edit(
    path: str,
    change: Callable[[Snapshot], bytes],
    *,
    spare_backups: str,
    now: Callable[[], float] = time.time,
    wait: float | None = None,
    remove_empty: bool = False,
    known_backups: Sequence[str] = (),
) -> Edited:
    """Replace the file's bytes by what `change` makes of them, or leave it alone when that is the same.

    `change` is called again on the newer bytes when another program wrote meanwhile, and raises Refused to stop.
    `spare_backups` is a directory for the backup where the file's own takes none. Ten of `known_backups` and the new
    one are kept. With `remove_empty` a file that would be left with no byte is removed instead. Raises Refused (nothing
    changed) and Failed.
    """
    first = read(path)
    parent = os.path.dirname(first.real)
    if change(first) == (first.data or b""):
        if stale(first.real):
            with locked(parent, wait):
                sweep(first.real)
        return Edited(first, first, "none", None)
    if first.data is None:
        _make_parent(first, parent)
    with locked(parent, wait):
        sweep(first.real)
        return _edit_locked(path, change, spare_backups, now, remove_empty, known_backups)


def _edit_locked(
    path: str,
    change: Callable[[Snapshot], bytes],
    spare_backups: str,
    now: Callable[[], float],
    remove_empty: bool,
    known_backups: Sequence[str],
) -> Edited:
    original: Snapshot | None = None
    backup: str | None = None
    method = "none"
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(0.02 * attempt)
        snapshot = read(path)
        new = change(snapshot)
        if new == (snapshot.data or b""):
            return Edited(original or snapshot, snapshot, method, backup)
        check_writable(snapshot)
        if method == "none":  # what was read before belongs to no edit of ours
            if backup is not None:
                os.unlink(backup)
            backup = back_up(snapshot, spare_backups, now, known_backups)
            original = snapshot
        try:
            method = write(snapshot, new) if new or not remove_empty else remove(snapshot)
        except Changed:
            continue
        except OSError as error:
            raise Failed(
                f"{path}: could not be written ({error.strerror or error}); it holds what it held before"
            ) from error
        landed = read(path)
        if (landed.data or b"") == new:
            return Edited(original or snapshot, landed, method, backup)
    if method == "none":
        if backup is not None:
            os.unlink(backup)
        raise Refused(
            f"{path}: another program keeps writing this file; nothing was changed. Try again when it is idle"
        )
    raise Failed(
        f"{path}: another program keeps overwriting what was written here. End the running sessions and try again;"
        f" the file as it was before is {backup}"
    )


def _make_parent(snapshot: Snapshot, parent: str) -> None:
    if os.path.isdir(parent):
        return
    if os.path.islink(snapshot.path):
        raise Refused(
            f"{snapshot.path} is a link to {snapshot.real}, whose directory does not exist; nothing was changed.\n"
            f"  Make the directory or remove the link, then run this again."
        )
    try:
        make_private(parent)
    except OSError as error:
        raise Refused(f"{parent}: cannot be made ({error.strerror}); nothing was changed") from None


def check_writable(snapshot: Snapshot) -> None:
    """Raises Refused unless this user may write the file; one that is not there is no matter."""
    if snapshot.data is None:
        return
    if not snapshot.mode & stat.S_IWUSR:
        raise Refused(
            f"{snapshot.path} is read-only (mode {snapshot.mode:04o}); nothing was changed.\n"
            f"  If it is yours to change:  chmod u+w {shlex.quote(snapshot.real)}"
        )
    if not os.access(snapshot.real, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise Refused(
            f"{snapshot.path} may not be written by this user (owner {snapshot.uid}); nothing was changed.\n"
            f"  Run this as its owner, or take the snippet (--print) to whoever manages the file."
        )


def write(snapshot: Snapshot, new: bytes) -> str:
    """Put `new` in the file's place; raises Changed when the file is not what the snapshot says any more."""
    if snapshot.links > 1:
        return _write_in_place(snapshot, new)
    temp = temp_path(snapshot.real)
    try:
        fd = create(temp)
    except OSError as error:
        if error.errno in NO_RENAME and snapshot.data is not None:
            return _write_in_place(snapshot, new)
        raise
    try:
        if not give(fd, snapshot):
            os.close(fd)
            os.unlink(temp)
            return _write_in_place(snapshot, new)
        _copy_attributes(snapshot, fd)
        fill(fd, new, snapshot.mode)
        _compare(snapshot)
        if snapshot.data is None:
            _link_new(temp, snapshot)
            method = "created"
        else:
            try:
                os.rename(temp, snapshot.real)
            except OSError as error:
                if error.errno not in NO_RENAME:
                    raise
                os.unlink(temp)
                return _write_in_place(snapshot, new)
            method = "rename"
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temp)
    sync_directory(os.path.dirname(snapshot.real))
    return method


def remove(snapshot: Snapshot) -> str:
    _compare(snapshot)
    os.unlink(snapshot.real)
    return "removed"


def _link_new(temp: str, snapshot: Snapshot) -> None:
    """Give a new file its name without ever replacing one that appeared meanwhile."""
    try:
        os.link(temp, snapshot.real)
    except FileExistsError:
        raise Changed from None
    except OSError:  # a file system without links
        os.rename(temp, snapshot.real)


def _compare(snapshot: Snapshot) -> None:
    current = read(snapshot.path)
    if (current.real, current.data, current.inode) != (snapshot.real, snapshot.data, snapshot.inode):
        raise Changed


def _write_in_place(snapshot: Snapshot, new: bytes) -> str:
    """Overwrite from the first byte that differs, in one write.

    A shorter text is first padded with blanks to the old length, so that what lies there is whole JSON at every
    moment but the write itself.
    """
    old = snapshot.data
    assert old is not None
    fd = overwrite(snapshot.real)
    try:
        info = os.fstat(fd)
        if (info.st_dev, info.st_ino) != snapshot.inode or os.pread(fd, len(old) + 1, 0) != old:
            raise Changed
        same = next((at for at, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
        tail = new[same:].ljust(len(old) - same)
        try:
            written = os.pwrite(fd, tail, same)
            if written != len(tail):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.ftruncate(fd, len(new))
            os.fsync(fd)
        except OSError:
            os.pwrite(fd, old[same:], same)
            os.ftruncate(fd, len(old))
            raise
    finally:
        os.close(fd)
    return "in place"


def _copy_attributes(snapshot: Snapshot, fd: int) -> None:
    """Access lists and other extended attributes, where the system has them and lets us."""
    if snapshot.data is None or not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        for name in os.listxattr(snapshot.real):
            with contextlib.suppress(OSError):
                os.setxattr(fd, name, os.getxattr(snapshot.real, name))


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
        make_private(spare)
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
        mode = snapshot.mode & 0o777
        fill(fd, snapshot.data, mode if give(fd, snapshot) else mode & 0o700)
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
