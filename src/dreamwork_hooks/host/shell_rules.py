"""Shell command rules: `Bash(git *)` held against a command line.

A command line is split at `;`, `&&`, `||`, `|`, `&` and newlines outside quotes, leading assignments are
set aside, and the rule holds when it matches one of the parts. Where the parts cannot be told (a heredoc, a
command substitution) the client runs the hook to be sure; so does this.
"""

from __future__ import annotations

import re

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=(?:'[^']*'|\"[^\"]*\"|[^\s'\"])*\s+")
_UNSURE = ("<<", "$(", "`", "<(", ">(")


def holds(pattern: str, command: str) -> bool | None:
    """Whether a rule's pattern matches a command line; None when that cannot be told.

    Heredocs are measured to be unsure under every rule; substitutions were so under some, here under all.
    """
    if any(mark in _outside_single_quotes(command) for mark in _UNSURE):
        return None
    parts = split(command)
    if parts is None:
        return None
    wanted = _regex(pattern)
    return any(wanted.fullmatch(part) for part in parts)


def split(command: str) -> list[str] | None:
    """The simple commands of a command line, without leading assignments; None when a quote is left open."""
    parts: list[str] = []
    current: list[str] = []
    quote = ""
    at = 0
    while at < len(command):
        letter = command[at]
        if letter == "\\" and quote != "'":
            current.append(command[at : at + 2])
            at += 2
            continue
        if quote:
            quote = "" if letter == quote else quote
            current.append(letter)
        elif letter in "'\"":
            quote = letter
            current.append(letter)
        elif letter in ";\n|&" and not (letter == "&" and _redirects(command, at)):
            parts.append("".join(current))
            current = []
        else:
            current.append(letter)
        at += 1
    if quote:
        return None
    parts.append("".join(current))
    return [bare for bare in (_without_assignments(part.strip()) for part in parts) if bare]


def _redirects(command: str, at: int) -> bool:
    """Whether an `&` belongs to `2>&1`, `&>` or `>&`."""
    return command[at - 1 : at] in (">", "<") or command[at + 1 : at + 2] == ">"


def _without_assignments(part: str) -> str:
    while True:
        match = _ASSIGNMENT.match(part)
        if match is None:
            return part
        part = part[match.end() :]


def _outside_single_quotes(command: str) -> str:
    return re.sub(r"'[^']*'", "", command)


def _regex(pattern: str) -> re.Pattern[str]:
    if pattern.endswith(":*"):
        return re.compile(re.escape(pattern[:-2]) + r"(?:\s.*)?", re.DOTALL)
    if pattern.endswith(" *") and pattern.count("*") == 1:
        return re.compile(re.escape(pattern[:-2]) + r"(?:\s.*)?", re.DOTALL)
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")), re.DOTALL)
