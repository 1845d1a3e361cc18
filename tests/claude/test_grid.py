"""The grid asks one session about many configurations and tells their answers apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.claude.grid import Grid, Wired, run_grid
from tests.support.session import Json, Place

MATCHERS = {
    "none": (Wired(), {0, 1, 2}),
    "exact": (Wired("Edit"), {1}),
    "list": (Wired("Write|Edit"), {0, 1}),
    "list with spaces": (Wired("Write, Edit"), {0, 1}),
    "unanchored regex": (Wired("E.it"), {1}),
    "other case": (Wired("edit"), set()),
    "broken regex": (Wired("(Edit"), set()),
}
RULES = {
    "ledger by Write": (Wired(if_="Write(**/.dreamwork/*.md)"), {0}),
    "ledger by Edit": (Wired(if_="Edit(**/.dreamwork/*.md)"), {1}),
    "two rules in one": (Wired(if_="Edit|Write"), set()),
    "any file of that ending": (Wired(if_="Edit(*.md)"), {1}),
}
CASES = {**MATCHERS, **RULES}


@pytest.fixture(scope="module")
def grid(client: Path, tmp_path_factory: pytest.TempPathFactory) -> Grid:
    place = Place.make(tmp_path_factory.mktemp("grid"))
    path = str(place.project / ".dreamwork/tasks.md")
    calls: list[tuple[str, Json]] = [
        ("Write", {"file_path": path, "content": "one"}),
        ("Edit", {"file_path": path, "old_string": "one", "new_string": "two"}),
        ("Bash", {"command": "true"}),
    ]
    return run_grid(client, place, {name: wired for name, (wired, _) in CASES.items()}, calls, event="PostToolUse")


@pytest.mark.parametrize("name", CASES)
def test_each_handler_runs_for_its_calls_alone(grid: Grid, name: str) -> None:
    assert grid.ran_for[name] == CASES[name][1]


def test_decisions_of_many_cases_are_told_apart_in_one_session(client: Path, tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    answers = {
        "deny": '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}',
        "block": '{"decision":"block","reason":"not this one"}',
        "nothing": "",
        "words": "plain words",
    }
    files = {name: str(place.project / f"{name}.txt") for name in answers}
    wired = {name: Wired(if_=f"Write(/{files[name]})", answer=answer) for name, answer in answers.items()}
    calls: list[tuple[str, Json]] = [("Write", {"file_path": f, "content": "x"}) for f in files.values()]
    grid = run_grid(client, place, wired, calls)
    assert [grid.ran_for[name] for name in answers] == [{0}, {1}, {2}, {3}]
    assert [grid.results[i].is_error for i in range(4)] == [True, True, False, False]
    assert "not this one" in grid.results[1].text
