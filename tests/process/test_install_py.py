"""`install.py` of a checkout: the built archive's `install` and `uninstall`, with its own words for them."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.support.spawn import clean_env
from tests.support.targets import snapshot


@pytest.fixture
def checkout(built: Path, tmp_path: Path) -> Path:
    path = tmp_path / "checkout"
    (path / "dist").mkdir(parents=True)
    shutil.copy(built, path / "dist" / "dreamwork-hooks.pyz")
    shutil.copy(ROOT / "install.py", path)
    return path


@pytest.fixture
def settings(home: Path) -> Path:
    (home / ".claude").mkdir()
    return home / ".claude" / "settings.json"


def run_install_py(checkout: Path, home: Path, *arguments: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-I", str(checkout / "install.py"), *arguments]
    streams = more or {"capture_output": True}
    env = {**clean_env(home), "PATH": os.environ["PATH"]}
    return subprocess.run(command, env=env, cwd=checkout.parent, timeout=60, check=False, **streams)


def test_install_py_prints_the_snippet_and_nothing_else_without_apply(checkout: Path, home: Path) -> None:
    for arguments in ((), ("--print",)):
        ran = run_install_py(checkout, home, *arguments)
        assert ran.returncode == 0, ran.stderr
        assert list(json.loads(ran.stdout)) == ["hooks"]
        assert b"nothing was written" in ran.stderr
    assert snapshot(home) == {}


@pytest.mark.parametrize("arguments", [["--purge"], ["--apply", "--purge"], ["--uninstall", "--with", "audit"]])
def test_install_py_refuses_options_of_another_action(
    checkout: Path, home: Path, settings: Path, arguments: list[str]
) -> None:
    assert run_install_py(checkout, home, "--apply").returncode == 0
    before = settings.read_bytes()
    assert run_install_py(checkout, home, *arguments).returncode == 2
    assert settings.read_bytes() == before


def test_install_py_refuses_with_2_and_one_json_object(checkout: Path, home: Path, settings: Path) -> None:
    settings.write_text("{,}")
    ran = run_install_py(checkout, home, "--apply")
    answer = json.loads(ran.stdout)
    assert (ran.returncode, answer["ok"], answer["refused"]) == (2, False, True)
    assert ran.stderr.startswith(b"Refused: ")


def test_install_py_installs_and_uninstalls(checkout: Path, home: Path, settings: Path) -> None:
    settings.write_text("{}")
    for arguments in (["--dry-run"], ["--uninstall", "--dry-run"]):
        assert run_install_py(checkout, home, *arguments).returncode == 0
        assert settings.read_text() == "{}"
    answer = json.loads(run_install_py(checkout, home, "--apply", "--with", "audit", "--scope", "user").stdout)
    assert {"ok", "action", "changed", "wired", "program", "settings", "backup"} <= set(answer)
    assert b"postcompact" in settings.read_bytes()
    assert run_install_py(checkout, home, "--uninstall", "--purge").returncode == 0
    assert json.loads(settings.read_text()) == {}


def test_install_py_without_the_built_file_says_how_to_build_it(checkout: Path, home: Path) -> None:
    (checkout / "dist" / "dreamwork-hooks.pyz").unlink()
    ran = run_install_py(checkout, home, "--apply")
    assert ran.returncode == 2
    assert json.loads(ran.stdout)["ok"] is False
    assert f"python3 {checkout / 'build.py'}" in ran.stderr.decode()


def test_a_closed_pipe_changes_neither_the_work_nor_the_status(checkout: Path, home: Path, settings: Path) -> None:
    settings.write_text("{,}")
    command = [sys.executable, "-I", str(checkout / "install.py"), "--apply"]
    shell = ["/bin/sh", "-c", 'exec "$@" >/dev/full 2>&-', "sh", *command]
    assert subprocess.run(shell, env=clean_env(home), timeout=60, check=False).returncode == 2


@pytest.mark.parametrize(("more", "holds_json"), [([], False), (["--json"], True)])
def test_on_a_terminal_json_is_printed_where_it_is_asked_for(
    checkout: Path, home: Path, more: list[str], holds_json: bool
) -> None:
    master, slave = pty.openpty()
    ran = run_install_py(checkout, home, "--apply", *more, stdout=slave, stderr=subprocess.PIPE)
    os.close(slave)
    assert ran.returncode == 0
    assert ran.stderr
    try:
        printed = os.read(master, 1 << 16)
    except OSError:  # nothing was written, and nobody holds the other end
        printed = b""
    os.close(master)
    assert printed.startswith(b"{") is holds_json
