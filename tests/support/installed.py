"""The product installed for a scripted session's user: by its own installer, into that user's home."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.session import Place

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
CONSENT = "# The work\n\n## Plugins\n\n- Load: `ud-dreamwork-hooks`\n"
QUESTIONS = """\
# Questions for the human

## Open

- **P1 · 2026-04-02 — Should the pump stop when the two sensors disagree?** Two sensors, one pump.

- **2026-04-04 — Which hose?** The braided one is dearer.

## Answered
"""
TASKS = """\
# Task ledger

Next id: **8**

## Open

- **#7** — stop the pump on a disagreement · P1 ·

## Recently landed

- **#6** — tank brackets · landed `0a1b2c3` ·
"""
# A second entry claims #7: nothing a reader can guess right.
BROKEN_TASKS = TASKS.replace("- **#6**", "- **#7**")
STATUS = {"task": "calibrate the level sensor", "current_task_ids": [7], "goal": "a dry cellar"}


@dataclass(frozen=True)
class Installed:
    """What the installer left behind for the user of `place`."""

    place: Place
    program: Path
    answer: Json

    def records(self) -> list[Json]:
        """The focus records of all targets, in the order written."""
        logs = (self.place.home / ".config/dreamwork/hooks").glob("*/precompact-focus.jsonl")
        return [json.loads(line) for log in sorted(logs) for line in log.read_text().splitlines()]


def current_archive() -> Path:
    """The archive that install.py installs, built again when a source is newer."""
    archive = ROOT / "dist" / "dreamwork-hooks.pyz"
    sources = [*(ROOT / "builder").glob("*.py"), *(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.sh")]
    newest = max(path.stat().st_mtime for path in sources)
    if not archive.exists() or archive.stat().st_mtime < newest:
        done = subprocess.run([sys.executable, ROOT / "build.py"], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
    return archive


def run_installer(place: Place, *words: str) -> subprocess.CompletedProcess[str]:
    """Run install.py as the user of `place` would."""
    env = {"HOME": str(place.home), "CLAUDE_CONFIG_DIR": str(place.config_dir), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, str(ROOT / "install.py"), *words]
    return subprocess.run(command, env=env, cwd=place.home, capture_output=True, text=True, timeout=60)


def install(place: Place, *words: str) -> Installed:
    """Install for the user of `place`; `words` are further options of `install.py --apply`."""
    done = run_installer(place, "--apply", *words)
    assert done.returncode == 0, done.stderr
    program = place.home / ".config/dreamwork/bin/dreamwork-hooks.pyz"
    assert program.exists()
    return Installed(place, program, json.loads(done.stdout))


def make_target(directory: Path, *, consent: bool = True, tasks: str = TASKS) -> Path:
    """Make `directory` a dreamwork target with a task at hand and two open questions; returns its ledger."""
    ledger = directory / ".dreamwork"
    ledger.mkdir(parents=True)
    (ledger / "questions.md").write_text(QUESTIONS)
    (ledger / "tasks.md").write_text(tasks)
    (ledger / "status.json").write_text(json.dumps(STATUS))
    (directory / "DREAMWORK.md").write_text(CONSENT if consent else "# The work\n")
    return ledger
