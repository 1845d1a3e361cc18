"""A file that belongs to somebody else, as it is at one moment."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass

from dreamwork_hooks.errors import Refused

LIMIT = 16 * 1024 * 1024  # bytes; no settings file is near this


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
