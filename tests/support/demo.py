"""`python3 build.py --demo`: the main job on a sample target: what was printed, what was written, how long it took."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

from tests.support.spawn import BUDGETS, Ran, clean_env, run_hook
from tests.support.targets import BROKEN_TASKS, make_target, snapshot

EVENTS = Path(__file__).resolve().parents[1] / "data" / "events"


def main(pyz: Path) -> int:
    """Run the demo with the built archive; the exit status is 1 when something was not as it should be."""
    with tempfile.TemporaryDirectory(prefix="dreamwork-demo-") as tmp:
        root = Path(tmp).resolve()
        (root / "home").mkdir()
        target = make_target(root / "project")
        ledger = target / ".dreamwork" / "tasks.md"
        print(f"sample target: {target}\nstate goes to:  {root / 'home/.config/dreamwork/hooks'}")

        good = [
            _show(pyz, "precompact", "a compaction begins", _recorded("PreCompact-auto", target), root, target),
            _show(pyz, "posttooluse", "a Write left a sound ledger", _write(target, ledger), root, target),
        ]
        ledger.write_text(BROKEN_TASKS, "utf-8")
        good.append(_show(pyz, "posttooluse", "a Write broke the ledger", _write(target, ledger), root, target))
        (root / "elsewhere").mkdir()
        elsewhere = _recorded("PreCompact-auto", root / "elsewhere")
        good.append(_show(pyz, "precompact", "a compaction in another project", elsewhere, root, target))
    print("\nall as it should be" if all(good) else "\nnot all as it should be", file=sys.stderr)
    return 0 if all(good) else 1


def _recorded(name: str, cwd: Path) -> dict[str, Any]:
    """An event as Claude Code once sent it, moved to `cwd`."""
    event: dict[str, Any] = json.loads((EVENTS / f"{name}.json").read_text("utf-8"))
    event["cwd"] = str(cwd)
    return event


def _write(target: Path, file: Path) -> dict[str, Any]:
    event = _recorded("PostToolUse-Write-update", target)
    event["tool_input"]["file_path"] = str(file)
    return event


def _show(pyz: Path, word: str, what: str, event: dict[str, Any], root: Path, target: Path) -> bool:
    before, held = _files(root / "home"), snapshot(target)
    ran = run_hook([pyz, word], json.dumps(event).encode() + b"\n", env=clean_env(root / "home", PATH=_path()))
    untouched = held == snapshot(target)
    print(f"\n── {what}: dreamwork-hooks.pyz {word}")
    print(textwrap.indent(json.dumps(ran.answer(), indent=2, ensure_ascii=False), "   "))
    written = [name for name, data in _files(root / "home").items() if before.get(name) != data]
    print(f"   written: {', '.join(written) or 'nothing'}; in the target: {'nothing' if untouched else 'SOMETHING'}")
    print(f"   exit {ran.code}, {ran.seconds * 1000:.0f} ms of {BUDGETS[word]:.0f} s")
    return ran.code == 0 and untouched and _in_time(ran, word)


def _in_time(ran: Ran, word: str) -> bool:
    return ran.seconds < BUDGETS[word]


def _files(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file() and path.name != "lock"}


def _path() -> str:
    """This interpreter first, so that the demo runs the hooks under it."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
