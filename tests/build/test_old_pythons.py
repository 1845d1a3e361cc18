"""build.py and install.py say in one sentence what they cannot work with, on any Python, and write nothing."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from builder.environments import ROOT

OLD = sorted(Path.home().glob(".pyenv/versions/[23].*/bin/python"))
TOO_OLD = [python for python in OLD if python.parents[1].name.startswith(("2.", "3.6.", "3.7.", "3.8."))]


def run(python: Path | str, *words: Path | str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in (python, *words)],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": os.defpath, **env},
    )


@pytest.mark.skipif(not TOO_OLD, reason="no Python older than 3.9 on this machine")
@pytest.mark.parametrize("python", TOO_OLD, ids=lambda path: str(path.parents[1].name))
def test_a_python_that_is_too_old_is_told_so(python: Path) -> None:
    ran = run(python, ROOT / "build.py")
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert "needs python3 3.9 or newer" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_the_front_of_the_build_has_nothing_that_an_old_python_cannot_parse() -> None:
    tree = ast.parse((ROOT / "build.py").read_text("utf-8"))
    for node in ast.walk(tree):
        assert not isinstance(node, (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.AsyncFunctionDef)), ast.dump(node)
        assert not (isinstance(node, ast.arg) and node.annotation), ast.dump(node)
        assert not (isinstance(node, ast.FunctionDef) and node.returns), ast.dump(node)
        assert not (isinstance(node, ast.ImportFrom) and node.module == "__future__"), ast.dump(node)


@pytest.mark.parametrize(("missing", "said"), [("zipfile", "lacks a part"), ("ensurepip", "no venv with pip")])
def test_a_python_without_a_part_of_its_library_is_told_the_package(tmp_path: Path, missing: str, said: str) -> None:
    """As on Debian, where python3-minimal has no zipfile and python3 no ensurepip."""
    for name in ("build.py", "builder", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    front = (
        "import sys, runpy; sys.modules[sys.argv.pop(1)] = None; sys.argv[0] = sys.argv[1]; del sys.argv[1];"
        "sys.path.insert(0, sys.argv.pop()); from builder import environments as e; import pathlib;"
        "e.BUILD_VENV = pathlib.Path(sys.path[0], 'none'); e.ROOT = pathlib.Path(sys.path[0]);"
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    if missing == "zipfile":
        front = (
            "import sys, runpy; sys.modules[sys.argv.pop(1)] = None; sys.argv[0] = sys.argv.pop(1); sys.argv.pop();"
            "runpy.run_path(sys.argv[0], run_name='__main__')"
        )
    ran = run(sys.executable, "-c", front, missing, ROOT / "build.py", tmp_path)
    assert ran.returncode == 1, ran
    assert said in ran.stderr, ran
    assert "apt install" in ran.stderr
    assert "Traceback" not in ran.stderr
