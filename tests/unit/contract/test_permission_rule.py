"""Which `if` texts are rules, and where their paths are anchored."""

from __future__ import annotations

import pytest

from dreamwork_hooks.contract import permission_rule


@pytest.mark.parametrize(
    ("text", "tool", "pattern", "subject"),
    [
        ("Write", "Write", None, "path"),
        ("Write(*)", "Write", None, "path"),
        ("Write(**)", "Write", None, "path"),
        ("Edit(**/.dreamwork/*.md)", "Edit", "**/.dreamwork/*.md", "path"),
        ("Bash(git *)", "Bash", "git *", "command"),
        ("Bash(echo (x))", "Bash", "echo (x)", "command"),
        ("NotebookEdit(*.ipynb)", "NotebookEdit", "*.ipynb", "path"),
        ("mcp__srv__tool", "mcp__srv__tool", None, "other"),
    ],
)
def test_a_rule_names_one_tool_and_maybe_a_pattern(text: str, tool: str, pattern: str | None, subject: str) -> None:
    rule = permission_rule.parse(text)
    assert rule is not None
    assert (tool, pattern, subject) == (rule.tool, rule.pattern, rule.subject)


def test_an_empty_rule_filters_nothing() -> None:
    assert permission_rule.parse("") is None


@pytest.mark.parametrize(
    ("text", "word"),
    [
        pytest.param("*", "name a tool", id="a star alone"),
        pytest.param("Edit|Write", "own handler", id="two tools"),
        pytest.param("Edit(a) Write(b)", "one rule only", id="two rules"),
        pytest.param("(Edit)", "not a rule", id="in parentheses"),
        pytest.param("edit(*.md)", "no tool is called", id="case matters"),
        pytest.param("MultiEdit(*.md)", "no tool is called", id="a tool that is gone"),
        pytest.param("Edit(*.md", "not closed", id="unclosed"),
    ],
)
def test_what_is_no_rule_never_runs_and_says_why(text: str, word: str) -> None:
    with pytest.raises(permission_rule.InvalidRule, match=word):
        permission_rule.parse(text)


@pytest.mark.parametrize(
    ("pattern", "base"),
    [
        ("//**/.dreamwork/tasks.md", "root"),
        ("~/**/x", "home"),
        ("/**/.dreamwork/tasks.md", "cwd"),
        ("./.dreamwork/tasks.md", "cwd"),
        ("tasks.md", "cwd"),
        ("*.md", "anywhere"),
        ("**/.dreamwork/*.md", "anywhere"),
        ("[qt]*.md", "cwd"),
    ],
)
def test_the_first_letters_of_a_path_say_where_it_is_anchored(pattern: str, base: str) -> None:
    assert base == permission_rule.path_pattern(pattern).base
