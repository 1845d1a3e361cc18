"""Fetching the pinned client: once, whole or not at all, and with a clear word when it cannot be had."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.client import VERSION, ClientUnavailable, client_env, pinned_client

# Does what npm does as far as the installer can tell: puts the package's executable below node_modules.
FETCHES = """\
#!/bin/sh
echo "$@" >>"$NPM_LOG"
sleep 0.2
package=$(sed -n 's/.*"dependencies": {"\\([^"]*\\)".*/\\1/p' package.json)
mkdir -p "node_modules/$package"
echo "#!/bin/sh" >"node_modules/$package/claude"
"""
FAILS = """\
#!/bin/sh
mkdir -p node_modules/half
echo "network is unreachable" >&2
exit 1
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None) -> Path:
    """Make `script` the only npm on PATH (None: no npm); returns the log it may write."""
    directory = tmp_path / "bin"
    directory.mkdir()
    if script is not None:
        (directory / "npm").write_text(script)
        (directory / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}:{os.defpath}" if script is not None else str(directory))
    monkeypatch.setenv("NPM_LOG", str(tmp_path / "log"))
    return tmp_path / "log"


def test_the_client_is_the_pinned_version(client: Path, tmp_path: Path) -> None:
    env = client_env("http://127.0.0.1:9", tmp_path, tmp_path / ".claude")
    done = subprocess.run([client, "--version"], env=env, capture_output=True, text=True, timeout=30)
    assert done.stdout.split()[0] == VERSION


def test_without_npm_the_message_says_so(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm(tmp_path, monkeypatch, None)
    with pytest.raises(ClientUnavailable, match="npm is not on PATH"):
        pinned_client(cache)


def test_a_failed_fetch_tells_npms_own_reason_and_leaves_nothing_half_done(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm(tmp_path, monkeypatch, FAILS)
    with pytest.raises(ClientUnavailable, match="network is unreachable"):
        pinned_client(cache)
    assert [path.name for path in cache.iterdir()] == [f"claude-{VERSION}.lock"]


def test_many_who_ask_at_once_fetch_once(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = npm(tmp_path, monkeypatch, FETCHES)
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda _: pinned_client(cache), range(4)))
    assert len(found) == 1
    assert found.pop().exists()
    assert log.read_text().splitlines() == ["ci --ignore-scripts --no-audit --no-fund --no-update-notifier"]
