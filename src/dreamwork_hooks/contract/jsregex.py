"""Regular expressions as the client's engine (JavaScript, no flags) reads them, run by Python's `re`.

The two languages differ in ways a matcher can meet: inline flags are an error there and legal here, `$`
ends only at the end there, `\\Z` is a letter there. A pattern is rewritten where that is enough; where
Python cannot express it (a look-behind of varying width) `Unsupported` is raised rather than a guess made.
"""

from __future__ import annotations

import re
import warnings


class InvalidRegex(ValueError):
    """The client's engine refuses the pattern, so it matches nothing."""


class Unsupported(InvalidRegex):
    """The client would take the pattern, this host cannot."""


_GROUP_OPENINGS = ("(?:", "(?=", "(?!", "(?<=", "(?<!")
_NAMED = re.compile(r"\(\?<([A-Za-z_$][\w$]*)>")
_REPEAT = re.compile(r"\{\d+(?:,\d*)?\}")


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """The compiled equivalent of a JavaScript pattern; search it, never match it.

    Raises InvalidRegex (or Unsupported) with a message that says what is wrong.
    """
    translated = _translate(pattern)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(translated, re.ASCII)
    except re.error as error:
        if "look-behind" in str(error):
            raise Unsupported(f"look-behind of varying width cannot be tried here: {pattern}") from None
        raise InvalidRegex(f"not a regular expression: {error.msg}") from None
    except (OverflowError, RecursionError) as error:
        raise InvalidRegex(f"not a usable regular expression: {error}") from None


def _translate(pattern: str) -> str:
    out: list[str] = []
    at = 0
    in_class = False
    while at < len(pattern):
        here = pattern[at]
        if here == "\\":
            piece, at = _escape(pattern, at, in_class)
            out.append(piece)
            continue
        if in_class:
            in_class = here != "]"
            # A bare `[` inside a class is a letter in both; Python warns that it may not stay one.
            out.append("\\[" if here == "[" else here)
        elif here == "[":
            piece, at, in_class = _class_opening(pattern, at)
            out.append(piece)
            continue
        elif here == "$":
            out.append("\\Z")
        elif here == "(" and pattern.startswith("(?", at):
            piece, at = _group_opening(pattern, at)
            out.append(piece)
            continue
        elif here == "{" and not _REPEAT.match(pattern, at):
            out.append("\\{")
        elif here in "*+?}" and at + 1 < len(pattern) and pattern[at + 1] == "+" and _repeats(out):
            raise InvalidRegex("nothing to repeat")  # possessive in newer Pythons, an error there
        else:
            out.append(here)
        at += 1
    return "".join(out)


def _repeats(out: list[str]) -> bool:
    return bool(out) and out[-1] not in ("(", "|", "(?:")


def _escape(pattern: str, at: int, in_class: bool) -> tuple[str, int]:
    if at + 1 >= len(pattern):
        raise InvalidRegex("a backslash at the end")
    letter = pattern[at + 1]
    if letter in "dDwWsSnrtfv0123456789xu" or (letter in "bB" and not (in_class and letter == "B")):
        return pattern[at : at + 2], at + 2
    return re.escape(letter), at + 2


def _class_opening(pattern: str, at: int) -> tuple[str, int, bool]:
    if pattern.startswith("[^]", at):
        return r"[\s\S]", at + 3, False
    if pattern.startswith("[]", at):
        return r"(?!)", at + 2, False
    if pattern.startswith("[^", at):
        return "[^", at + 2, True
    return "[", at + 1, True


def _group_opening(pattern: str, at: int) -> tuple[str, int]:
    for opening in _GROUP_OPENINGS:
        if pattern.startswith(opening, at):
            return opening, at + len(opening)
    named = _NAMED.match(pattern, at)
    if named:
        return f"(?P<{named[1].replace('$', '_')}>", named.end()
    raise InvalidRegex(f"invalid group {pattern[at : at + 4]}")
