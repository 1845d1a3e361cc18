"""A file that belongs to somebody else, as it is at one moment."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from dreamwork_hooks.errors import Refused
from dreamwork_hooks.files import Unreadable, read_whole

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
        data, info = read_whole(real, LIMIT)
    except Unreadable as error:
        if error.absent:
            return Snapshot(path, real, None)
        raise Refused(f"{error.of(path)}; nothing was changed") from None
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
