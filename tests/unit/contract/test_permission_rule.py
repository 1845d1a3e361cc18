"""Which `if` texts are rules, and where their paths are anchored."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamwork_hooks.contract import permission_rule
from dreamwork_hooks.contract.permission_rule import matches_stars


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


stars = st.text(alphabet="ab*?", max_size=10)


@given(pattern=stars, text=st.text(alphabet="ab?\n", max_size=12))
def test_stars_match_as_the_regular_expression_would(pattern: str, text: str) -> None:
    whole = ".*".join(re.escape(piece) for piece in re.split(r"\*+", pattern))
    assert matches_stars(pattern, text) == bool(re.fullmatch(whole, text, re.DOTALL))
    wild = whole.replace(r"\?", ".")
    assert matches_stars(pattern, text, any_letter="?") == bool(re.fullmatch(wild, text, re.DOTALL))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("*a*a*a*a*a*b", "a" * 20_000),
        ("*git*push*origin*main*", "git push origin " * 1300),
        ("*a?a*" * 50 + "b", "a" * 20_000),
        ("a*" * 5000, "a" * 20_000 + "b"),
    ],
)
def test_many_stars_take_linear_time(pattern: str, text: str) -> None:
    began = time.process_time()
    matches_stars(pattern, text)
    matches_stars(pattern, text, any_letter="?")
    assert time.process_time() - began < 1
