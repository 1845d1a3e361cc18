"""Regular expressions as the client's engine (JavaScript, no flags) reads them, run by Python's `re`.

The two languages differ in ways a matcher can meet: inline flags are an error there and legal here, `$`
ends only at the end there, `\\Z` is a letter there. A pattern is rewritten where that is enough; where
Python cannot express it (a look-behind of varying width) `Unsupported` is raised rather than a guess made.
"""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

try:
    from re import _parser  # type: ignore[attr-defined]
except ImportError:  # before Python 3.11
    import sre_parse as _parser


class InvalidRegex(ValueError):
    """The client's engine refuses the pattern, so it matches nothing."""


class Unsupported(InvalidRegex):
    """The client would take the pattern, this host cannot."""


_LONGEST = 10_000
_GROUP_OPENINGS = ("(?:", "(?=", "(?!", "(?<=", "(?<!")
_NAMED = re.compile(r"\(\?<([A-Za-z_$][\w$]*)>")
_REPEAT = re.compile(r"\{\d+(?:,\d*)?\}")


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """The compiled equivalent of a JavaScript pattern; search it, never match it.

    Raises InvalidRegex (or Unsupported) with a message that says what is wrong.
    """
    if len(pattern) > _LONGEST:
        raise Unsupported(f"a pattern of more than {_LONGEST} characters is not tried here")
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


def ways(regex: re.Pattern[str], length: int) -> float:
    """At most how many ways the engine may try on a text of `length` letters before it gives up.

    A repeat within a repeat, or a choice within one, doubles them with every letter; repeats side by side multiply.
    """
    branches, repeats, nested = _shape(_parser.parse(regex.pattern, regex.flags & ~re.UNICODE))
    if nested:
        return math.exp(min(700.0, math.log(2 + branches + repeats) * length))
    return min(1e300, math.comb(length + min(repeats, 50) + 1, min(repeats, 50) + 1) * (1 + branches))


def _shape(items: Any, inside: bool = False) -> tuple[int, int, bool]:
    """Choices, repeats of varying number, and whether one of either is within a repeat."""
    branches, repeats, nested = 0, 0, False
    for name, value in items:
        kind = str(name)
        inner: list[tuple[Any, bool]] = []
        if kind.endswith("REPEAT"):
            least, most, body = value
            varies = least != most
            repeats += varies
            nested |= varies and inside
            inner = [(body, inside or most > 1)]
        elif kind == "BRANCH":
            branches += len(value[1])
            nested |= inside
            inner = [(body, inside) for body in value[1]]
        elif kind in ("SUBPATTERN", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT"):
            inner = [(value if kind == "ATOMIC_GROUP" else value[-1], inside)]
        for body, within in inner:
            more = _shape(body, within)
            branches, repeats, nested = branches + more[0], repeats + more[1], nested or more[2]
    return branches, repeats, nested


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
