"""Running a registered handler of ours as Claude Code would, with an event that asks for nothing."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence

from dreamwork_hooks.install.ours import PROGRAM
from dreamwork_hooks.processes.running import Ended, run_one

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


def run(
    event: str,
    words: Sequence[str],
    seconds: float,
    home: str,
    directory: str,
    path: str = os.defpath,
    extra: Mapping[str, str] | None = None,
) -> Ended:
    """Run the words of a handler of ours (no shell but what they name) in `directory`, for at most `seconds`.

    The event itself is about an empty place, so that no target is touched. The environment is HOME and PATH and
    nothing else but `extra`: what the hook needs beyond that is a fault.
    """
    with tempfile.TemporaryDirectory(prefix="dreamwork-hooks-") as empty:
        probe = {
            "session_id": "00000000-0000-0000-0000-000000000000",
            "transcript_path": "",
            "cwd": empty,
            "hook_event_name": event,
            **_EVENTS.get(event, {}),
        }
        env = {"HOME": home, "PATH": path, **(extra or {})}
        return run_one(words, json.dumps(probe).encode() + b"\n", cwd=directory, env=env, seconds=seconds)


def words_of(command: str, args: Sequence[str] | None) -> list[str]:
    """What the client runs for a handler: a shell with its command, or with `args` the program itself."""
    return ["/bin/sh", "-c", command] if args is None else [command, *args]


def without_the_file(words: Sequence[str]) -> list[str]:
    """The same words with our file's name changed to one that is not there."""
    return [word.replace(PROGRAM, PROGRAM.replace(".pyz", ".absent")) for word in words]


def answered(ended: Ended) -> bool:
    """Exit 0 and exactly one JSON object, which is what a hook of ours always gives."""
    if ended.exit_code != 0 or ended.timed_out:
        return False
    try:
        return isinstance(json.loads(ended.stdout.decode("utf-8")), dict)
    except ValueError:
        return False


def told(ended: Ended, limit: float) -> str:
    """What it did instead, in one line; `limit` is the seconds it had."""
    if ended.timed_out:
        return f"no answer within {limit:g} s"
    said = (ended.stderr or ended.stdout).decode("utf-8", "replace").strip().splitlines()
    if ended.exit_code is None:
        return f"it cannot be run ({ended.start_error})"
    return f"exit {ended.exit_code}{f': {said[0][:120]}' if said else ', and it printed nothing'}"
