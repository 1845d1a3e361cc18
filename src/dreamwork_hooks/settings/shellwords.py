"""A shell command line as the simple commands in it, and what stands before the program of one.

Enough of the POSIX shell's grammar to say which program a registered command runs: quoting, operators, redirections,
here-documents. Expansions are not made: a word with `$HOME` keeps it. What cannot be split raises ValueError.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_SEPARATORS = ("&&", "||", ";;", "|&", ";", "|", "&", "\n", "(", ")")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_QUOTED_ESCAPES = '$`"\\\n'

PYTHON = re.compile(r"(?:python|pythonw|pypy)[0-9.]*(?:\.exe)?|py(?:\.exe)?")
SHELL = re.compile(r"(?:sh|bash|dash|zsh|ksh|ash|busybox)(?:\.exe)?")
LAUNCHERS: Mapping[str, tuple[str, ...]] = {
    "exec": ("-a",),
    "command": (),
    "nohup": (),
    "setsid": (),
    "time": ("-f", "-o", "--format", "--output"),
    "nice": ("-n", "--adjustment"),
    "ionice": ("-c", "-n", "--class", "--classdata"),
    "chronic": (),
    "stdbuf": ("-i", "-o", "-e", "--input", "--output", "--error"),
    "env": ("-u", "-C", "--unset", "--chdir"),
    "timeout": ("-k", "-s", "--kill-after", "--signal"),
    "gtimeout": ("-k", "-s", "--kill-after", "--signal"),
    "sudo": ("-u", "-g", "-C", "-D", "--user", "--group"),
    "doas": ("-u", "-C"),
    "arch": ("-d", "-e"),
}
"""Commands that run another one: their options that take a value of their own. What follows is the program."""


@dataclass
class Simple:
    """A simple command: its words, the redirections as operator and file, and the separator that ended it."""

    words: list[str] = field(default_factory=list)
    files: list[tuple[str, str]] = field(default_factory=list)
    after: str = ""
    document: str | None = None
    """The text of its here-document or here-string."""


class _Words:
    def __init__(self) -> None:
        self.commands: list[Simple] = []
        self.simple = Simple()
        self.current: list[str] | None = None
        self.redirection = ""  # the word that follows is its file, not an argument
        self.documents: list[tuple[Simple, str, bool]] = []

    def add(self, text: str) -> None:
        if self.current is None:
            self.current = []
        self.current.append(text)

    def end_word(self) -> None:
        if self.current is None:
            return
        word, self.current = "".join(self.current), None
        operator, self.redirection = self.redirection, ""
        if not operator:
            self.simple.words.append(word)
        elif operator in ("<<", "<<-"):
            self.documents.append((self.simple, word, operator == "<<-"))
        elif operator == "<<<":
            self.simple.document = word
        else:
            self.simple.files.append((operator, word))

    def end_command(self, separator: str) -> None:
        self.end_word()
        self.simple.after = separator
        self.commands.append(self.simple)
        self.simple = Simple()

    def here_documents(self, line: str, at: int) -> int:
        """Past the here-documents that begin at `at`, where a line begins."""
        for simple, end, indented in self.documents:
            lines: list[str] = []
            while at < len(line):
                stop = line.find("\n", at)
                text = line[at:] if stop < 0 else line[at:stop]
                at = len(line) if stop < 0 else stop + 1
                if (text.lstrip("\t") if indented else text) == end:
                    break
                lines.append(text)
            simple.document = "\n".join(lines)
        self.documents = []
        return at


def simple_commands(line: str) -> list[list[str]]:
    """The words of each simple command of `line` in order. Raises ValueError as `parsed`."""
    return [simple.words for simple in parsed(line) if simple.words]


def parsed(line: str) -> list[Simple]:
    """The simple commands of `line` in order, also the empty ones between two separators.

    Raises ValueError for a quote or substitution that is not closed.
    """
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
        elif char in "<>" or line.startswith("&>", at):
            if out.current is not None and not "".join(out.current).isdigit():
                out.end_word()
            out.current = None  # a descriptor's number belongs to the redirection
            start = at
            while line[at : at + 1] and line[at] in "<>&|":
                at += 1
            if line[start:at] == "<<" and line[at : at + 1] == "-":
                at += 1
            out.redirection = line[start:at]
        else:
            separator = next((s for s in _SEPARATORS if line.startswith(s, at)), None)
            if separator:
                out.end_command(separator)
                at += len(separator)
                if separator == "\n" and out.documents:
                    at = out.here_documents(line, at)
            else:
                out.add(char)
                at += 1
    out.end_command("")
    return out.commands


def without_assignments(words: Sequence[str]) -> Sequence[str]:
    """A simple command from its program on: the `NAME=value` before it set variables for it."""
    index = 0
    while index < len(words) and _ASSIGNMENT.match(words[index]):
        index += 1
    return words[index:]


def skip_options(words: Sequence[str], with_value: Sequence[str], stop: Sequence[str] = ()) -> list[str]:
    """The words after the options; nothing when one of `stop` is among them."""
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        option = rest.pop(0)
        if option == "--":
            break
        if option in stop:
            return []
        if option in with_value and rest:
            rest.pop(0)
    return rest


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
