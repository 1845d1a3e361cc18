"""A machine of its own for every test here, with a stand-in for the built file and a Python on PATH."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dreamwork_hooks.cli.options import answer_of
from dreamwork_hooks.errors import UserError
from dreamwork_hooks.install.install import install
from dreamwork_hooks.install.request import Outcome, Request, World
from dreamwork_hooks.install.uninstall import uninstall
from dreamwork_hooks.install.upgrade import upgrade

# What the installer needs of a .pyz: the interpreter's line near the top, and one JSON object for an event.
STAND_IN = b"""#!/bin/sh
# a stand-in for the built file
python=''
printf '{"ok":true,"hook":"stand-in","plugin":"ud-dreamwork-hooks"}\\n'
exit 0
PK\x03\x04 and bytes \xff\x00 that are no text
"""


def guarded(action: str, work: Callable[[], Outcome]) -> Outcome:
    """What `work` comes to; a refusal or failure as the command would tell it."""
    try:
        return work()
    except UserError as error:
        return Outcome(answer_of(action, error), [f"{error.heading}: {error}"], error.status)
    except OSError as error:
        return Outcome(answer_of(action, error), [f"Failed: {error}"], 1)


@dataclass
class Bench:
    """One invented person's machine below a temporary directory."""

    root: Path
    env: dict[str, str]

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    @property
    def program(self) -> Path:
        return self.home / ".config" / "dreamwork" / "bin" / "dreamwork-hooks.pyz"

    @property
    def state(self) -> Path:
        return self.home / ".config" / "dreamwork" / "hooks"

    @property
    def checkout(self) -> Path:
        return self.root / "checkout"

    def write(self, data: bytes | str) -> Path:
        self.settings.parent.mkdir(parents=True, exist_ok=True)
        self.settings.write_bytes(data.encode() if isinstance(data, str) else data)
        return self.settings

    def world(self) -> World:
        return World(self.env, str(self.root), patience=0.0, checkout=str(self.checkout))

    def install(self, **request: object) -> Outcome:
        asked = Request(**request)  # type: ignore[arg-type]
        return guarded("install", lambda: install(self.world(), asked))

    def uninstall(self, **request: object) -> Outcome:
        asked = Request(**request)  # type: ignore[arg-type]
        return guarded("uninstall", lambda: uninstall(self.world(), asked))

    def upgrade(self, **request: object) -> Outcome:
        asked = Request(**request)  # type: ignore[arg-type]
        return guarded("upgrade", lambda: upgrade(self.world(), asked))

    def strays(self) -> list[str]:
        """Temporary files left anywhere."""
        return [str(path) for path in self.root.rglob("*.tmp")]

    def backups(self) -> list[Path]:
        return sorted(self.root.rglob("*.bak-*"))


@pytest.fixture
def bench(tmp_path: Path, home: Path) -> Bench:
    assert home == tmp_path / "home"
    (tmp_path / "bin").mkdir()
    base = str(getattr(sys, "_base_executable", "") or sys.executable)
    (tmp_path / "bin" / "python3").symlink_to(base)
    (tmp_path / "checkout" / "dist").mkdir(parents=True)
    (tmp_path / "checkout" / "dist" / "dreamwork-hooks.pyz").write_bytes(STAND_IN)
    return Bench(
        tmp_path,
        {"HOME": str(tmp_path / "home"), "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.defpath}"},
    )
