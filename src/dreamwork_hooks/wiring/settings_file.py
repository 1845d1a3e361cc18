"""Reading and replacing a settings file that belongs to somebody else.

The order is always: lock, read, plan, back up, write beside, compare, rename, read back. A file that cannot be
replaced by a rename without losing something (a hard link, a file mounted alone, a directory that takes no new file,
an owner we may not give) is written in place after the backup, by one write from the first byte that differs.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass

from dreamwork_hooks.wiring.errors import Failed, Refused
from dreamwork_hooks.wiring.filelock import locked

LIMIT = 16 * 1024 * 1024  # bytes; no settings file is near this
ATTEMPTS = 6
KEEP_BACKUPS = 10
_NO_RENAME = (errno.EBUSY, errno.EXDEV, errno.EACCES, errno.EPERM, errno.EROFS)


@dataclass(frozen=True)
class Snapshot:
    """The file as it was at one moment; `data` is None when there is no file."""

    path: str  # as named
    real: str  # links followed
    data: bytes | None
    mode: int = 0o600
    uid: int = -1
    gid: int = -1
    links: int = 1
    inode: tuple[int, int] = (0, 0)

    @property
    def text(self) -> str:
        """Decoded so that every byte comes back: what is not UTF-8 stays as it is."""
        return decode(self.data or b"")


@dataclass(frozen=True)
class Edited:
    """What an edit did. `method` is "rename", "in place", "created", "removed" or "none"."""

    before: Snapshot
    after: Snapshot
    method: str
    backup: str | None


class _Changed(Exception):
    """Somebody else wrote the file between our reading and our writing."""


def decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def read(path: str) -> Snapshot:
    """The file at `path`, links followed. Raises Refused for what is no plain file of a sensible size."""
    real = os.path.realpath(path)
    try:
        fd = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return Snapshot(path, real, None)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Refused(f"{path}: a symbolic link that leads back to itself; nothing was changed") from None
        if error.errno == errno.ENOTDIR:
            raise Refused(f"{path}: a part of this path is a file, not a directory") from None
        raise Refused(f"{path}: cannot be read ({error.strerror}); nothing was changed") from None
    info = os.fstat(fd)
    if not stat.S_ISREG(info.st_mode):
        os.close(fd)
        raise Refused(f"{path}: not a regular file; nothing was changed. Name another with --settings FILE")
    with open(fd, "rb") as file:
        data = file.read(LIMIT + 1)
    if len(data) > LIMIT:
        raise Refused(f"{path}: larger than {LIMIT >> 20} MiB, which no settings file is; nothing was changed")
    return Snapshot(
        path,
        real,
        data,
        stat.S_IMODE(info.st_mode),
        info.st_uid,
        info.st_gid,
        info.st_nlink,
        (info.st_dev, info.st_ino),
    )


def edit(
    path: str,
    change: Callable[[Snapshot], bytes],
    *,
    spare_backups: str,
    now: Callable[[], float] = time.time,
    wait: float | None = None,
    remove_empty: bool = False,
) -> Edited:
    """Replace the file's bytes by what `change` makes of them, or leave it alone when that is the same.

    `change` is called again on the newer bytes when another program wrote meanwhile, and raises Refused to stop.
    `spare_backups` is a directory for the backup where the file's own takes none. With `remove_empty` a file that
    would be left with no byte is removed instead. Raises Refused (nothing changed) and Failed.
    """
    first = read(path)
    parent = os.path.dirname(first.real)
    if change(first) == (first.data or b""):
        if _stale(first.real):
            with locked(parent, wait):
                sweep(first.real)
        return Edited(first, first, "none", None)
    if first.data is None:
        _make_parent(first, parent)
    with locked(parent, wait):
        sweep(first.real)
        return _edit_locked(path, change, spare_backups, now, remove_empty)


def _edit_locked(
    path: str,
    change: Callable[[Snapshot], bytes],
    spare_backups: str,
    now: Callable[[], float],
    remove_empty: bool,
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
        _check_writable(snapshot)
        if method == "none":  # what was read before belongs to no edit of ours
            if backup is not None:
                os.unlink(backup)
            backup = _back_up(snapshot, spare_backups, now)
            original = snapshot
        try:
            method = _write(snapshot, new) if new or not remove_empty else _remove(snapshot)
        except _Changed:
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
        private_directory(parent)
    except OSError as error:
        raise Refused(f"{parent}: cannot be made ({error.strerror}); nothing was changed") from None


def _check_writable(snapshot: Snapshot) -> None:
    if snapshot.data is None:
        return
    if not snapshot.mode & stat.S_IWUSR:
        raise Refused(
            f"{snapshot.path} is read-only (mode {snapshot.mode:04o}); nothing was changed.\n"
            f"  If it is yours to change:  chmod u+w {snapshot.real}"
        )
    if not os.access(snapshot.real, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise Refused(
            f"{snapshot.path} may not be written by this user (owner {snapshot.uid}); nothing was changed.\n"
            f"  Run this as its owner, or take the snippet (--print) to whoever manages the file."
        )


# The backup ---------------------------------------------------------------------------------------------------------


def _backup_name(base: str) -> re.Pattern[str]:
    return re.compile(re.escape(base) + r"\.dreamwork-hooks-([0-9]{8}T[0-9]{6}Z)(?:-([0-9]+))?\.bak")


def _back_up(snapshot: Snapshot, spare: str, now: Callable[[], float]) -> str | None:
    """A copy of the file beside it (beside the link, when it is one), never wider than the file; None for no file."""
    if not snapshot.data:
        return None
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now()))
    base = os.path.basename(snapshot.path)
    try:
        return _copy(snapshot, os.path.dirname(snapshot.path), base, stamp)
    except OSError as error:
        if error.errno not in _NO_RENAME:
            raise Failed(f"{snapshot.path}: no backup could be made ({error.strerror}); it was not changed") from error
    try:
        private_directory(spare)
        return _copy(snapshot, spare, base, stamp)
    except OSError as error:
        raise Failed(
            f"{snapshot.path}: no backup could be made beside it or in {spare} ({error.strerror}); it was not changed"
        ) from error


def _copy(snapshot: Snapshot, directory: str, base: str, stamp: str) -> str:
    assert snapshot.data is not None
    # After the highest number of this second, not into a gap: the names tell the age.
    number = 1 + max((number for at, number, _ in _backups(directory, base) if at == stamp), default=0)
    while True:
        name = f"{base}.dreamwork-hooks-{stamp}" + (f"-{number}" if number > 1 else "") + ".bak"
        path = os.path.join(directory, name)
        try:
            fd = _create(path)
            break
        except FileExistsError:
            number += 1
    try:
        with open(fd, "wb") as file:
            mode = snapshot.mode & 0o777
            os.fchmod(fd, mode if _give(fd, snapshot) else mode & 0o700)
            file.write(snapshot.data)
            file.flush()
            os.fsync(fd)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise
    _prune(directory, base, path)
    return path


def _prune(directory: str, base: str, newest: str) -> None:
    ours = [one for one in _backups(directory, base) if one[2] != newest]
    for _, _, path in ours[: max(0, len(ours) - (KEEP_BACKUPS - 1))]:
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.lstat(path).st_mode):
                os.unlink(path)


def _backups(directory: str, base: str) -> list[tuple[str, int, str]]:
    """Time, number and path of every name that is a backup of ours, oldest first."""
    matches = [(_backup_name(base).fullmatch(name), name) for name in os.listdir(directory)]
    return sorted(
        (found.group(1), int(found.group(2) or 1), os.path.join(directory, name)) for found, name in matches if found
    )


# The writing --------------------------------------------------------------------------------------------------------


def _temp_name(base: str) -> re.Pattern[str]:
    return re.compile(re.escape(f".{base}.dreamwork-hooks-") + r"[0-9]+-[0-9a-f]{8}\.tmp")


def _stale(real: str) -> list[str]:
    directory, base = os.path.split(real)
    pattern = _temp_name(base)
    with contextlib.suppress(OSError):
        return [os.path.join(directory, name) for name in os.listdir(directory) if pattern.fullmatch(name)]
    return []


def sweep(real: str) -> None:
    """Remove what a killed run of ours left beside the file. Call it under the lock."""
    for path in _stale(real):
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.lstat(path).st_mode):
                os.unlink(path)


def _create(path: str) -> int:
    """A new file, private until told otherwise; never one that is there, never through a link."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _give(fd: int, snapshot: Snapshot) -> bool:
    """Give the file at `fd` the owner and group of the snapshot; False when we may not."""
    info = os.fstat(fd)
    if snapshot.uid < 0 or (info.st_uid, info.st_gid) == (snapshot.uid, snapshot.gid):
        return True
    try:
        os.fchown(fd, snapshot.uid, snapshot.gid)
    except OSError:
        return False
    return True


