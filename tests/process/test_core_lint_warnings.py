"""A warning of the core lint about the touched file reaches the model: once, until it changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.spawn import clean_env, run_hook
from tests.support.targets import write_event


def _touch(pyz: Path, home: Path, target: Path, file: str, row: str) -> dict[str, Any]:
    lint = home / "lint.py"
    lint.write_text(f"print('ok questions.md\\nok tasks.md\\n' * 50); print({row!r})\n")
    event = json.dumps(write_event(target / ".dreamwork" / file, target)).encode()
    return run_hook([pyz, "posttooluse"], event, env=clean_env(home, DREAMWORK_LINT=str(lint))).answer()


def test_a_warning_about_the_touched_file_is_told_once_until_it_changes(pyz: Path, home: Path, target: Path) -> None:
    told = []
    for row in ("WARN questions.md:3 old", "WARN questions.md:3 old", "WARN questions.md:4 new"):
        answer = _touch(pyz, home, target, "questions.md", row)
        assert (answer["ok"], answer["lint"], answer["linter"]) == (True, "warnings", "core")
        told.append(answer.get("hookSpecificOutput", {}).get("additionalContext"))
    head = "dreamwork ledger lint of .dreamwork/questions.md: warnings\n"
    assert told == [head + "WARN questions.md:3 old", None, head + "WARN questions.md:4 new"]


def test_a_warning_about_the_other_file_leaves_the_touched_one_clean(pyz: Path, home: Path, target: Path) -> None:
    answer = _touch(pyz, home, target, "tasks.md", "WARN questions.md:3 old")
    assert answer["lint"] == "clean"
    assert "hookSpecificOutput" not in answer
