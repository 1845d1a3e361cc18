"""Transcripts as the real client wrote them, put where it writes them; tests/data/transcripts holds them.

Each `VERSION.jsonl` is one session whose hooks also logged themselves (`VERSION.log`, one word a run, the word their
command begins with); `answers`, `forked` and `subagent` hold the other ways in which a hook can answer.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

RECORDED = Path(__file__).resolve().parents[1] / "data" / "transcripts"
VERSIONS = ("2.1.110", "2.1.250", "2.1.332")
PROJECT = "-home-me-project"

# Successes of these print nothing, so the client writes none of them down; nor any run at these events.
SILENT = {"pre-silent", "post-silent", "start-silent"}
NEVER_WRITTEN = {"compact-print", "end"}
# These versions leave without writing down the Stop hooks of the last turn.
LAST_STOP_MISSING = {"2.1.110", "2.1.250"}


def put(config_dir: Path, *names: str, project: str = PROJECT) -> Path:
    """Put recorded transcripts below a configuration directory of the client; gives the project's directory."""
    directory = config_dir / "projects" / project
    directory.mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copy(RECORDED / f"{name}.jsonl", directory)
    return directory


def logged(version: str) -> Counter[str]:
    """What the hooks themselves logged: word -> runs."""
    return Counter((RECORDED / f"{version}.log").read_text("utf-8").split())


def word_of(command: str) -> str:
    """The word with which a recorded command logs itself."""
    return "pre-block" if command.startswith("if ") else command.split()[1]


def line(kind: str = "hook_success", command: str = "x", **more: object) -> str:
    """A line of a transcript about one hook run."""
    told = {"type": kind, "hookEvent": "PreToolUse", "command": command, "exitCode": 0, "toolUseID": "t", **more}
    return json.dumps({"type": "attachment", "attachment": told, "sessionId": "s"}, separators=(",", ":")) + "\n"