def _write(snapshot: Snapshot, new: bytes) -> str:
    """Put `new` in the file's place; raises _Changed when the file is not what the snapshot says any more."""
    if snapshot.links > 1:
        return _write_in_place(snapshot, new)
    directory, base = os.path.split(snapshot.real)
    temp = os.path.join(directory, f".{base}.dreamwork-hooks-{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        fd = _create(temp)
    except OSError as error:
        if error.errno in _NO_RENAME and snapshot.data is not None:
            return _write_in_place(snapshot, new)
        raise
    try:
        with open(fd, "wb") as file:
            if not _give(fd, snapshot):
                os.unlink(temp)
                return _write_in_place(snapshot, new)
            os.fchmod(fd, snapshot.mode)
            _copy_attributes(snapshot, fd)
            file.write(new)
            file.flush()
            os.fsync(fd)
        _compare(snapshot)
        if snapshot.data is None:
            _link_new(temp, snapshot)
            method = "created"
        else:
            try:
                os.rename(temp, snapshot.real)
            except OSError as error:
                if error.errno not in _NO_RENAME:
                    raise
                os.unlink(temp)
                return _write_in_place(snapshot, new)
            method = "rename"
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temp)
    _sync_directory(directory)
    return method


def _remove(snapshot: Snapshot) -> str:
    _compare(snapshot)
    os.unlink(snapshot.real)
    return "removed"


