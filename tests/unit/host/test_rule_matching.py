"""Which calls an `if` holds for: the measured rows, with the four places a file can be."""

from __future__ import annotations

import pytest

from dreamwork_hooks.contract import shell
from dreamwork_hooks.contract.event import parse_event, sample_event
from dreamwork_hooks.host.rule_matching import holds

HOME = "/home/user"
PROJECT = "/home/user/project"
CWD = "/home/user/project"

PLACES = {
    "cwd": f"{CWD}/.dreamwork/tasks.md",
    "sub": f"{CWD}/a/b/.dreamwork/tasks.md",
    "home": f"{HOME}/.dreamwork/tasks.md",
    "outside": "/srv/x/.dreamwork/tasks.md",
}
EVERYWHERE = set(PLACES)


def held(rule: str, path: str, tool: str = "Edit", cwd: str = CWD) -> bool:
    key = "notebook_path" if tool == "NotebookEdit" else "file_path"
    given = {key: path, "content": "", "old_string": "a", "new_string": "b", "new_source": ""}
    event = parse_event(sample_event("PreToolUse", cwd, tool, tool_input=given), cwd_must_exist=False)
    return holds(rule, event, home=HOME).holds


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("", EVERYWHERE),
        ("Edit", EVERYWHERE),
        ("Edit(*)", EVERYWHERE),
        ("Edit(**)", EVERYWHERE),
        ("Edit(**/.dreamwork/*.md)", EVERYWHERE),
        ("Edit(//**/.dreamwork/tasks.md)", EVERYWHERE),
        ("Edit(/**/.dreamwork/tasks.md)", {"cwd", "sub"}),
        ("Edit(.dreamwork/tasks.md)", {"cwd"}),
        ("Edit(./.dreamwork/tasks.md)", {"cwd"}),
        ("Edit(/.dreamwork/tasks.md)", {"cwd"}),
        ("Edit(tasks.md)", {"cwd", "sub"}),
        ("Edit(*.md)", EVERYWHERE),
        ("Edit(~/**/tasks.md)", {"cwd", "sub", "home"}),
        ("Edit(/srv/x/.dreamwork/tasks.md)", {"outside"}),
        ("Edit(//srv/x/.dreamwork/tasks.md)", {"outside"}),
        ("Edit(///srv/x/.dreamwork/tasks.md)", {"outside"}),
        ("Edit([qt]*.md)", {"cwd", "sub"}),
        ("Edit({questions,tasks}.md)", set()),
        ("Edit(!tasks.md)", set()),
        ("*", set()),
        ("Edit|Write", set()),
        ("Edit(*.md) Write(*.md)", set()),
        ("(Edit)", set()),
        ("edit(*.md)", set()),
        ("MultiEdit(*.md)", set()),
        ("Edit(*.md", set()),
        ("Write(*.md)", set()),
        ("Edit(*.txt)", set()),
    ],
)
def test_a_path_rule_holds_in_the_places_measured(rule: str, expected: set[str]) -> None:
    assert expected == {place for place, path in PLACES.items() if held(rule, path)}


def test_a_relative_rule_moves_with_the_current_directory() -> None:
    inside = f"{PROJECT}/a/.dreamwork/tasks.md"
    assert held("Edit(.dreamwork/tasks.md)", inside, cwd=f"{PROJECT}/a")
    assert not held("Edit(.dreamwork/tasks.md)", inside)


@pytest.mark.parametrize("path", ["a/../x.md", "./x.md", f"{CWD}//x.md", "~/project/x.md"])
def test_the_path_is_normalised_first(path: str) -> None:
    assert held("Edit(x.md)", path)
    assert held(f"Edit({CWD}/x.md)", path)


def test_letter_case_is_ignored_but_where_a_star_reaches_outside() -> None:
    assert held("Edit(Tasks.MD)", f"{PROJECT}/tasks.md")
    assert not held("Edit(*.MD)", f"{HOME}/tasks.md")


def test_notebooks_have_a_rule_of_their_own() -> None:
    assert held("NotebookEdit(*.ipynb)", f"{CWD}/n.ipynb", "NotebookEdit")
    assert not held("Edit(*.ipynb)", f"{CWD}/n.ipynb", "NotebookEdit")


def test_a_rule_on_an_event_without_a_tool_never_holds() -> None:
    event = parse_event(sample_event("Stop", "/"))
    assert not holds("Edit(*.md)", event, home=HOME).holds


@pytest.mark.parametrize(
    ("pattern", "command", "expected"),
    [
        ("git *", "git status", True),
        ("git *", "git", True),
        ("git *", "gitk", False),
        ("git:*", "git status", True),
        ("git status", "git status", True),
        ("git status", "git status -s", False),
        ("echo *", "FOO=1 echo x", True),
        ("rm *", "cd a; rm x", True),
        ("rm *", "cd a && rm x || true", True),
        ("rm *", "cat x | rm y", True),
        ("rm *", "ls\nrm x", True),
        ("rm *", "echo 'a; rm x'", False),
        ("rm *", 'echo "a && rm x"', False),
        ("rm *", r"echo a\; rm x", False),
        ("make", "make 2>&1", True),
        ("npm * test", "npm run test", True),
        ("rm *", "cat <<E\nx\nE", None),
        ("rm *", "echo $(ls)", False),
        ("rm x", "echo $(ls)", None),
        ("rm x", "echo `ls`", None),
        ("ls", "echo $(ls)", True),
        ("rm *", "echo '$(ls)'", False),
        ("rm *", 'echo "open', None),
    ],
)
def test_a_shell_rule(pattern: str, command: str, expected: bool | None) -> None:
    assert expected is shell.holds(pattern, command)


def test_an_unsure_shell_rule_runs() -> None:
    event = parse_event(sample_event("PreToolUse", "/", "Bash", tool_input={"command": "cat <<E\nE"}))
    assert holds("Bash(rm *)", event, home="/h").holds
