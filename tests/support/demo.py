"""`python3 build.py --demo`: the hooks at work in a sample project, in three scenes that fit a screen."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.spawn import BUDGETS, Ran, clean_env, run_hook
from tests.support.targets import BROKEN_TASKS, TASKS, make_target, snapshot

EVENTS = Path(__file__).resolve().parents[1] / "data" / "events"
WIDTH = 100


@dataclass(frozen=True)
class Scene:
    """What happened: a heading, the words that the model or the summarizer read, and what it took."""

    heading: str
    read: str
    took: str
    good: bool


def main(pyz: Path) -> int:
    """Run the demo with the built archive; the exit status is 1 when something was not as it should be."""
    print("\ndreamwork-hooks at work in a sample project (nothing of yours is touched)")
    with tempfile.TemporaryDirectory(prefix="dreamwork-demo-") as tmp:
        scenes = play(pyz, Path(tmp).resolve())
    for number, scene in enumerate(scenes, 1):
        print(f"\n{number}  {scene.heading}")
        for line in scene.read.splitlines():
            print(textwrap.fill(line, WIDTH, initial_indent="   | ", subsequent_indent="   |   "))
        print(f"   {scene.took}")
    if not all(scene.good for scene in scenes):
        print("\nNot all was as it should be.", file=sys.stderr)
        return 1
    print(f"\nNext, in a project of yours:\n  {pyz} init\n  {pyz} install")
    return 0


def play(pyz: Path, root: Path) -> list[Scene]:
    """The scenes, played below `root` by real processes on events that Claude Code once sent."""
    (root / "home").mkdir(parents=True)
    target = make_target(root / "project")
    ledger = target / ".dreamwork" / "tasks.md"
    edit = _recorded("PostToolUse-Write-update", target)
    edit["tool_input"]["file_path"] = str(ledger)
    edit["tool_response"]["originalFile"] = TASKS

    def play_one(word: str, event: dict[str, Any], heading: str, told: Callable[[dict[str, Any]], str]) -> Scene:
        before = snapshot(target)
        ran = run_hook([pyz, word], json.dumps(event).encode() + b"\n", env=clean_env(root / "home", PATH=_path()))
        answer = ran.answer()
        untouched = before == snapshot(target)
        return Scene(heading, told(answer), _took(ran, word, untouched), untouched and ran.code == 0)

    scenes = [
        play_one(
            "precompact",
            _recorded("PreCompact-auto", target),
            "A compaction begins. One record is written on this machine, and the summarizer is told:",
            lambda answer: str(answer["preserve"]),
        )
    ]
    ledger.write_text(BROKEN_TASKS, "utf-8")
    scenes.append(
        play_one(
            "posttooluse", edit, "The model edits tasks.md and uses an id twice. In the same turn it reads:", _context
        )
    )
    ledger.write_text(TASKS, "utf-8")
    edit["tool_response"]["originalFile"] = BROKEN_TASKS
    scenes.append(play_one("posttooluse", edit, "The model mends it. A sound ledger adds nothing:", _context))
    return scenes


def _context(answer: dict[str, Any]) -> str:
    told = answer.get("hookSpecificOutput", {}).get("additionalContext")
    return str(told) if told else f"(nothing; the hook's answer: {answer.get('lint')})"


def _recorded(name: str, cwd: Path) -> dict[str, Any]:
    """An event as Claude Code once sent it, moved to `cwd`."""
    event: dict[str, Any] = json.loads((EVENTS / f"{name}.json").read_text("utf-8"))
    event["cwd"] = str(cwd)
    return event


def _took(ran: Ran, word: str, untouched: bool) -> str:
    share = ran.seconds / BUDGETS[word]
    wrote = "nothing written in the project" if untouched else "SOMETHING WRITTEN IN THE PROJECT"
    return f"{ran.seconds * 1000:.0f} ms, {share:.0%} of its {BUDGETS[word]:.0f} s; {wrote}"


def _path() -> str:
    """This interpreter first, so that the demo runs the hooks under it."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
