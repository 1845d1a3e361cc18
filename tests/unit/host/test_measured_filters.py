"""Matchers and rules against what the client did: every row of a recording of real sessions.

`measured_filters.json` holds grids: calls the model made, and for each matcher or `if` the calls its hook ran for.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.contract import matcher
from dreamwork_hooks.contract.event import Event, parse_event, sample_event
from dreamwork_hooks.host.rule_matching import holds

MEASURED = json.loads((Path(__file__).parents[2] / "data" / "measured_filters.json").read_text(encoding="utf-8"))

EXCEPTIONS = {
    ("Bash(* x)", "[ rm ] x"): "the client finds no command in a test that goes on after its bracket",
}


def call_event(tool: str, tool_input: dict[str, Any]) -> Event:
    raw = sample_event(MEASURED["event"], MEASURED["project"], tool, tool_input=tool_input)
    return parse_event(raw, cwd_must_exist=False)


GRIDS = [[call_event(tool, given) for tool, given in grid["calls"]] for grid in MEASURED["grids"]]
ROWS = [(number, *row) for number, grid in enumerate(MEASURED["grids"]) for row in grid["ran"]]


def text_of(event: Event) -> str:
    given = event.raw["tool_input"]
    assert isinstance(given, dict)
    return str(given.get("command", given.get("file_path")))


def test_there_are_enough_rows() -> None:
    assert len(ROWS) > 250


@pytest.mark.parametrize(("grid", "key", "text", "ran"), ROWS, ids=[f"{row[0]} {row[1]} {row[2]!r}" for row in ROWS])
def test_a_hook_runs_for_the_calls_the_client_ran_it_for(grid: int, key: str, text: str, ran: list[int]) -> None:
    different = []
    for index, event in enumerate(GRIDS[grid]):
        if key == "matcher":
            fires = matcher.matches(text, event.subject or "")
        else:
            fires = holds(text, event, home=MEASURED["home"]).holds
        if fires != (index in ran) and (text, text_of(event)) not in EXCEPTIONS:
            different.append((text_of(event), fires))
    assert different == []


def test_every_exception_is_still_one() -> None:
    for rule, command in EXCEPTIONS:
        grid, index = next(
            (grid, index)
            for grid, events in enumerate(GRIDS)
            for index, event in enumerate(events)
            if text_of(event) == command
        )
        ran = next(row[3] for row in ROWS if row[0] == grid and row[2] == rule)
        assert holds(rule, GRIDS[grid][index], home=MEASURED["home"]).holds != (index in ran)
