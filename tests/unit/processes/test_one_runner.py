"""Nothing starts a process but the one runner, and the core lint on the event path."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "src" / "dreamwork_hooks"
RUNNERS = {"processes/running.py", "event/corelint.py"}
MODULES = ("subprocess", "pty", "multiprocessing", "_posixsubprocess")
CALLS = ("fork", "forkpty", "posix_spawn", "posix_spawnp", "system", "popen")


def starts(tree: ast.AST) -> Iterator[str]:
    """What a module takes to start a process. `os.exec*` starts none: it becomes another program."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] in MODULES)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module.split(".")[0] in MODULES or module == "asyncio":
                yield module
            if module in ("os", "posix"):
                yield from (name.name for name in node.names if name.name in CALLS or name.name.startswith("spawn"))
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("os", "posix"):
            yield from [node.attr] if node.attr in CALLS or node.attr.startswith("spawn") else []


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_the_one_runner_starts_a_process(path: Path) -> None:
    found = set(starts(ast.parse(path.read_text("utf-8"))))
    assert bool(found) == (str(path.relative_to(PACKAGE)) in RUNNERS), found


@pytest.mark.parametrize("text", ["import subprocess as s", "from os import system", "import os\nos.spawnv(0, '', [])"])
def test_it_is_seen_however_it_is_written(text: str) -> None:
    assert list(starts(ast.parse(text)))
