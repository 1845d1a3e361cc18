"""What README and docs show runs as it stands there, links lead somewhere, and the picture is of a real run."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.edit_picture import PICTURE, drawn
from tests.support.spawn import clean_env
from tests.support.targets import make_target

pytestmark = pytest.mark.once

PAGES = [ROOT / "README.md", ROOT / "SKILL.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES += sorted((ROOT / ".github").glob("*.md"))
# Words of the pages that stand for what a reader has, and what they are here.
STAND_INS = {"EVENT.json": "rm.json", "DIR": ".", "RULE": "tasks/duplicate-id", "./no-rm.sh": "true"}
# Run by other tests, or by whoever runs this one.
RUN_ELSEWHERE = ("python3 build.py", "pip install", "python -m benchmarks", "python3 install.py", "python -c")


def commands() -> list[tuple[str, str]]:
    """(page, command) of each line of a shell block that runs our file."""
    found = []
    for page in PAGES:
        for block in re.findall(r"^```sh\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE):
            for line in block.splitlines():
                command = line.partition("  #")[0].strip()
                if command and not command.startswith(RUN_ELSEWHERE):
                    found.append((page.name, command))
    return found


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    """A project with everything that the pages name."""
    target = make_target(tmp_path / "project")
    events = ROOT / "tests" / "data" / "events"
    shutil.copy(events / "PreToolUse-Bash.json", target / "rm.json")
    shutil.copytree(events, target / "tests" / "data" / "events")
    (target / "good.txt").write_text("Bash(git *)\n")
    (target / "guard.json").write_text('{"hooks": {}}')
    return target


@pytest.mark.parametrize(("page", "command"), commands())
def test_every_command_of_the_pages_runs(page: str, command: str, pyz: Path, project: Path, home: Path) -> None:
    """It may find something (1) but it is no wrong usage (2), no bug (70) and no traceback."""
    words = [STAND_INS.get(word, word) for word in shlex.split(command.partition(" < ")[0])]
    assert words[0].rpartition("/")[2] in ("dreamwork-hooks.pyz", "dwh"), f"{page}: who runs this?"
    env = clean_env(home, PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if words[1] == "init":
        words += ["--yes"]
    ran = subprocess.run([str(pyz), *words[1:]], cwd=project, env=env, stdin=subprocess.DEVNULL, capture_output=True)
    assert ran.returncode in (0, 1), ran.stderr.decode()
    assert b"Traceback" not in ran.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.name))
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / link).exists(), link


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120


def test_the_picture_is_what_the_built_file_says(pyz: Path, tmp_path: Path) -> None:
    """`python -m tests.support.edit_picture` draws it from `dist/`."""
    assert PICTURE.read_text("utf-8") == drawn(pyz, tmp_path / "demo")
