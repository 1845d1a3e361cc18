"""Reading files that somebody else wrote: bounded, never waited for, regular files only."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from stat import S_ISDIR, S_ISREG
from typing import Any

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)

_NO_LIMIT = 1 << 62


class Unreadable(Exception):
    """A file could not be read; the text says why in a few words, without the path.

    Attributes:
        absent: whether there is simply no such file.
    """

    def __init__(self, why: str, absent: bool = False) -> None:
        super().__init__(why)
        self.absent = absent


def read_regular(path: str, limit: int) -> bytes:
    """The whole of a regular file of at most `limit` bytes. Links are followed; a FIFO or device is never opened.

    Raises:
        Unreadable: absent, not a regular file, larger than `limit`, or the system said no.
    """
    data: bytes = _opened(path, limit, lambda fd, status: read_open(fd, limit))
    return data


def read_tail(path: str, most: int) -> tuple[bytes, bool, float]:
    """The last `most` bytes of a regular file of any size, whether there was more before them, and the file's mtime.

    Raises:
        Unreadable: absent, not a regular file, or the system said no.
    """
    tail: tuple[bytes, bool, float] = _opened(path, _NO_LIMIT, lambda fd, status: _tail(fd, status, most))
    return tail


def _opened(path: str, limit: int, read: Callable[[int, os.stat_result], Any]) -> Any:
    """What `read` makes of the open file."""
    try:
        _check(os.stat(path), limit)
        fd = os.open(path, _FLAGS)
        try:
            status = os.fstat(fd)
            _check(status, limit)  # again: the path may lead elsewhere by now
            return read(fd, status)
        finally:
            os.close(fd)
    except FileNotFoundError:
        raise Unreadable("not there", absent=True) from None
    except ValueError:  # NUL or a lone surrogate in the path
        raise Unreadable("not there: its path is no path", absent=True) from None
    except OSError as error:
        raise Unreadable((error.strerror or "unreadable").lower()) from None


def _tail(fd: int, status: os.stat_result, most: int) -> tuple[bytes, bool, float]:
    start = max(0, status.st_size - most)
    if start:
        os.lseek(fd, start, os.SEEK_SET)
    chunks = []
    while most > 0:
        chunk = os.read(fd, most)
        if not chunk:
            break
        chunks.append(chunk)
        most -= len(chunk)
    return b"".join(chunks), start > 0, status.st_mtime


def read_open(fd: int, limit: int) -> bytes:
    """The rest of an open file.

    Raises:
        Unreadable: more than `limit` bytes came.
        OSError: as `os.read`.
    """
    chunks: list[bytes] = []
    size = 0
    while True:
        chunk = os.read(fd, min(limit + 1 - size, 1 << 20))
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            raise Unreadable("larger than " + str(limit) + " bytes")


def _check(status: os.stat_result, limit: int) -> None:
    if S_ISDIR(status.st_mode):
        raise Unreadable("a directory")
    if not S_ISREG(status.st_mode):
        raise Unreadable("not a regular file")
    if status.st_size > limit:
        raise Unreadable("larger than " + str(limit) + " bytes")


def lines_of(path: str, longest: int) -> Iterator[bytes | None]:
    """The lines of a regular file of any size, each with its newline, in little memory.

    None stands for a line of more than `longest` bytes, of which nothing is kept. The last line has no newline where
    the file ends without one.

    Raises:
        Unreadable: absent, not a regular file, or the system said no; also while it is read.
    """
    fd = _opened(path, _NO_LIMIT, lambda fd, status: os.dup(fd))
    try:
        rest = b""
        too_long = False
        while True:
            chunk = os.read(fd, 1 << 20)
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            for line in lines:
                if too_long or len(line) > longest:
                    too_long = False
                    yield None
                else:
                    yield line + b"\n"
            if not chunk:
                break
            if len(rest) > longest:
                rest, too_long = b"", True
        if too_long:
            yield None
        elif rest:
            yield rest
    except OSError as error:
        raise Unreadable((error.strerror or "unreadable").lower()) from None
    finally:
        os.close(fd)
