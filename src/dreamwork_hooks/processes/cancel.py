"""A switch one thread throws and another waits on together with its pipes."""

from __future__ import annotations

import os
import threading


class Cancel:
    """Thrown once. `fileno()` becomes readable then, so that a selector can wait on it. Close it, or use
    `with`."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        self._lock = threading.Lock()
        self._open = True
        self.thrown = False

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._read

    def throw(self) -> None:
        """Cancel; again is allowed and changes nothing."""
        with self._lock:
            if not self.thrown and self._open:
                self.thrown = True
                os.write(self._write, b"x")

    def close(self) -> None:
        """Give the descriptors back."""
        with self._lock:
            if self._open:
                self._open = False
                os.close(self._read)
                os.close(self._write)

    def __enter__(self) -> Cancel:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
