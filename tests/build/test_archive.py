"""The archive is a function of its inputs, and holds what it is said to hold."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from builder.environments import BUILD_VENV, PACKED, PACKER, ROOT, find_interpreters, prepare


def _build(checkout: Path, **env: str) -> bytes:
    output = checkout / "dist" / "dreamwork-hooks.pyz"
    subprocess.run(
        [sys.executable, checkout / "build.py"], check=True, stderr=subprocess.PIPE, env={**os.environ, **env}
    )
    return output.read_bytes()


def _checkout(path: Path, mtime: int, mode: int, source: Path = ROOT) -> Path:
    """A copy of the sources with other dates and modes, as another day and another umask would leave it."""
    path.mkdir(parents=True)
    shutil.copy(source / "build.py", path)
    shutil.copy(source / "pyproject.toml", path)
    shutil.copytree(source / "builder", path / "builder", ignore=shutil.ignore_patterns("__pycache__"))
    prepare()  # the packages are as pinned, wherever they were installed
    (path / ".venv-build").symlink_to(BUILD_VENV)
    shutil.copytree(source / "src", path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for file in path.rglob("*"):
        if file.is_symlink():
            continue
        if file.is_file():
            file.chmod(mode)
        os.utime(file, (mtime, mtime))
    return path


def test_two_builds_on_two_paths_and_two_days_are_the_same_bytes(tmp_path: Path) -> None:
    one = _checkout(tmp_path / "one", 1_600_000_000, 0o644)
    two = _checkout(tmp_path / "a longer path" / "two", 1_700_000_000, 0o600, source=one)
    first = _build(one, TZ="UTC", PYTHONHASHSEED="1")
    second = _build(two, TZ="Asia/Tokyo", PYTHONHASHSEED="2")
    assert first == second


def test_source_date_epoch_is_the_date_of_every_entry(tmp_path: Path) -> None:
    checkout = _checkout(tmp_path / "one", 1_600_000_000, 0o644)
    plain = _build(checkout)
    dated = _build(checkout, SOURCE_DATE_EPOCH="1700000000")
    assert plain != dated
    with zipfile.ZipFile(checkout / "dist" / "dreamwork-hooks.pyz") as archive:
        assert {(2023, 11, 14, 22, 13, 20)} == {entry.date_time for entry in archive.infolist()}


def test_the_archive_is_small_and_has_few_entries(built: Path) -> None:
    with zipfile.ZipFile(built) as archive:
        names = archive.namelist()
    assert built.stat().st_size <= 900_000
    assert len(names) < 300


def test_our_package_lies_at_the_root_and_the_others_where_shiv_expects_them(built: Path) -> None:
    with zipfile.ZipFile(built) as archive:
        names = set(archive.namelist())
    assert {"__main__.py", "environment.json", "dreamwork_hooks/event/door.py", "site-packages/click/core.py"} <= names
    assert not [name for name in names if name.startswith("site-packages/dreamwork_hooks")]


def test_every_interpreter_found_has_its_bytecode(built: Path) -> None:
    with zipfile.ZipFile(built) as archive:
        tags = {name.partition("/")[2] for name in archive.namelist() if name.startswith("bytecode/")}
    assert {f"cpython-{version.replace('.', '')}" for version in find_interpreters()} == tags


def test_the_prefix_leaves_one_line_for_the_installer(built: Path) -> None:
    start = built.read_bytes()[:1024]
    assert start.startswith(b"#!/bin/sh\n")
    assert start.count(b"\npython=''\n") == 1


def test_no_path_of_the_build_machine_is_in_the_archive(built: Path) -> None:
    data = built.read_bytes()
    with zipfile.ZipFile(built) as archive:
        inside = b"".join(archive.read(name) for name in archive.namelist())
    for here in (str(ROOT), str(Path.home())):
        assert os.fsencode(here + "/") not in data + inside


def test_the_pins_are_exact_and_hashed() -> None:
    for line in (PACKED + PACKER).splitlines():
        assert re.fullmatch(r"[a-z]+==[0-9.]+ --hash=sha256:[0-9a-f]{64}", line), line
