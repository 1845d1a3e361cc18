"""`skill`: the contract with the loop travels in the one file."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dreamwork_hooks.cli.main import main
from tests.conftest import ROOT

SKILL = (ROOT / "SKILL.md").read_bytes()


def ran(*words: str, status: int = 0) -> Result:
    done = CliRunner().invoke(main, ["skill", *words])
    assert done.exit_code == status, done.output
    return done


def test_it_prints_what_the_repository_holds() -> None:
    assert ran().stdout.encode() == SKILL


def test_it_goes_where_a_core_looks(tmp_path: Path) -> None:
    ran("--core", str(tmp_path))
    assert (tmp_path / "plugins" / "ud-dreamwork-hooks" / "SKILL.md").read_bytes() == SKILL
    assert "up to date" in ran("--core", str(tmp_path)).stdout


def test_it_goes_elsewhere_and_replaces_an_older_one_of_ours(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text("---\nname: ud-dreamwork-hooks\n---\nold")
    ran("--to", str(tmp_path))
    assert (tmp_path / "SKILL.md").read_bytes() == SKILL


def test_another_plugins_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text("---\nname: another\n---\n")
    assert "left alone" in ran("--to", str(tmp_path), status=2).output
    assert (tmp_path / "SKILL.md").read_text() == "---\nname: another\n---\n"


@pytest.mark.parametrize("place", [".claude/skills/x", ".codex/skills", "a/.cursor/b"])
def test_no_harness_gets_it(tmp_path: Path, place: str) -> None:
    assert "belongs to a harness" in ran("--to", str(tmp_path / place), status=2).output
    assert not (tmp_path / place).exists()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "not a directory" in ran("--to", str(tmp_path / "file" / "x"), status=2).output
