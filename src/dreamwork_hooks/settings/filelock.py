"""A lock that leaves nothing behind and cannot be led astray: `flock` on a directory."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator

from dreamwork_hooks.errors import Refused

try:
    import fcntl
except ImportError:  # Windows: the compare before the rename has to do
    fcntl = None  # type: ignore[assignment]

WAIT = 10.0  # seconds


@contextlib.contextmanager
def locked(directory: str, wait: float | None = None) -> Iterator[None]:
    """Hold the installer's lock on an existing directory; raises Refused after `wait` seconds (default 10).

    The lock ends with the process, however it ends. A file system that cannot lock a directory is used without.
    """
    if fcntl is None:
        yield
        return
    limit = time.monotonic() + (WAIT if wait is None else wait)
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EINTR):
                    break  # no locks here (some network file systems)
            if time.monotonic() >= limit:
                raise Refused(
                    f"another install or uninstall is working in {directory}; nothing was changed.\n"
                    "  Wait for it to end and run this again."
                )
            time.sleep(0.05)
        yield
    finally:
        os.close(fd)
