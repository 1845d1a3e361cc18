"""What an edit of the ledger made, what stood before it, and what was lost: told from the event itself."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.contract.matcher import matches
from dreamwork_hooks.event import posttooluse
from dreamwork_hooks.event.ledger_check import text_before
from dreamwork_hooks.install.handlers import GROUPS
from tests.support.targets import QUESTIONS, TASKS, write_event
from tests.unit.event.test_corelint import answers, stub  # noqa: F401

READ = "- **#3** — read the scale · P2 ·\n"
BROKEN = TASKS.replace(READ, READ + "- **#1** — lay it again · P2 ·\n")


class Edits:
    """One target; each call writes a ledger file and plays the event of it."""

    def __init__(self, target: Path, home: Path) -> None:
        self.target = target
        self.env = {"HOME": str(home)}

    def file(self, name: str = "tasks.md") -> Path:
        return self.target / ".dreamwork" / name

    def __call__(self, text: str | None, before: Any = ..., name: str = "tasks.md", **more: Any) -> dict[str, Any]:
        """Write `text`; `before` is the event's `originalFile` (...: it has none)."""
        if text is not None:
            self.file(name).write_text(text, "utf-8")
        event = write_event(self.file(name), self.target, **more)
        if before is not ...:
            event["tool_response"]["originalFile"] = before
        return self.play(event)

    def play(self, event: dict[str, Any]) -> dict[str, Any]:
        said, after = posttooluse.answer(event, self.env, time.monotonic() + 4)
        if after is not None:
            after()
        json.dumps(said)
        return said


@pytest.fixture
def edits(target: Path, tmp_path: Path) -> Edits:
    home = tmp_path / "some home"
    home.mkdir()
    return Edits(target, home)


def told(said: dict[str, Any]) -> str:
    return str(said.get("hookSpecificOutput", {}).get("additionalContext", ""))


def test_the_first_write_of_an_installation_that_loses_an_entry_is_noticed(edits: Edits) -> None:
    said = edits(TASKS.replace("- **#3** — read the scale · P2 ·\n", ""), before=TASKS)
    assert "ledger/entries-lost" in told(said)
    assert (said["new"], said["standing"]) == (1, 0)


def test_a_question_lost_in_the_first_edit_is_noticed(edits: Edits) -> None:
    now = QUESTIONS.replace("- **2026-04-03 — Paint the tank?** Whenever.\n", "")
    assert "Paint the tank" in told(edits(now, before=QUESTIONS, name="questions.md"))


def test_what_was_lost_before_this_edit_is_said_as_well_and_once(edits: Edits) -> None:
    edits(TASKS, before=TASKS)
    without = TASKS.replace("- **#3** — read the scale · P2 ·\n", "")
    longer = without.replace("fit the valve", "fit both valves")
    assert "#3" in told(edits(longer, before=without))  # somebody else took #3 out
    assert edits(without, before=longer)["lint"] == "clean"


def test_an_entry_put_back_by_the_edit_is_not_lost(edits: Edits) -> None:
    edits(TASKS, before=TASKS)
    assert edits(TASKS, before=TASKS.replace("- **#3** — read the scale · P2 ·\n", ""))["lint"] == "clean"


def backlog(count: int) -> str:
    rows = "".join(f"- **#{n}** — old {n} · origin: **robot** ·\n" for n in range(300, 300 + count))
    return TASKS.replace("Next id: **4**", "Next id: **900**").replace("\n## Recently", rows + "\n## Recently")


def test_what_this_edit_made_comes_first_and_the_backlog_is_a_count_once_it_was_told(edits: Edits) -> None:
    old = backlog(60)
    new = old.replace(READ, "- **#1** — lay it again · P2 ·\n")
    said = edits(new, before=old)
    rows = told(said).split("\n")
    assert (said["new"], said["standing"]) == (2, 60)  # a second entry #1, and no #3 any more
    assert "ledger/entries-lost" in rows[1]
    assert "tasks/duplicate-id" in rows[2]
    assert "origin" in rows[4]  # the backlog, in full as far as there is room
    assert rows[3] == "and what stood before this edit:"
    assert rows[-1].startswith("and ")

    newer = new.replace("fit the valve", "fit both valves")
    again = edits(newer, before=new)
    assert (again["new"], again["standing"]) == (0, 61)
    assert told(again).split("\n")[1:] == ["and 61 older errors, 0 older warnings as before"]
    assert again["ok"] is False


def test_lines_that_move_make_no_finding_new(edits: Edits) -> None:
    old = backlog(3)
    edits(old, before=old)
    moved = old.replace("## Open\n", "## Open\n\n\n\nA word about the order of things.\n\n")
    said = edits(moved, before=old)
    assert (said["new"], said["standing"]) == (0, 3)


def test_the_second_of_two_equal_findings_is_new(edits: Edits) -> None:
    old = TASKS.replace("fit the valve · P1 ·", "fit the valve · landed `PENDING` · P1 ·")
    assert edits(old, before=TASKS)["new"] == 1
    new = old.replace("read the scale · P2 ·", "read the scale · landed `TBD` · P2 ·")
    said = edits(new, before=old)
    assert (said["new"], said["standing"]) == (1, 1)


