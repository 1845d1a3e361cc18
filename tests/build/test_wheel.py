"""What pip installs carries the archive, and can put it in place."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from builder.environments import BUILD_VENV, ROOT, prepare

CARRIED = "dreamwork_hooks/dreamwork-hooks.pyz"


def test_a_wheel_carries_the_archive_and_installs_it(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    ignored = shutil.ignore_patterns(".*", "dist", "tests", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, checkout, ignore=ignored)
    prepare()
    (checkout / ".venv-build").symlink_to(BUILD_VENV)
    wheels = tmp_path / "wheels"
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(wheels), str(checkout)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = wheels.iterdir()
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    again = [sys.executable, str(checkout / "build.py"), "--output", str(tmp_path / "built.pyz")]
    subprocess.run(again, check=True, capture_output=True)
    assert not (site / "startup").exists()
    assert (site / CARRIED).read_bytes() == (tmp_path / "built.pyz").read_bytes()

    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(site)}
    words = [sys.executable, "-m", "dreamwork_hooks"]
    done = subprocess.run([*words, "install"], env=env, cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["wired"] is True
    assert (home / ".config" / "dreamwork" / "bin" / "dreamwork-hooks.pyz").is_file()
    assert subprocess.run([*words, "doctor"], env=env, cwd=tmp_path, capture_output=True).returncode == 0
