"""Files of our own: replaced whole or not at all, readable by nobody else."""

from __future__ import annotations

import os
import tempfile


def replace_private(path: str, data: bytes) -> None:
    """Write a file by way of a new one beside it (mode 0600); its directory is made (0700). Raises OSError."""
    directory = os.path.dirname(path)
    os.makedirs(directory, mode=0o700, exist_ok=True)
    fd, beside = tempfile.mkstemp(dir=directory, prefix=f".{os.path.basename(path)}.")
    try:
        with open(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
