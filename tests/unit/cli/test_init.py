"""`init`: a sound project from nothing, and nothing of a person's changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dreamwork_hooks.cli.main import main
from dreamwork_hooks.targets.consent import refusal
from dreamwork_hooks.targets.status import read_status

FILES = {".dreamwork/questions.md", ".dreamwork/tasks.md", ".dreamwork/status.json"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tank").mkdir()
    monkeypatch.chdir(tmp_path / "tank")
    return tmp_path / "tank"


def ran(*words: str, status: int = 0) -> Result:
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == status, done.output
    return done


def held(project: Path) -> dict[str, bytes]:
    return {path.relative_to(project).as_posix(): path.read_bytes() for path in project.rglob("*") if path.is_file()}


def test_what_it_writes_is_a_sound_target(project: Path) -> None:
    ran("init", "--yes", "--consent")
    assert set(held(project)) == FILES | {"DREAMWORK.md"}
    assert ran("lint").stdout.startswith("The ledger is sound")
    assert refusal(str(project)) is None
    status = read_status(str(project))
    assert (status.current_task_ids, status.note) == ([1], None)


def test_nothing_is_written_without_a_word(project: Path) -> None:
    shown = ran("init", status=2)
    assert held(project) == {}
    assert "nothing was written" in shown.output
    assert "Next id: **2**" in shown.output, "what would be written is shown"


def test_consent_is_given_only_on_the_persons_word(project: Path) -> None:
    shown = ran("init", "--yes")
    assert set(held(project)) == FILES
    assert "- Load: `ud-dreamwork-hooks`" in shown.stdout, "what to write is said"
    assert "`init --consent` writes them" in shown.stdout
    ran("init", "--consent")
    assert "- Load: `ud-dreamwork-hooks`" in (project / "DREAMWORK.md").read_text()


def test_a_second_time_changes_nothing(project: Path) -> None:
    ran("init", "--yes", "--consent")
    (project / ".dreamwork" / "tasks.md").write_text("mine")
    before = held(project)
    ran("init", "--yes", "--consent")
    assert held(project) == before


def test_what_is_there_is_kept_and_the_rest_is_added(project: Path) -> None:
    (project / ".dreamwork").mkdir()
    (project / ".dreamwork" / "tasks.md").write_text("mine")
    (project / "DREAMWORK.md").write_text("# Mine\n\n- Load: ud-dreamwork-hooks\n")
    shown = ran("init", "--yes", "--consent")
    after = held(project)
    assert set(after) == FILES | {"DREAMWORK.md"}
    assert after[".dreamwork/tasks.md"] == b"mine"
    assert after["DREAMWORK.md"] == b"# Mine\n\n- Load: ud-dreamwork-hooks\n"
    assert "line 3 is nearly it" in shown.stdout


def test_a_dangling_link_is_not_written_through(project: Path, tmp_path: Path) -> None:
    (project / ".dreamwork").mkdir()
    (project / ".dreamwork" / "tasks.md").symlink_to(tmp_path / "elsewhere")
    ran("init", "--yes")
    assert not (tmp_path / "elsewhere").exists()


def test_a_place_that_cannot_be_written_is_named(project: Path) -> None:
    (project / ".dreamwork").write_text("a file")
    assert "cannot be written" in ran("init", "--yes", status=2).output
