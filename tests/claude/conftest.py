"""What every test against the real client starts from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.claude.client import ClientUnavailable, pinned_client
from tests.claude.installed import ROOT


@pytest.fixture(scope="session")
def client() -> Path:
    """The pinned client's executable. No npm, no network: the tests fail and say so, they are not skipped."""
    try:
        return pinned_client()
    except ClientUnavailable as e:
        pytest.fail(str(e), pytrace=False)


@pytest.fixture(scope="session")
def built() -> Path:
    """The archive that install.py installs, built again when a source is newer."""
    archive = ROOT / "dist" / "dreamwork-hooks.pyz"
    sources = [ROOT / "build.py", *(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.sh")]
    newest = max(path.stat().st_mtime for path in sources)
    if not archive.exists() or archive.stat().st_mtime < newest:
        done = subprocess.run([sys.executable, ROOT / "build.py"], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
    return archive
