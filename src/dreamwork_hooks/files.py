"""The one place that opens files: bounded, never waited for, regular files only; and where our own directories are.

`settings.writing` is its dearer half, which no event needs.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from stat import S_ISDIR, S_ISREG
from typing import Any

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows: appends go unlocked
    fcntl = None  # type: ignore[assignment]

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
_AT = os.open in os.supports_dir_fd
_NO_LIMIT = 1 << 62


class Unreadable(Exception):
    """A file could not be read; the text says why in a few words, without the path.

    Attributes:
        absent: whether there is simply no such file.
        kind: whether the text says what the file is, rather than what the system said.
    """

    def __init__(self, why: str, absent: bool = False, kind: bool = False) -> None:
        super().__init__(why)
        self.absent = absent
        self.kind = kind

    def of(self, path: object) -> str:
        """The sentence about the file at `path`."""
        return str(path) + (" is " if self.kind else " cannot be read: ") + str(self)


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


def read_head(path: str, most: int) -> bytes:
    """The first `most` bytes of a regular file of any size.

    Raises:
        Unreadable: absent, not a regular file, or the system said no.
    """
    head: bytes = _opened(path, _NO_LIMIT, lambda fd, status: _at_most(fd, most))
    return head


def read_whole(path: str, limit: int) -> tuple[bytes, os.stat_result]:
    """As `read_regular`, with what the system says of the file that was read."""
    whole: tuple[bytes, os.stat_result] = _opened(path, limit, lambda fd, status: (read_open(fd, limit), status))
    return whole


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
        raise Unreadable("not there: its path is not valid", absent=True) from None
    except OSError as error:
        raise Unreadable((error.strerror or "unreadable").lower()) from None


def _tail(fd: int, status: os.stat_result, most: int) -> tuple[bytes, bool, float]:
    start = max(0, status.st_size - most)
    if start:
        os.lseek(fd, start, os.SEEK_SET)
    return _at_most(fd, most), start > 0, status.st_mtime


def _at_most(fd: int, most: int) -> bytes:
    chunks = []
    while most > 0:
        chunk = os.read(fd, most)
        if not chunk:
            break
        chunks.append(chunk)
        most -= len(chunk)
    return b"".join(chunks)


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
            raise Unreadable("larger than " + str(limit) + " bytes", kind=True)


def _check(status: os.stat_result, limit: int) -> None:
    if S_ISDIR(status.st_mode):
        raise Unreadable("a directory", kind=True)
    if not S_ISREG(status.st_mode):
        raise Unreadable("not a regular file", kind=True)
    if status.st_size > limit:
        raise Unreadable("larger than " + str(limit) + " bytes", kind=True)


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


def open_directory(path: str) -> int:
    """A directory, not through a link. Raises OSError."""
    return os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW)


def open_within(directory: int, path: str, name: str, flags: int) -> int:
    """Open one file of ours, 0600, relative to the open directory (`path` where the system cannot do that).

    Raises:
        OSError: as `os.open`; also when `name` is a link or no regular file.
    """
    before = os.umask(0o077) if flags & os.O_CREAT else None  # else it could take the owner's own rights
    try:
        fd = (
            os.open(name, flags | _NOFOLLOW, 0o600, dir_fd=directory)
            if _AT
            else os.open(os.path.join(path, name), flags | _NOFOLLOW, 0o600)
        )
    finally:
        if before is not None:
            os.umask(before)
    status = os.fstat(fd)
    if not S_ISREG(status.st_mode):
        os.close(fd)
        raise OSError(22, "Not a regular file")
    if status.st_mode & 0o077 and hasattr(os, "fchmod"):
        os.fchmod(fd, 0o600)
    return fd


def write_all(fd: int, data: bytes) -> None:
    """Write every byte. Raises OSError."""
    while data:
        data = data[os.write(fd, data) :]


def hold(fd: int, seconds: float) -> bool:
    """Lock an open file or directory for this process; False when somebody else held it for `seconds`.

    The lock ends with the descriptor, however the process ends. Where there are no locks it counts as held.

    Raises:
        OSError: this file system cannot lock.
    """
    if fcntl is None:
        return True
    until = time.monotonic() + seconds
    pause = 0.0005
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError as error:
            if error.errno not in (11, 13, 35):  # EAGAIN, EACCES, and EAGAIN of the BSDs
                raise
        if time.monotonic() + pause > until:
            return False
        time.sleep(pause)
        pause = min(pause * 1.5, 0.01)


class NoState(Exception):
    """A directory of ours cannot be found, made or used; the text says why."""


def own_dir(env: dict[str, str]) -> str:
    """`$DREAMWORK_HOOKS_CONFIG`, else `~/.config/dreamwork`; absolute. A blank variable counts as unset.

    Raises:
        NoState: neither variable names an absolute path. The password database is not asked: a process without HOME is
            one that was meant to have no home.
    """
    chosen = env.get("DREAMWORK_HOOKS_CONFIG", "").strip()
    if chosen:
        if not os.path.isabs(chosen):  # it would mean another directory to every process, a repository perhaps
            raise NoState("DREAMWORK_HOOKS_CONFIG is not an absolute path: " + repr(chosen))
        return os.path.normpath(chosen)
    home = env.get("HOME", "")
    if not os.path.isabs(home):
        raise NoState("HOME is not an absolute path" if home else "HOME is not set")
    if not os.path.isdir(home):
        raise NoState("HOME is not a directory")  # and a home is not ours to make
    return os.path.join(home, ".config", "dreamwork")


def hooks_dir(env: dict[str, str]) -> str:
    """Where everything is kept that is not the program: state, trust, `config.json`. Raises NoState."""
    return os.path.join(own_dir(env), "hooks")


def make_private(path: str) -> str:
    """Make a directory, 0700, with those above it, and return it; what is there already is left as it is.

    Raises:
        OSError: it cannot be made.
    """
    # A umask that takes the owner's own rights would leave a directory, perhaps ~/.config, that nobody can enter.
    before = os.umask(0o077)
    try:
        _make(path)
    finally:
        os.umask(before)
    return path


def _make(path: str) -> None:
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise NotADirectoryError(20, "Not a directory", path) from None
    except FileNotFoundError:
        _make(os.path.dirname(path))
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:  # another hook was quicker
            pass
