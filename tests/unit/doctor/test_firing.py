"""That the hooks fire is seen in what they noted and in what Claude Code wrote down, or it is not said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamwork_hooks.cli import doctor
from dreamwork_hooks.doctor.checks import FAIL, OK, WARN, Check
from dreamwork_hooks.doctor.status import status
from dreamwork_hooks.install.install import install
from dreamwork_hooks.install.request import Request, World
from dreamwork_hooks.memory.state import slug
from tests.support.bench import Bench
from tests.support.history import line as run_line
from tests.support.targets import BROKEN_TASKS, make_target

INSTALLED = 1_700_000_000.0  # 2023-11-14T22:13:20Z
DAY = 86400.0


@pytest.fixture
def project(bench: Bench) -> Path:
    return make_target(bench.root / "project")


def world(bench: Bench, now: float) -> World:
    return World(bench.env, str(bench.root), now=lambda: now, patience=0.0, checkout=str(bench.checkout))


def runs(bench: Bench, project: Path, now: float = INSTALLED + 20 * DAY) -> list[Check]:
    found = doctor.examine(world(bench, now), str(project), str(bench.root / "managed.json"))
    return [check for check in found if check.about == "runs" and "no hook has run" not in check.line]


def wrote(bench: Bench, project: Path, *lines: str) -> None:
    name = "".join(char if char.isalnum() else "-" for char in str(project))
    directory = bench.home / ".claude" / "projects" / name
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "s.jsonl").write_text("".join(lines))


def boundary(at: str, number: int, **more: object) -> str:
    told = {"type": "system", "subtype": "compact_boundary", "timestamp": at, "uuid": f"u{number}", **more}
    return json.dumps({**told, "compactMetadata": {"trigger": "auto"}}) + "\n"


def noted(bench: Bench, project: Path, at: str) -> None:
    directory = bench.state / slug(str(project.resolve()))
    directory.mkdir(parents=True, mode=0o700, exist_ok=True)
    (directory / "last-runs.json").write_text(json.dumps({"precompact": {"run": at, "ok": at}, "target": str(project)}))


@pytest.fixture
def installed(bench: Bench) -> Bench:
    assert install(world(bench, INSTALLED), Request()).status == 0
    return bench


def test_compactions_without_a_run_since_the_installation_are_a_failure(installed: Bench, project: Path) -> None:
    wrote(
        installed,
        project,
        boundary("2023-11-01T00:00:00Z", 1),  # before it
        boundary("2023-11-20T00:00:00Z", 2),
        boundary("2023-11-21T00:00:00Z", 3, isSidechain=True),  # a subagent's
        boundary("2023-11-22T00:00:00Z", 4),
    )
    (found,) = runs(installed, project)
    assert found.state == FAIL
    assert "installed 20 days ago, 2 compactions of this project since" in found.line
    noted(installed, project, "2023-11-13T00:00:00Z")  # a run of an earlier installation
    assert any(check.state == FAIL for check in runs(installed, project))
    noted(installed, project, "2023-11-20T00:00:01Z")
    assert [check.state for check in runs(installed, project)] == [OK]


def test_without_a_compaction_since_the_installation_nothing_is_amiss(installed: Bench, project: Path) -> None:
    wrote(installed, project, boundary("2023-11-01T00:00:00Z", 1))
    assert runs(installed, project, INSTALLED + DAY) == []


def test_a_project_the_hooks_skip_is_not_held_against_them(installed: Bench, project: Path) -> None:
    wrote(installed, project, boundary("2023-11-20T00:00:00Z", 2))
    (project / "DREAMWORK.md").unlink()
    assert runs(installed, project) == []


def test_failures_that_the_client_wrote_down_are_counted_with_the_last_one_s_reason(
    installed: Bench, project: Path
) -> None:
    ours = f"'{installed.program}' posttooluse"
    noted(installed, project, "2023-11-20T00:00:00Z")
    wrote(
        installed,
        project,
        *[run_line(command=ours)] * 3,
        run_line("hook_non_blocking_error", "somebody-else", stderr="not ours"),
        run_line("hook_non_blocking_error", ours, stderr="Failed with non-blocking status code: no such file\nx"),
    )
    found = [check for check in runs(installed, project) if check.state == FAIL]
    assert len(found) == 1
    assert "failed in 1 of the last 4 runs" in found[0].line
    assert found[0].line.endswith("failed: no such file")


# Where the hooks stand ----------------------------------------------------------------------------------------------


@pytest.fixture
def examine(bench: Bench) -> Callable[[Path], list[Check]]:
    return lambda directory: doctor.examine(bench.world(), str(directory), str(bench.root / "managed.json"))


def test_from_a_directory_below_it_is_said_where_the_hooks_stand(
    bench: Bench, project: Path, examine: Callable[[Path], list[Check]]
) -> None:
    bench.install(scope="project", target=str(project))
    below = project / "a" / "b"
    below.mkdir(parents=True)
    (found,) = [check for check in examine(below) if check.about == "wiring" and check.state == FAIL]
    assert str(project / ".claude" / "settings.json") in found.line
    assert "does not read" in found.line


def test_no_advice_leads_to_wiring_twice(bench: Bench, project: Path) -> None:
    bench.install(scope="project", target=str(project))
    bench.program.unlink()  # a colleague has the settings alone
    told = status(bench.world(), str(project), managed="/none")
    assert told.answer["wired"] is False
    assert "--scope project" in str(told.answer["command"])


def test_where_nothing_asks_for_our_hooks_their_absence_needs_nobody(
    bench: Bench, examine: Callable[[Path], list[Check]]
) -> None:
    """A person who only tests hooks of their own has none of ours, and no fault."""
    elsewhere = bench.root / "elsewhere"
    elsewhere.mkdir()
    assert [check for check in examine(elsewhere) if check.about == "wiring" and check.state == FAIL] == []


# What it means for this project -------------------------------------------------------------------------------------


def test_a_project_that_is_skipped_is_not_well_and_the_line_it_lacks_can_be_pasted(
    bench: Bench, project: Path, examine: Callable[[Path], list[Check]]
) -> None:
    bench.install()
    (project / "DREAMWORK.md").write_text("# Ours\n")
    (found,) = [check for check in examine(project) if check.state in (WARN, FAIL)]
    assert "skip this target" in found.line
    assert found.command == "- Load: `ud-dreamwork-hooks`"


def test_a_ledger_with_errors_is_not_well(bench: Bench, project: Path, examine: Callable[[Path], list[Check]]) -> None:
    bench.install()
    (project / ".dreamwork" / "tasks.md").write_text(BROKEN_TASKS)
    (found,) = [check for check in examine(project) if check.state in (WARN, FAIL)]
    assert found.line.startswith("embedded lint: errors")
    assert "lint --project" in found.command


def test_a_pinned_interpreter_without_a_stand_in_is_said(
    bench: Bench, project: Path, examine: Callable[[Path], list[Check]]
) -> None:
    bench.install()
    stub = bench.root / "stubs" / "python3"
    stub.parent.mkdir()
    bench.env["PATH"] = f"{stub.parent}:{bench.env['PATH']}"
    stub.write_text("#!/bin/sh\nexit 2\n")
    stub.chmod(0o755)
    (line,) = [check.line for check in examine(project) if check.about == "python"]
    assert "were it gone, python3 on your PATH would not do" in line
