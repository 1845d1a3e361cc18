"""The reference's verdict on each worked example: counts, titles, ids and findings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.ledger.lint import lint, verdict
from dreamwork_hooks.ledger.questions import health, open_question_count

CASES = Path(__file__).parents[2] / "data" / "ledger" / "cases"
NAMES = sorted(path.name for path in CASES.iterdir())
# What we say beyond the reference: it passes over a line that was meant as an entry.
BEYOND: dict[str, list[tuple[str, int, str, str, str | None]]] = {
    "no-entries-star-bullets": [("questions.md", 5, "questions/entry-unread", "error", None)],
    "sub-ids-and-stages": [("tasks.md", 10, "tasks/entry-perhaps-unread", "warning", "#395")],
    "tabs": [
        ("questions.md", 8, "questions/entry-unread", "error", None),
        ("tasks.md", 10, "tasks/entry-unread", "error", "#7"),
    ],
}
SEVERITIES = {"ERROR": "error", "WARN": "warning"}


def read(name: str) -> tuple[bytes | None, bytes | None, dict[str, Any]]:
    directory = CASES / name
    files = [directory / file for file in ("questions.md", "tasks.md")]
    questions, tasks = (file.read_bytes() if file.exists() else None for file in files)
    return questions, tasks, json.loads((directory / "expected.json").read_bytes())


def test_the_worked_examples_are_all_here() -> None:
    assert len(NAMES) == 62


@pytest.mark.parametrize("name", NAMES)
def test_findings_and_verdict_are_those_of_the_reference(name: str) -> None:
    questions, tasks, expected = read(name)
    result = lint(questions, tasks)
    found = [
        (f["file"], f["line"], f["rule"], f["severity"], f["subject"])
        for f in result["findings"]
        if f["severity"] != "advice"
    ]
    wanted = [(f["file"], f["line"], f["rule"], SEVERITIES[f["severity"]], f["subject"]) for f in expected["findings"]]
    beyond = BEYOND.get(name, [])
    assert sorted(found, key=str) == sorted(wanted + beyond, key=str)
    assert verdict([f for f in result["findings"] if not f["rule"].endswith("-unread")]) == expected["verdict"]
    assert result["verdict"] == (expected["verdict"] if not beyond else "errors")


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_those_of_the_reference(name: str) -> None:
    questions, tasks, expected = read(name)
    assert lint(questions, tasks)["counts"] == expected["counts"]


@pytest.mark.parametrize("name", [name for name in NAMES if (CASES / name / "questions.md").exists()])
def test_the_lean_count_of_open_questions_agrees(name: str) -> None:
    questions, _, expected = read(name)
    assert questions is not None
    assert open_question_count(questions) == expected["counts"]["questions"]["open"]
    assert health(questions) == expected["counts"]["questions"]["health"]


@pytest.mark.parametrize("name", NAMES)
def test_one_file_alone_gets_the_same_findings_as_both(name: str) -> None:
    questions, tasks, _ = read(name)
    both = lint(questions, tasks)["findings"]
    for file in ("questions.md", "tasks.md"):
        alone = lint(questions, tasks, only=file)
        assert alone["findings"] == [finding for finding in both if finding["file"] == file]
