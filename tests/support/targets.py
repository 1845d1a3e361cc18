"""Sample targets: a project directory with `.dreamwork/`, a consent line and a sound ledger."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

CONSENT = "# A project\n\n## Plugins\n\n- Load: `ud-dreamwork-hooks`\n"

QUESTIONS = """\
# Questions for the human

## Open

- **P1 · 2026-04-02 07:15 — Which valve (#2)?** Two fit.

- **2026-04-03 — Paint the tank?** Whenever.

## Answered

- **2026-03-20 — Which hose?**
  → answered (2026-03-21 10:00): the braided one.
"""

TASKS = """\
# Task ledger

Next id: **4**

## Open

- **#2** — fit the valve · P1 ·
  It waits for nothing.
- **#3** — read the scale · P2 ·

## Recently landed

- **#1** — lay the hose · landed `0a1b2c3` ·
"""

BROKEN_TASKS = TASKS.replace("Next id: **4**", "Next id: **3**").replace("**#3** — read", "**#2** — read")

STATUS = {
    "task": "#2 — fit the valve",
    "current_task_ids": [2, "9a"],
    "goal": "a tank that does not leak",
    "awaiting_human": ["which valve"],
}


def make_target(path: Path, *, consent: str | None = CONSENT, status: Any = STATUS) -> Path:
    """Make a sound target at `path` and return it."""
    (path / ".dreamwork").mkdir(parents=True)
    if consent is not None:
        (path / "DREAMWORK.md").write_text(consent, "utf-8")
    (path / ".dreamwork" / "status.json").write_text(json.dumps(status), "utf-8")
    (path / ".dreamwork" / "questions.md").write_text(QUESTIONS, "utf-8")
    (path / ".dreamwork" / "tasks.md").write_text(TASKS, "utf-8")
    return path


def snapshot(path: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every path below `path`: mode, mtime in ns, and the bytes of regular files; to show that nothing was touched."""
    found = {}
    for directory, names, files in os.walk(path):
        for name in [*names, *files]:
            full = Path(directory, name)
            status = full.lstat()
            data = full.read_bytes() if full.is_file() and not full.is_symlink() and os.access(full, os.R_OK) else b""
            found[str(full.relative_to(path))] = (status.st_mode, status.st_mtime_ns, data)
    return found


def precompact_event(cwd: Path | str, **more: Any) -> dict[str, Any]:
    """A PreCompact event as Claude Code sends it."""
    return {
        "session_id": "11111111-1111-4111-8111-111111111111",
        "transcript_path": "/nonexistent/transcript.jsonl",
        "cwd": str(cwd),
        "hook_event_name": "PreCompact",
        "trigger": "auto",
        "custom_instructions": None,
        **more,
    }


def write_event(path: Path | str, cwd: Path | str = "/", tool: str = "Write", **more: Any) -> dict[str, Any]:
    """A PostToolUse event for a Write or Edit of `path`."""
    return {
        "session_id": "11111111-1111-4111-8111-111111111111",
        "transcript_path": "/nonexistent/transcript.jsonl",
        "cwd": str(cwd),
        "permission_mode": "acceptEdits",
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": {"file_path": str(path), "content": "x"},
        "tool_response": {"type": "update", "filePath": str(path), "content": "x"},
        "tool_use_id": "toolu_001",
        "duration_ms": 3,
        **more,
    }