def _link_new(temp: str, snapshot: Snapshot) -> None:
    """Give a new file its name without ever replacing one that appeared meanwhile."""
    try:
        os.link(temp, snapshot.real)
    except FileExistsError:
        raise _Changed from None
    except OSError:  # a file system without links
        os.rename(temp, snapshot.real)


def _compare(snapshot: Snapshot) -> None:
    current = read(snapshot.path)
    if (current.real, current.data, current.inode) != (snapshot.real, snapshot.data, snapshot.inode):
        raise _Changed


def _write_in_place(snapshot: Snapshot, new: bytes) -> str:
    """Overwrite from the first byte that differs, in one write.

    A shorter text is first padded with blanks to the old length, so that what lies there is whole JSON at every
    moment but the write itself.
    """
    old = snapshot.data
    assert old is not None
    fd = os.open(snapshot.real, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        info = os.fstat(fd)
        if (info.st_dev, info.st_ino) != snapshot.inode or os.pread(fd, len(old) + 1, 0) != old:
            raise _Changed
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


def _sync_directory(directory: str) -> None:
    with contextlib.suppress(OSError):
        fd = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def private_directory(path: str) -> None:
    """Make a directory of ours, 0700, with those above it; what is there already is left as it is."""
    parent = os.path.dirname(path)
    if not os.path.isdir(path):
        if parent != path:
            private_directory(parent)
        os.makedirs(path, mode=0o700, exist_ok=True)


def write_own(path: str, data: bytes, mode: int) -> None:
    """Replace a file of our own by rename; its directories are made 0700."""
    directory, base = os.path.split(path)
    private_directory(directory)
    sweep(path)
    temp = os.path.join(directory, f".{base}.dreamwork-hooks-{os.getpid()}-{secrets.token_hex(4)}.tmp")
    fd = _create(temp)
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
    _sync_directory(directory)
