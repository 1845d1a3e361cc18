"""The pinned Claude Code: fetched once with npm into the project's cache, and the closed environment for it.

The environment is built from nothing: no key, profile or running client of this machine can leak into a test.
The client talks to the address it is given and to nothing else.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_PINNED = json.loads((Path(__file__).parent / "pinned.json").read_text())
VERSION: str = _PINNED["version"]

# Each platform's package holds the client as one executable: no package script is run, and any node will do.
# npm compares what it downloads with the integrity pinned here.
INTEGRITY: dict[str, str] = _PINNED["integrity"]

CACHE = Path(__file__).resolve().parents[2] / ".cache"
INSTALL_LIMIT_S = 300


class ClientUnavailable(Exception):
    """The pinned client could not be fetched; the message says what failed and what would help."""


def pinned_client(cache: Path = CACHE) -> Path:
    """Return the client's executable, fetching it first when this machine has not yet.

    Several processes may ask at once: one installs, the others wait for it. Raises ClientUnavailable.
    """
    this_platform = _platform()
    home = cache / f"claude-{VERSION}-{this_platform}"
    executable = home / "node_modules" / "@anthropic-ai" / f"claude-code-{this_platform}" / "claude"
    if not executable.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with open(cache / f"claude-{VERSION}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not executable.exists():
                _install(home, this_platform)
    return executable


def _platform() -> str:
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine().lower())
    libc = "-musl" if sys.platform == "linux" and platform.libc_ver()[0] != "glibc" else ""
    name = f"{sys.platform}-{machine}{libc}"
    if name not in INTEGRITY:
        raise ClientUnavailable(f"Claude Code {VERSION} is not pinned for {name}: add it to {__file__}")
    return name


def _install(home: Path, this_platform: str) -> None:
    beside = Path(sys.executable).parent / "npm"  # brought by builder/environments.py where this machine has none
    npm = shutil.which("npm") or shutil.which(beside)
    if npm is None:
        raise ClientUnavailable(
            f"npm is not on PATH, so Claude Code {VERSION} cannot be fetched; nothing was tested.\n"
            "  Install npm, or leave these tests out by name: pytest --ignore=tests/claude"
        )
    package = f"@anthropic-ai/claude-code-{this_platform}"
    project = {"name": "client-under-test", "private": True, "dependencies": {package: VERSION}}
    pinned = {"version": VERSION, "integrity": INTEGRITY[this_platform]}
    lock = {
        "name": "client-under-test",
        "lockfileVersion": 3,
        "requires": True,
        "packages": {"": project, f"node_modules/{package}": pinned},
    }
    beside = Path(tempfile.mkdtemp(prefix=f".claude-{VERSION}-", dir=home.parent))
    try:
        (beside / "package.json").write_text(json.dumps(project))
        (beside / "package-lock.json").write_text(json.dumps(lock))
        npm_env = {k: v for k, v in os.environ.items() if not k.startswith(("ANTHROPIC_", "CLAUDE"))}
        # npm is a script that asks for `node` or `python` on PATH: its own stands beside it.
        npm_env["PATH"] = os.pathsep.join([str(Path(npm).parent), npm_env.get("PATH", os.defpath)])
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"]
        try:
            done = subprocess.run(
                command, cwd=beside, env=npm_env, capture_output=True, text=True, timeout=INSTALL_LIMIT_S
            )
        except subprocess.TimeoutExpired:
            raise ClientUnavailable(f"npm took over {INSTALL_LIMIT_S} s to fetch {package} {VERSION}") from None
        if done.returncode:
            raise ClientUnavailable(
                f"npm could not fetch {package} {VERSION} (exit {done.returncode}); nothing was tested.\n"
                "  Is npm's registry reachable? To leave these tests out: pytest --ignore=tests/claude\n"
                f"{done.stderr.strip()}"
            )
        beside.chmod(0o755)  # mkdtemp made it private, and a test runs the client as another user
        beside.rename(home)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def client_env(base_url: str, home: Path, config_dir: Path, path: str = os.defpath) -> dict[str, str]:
    """Return the whole environment of a client that may speak to `base_url` (loopback) and to nobody else."""
    return {
        "PATH": path,
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(config_dir),
        "TMPDIR": str(home / "tmp"),
        "LANG": "C.UTF-8",
        "ANTHROPIC_BASE_URL": base_url,
        "ANTHROPIC_API_KEY": "made-up-for-a-test",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_BUG_COMMAND": "1",
        # An API that is down must fail the session at once instead of being asked ten times.
        "CLAUDE_CODE_MAX_RETRIES": "1",
    }
