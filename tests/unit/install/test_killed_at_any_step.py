"""kill -9 at any moment leaves the old file whole or the new file whole, and the next run puts the rest right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.bench import STAND_IN

ROOT = Path(__file__).resolve().parents[3]
BEFORE = '{\n    "model": "opus",\n    "hooks": {},\n    "env": {"A": "1"}\n}\n'


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork and no kill -9")
@pytest.mark.parametrize("action", ["install", "uninstall"])
@pytest.mark.parametrize("kind", ["plain", "absent", "link", "hard link"])
def test_old_or_new_but_never_between(tmp_path: Path, kind: str, action: str) -> None:
    (tmp_path / "checkout" / "dist").mkdir(parents=True)
    (tmp_path / "checkout" / "dist" / "dreamwork-hooks.pyz").write_bytes(STAND_IN)
    (tmp_path / "before.json").write_text(BEFORE, "utf-8")
    ran = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "support" / "killed.py"), str(ROOT / "src"), str(tmp_path), kind, action],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    reports = [json.loads(line) for line in ran.stdout.splitlines()]
    last = reports[-1]
    assert last["call"] == "", "the last run is the one that was not killed"
    assert len(reports) > 25

    old = None if kind == "absent" else BEFORE
    new = last["settings"] if action == "install" else reports[0]["settings"]
    assert "precompact" in new
    # A hard link is written in place. A text that gets shorter is followed by blanks until the file is cut.
    seen = {whole(report["settings"]) for report in reports}
    assert seen == {old, new}
    for report in reports:
        assert report["link"] or report["settings"] is None, report
        assert report["status"] == 0, report
        assert whole(report["again"]) == (new if action == "install" else old), report
        assert report["strays_after"] == [], report
        assert whole(report["back"]) == old, report


def whole(text: str | None) -> str | None:
    return None if text is None else text.rstrip(" ")
