"""Putting new bytes in a file's place: by rename, or in place where a rename would lose something.

A hard link, a file mounted alone, a directory that takes no new file and an owner we may not give are written in
place, by one write from the first byte that differs.
"""

from __future__ import annotations

import contextlib
import errno
import os

from dreamwork_hooks.settings.new_files import create, give, sync_directory, temp_path
from dreamwork_hooks.settings.snapshot import Snapshot, read

NO_RENAME = (errno.EBUSY, errno.EXDEV, errno.EACCES, errno.EPERM, errno.EROFS)


class Changed(Exception):
    """Somebody else wrote the file between our reading and our writing."""


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
        with open(fd, "wb") as file:
            if not give(fd, snapshot):
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
    fd = os.open(snapshot.real, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
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
