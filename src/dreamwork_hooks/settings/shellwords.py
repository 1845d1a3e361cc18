"""A shell command line as the simple commands in it, each a list of words.

Enough of the POSIX shell's grammar to say which program a registered command runs: quoting, operators, redirections.
Expansions are not made: a word with `$HOME` keeps it. What cannot be split raises ValueError.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_SEPARATORS = ("&&", "||", ";;", "|&", ";", "|", "&", "\n", "(", ")")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_QUOTED_ESCAPES = '$`"\\\n'


@dataclass
class _Words:
    commands: list[list[str]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    current: str | None = None
    skip_next: bool = False  # the word that follows a redirection is a file, not an argument

    def add(self, text: str) -> None:
        self.current = (self.current or "") + text

    def end_word(self) -> None:
        if self.current is None:
            return
        if self.skip_next:
            self.skip_next = False
        else:
            self.words.append(self.current)
        self.current = None

    def end_command(self) -> None:
        self.end_word()
        if self.words:
            self.commands.append(self.words)
        self.words = []


def simple_commands(line: str) -> list[list[str]]:
    """The simple commands of `line` in order. Raises ValueError for a quote or substitution that is not closed."""
    out = _Words()
    at = 0
    while at < len(line):
        char = line[at]
        if char == "\\":
            if line[at + 1 : at + 2] != "\n":
                out.add(line[at + 1 : at + 2])
            at += 2
        elif char == "'":
            close = line.find("'", at + 1)
            if close < 0:
                raise ValueError("a single quote that is not closed")
            out.add(line[at + 1 : close])
            at = close + 1
        elif char == '"':
            at = _double_quoted(line, at + 1, out)
        elif char == "`" or line.startswith(("$(", "${"), at):
            end = _substitution(line, at)
            out.add(line[at:end])
            at = end
        elif char == "#" and out.current is None:
            end = line.find("\n", at)
            at = len(line) if end < 0 else end
        elif char in " \t":
            out.end_word()
            at += 1
        elif char in "<>":
            if out.current is not None and not out.current.isdigit():
                out.end_word()
            out.current = None  # a descriptor's number belongs to the redirection
            while line[at : at + 1] and line[at] in "<>&|":
                at += 1
            out.skip_next = True
        else:
            separator = next((s for s in _SEPARATORS if line.startswith(s, at)), None)
            if separator:
                out.end_command()
                at += len(separator)
            else:
                out.add(char)
                at += 1
    out.end_command()
    return out.commands


def without_assignments(words: Sequence[str]) -> Sequence[str]:
    """A simple command from its program on: the `NAME=value` before it set variables for it."""
    index = 0
    while index < len(words) and _ASSIGNMENT.match(words[index]):
        index += 1
    return words[index:]


def _double_quoted(line: str, at: int, out: _Words) -> int:
    out.add("")
    while at < len(line):
        char = line[at]
        if char == '"':
            return at + 1
        if char == "\\" and line[at + 1 : at + 2] in _QUOTED_ESCAPES and at + 1 < len(line):
            if line[at + 1] != "\n":
                out.add(line[at + 1])
            at += 2
        elif char == "`" or line.startswith(("$(", "${"), at):
            end = _substitution(line, at)
            out.add(line[at:end])
            at = end
        else:
            out.add(char)
            at += 1
    raise ValueError("a double quote that is not closed")


def _substitution(line: str, at: int) -> int:
    """Where the substitution that begins at `at` ends; what is inside is not looked at."""
    if line[at] == "`":
        close = line.find("`", at + 1)
        if close < 0:
            raise ValueError("a backquote that is not closed")
        return close + 1
    opening, closing = line[at + 1], ")" if line[at + 1] == "(" else "}"
    depth = 0
    for index in range(at + 1, len(line)):
        if line[index] == opening:
            depth += 1
        elif line[index] == closing:
            depth -= 1
            if depth == 0:
                return index + 1
    raise ValueError("a substitution that is not closed")