def test_a_file_made_by_the_write_has_only_new_findings(edits: Edits) -> None:
    said = edits(BROKEN, before=None)
    assert (said["new"], said["standing"]) == (1, 0)


def test_without_a_text_before_new_is_what_was_never_told(edits: Edits) -> None:
    assert edits(BROKEN)["new"] == 1
    said = edits(BROKEN)
    assert (said["new"], said["standing"]) == (0, 1)
    assert told(said).split("\n")[1:] == ["and 1 older error, 0 older warnings as before"]
    bash = write_event("", edits.target, "Bash", tool_input={"command": "x"})
    edits.play(bash)
    edits.file().write_text(BROKEN + "\n", "utf-8")
    assert told(edits.play(bash)) == ""


def test_a_warning_is_told_once(edits: Edits) -> None:
    old = TASKS.replace("fit the valve · P1 ·", "fit the valve · landed `PENDING` · P1 ·")
    assert "landing-placeholder" in told(edits(old, before=TASKS))
    said = edits(old.replace("the scale", "both scales"), before=old)
    assert told(said) == ""
    assert (said["lint"], said["new"], said["standing"]) == ("warnings", 0, 1)


@pytest.mark.parametrize(
    ("tool_input", "before"),
    [
        ({"old_string": "#3", "new_string": "#9"}, "a #3 b"),
        ({"edits": [{"old_string": "x", "new_string": "a"}, {"oldText": "#3", "newText": "#9"}]}, "x #3 b"),
        ({"old_string": "#3", "new_string": "b #9"}, None),  # not in the text: somebody changed it since
        ({"old_string": "#3", "new_string": ""}, None),
        ({"old_string": "z", "new_string": " "}, None),  # in two places
        ({"edits": "x"}, None),
        ({"edits": []}, None),
        ({"content": "x"}, None),
        ("x", None),
    ],
)
def test_the_text_before_an_edit_without_it_is_made_from_its_strings(tool_input: Any, before: str | None) -> None:
    known, text = text_before({"tool_input": tool_input}, b"a #9 b")
    assert known is (before is not None)
    assert text == (before.encode() if before is not None else None)


def test_a_command_that_keeps_size_and_mtime_is_seen(edits: Edits) -> None:
    bash = write_event("", edits.target, "Bash", tool_input={"command": "x"})
    edits.play(bash)
    assert edits.play(bash)["skipped"]
    status = edits.file().stat()
    edits.file().write_text(TASKS.replace("- **#3** — read", "- **#2** — read"), "utf-8")
    os.utime(edits.file(), ns=(status.st_atime_ns, status.st_mtime_ns))
    assert edits.file().stat().st_size == status.st_size
    assert "duplicate-id" in told(edits.play(bash))


def test_a_core_lint_that_cannot_run_is_said_once_to_the_person_and_never_to_the_model(
    edits: Edits,
    stub: Path,  # noqa: F811
) -> None:
    edits.env["DREAMWORK_LINT"] = str(answers(stub, 3, "ERROR tasks.md: made up\n"))
    said = edits(TASKS, before=TASKS)
    assert (said["ok"], said["linter"]) == (False, "core")
    assert "status 3" in said["error"]
    assert "status 3" in said["systemMessage"]
    assert told(said) == ""
    again = edits(TASKS, before=TASKS)
    assert "systemMessage" not in again
    assert "status 3" in again["error"]
    answers(stub, 0, "OK\n")
    assert edits(TASKS, before=TASKS)["ok"] is True
    answers(stub, 3, "")
    assert "systemMessage" in edits(TASKS, before=TASKS)


def test_of_a_verdict_the_model_is_told_the_touched_file_and_nothing_twice(
    edits: Edits,
    stub: Path,  # noqa: F811
) -> None:
    at = BROKEN.split("\n").index("- **#1** — lay the hose · landed `0a1b2c3` ·") + 1
    rows = [
        f"ERROR .dreamwork/tasks.md:{at}: two entries claim #2",
        "ERROR .dreamwork/tasks.md:1: the store disagrees",
        "ERROR .dreamwork/tasks.md:1: the store disagrees",
        "ERROR .dreamwork/questions.md:1: of no concern",
        "OK tasks.md",
    ]
    edits.env["DREAMWORK_LINT"] = str(answers(stub, 1, "\n".join(rows) + "\n"))
    said = edits(BROKEN, before=BROKEN)
    assert said["error"] == "2 errors in tasks.md"
    context = told(said)
    assert context.count("the store disagrees") == 1
    assert "two entries claim" not in context
    assert "of no concern" not in context
    assert "OK" not in context


