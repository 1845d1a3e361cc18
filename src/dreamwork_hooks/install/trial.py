"""Running a registered handler of ours as Claude Code would, with an event that asks for nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dreamwork_hooks.install.ours import PROGRAM

_EVENTS: Mapping[str, Mapping[str, object]] = {
    "PreCompact": {"trigger": "manual", "custom_instructions": ""},
    "PostToolUse": {
        "tool_name": "Write",
        "tool_input": {"file_path": "/nowhere.md", "content": ""},
        "tool_response": {},
    },
    "SessionStart": {"source": "compact"},
    "PostCompact": {"trigger": "manual", "compact_summary": ""},
}


@dataclass(frozen=True)
class Trial:
    """What a run came to. `status` is None when it did not end in time."""

    status: int | None
    stdout: bytes
    stderr: bytes
    seconds: float

    @property
    def answered(self) -> bool:
        """Exit 0 and exactly one JSON object, which is what a hook of ours always gives."""
        return self.status == 0 and parse_json_line(self.stdout) is not None

    def told(self) -> str:
        """What it did instead, in one line."""
        if self.status is None:
            return f"no answer within {self.seconds:.1f} s"
        said = (self.stderr or self.stdout).decode("utf-8", "replace").strip().splitlines()
        shown = f": {said[0][:120]}" if said else ", and it printed nothing"
        return f"exit {self.status}{shown}"


def run(
    event: str,
    command: str,
    args: Sequence[str] | None,
    seconds: float,
    home: str,
    directory: str,
    path: str = os.defpath,
    extra: Mapping[str, str] | None = None,
) -> Trial:
    """Run a command string through `sh -c` (or, with `args`, the program itself) in `directory`.

    The event itself is about an empty place, so that no target is touched. The environment is HOME and PATH and
    nothing else but `extra`: what the hook needs beyond that is a fault. Only ever called with a handler of ours.
    """
    with tempfile.TemporaryDirectory(prefix="dreamwork-hooks-") as empty:
        probe = {
            "session_id": "00000000-0000-0000-0000-000000000000",
            "transcript_path": "",
            "cwd": empty,
            "hook_event_name": event,
            **_EVENTS.get(event, {}),
        }
        words = ["/bin/sh", "-c", command] if args is None else [command, *args]
        begun = time.monotonic()
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=directory,
                env={"HOME": home, "PATH": path, **(extra or {})},
                start_new_session=True,
            )
        except OSError as error:
            return Trial(127, b"", str(error.strerror).encode(), 0.0)
        try:
            out, err = process.communicate(json.dumps(probe).encode() + b"\n", timeout=seconds)
            return Trial(process.returncode, out, err, time.monotonic() - begun)
        except subprocess.TimeoutExpired:
            return Trial(None, b"", b"", time.monotonic() - begun)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except OSError:
                pass  # all of it has ended
            process.communicate()


def without_the_file(
    event: str, command: str, args: Sequence[str] | None, seconds: float, home: str, directory: str
) -> Trial:
    """Run the same command with our file's name changed to one that is not there."""
    absent = PROGRAM.replace(".pyz", ".absent")
    changed = None if args is None else [word.replace(PROGRAM, absent) for word in args]
    return run(event, command.replace(PROGRAM, absent), changed, seconds, home, directory)


def parse_json_line(data: bytes) -> dict[str, object] | None:
    """The one JSON object a hook's stdout is to hold, None when it is anything else."""
    try:
        value = json.loads(data.decode("utf-8"))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
