"""Our machine-local state: one private directory a target, below `~/.config/dreamwork/hooks/`. Nothing else is written.

Everything in a target's directory is opened relative to the open directory and without following links, so that neither
a planted link nor a renamed directory can lead a write elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from dreamwork_hooks.files import (
    NoState,
    hold,
    hooks_dir,
    make_private,
    open_directory,
    open_within,
    read_open,
    write_all,
)

LOCK = "lock"
_AT = os.open in os.supports_dir_fd


class Locked(Exception):
    """Another process held the lock for longer than we may wait."""


def slug(target: str) -> str:
    """A directory name for a target's real path: readable, safe as one path component, and no two targets share one."""
    raw = os.fsencode(target)
    name = []
    for char in os.path.basename(target):
        if char.isascii() and (char.isalnum() or char in "._-"):
            name.append(char)
        elif name[-1:] != ["-"] or not name:
            name.append("-")
    return "".join(name)[:60] + "-" + _sha256(raw)[:12]


def digest(data: bytes) -> str:
    """The first 12 hex digits of the SHA-256: enough to tell a few thousand things apart."""
    return _sha256(data)[:12]


def _sha256(data: bytes) -> str:
    try:
        from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        try:
            from _sha256 import sha256  # type: ignore[import-not-found, no-redef, unused-ignore]  # before 3.12
        except ImportError:
            from hashlib import sha256  # type: ignore[assignment, unused-ignore]  # loads OpenSSL: the dear way
    return str(sha256(data).hexdigest())


class StateDir:
    """The open state directory of one target, made when missing (0700).

    Args:
        env: for `files.own_dir`.
        target: the target's real path.
        create: whether to make the directory; otherwise a missing one is `NoState`.

    Raises:
        NoState: it cannot be made or opened, is a link, or belongs to somebody else.
    """

    __slots__ = ("fd", "lock_fd", "path")

    def __init__(self, env: dict[str, str], target: str, create: bool = True) -> None:
        self.path = os.path.join(hooks_dir(env), slug(target))
        self.lock_fd = -1
        try:
            if create:
                make_private(self.path)
            self.fd = open_directory(self.path)
        except OSError as error:
            raise NoState("the state directory: " + (error.strerror or "unusable").lower()) from None
        status = os.fstat(self.fd)
        if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
            os.close(self.fd)
            raise NoState("the state directory belongs to another user")
        if status.st_mode & 0o077:
            try:
                os.chmod(self.fd if os.chmod in os.supports_fd else self.path, 0o700)
            except OSError:
                pass

    def open(self, name: str, flags: int) -> int:
        """Open one file of ours, 0600.

        Raises:
            OSError: as `os.open`; also when `name` is a link or no regular file.
        """
        return open_within(self.fd, self.path, name, flags)

    def read(self, name: str, limit: int) -> bytes:
        """A whole file of ours; empty when it is not there.

        Raises:
            OSError, Unreadable: it cannot be read, or is larger than `limit` bytes.
        """
        try:
            fd = self.open(name, os.O_RDONLY)
        except FileNotFoundError:
            return b""
        try:
            return read_open(fd, limit)
        finally:
            os.close(fd)

    def replace(self, name: str, data: bytes) -> None:
        """Put `data` in place of a file in one step. Only for a holder of the lock: the temporary name is fixed, so
        that one left by a killed process is taken up again rather than left behind.

        Raises:
            OSError: nothing was changed.
        """
        temporary = name + ".tmp"
        self.unlink(temporary)
        try:
            fd = self.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            try:
                write_all(fd, data)
            finally:
                os.close(fd)
            if _AT:
                os.rename(temporary, name, src_dir_fd=self.fd, dst_dir_fd=self.fd)
            else:
                os.replace(os.path.join(self.path, temporary), os.path.join(self.path, name))
        except BaseException:
            self.unlink(temporary)
            raise

    def unlink(self, name: str) -> None:
        """Remove a file of ours if it is there and can be removed."""
        try:
            if _AT:
                os.unlink(name, dir_fd=self.fd)
            else:
                os.unlink(os.path.join(self.path, name))
        except OSError:
            pass

    def lock(self, seconds: float) -> None:
        """Hold the directory's lock until `close`; a lock of a dead process is free by itself.

        Raises:
            Locked: somebody else held it for `seconds`.
            OSError: the lock file cannot be opened.
        """
        fd = self.open(LOCK, os.O_RDWR | os.O_CREAT)
        try:
            held = hold(fd, seconds)
        except OSError:
            held = False
        if not held:
            os.close(fd)
            raise Locked
        self.lock_fd = fd

    def close(self) -> None:
        for fd in (self.lock_fd, self.fd):
            if fd >= 0:
                try:
                    os.close(fd)
                except OSError:
                    pass
        self.lock_fd = self.fd = -1


def in_locked_state(env: dict[str, str], target: str, seconds: float, work: Callable[[StateDir], None]) -> None:
    """Run `work` on the locked state directory; every failure is swallowed: for what is nice to have written."""
    try:
        state = StateDir(env, target)
    except NoState:
        return
    try:
        state.lock(seconds)
        work(state)
    except Exception:
        pass
    finally:
        state.close()
