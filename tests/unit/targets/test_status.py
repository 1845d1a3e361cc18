"""The current task and what else `status.json` says, whatever it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.targets.status import MAX_IDS, MAX_TEXT, parse_status, read_status

DATA = Path(__file__).parents[2] / "data" / "status"
EXPECTED: dict[str, dict[str, Any]] = json.loads((DATA / "expected.json").read_text("utf-8"))


def test_every_sample_has_its_expectation() -> None:
    assert sorted(EXPECTED) == sorted(path.name for path in DATA.glob("*.json") if path.name != "expected.json")


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_sample_is_read_as_expected(name: str) -> None:
    expected = EXPECTED[name]
    status = parse_status((DATA / name).read_bytes())
    assert (status.note is None) is expected["readable"]
    current = expected["task"] if isinstance(expected["task"], str) else expected["current_task"]
    assert status.current_task == current
    assert status.goal == expected["goal"]
    ids = expected["current_task_ids"]
    good = [item for item in ids if not isinstance(item, bool)] if isinstance(ids, list) else []
    assert status.current_task_ids == good
    waiting = expected["awaiting_human"]
    assert status.awaiting_human == (len(waiting) if isinstance(waiting, list) else None)


def test_no_file_is_unknown_and_says_so(tmp_path: Path) -> None:
    status = read_status(str(tmp_path))
    assert status.current_task is None
    assert status.note == "status.json is not there"


@pytest.mark.parametrize(
    "text",
    ["", "  ", "[", "nul", "[]", "7", '"x"', "NaN", "[" * 5000, '{"task":', '{"a":1}{"b":2}', "\x00"],
    ids=repr,
)
def test_what_is_no_object_is_unknown_and_noted(text: str) -> None:
    status = parse_status(text.encode())
    assert status.note is not None
    assert status.current_task is None
    assert status.current_task_ids == []


def test_texts_are_bounded_and_on_one_line() -> None:
    status = parse_status(json.dumps({"task": "a\n\x1b[31mb\u202e" + "x" * 10_000, "goal": "\n"}).encode())
    assert status.current_task is not None
    assert status.current_task.startswith("a [31mb")
    assert len(status.current_task) == MAX_TEXT
    assert status.goal is None


def test_ids_are_bounded_in_number_and_in_length() -> None:
    ids = [10**20, True, 1.5, None, [], "9" * 500, *range(100)]
    status = parse_status(json.dumps({"current_task_ids": ids}).encode())
    assert len(status.current_task_ids) <= MAX_IDS
    assert status.current_task_ids[0] == "9" * 19 + "…"
    assert 10**20 not in status.current_task_ids
    assert all(not isinstance(item, bool) for item in status.current_task_ids)
