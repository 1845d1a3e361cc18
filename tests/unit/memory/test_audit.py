"""What an audit says of a summary, fact by fact."""

from __future__ import annotations

from typing import Any

import pytest

from dreamwork_hooks.memory.audit import audit_record, fates, summary_proper
from dreamwork_hooks.memory.facts import KINDS, facts_of, lost_facts, lost_first

Json = dict[str, Any]


def holding(kind: str, text: str) -> Json:
    evidence: Json = {"files": [], "commands": [], "failing_tests": [], "numbers": []}
    record: Json = {"target": "/home/u/project", "current_task": None, "current_task_ids": [], "evidence": evidence}
    if kind == "task":
        record["current_task"] = text
    elif kind == "id":
        record["current_task_ids"] = [int(text) if text.isdigit() else text]
    elif kind == "command":
        evidence["commands"] = [{"command": text, "exit": 0}]
    else:
        evidence[{"file": "files", "test": "failing_tests", "number": "numbers"}[kind]] = [text]
    return record


FATES = [
    ("task", "fit the valve", 'The current task is "fit the valve".', "kept"),
    ("task", "fit the valve", "We fit\n  the valve now", "kept"),
    ("task", 'fit the "big" valve', "task: \"fit the 'big' valve\"", "kept"),
    ("task", 'fit the "big" valve', '{"task":"fit the \\"big\\" valve"}', "kept"),
    ("task", "fit the valve", "the valve was to fit", "part"),
    ("task", "fit the valve", "work went on", "lost"),
    ("task", "fit the valve", "the fitting went on", "lost"),
    ("id", "7", "task #7 is next", "kept"),
    ("id", "7", "task 7 is next", "part"),
    ("id", "7", "#71 and #17 and 7 files", "lost"),
    ("id", "9a", "#9a", "kept"),
    ("id", "9a", "on 9a", "part"),
    ("file", "src/pump.py", "edited src/pump.py.", "kept"),
    ("file", "src/pump.py", "edited /home/u/project/src/pump.py", "kept"),
    ("file", "src/pump.py", "edited /home/u/other/src/pump.py", "part"),
    ("file", "src/pump.py", "edited `pump.py`", "part"),
    ("file", "src/pump.py", "edited bilge-pump.py and pump.pyc", "lost"),
    ("file", "pump.py", "edited src/pump.py", "part"),
    ("file", "pump.py", "edited ./pump.py and more", "kept"),
    ("command", "pytest -q tests/unit", "ran `pytest -q  tests/unit`", "kept"),
    ("command", "curl -H 'X: ***' https://x", "curl -H 'X: abc' https://x", "kept"),
    ("command", "make all in the long…", "make all in the longer run", "kept"),
    ("command", "pytest -q tests/unit", "ran pytest on tests/unit", "part"),
    ("command", "pytest -q tests/unit", "ran the tests", "lost"),
    ("command", "ls", "ls", "kept"),
    ("command", "***", "anything", "lost"),
    ("test", "tests/a.py::test_x", "tests/a.py::test_x fails", "kept"),
    ("test", "tests/a.py::test_x", "a test fails", "lost"),
    ("number", "340 ms", "took 340ms", "kept"),
    ("number", "340 ms", "took 340", "part"),
    ("number", "340 ms", "was slow", "lost"),
]


@pytest.mark.parametrize(("kind", "text", "summary", "expected"), FATES)
def test_a_fact_is_kept_in_part_or_lost(kind: str, text: str, summary: str, expected: str) -> None:
    (((found, _), fate),) = fates(holding(kind, text), f"<summary>{summary}</summary>")
    assert (found, fate) == (kind, expected)


def test_only_the_summary_itself_counts() -> None:
    assert summary_proper("<analysis>a</analysis>\n<summary>b</summary>") == "b"
    assert summary_proper("<analysis>a</analysis>b") == "b"
    assert summary_proper("<summary>b") == "b"
    assert summary_proper("b") == "b"


def test_the_record_counts_by_kind_and_lists_what_was_lost() -> None:
    held: Json = {"ts": "t", "session_id": "s", "target": "/t", "current_task": "fit", "current_task_ids": [7, 8]}
    made = audit_record(held, {"trigger": "auto"}, fates(held, "fit #7"), "now")
    assert made["facts"] == {"task": [1, 0, 0], "id": [1, 0, 1]}
    assert lost_facts(made) == [("id", "#8")]
    assert next(iter(made)) == "ts"
    assert list(made)[-1] == "note"
    assert made["steered"] is True


def test_a_fact_held_twice_is_one_fact() -> None:
    evidence = {"commands": [{"command": "ls", "exit": 0}, {"command": "ls", "exit": 1}]}
    assert facts_of({"evidence": evidence}) == [("command", "ls")]


@pytest.mark.parametrize(
    "record",
    [{}, {"evidence": 1, "current_task": 1, "current_task_ids": 1}, {"evidence": {"files": [1], "commands": [1, {}]}}],
)
def test_a_record_of_another_shape_holds_nothing(record: Json) -> None:
    assert facts_of(record) == []


def test_what_was_lost_comes_first_of_its_kind_and_a_task_only_while_it_is_held() -> None:
    held = [("task", "now"), ("file", "a"), ("file", "b"), ("number", "1 ms")]
    lost = [("task", "before"), ("file", "b"), ("file", "gone")]
    assert lost_first(held, lost) == [
        ("task", "now"),
        ("file", "b"),
        ("file", "gone"),
        ("file", "a"),
        ("number", "1 ms"),
    ]
    assert [kind for kind, _ in lost_first(held, lost)] == sorted(
        (k for k, _ in lost_first(held, lost)), key=KINDS.index
    )
