"""The permission rule in a handler's `if`: `Tool` or `Tool(pattern)`, and one only.

This module reads the text; `host.rule_matching` holds a rule against an event, since path patterns need
`pathspec`. All measured unless said otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from dreamwork_hooks.contract import tools

_TOOL_NAME = r"[A-Za-z_][\w.\-]*"
_RULE = re.compile(rf"({_TOOL_NAME})(?:\((.*)\))?", re.DOTALL)

Subject = Literal["path", "command", "other"]
Base = Literal["anywhere", "root", "home", "cwd"]
"""Where a path pattern is anchored."""


class InvalidRule(ValueError):
    """The client cannot use the rule: the handler never runs, and no message says so."""


@dataclass(frozen=True)
class PermissionRule:
    """A rule, read. `pattern` is None when every call of the tool is meant, `subject` what it is held against."""

    text: str
    tool: str
    pattern: str | None = None
    subject: Subject = "other"
    note: str = ""

    def names(self, tool: str) -> bool:
        """Whether the rule is about that tool. `Edit(...)` does not cover Write, nor notebooks."""
        return self.tool == tool


@dataclass(frozen=True)
class PathPattern:
    """A path pattern and the place it is anchored, in gitignore notation below it.

    `literal` is set when the text may as well be an absolute path, which then matches that file alone.
    """

    base: Base
    pattern: str
    literal: str | None = None


def parse(text: str) -> PermissionRule | None:
    """Read an `if`. None when it is empty, which filters nothing. Raises InvalidRule for what never runs."""
    if text == "":
        return None
    match = _RULE.fullmatch(text)
    if match is None:
        raise InvalidRule(_why(text))
    tool, pattern = tools.ALIASES.get(match[1], match[1]), match[2]
    if tool not in tools.TOOLS and not tools.is_mcp(tool):
        raise InvalidRule(f"no tool is called `{tool}`: the handler never runs")
    if pattern is not None and _closes_early(pattern):
        raise InvalidRule("one rule only: give each rule its own handler")
    spec = tools.TOOLS.get(tool)
    subject: Subject = "other"
    if spec is not None and spec.kind == "shell":
        subject = "command"
    elif spec is not None and spec.path is not None:
        subject = "path"
    note = "" if subject != "other" or pattern is None else "what a pattern means for this tool is unverified"
    if pattern in ("*", "**"):
        pattern, note = None, ""
    if pattern == "":
        note = "empty parentheses are unverified; read as every call"
        pattern = None
    return PermissionRule(text, tool, pattern, subject, note)


def problem(text: str) -> str:
    """Why an `if` can never hold; empty when it can."""
    try:
        parse(text)
    except InvalidRule as error:
        return str(error)
    return ""


def path_pattern(pattern: str) -> PathPattern:
    """Where a path pattern is anchored.

    `//x` at the root, `~/x` at home, `/x` and `x` at the current directory, `./x` as `x`, `*x` anywhere. A pattern
    that begins with a slash may also be an absolute path.
    """
    if pattern.startswith("//"):
        body = "/" + pattern.lstrip("/")
        return PathPattern("root", body, literal=body)
    if pattern.startswith("~/"):
        return PathPattern("home", "/" + pattern[2:])
    if pattern.startswith("/"):
        return PathPattern("cwd", pattern, literal=pattern)
    if pattern.startswith("./"):
        return PathPattern("cwd", pattern[2:])
    if pattern.startswith("*"):
        return PathPattern("anywhere", pattern)
    return PathPattern("cwd", pattern)


def matches_stars(pattern: str, text: str, *, any_letter: str = "") -> bool:
    """Whether a pattern in which `*` stands for any text matches the whole of `text`, in time linear in both.

    With `any_letter` (a `?`) that letter of the pattern stands for any one. Each piece between two stars is taken where
    it comes first, which loses nothing: what follows a star may begin anywhere behind it.
    """
    pieces = re.split(r"\*+", pattern)
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return len(first) == len(text) and _at(first, text, 0, any_letter)
    end = len(text) - len(last)
    if end < len(first) or not _at(first, text, 0, any_letter) or not _at(last, text, end, any_letter):
        return False
    at = len(first)
    for piece in pieces[1:-1]:
        if any_letter and any_letter in piece:
            found = re.compile(_letters(piece, any_letter), re.DOTALL).search(text, at, end)
            start = -1 if found is None else found.start()
        else:
            start = text.find(piece, at, end)
        if start < 0:
            return False
        at = start + len(piece)
    return True


def _at(piece: str, text: str, at: int, any_letter: str) -> bool:
    if any_letter and any_letter in piece:
        return re.compile(_letters(piece, any_letter), re.DOTALL).match(text, at) is not None
    return text.startswith(piece, at)


def _letters(piece: str, any_letter: str) -> str:
    return ".".join(re.escape(part) for part in piece.split(any_letter))


def _why(text: str) -> str:
    if text == "*":
        return "`*` alone is not a rule: name a tool, or leave `if` out"
    if text.count("(") != text.count(")"):
        return "a parenthesis is not closed"
    if re.fullmatch(rf"{_TOOL_NAME}(?:\s*[|,]\s*{_TOOL_NAME})+", text):
        return "one tool only: give each tool its own handler"
    if re.match(rf"{_TOOL_NAME}\(.*\)\s*\S", text, re.DOTALL):
        return "one rule only: give each rule its own handler"
    return "not a rule: write `Tool` or `Tool(pattern)`"


def _closes_early(pattern: str) -> bool:
    depth = 0
    for letter in pattern:
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
            if depth < 0:
                return True
    return False
