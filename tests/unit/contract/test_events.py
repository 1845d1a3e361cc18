"""The event table against the recorded events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from builder.archive import DATA
from dreamwork_hooks.contract import events
from dreamwork_hooks.contract.events import SUPPORT, Cell, EventSpec
from tests.conftest import ROOT

RECORDED = sorted((Path(__file__).parents[2] / "data" / "events").glob("*.json"))
JSON_TYPES = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    dict: "object",
    list: "array",
    type(None): "null",
}


def test_there_are_recordings() -> None:
    assert len(RECORDED) >= 60


@pytest.mark.parametrize("path", RECORDED, ids=lambda p: p.stem)
def test_every_recorded_key_is_in_the_table_with_its_type(path: Path) -> None:
    recorded = json.loads(path.read_text(encoding="utf-8"))
    spec = events.EVENTS[recorded["hook_event_name"]]
    for key, value in recorded.items():
        field = spec.field(key)
        assert field is not None, f"{spec.name} has no field {key}"
        assert JSON_TYPES[type(value)] in field.types
        assert not field.values or value in field.values
    missing = [f.name for f in spec.fields if f.required and f.name not in recorded]
    assert missing == []


@pytest.mark.parametrize("spec", events.EVENTS.values(), ids=lambda s: s.name)
def test_every_cell_says_what_it_rests_on(spec: EventSpec) -> None:
    cells: list[Cell[Any]] = [spec.matcher, spec.timeout, spec.blocking, *spec.answers.values()]
    for cell in cells:
        assert cell.evidence.level in get_args(events.Level)
        assert (cell.evidence.client is not None) == (cell.evidence.level == "measured")
    for part, cell in spec.answers.items():
        assert cell.value in events.MEANING
        if cell.value == "unknown":
            assert cell.evidence.level == "unverified", part
    assert set(events.COMMON_PARTS) <= set(spec.answers)
    assert spec.support in SUPPORT
    assert spec.matcher.value is None or spec.matcher.value in {f.name for f in spec.fields} | {
        "error",
        "mcp_server_name",
    }


TABLE = (Path(events.__file__).parent / "events.txt").read_text("utf-8")
KEYWORDS = {
    "client",
    "effect",
    "fields",
    "event",
    "since",
    "matcher",
    "input",
    "timeout",
    "env",
    "traits",
    "answer",
    "note",
}


def test_the_table_is_written_in_the_words_the_code_knows() -> None:
    """A misspelt word in the file would else be a fact that nobody reads."""
    assert {line.split()[0] for line in TABLE.splitlines() if line and line[0] != "#"} <= KEYWORDS
    assert set(events.MEANING) == set(get_args(events.Effect))
    assert set(events.TRAITS) == set(get_args(events.Trait))
    for spec in events.EVENTS.values():
        assert set(spec.answers) <= set(get_args(events.Part))
        assert spec.traits <= set(events.TRAITS)
        assert {word for field in spec.fields for word in field.types} <= set(JSON_TYPES.values())
        assert {part for part, cell in spec.answers.items() if cell.note} == noted(spec.name)


def noted(event: str) -> set[str]:
    """The parts of an answer the file has a note on."""
    block = next(block for block in TABLE.split("\n\n") if block.startswith(f"event    {event} "))
    return {line.split(None, 1)[1].split(" -- ")[0] for line in block.splitlines() if line.startswith("note")}


def test_the_table_goes_where_the_package_goes() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert '"dreamwork_hooks.contract" = ["events.txt"]' in project
    assert "dreamwork_hooks/contract/events.txt" in DATA


def test_an_event_that_was_never_seen_is_only_listed() -> None:
    recorded = {json.loads(p.read_text(encoding="utf-8"))["hook_event_name"] for p in RECORDED}
    assert {s.name for s in events.EVENTS.values() if s.support == "listed"} == set(events.EVENTS) - recorded


def test_kinds_are_unique() -> None:
    kinds = [spec.kind for spec in events.EVENTS.values()]
    assert len(kinds) == len(set(kinds))


def test_the_questions_a_checker_asks() -> None:
    assert events.is_known("PreCompact")
    assert not events.is_known("PreCommit")
    assert events.nearest("precompact") == "PreCompact"
    assert events.takes_matcher("PreToolUse")
    assert not events.takes_matcher("Stop")
    blocking = {name for name in events.EVENTS if events.can_block(name)}
    assert {
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest",
        "PostToolBatch",
        "Stop",
        "SubagentStop",
        "PreCompact",
        "ConfigChange",
        "UserPromptExpansion",
        "PreModelSwitch",
        "PreSkillShellCommand",
    } == blocking
