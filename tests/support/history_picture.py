"""The picture of docs/history.md, from the recorded session: `python -m tests.support.history_picture` writes it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner

from dreamwork_hooks.cli.main import main
from tests.support.history import RECORDED, put
from tests.support.terminal_picture import picture

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "history.svg"
WIDEST = 150  # characters
SHOWN = ("runs", "post-fail", "post-gone", "pre-slow", "pre-fail", "pre-ctx", "post-block", "stop-silent", "if grep")


def drawn(home: Path) -> str:
    """The picture, with `home` as the person's home."""
    put(home / ".claude", "2.1.332")
    shutil.copy(RECORDED / "settings.json", home / ".claude")
    env = {**os.environ, "HOME": str(home)}
    text = CliRunner(env={"HOME": str(home), "CLAUDE_CONFIG_DIR": None}).invoke(main, ["history"], env=env).stdout
    blocks = text.replace(str(home), "/home/me").split("\n\n")
    rows = [row[:WIDEST] for row in blocks[0].splitlines() if any(word in row for word in SHOWN)]
    lines = ["$ dreamwork-hooks.pyz history", *rows, "", *blocks[1].splitlines()[:5], "", *blocks[2].splitlines()[:3]]
    return picture("Which hooks ran in past sessions, and how they ended", [line[:WIDEST] for line in lines])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.chdir(home)
        PICTURE.write_text(drawn(Path(home)), "utf-8")
    sys.exit(0)
