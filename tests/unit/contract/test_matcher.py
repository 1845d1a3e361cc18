"""What a matcher runs for, row by row of what was measured."""

from __future__ import annotations

import time

import pytest

from dreamwork_hooks.contract import matcher

TOOLS = ("Agent", "Bash", "Edit", "NotebookEdit", "Read", "Write")


def ran(text: str | None) -> set[str]:
    return {tool for tool in TOOLS if matcher.matches(text, tool)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(None, set(TOOLS), id="none"),
        pytest.param("", set(TOOLS), id="empty"),
        pytest.param("*", set(TOOLS), id="star"),
        pytest.param(".*", set(TOOLS), id="dot star"),
        pytest.param("Edit", {"Edit"}, id="a plain name is exact"),
        pytest.param("Edit ", {"Edit"}, id="a space after it is dropped"),
        pytest.param("Edit|", {"Edit"}, id="an empty alternative names nothing"),
        pytest.param("edit", set(), id="case matters"),
        pytest.param("Write|Edit", {"Write", "Edit"}, id="list with bars"),
        pytest.param("Write,Edit", {"Write", "Edit"}, id="list with commas"),
        pytest.param("Write, Edit", {"Write", "Edit"}, id="list with comma and space"),
        pytest.param("Write | Edit", {"Write", "Edit"}, id="list with spaced bars"),
        pytest.param("Notebook", set(), id="a part of a name is not a match in the exact form"),
        pytest.param("dit", set(), id="nor its end"),
        pytest.param("_Edit", set(), id="underscore is a name letter"),
        pytest.param("Write-Edit", set(), id="so is a hyphen"),
        pytest.param("^Edit$", {"Edit"}, id="anchored regex"),
        pytest.param("^(Write|Edit)$", {"Write", "Edit"}, id="anchored group"),
        pytest.param(r"\bEdit", {"Edit"}, id="word boundary"),
        pytest.param("Edit.*", {"Edit", "NotebookEdit"}, id="regex is unanchored"),
        pytest.param("E.it", {"Edit", "NotebookEdit"}, id="regex with a dot"),
        pytest.param(r"Edit\b", {"Edit", "NotebookEdit"}, id="boundary at the end"),
        pytest.param("Write|E.*", {"Write", "Edit", "NotebookEdit"}, id="one odd letter makes it a regex"),
        pytest.param("^(?!Edit).*$", set(TOOLS) - {"Edit"}, id="lookahead"),
        pytest.param("(Edit", set(), id="unclosed group"),
        pytest.param("[", set(), id="unclosed class"),
        pytest.param("*Edit", set(), id="nothing to repeat"),
        pytest.param("Write|[", set(), id="a broken half breaks the whole"),
        pytest.param("(?i)edit", set(), id="inline flags are an error there"),
        pytest.param("!Edit", set(), id="no negation"),
        pytest.param("Edit(**/x)", set(), id="a permission rule is not a matcher"),
        pytest.param("Task", {"Agent"}, id="the older name of Agent"),
    ],
)
def test_a_matcher_runs_for_what_was_measured(text: str | None, expected: set[str]) -> None:
    assert expected == ran(text)


@pytest.mark.parametrize(
    ("text", "subject", "expected"),
    [
        pytest.param("Edit$", "Edit\n", False, id="the end is the end, also before a newline"),
        pytest.param(r"^Edit\Z", "EditZ", True, id="backslash Z is a letter"),
        pytest.param("^a{,2}$", "a{,2}", True, id="an open lower bound is literal"),
        pytest.param("^[]$", "]", False, id="an empty class matches nothing"),
        pytest.param("^[^]$", "]", True, id="a negated empty class matches anything"),
        pytest.param("^(?<n>Ed)it$", "Edit", True, id="named groups"),
        pytest.param("^a++$", "aa", False, id="possessive quantifiers are an error"),
        pytest.param("(?P<n>Edit)", "Edit", False, id="the named group of another language is an error"),
        pytest.param(r"^mcp__x__\w+$", "mcp__x__é", False, id="word letters are ASCII"),
    ],
)
def test_regular_expressions_are_read_as_the_client_s_engine_reads_them(
    text: str, subject: str, expected: bool
) -> None:
    assert expected is matcher.matches(text, subject)


def test_a_broken_expression_says_what_is_wrong() -> None:
    assert "matches nothing" in matcher.explain("(Edit")
    assert matcher.read("(?i)edit").form == "invalid"


@pytest.mark.parametrize(
    ("text", "event", "word"),
    [
        pytest.param("bash", "PreToolUse", "`Bash`", id="wrong case"),
        pytest.param("mcp__srv", "PreToolUse", "`mcp__srv.*`", id="a server without its tools"),
        pytest.param("mcp__brave-search", "PreToolUse", ".*", id="a server with a hyphen"),
        pytest.param("Task", "PreToolUse", "Agent", id="an older name"),
        pytest.param("compacted", "SessionStart", "`compact`", id="a source that does not exist"),
        pytest.param("Edit", "Stop", "no matcher", id="an event without matchers"),
        pytest.param("(Edit", "PreToolUse", "without a message", id="a broken expression"),
        pytest.param("^Edt", "PreToolUse", "no known tool_name", id="an expression that can match nothing"),
    ],
)
def test_a_matcher_that_cannot_mean_what_it_says_is_doubted(text: str, event: str, word: str) -> None:
    assert word in " ".join(matcher.doubts(text, event))


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("Edit|Write", "PreToolUse"),
        ("mcp__srv__.*", "PostToolUse"),
        ("compact", "SessionStart"),
        ("", "Stop"),
        (None, "PreToolUse"),
        ("manual", "PreCompact"),
        ("^(Edit|Write)$", "PostToolUse"),
        ("my-agent", "SubagentStart"),
    ],
)
def test_an_ordinary_matcher_raises_no_doubt(text: str | None, event: str) -> None:
    assert matcher.doubts(text, event) == ()


def test_file_names_to_watch_are_split_at_bars_and_absolute_paths_watch_nothing() -> None:
    assert matcher.watched_names(".env|w2.txt|/abs/x") == (".env", "w2.txt")


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+!",
        r"(?:\w|\w|\w|\w|\w|\w|\w|\w|\w|\w)*!",
        r"(\w*)*!",
        r"((\w+)+)+!",
        r"\w*\w*\w*\w*\w*\w*\w*\w*\w*\w*!",
        r"(?:(?:a?){30}){30}a{30}!",
        r"(.*)(.*)(.*)(.*)(.*)(.*)(.*)!",
    ],
)
def test_a_pattern_that_would_be_tried_for_ever_is_not_tried_and_counts_as_a_match(pattern: str) -> None:
    began = time.process_time()
    for subject in ("mcp__" + "a" * 60, "a" * 200):
        assert matcher.read(pattern).matches(subject)
        assert matcher.read(pattern).fully_matches(subject)
    matcher.doubts(pattern, "PreToolUse")
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "pattern", [r"^(Write|Edit)$", r"mcp__.*__.*delete.*", r"mcp__(a|b)__\w+", r"Notebook.*|.*Edit"]
)
def test_patterns_as_people_write_them_are_tried(pattern: str) -> None:
    for subject in ("Bash", "mcp__memory__" + "create_entities" * 3, "x" * 100):
        assert not matcher.read(pattern).matches(subject)