def test_the_person_is_told_of_new_errors_where_that_was_asked_for(edits: Edits) -> None:
    assert "systemMessage" not in edits(BROKEN, before=TASKS)
    config = Path(edits.env["HOME"], ".config/dreamwork/hooks/config.json")
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('{"notice": true}')
    said = edits(BROKEN, before=TASKS)
    assert said["systemMessage"].startswith("dreamwork-hooks: 1 new error in the ledger, the first: tasks.md:")
    assert "\n" not in said["systemMessage"]
    assert "systemMessage" not in edits(BROKEN, before=BROKEN)


# Other ways a ledger is written -------------------------------------------------------------------------------------


def test_a_ledger_behind_a_linked_directory_is_found_by_either_path(edits: Edits, tmp_path: Path) -> None:
    real = tmp_path / "vault" / "dreams"
    real.parent.mkdir()
    (edits.target / ".dreamwork").rename(real)
    (edits.target / ".dreamwork").symlink_to(real)
    for path in (edits.file(), real / "tasks.md"):
        path.write_text(BROKEN, "utf-8")
        event = write_event(path, edits.target)
        event["tool_response"]["originalFile"] = TASKS
        said = edits.play(event)
        assert (said["new"], said["standing"]) == (1, 0), path
    elsewhere = write_event(real / "tasks.md", tmp_path)
    assert edits.play(elsewhere)["reason"] == "not a ledger file"


def test_a_ledger_file_that_is_a_link_is_found_by_its_real_path(edits: Edits, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    real = tmp_path / "notes" / "tasks.md"
    edits.file().rename(real)
    edits.file().symlink_to(real)
    real.write_text(BROKEN, "utf-8")
    assert "duplicate-id" in told(edits.play(write_event(real, edits.target)))
    assert edits.play(write_event(tmp_path / "tasks.md", edits.target))["reason"] == "not a ledger file"


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("mcp__filesystem__write_file", {"path": None, "content": BROKEN}),
        ("mcp__filesystem__edit_file", {"path": None, "edits": [{"oldText": READ, "newText": "x"}]}),
        ("mcp__serena__create_text_file", {"file_path": None}),
        ("MultiEdit", {"file_path": None, "edits": [{"old_string": "x", "new_string": "y"}]}),
    ],
)
def test_other_writers_are_taken_by_the_path_they_name(edits: Edits, tool: str, tool_input: dict[str, Any]) -> None:
    edits.file().write_text(BROKEN, "utf-8")
    named = {key: value if value is not None else str(edits.file()) for key, value in tool_input.items()}
    event = write_event("", edits.target, tool, tool_input=named, tool_response=[{"type": "text", "text": "done"}])
    assert "duplicate-id" in told(edits.play(event))
    relative = {**named, **({"path": ".dreamwork/tasks.md"} if "path" in named else {})}
    assert "skipped" not in edits.play({**event, "tool_input": relative})


@pytest.mark.parametrize(
    ("tool", "runs"),
    [
        ("mcp__filesystem__write_file", True),
        ("mcp__filesystem__edit_file", True),
        ("mcp__x__create_text_file", True),
        ("mcp__x__read_file", False),
        ("Write", False),
        ("Edit", False),
    ],
)
def test_the_handler_for_mcp_runs_for_tools_that_write(tool: str, runs: bool) -> None:
    (group,) = [group for group in GROUPS if group.option == "mcp"]
    assert matches(str(group.matcher), tool) is runs


def test_severities_beside_the_ledger_and_comments_in_it_hold_for_the_hook(edits: Edits) -> None:
    levels = edits.target / ".dreamwork" / "lint.json"
    levels.write_text('{"rules": {"tasks/duplicate-id": "off"}}')
    assert edits(BROKEN, before=TASKS)["lint"] == "clean"
    levels.write_text('{"rules": {"tasks/duplicate-id": "warning"}}')
    assert edits(BROKEN, before=TASKS)["lint"] == "warnings"
    levels.write_text('{"rules": {"tasks/duplicate-id": "loud"}}')
    said = edits(BROKEN, before=TASKS)
    assert "lint.json: tasks/duplicate-id is to be one of error, warning, advice, off" in said["error"]
    levels.unlink()
    comment = "  <!-- lint-ignore: tasks/duplicate-id -->\n"
    assert edits(BROKEN.replace("`0a1b2c3` ·\n", "`0a1b2c3` ·\n" + comment), before=TASKS)["lint"] == "clean"


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"rules": 1}', '{"rules": {"\\ud800": "off"}}', "\udcff"])
def test_a_file_of_severities_of_any_shape_never_stops_the_lint(edits: Edits, text: str) -> None:
    levels = edits.target / ".dreamwork" / "lint.json"
    levels.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert "tasks/duplicate-id" in told(edits(BROKEN, before=TASKS))


def test_a_pipe_in_place_of_the_severities_is_not_waited_for(edits: Edits) -> None:
    os.mkfifo(edits.target / ".dreamwork" / "lint.json")
    said = edits(BROKEN, before=TASKS)
    assert "tasks/duplicate-id" in told(said)
    assert "lint.json could not be read" in said["error"]
