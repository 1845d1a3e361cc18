"""The README's picture, from a real run of the built archive: `python -m tests.support.edit_picture` draws it."""

from __future__ import annotations

import sys
import tempfile
import textwrap
from pathlib import Path

from tests.support.demo import play
from tests.support.targets import BROKEN_TASKS, TASKS
from tests.support.terminal_picture import picture

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "edit.svg"
WIDTH = 108


def drawn(pyz: Path, root: Path) -> str:
    """The picture of an edit that breaks the ledger, what the model reads, and the mended edit; played below `root`."""
    _, broken, mended = play(pyz, root)
    lines = ["# The model edits .dreamwork/tasks.md, and uses an id twice", *_changed(TASKS, BROKEN_TASKS), ""]
    lines += ["# In the same turn it reads", *_wrapped(broken.read), ""]
    lines += ["# It mends the file", *_changed(BROKEN_TASKS, TASKS), "", "# and reads nothing more", mended.read]
    return picture("A broken edit of a task list, what the model is told, and the mended edit", lines)


def _changed(before: str, after: str) -> list[str]:
    pairs = zip(before.splitlines(), after.splitlines())
    return [line for old, new in pairs if old != new for line in (f"- {old}", f"+ {new}")]


def _wrapped(text: str) -> list[str]:
    lines = [textwrap.wrap(line, WIDTH, subsequent_indent="  ") for line in text.splitlines()]
    return [part for parts in lines for part in parts]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as tmp:
        PICTURE.write_text(drawn(ROOT / "dist" / "dreamwork-hooks.pyz", Path(tmp).resolve()), "utf-8")
    sys.exit(0)
