"""The one way tests run the built archive: a real process, bytes in, a record out, always under a wall limit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BUDGETS = {"precompact": 2.0, "posttooluse": 5.0, "sessionstart": 2.0, "postcompact": 2.0}  # seconds, start to exit


@dataclass(frozen=True)
class Ran:
    """One finished run. `seconds` is from before the start to after the exit."""

    code: int
    out: bytes
    err: bytes
    seconds: float

    def answer(self) -> dict[str, Any]:
        """The one JSON object on stdout.

        Raises:
            AssertionError: stdout is not exactly one JSON object and one newline.
        """
        assert self.out.endswith(b"\n"), self
        assert self.out.count(b"\n") == 1, self
        answer = json.loads(self.out)
        assert isinstance(answer, dict), self
        return answer


class StillRunning(AssertionError):
    """A hook outlived its limit and was killed.

    Attributes:
        armed: whether it had taken over the alarm by then, so that it was our code that went on.
    """

    def __init__(self, text: str, armed: bool) -> None:
        super().__init__(text)
        self.armed = armed


def _catches_the_alarm(pid: int) -> bool:
    """Whether a process handles SIGALRM; also true where that cannot be seen, so that nothing is excused by it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True
    caught = int(status.split("SigCgt:")[1].split()[0], 16)
    return bool(caught >> (signal.SIGALRM - 1) & 1)


def clean_env(home: Path | str, **more: str) -> dict[str, str]:
    """An environment built from nothing: PATH and HOME, and what is asked for."""
    return {"PATH": os.defpath, "HOME": str(home), **more}


def pin(pyz: Path, copy: Path, interpreter: Path | str) -> None:
    """A copy of the archive with an interpreter pinned into its prefix, as the installer leaves it."""
    data = pyz.read_bytes()
    assert data.count(b"\npython='", 0, 1024) == 1
    start = data.index(b"\npython='") + len(b"\npython='")
    end = data.index(b"'\n", start)
    copy.write_bytes(data[:start] + os.fsencode(interpreter) + data[end:])
    copy.chmod(0o755)


def run_hook(
    command: Sequence[str | Path],
    stdin: bytes | int = b"",
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    limit: float = 20.0,
    during: Callable[[subprocess.Popen[bytes]], None] | None = None,
    **popen: Any,
) -> Ran:
    """Run a hook's command in its own process group, which is killed whole when it outlives `limit` seconds.

    Args:
        stdin: the bytes of the event, or an open descriptor.
        during: called in a thread of its own once the process has started.
    """
    started = time.monotonic()
    given = stdin if isinstance(stdin, int) else subprocess.PIPE
    process = subprocess.Popen(
        [str(word) for word in command],
        stdin=given,
        stdout=popen.pop("stdout", subprocess.PIPE),
        stderr=popen.pop("stderr", subprocess.PIPE),
        env=dict(env),
        cwd=cwd,
        start_new_session=True,
        **popen,
    )
    beside = threading.Thread(target=during, args=(process,)) if during is not None else None
    if beside is not None:
        beside.start()
    try:
        out, err = process.communicate(stdin if isinstance(stdin, bytes) else None, timeout=limit)
        ended = time.monotonic()
    except subprocess.TimeoutExpired:
        armed = _catches_the_alarm(process.pid)
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        what = f"{command} still ran after {limit} s, armed: {armed}; stdout {out!r}, stderr {err!r}"
        raise StillRunning(what, armed) from None
    finally:
        if beside is not None:
            beside.join()
    return Ran(process.returncode, out or b"", err or b"", ended - started)
