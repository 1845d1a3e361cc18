"""What a matcher matches.

A matcher of plain names (letters, digits, `_`, `-`, with `|`, `,` and spaces between) is an exact list;
anything else is an unanchored regular expression; one that does not compile matches nothing and the client
says nothing about it. All measured, except where `Matcher.note` says otherwise.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Literal

from dreamwork_hooks.contract import jsregex, tools
from dreamwork_hooks.contract.events import EVENTS

_MOST_WAYS = 1e7
_PLAIN = re.compile(r"[A-Za-z0-9_\-|, ]*")
_SEPARATOR = re.compile(r"[|,]")


Form = Literal["every", "list", "regex", "invalid"]


@dataclass(frozen=True)
class Matcher:
    """A matcher, read."""

    text: str | None
    form: Form
    names: tuple[str, ...] = ()
    regex: re.Pattern[str] | None = None
    problem: str = ""
    note: str = ""

    def matches(self, subject: str) -> bool:
        """Whether a handler with this matcher runs for that subject (a tool name, a source, a trigger,
        ...)."""
        if self.form == "every":
            return True
        if self.form == "list":
            return any(subject in (name, tools.ALIASES.get(name)) for name in self.names)
        return self.regex is not None and (self._takes_too_long(subject) or self.regex.search(subject) is not None)

    def fully_matches(self, subject: str) -> bool:
        """As `matches`, with a regular expression anchored at both ends: not what the client does."""
        if self.regex is None:
            return self.matches(subject)
        return self._takes_too_long(subject) or self.regex.fullmatch(subject) is not None

    def _takes_too_long(self, subject: str) -> bool:
        """Whether trying could take for ever, as it may in the client: then it counts as a match, to be sure."""
        return self.regex is not None and jsregex.ways(self.regex, len(subject)) > _MOST_WAYS

    def explain(self) -> str:
        """One sentence: what it runs for, or why for nothing."""
        if self.form == "every":
            return "matches everything"
        if self.form == "list":
            if not self.names:
                return "names nothing, so it matches nothing"
            return "exact list: " + ", ".join(self.names)
        if self.form == "regex":
            return f"unanchored regular expression /{self.text}/: any name that contains a match"
        return f"matches nothing: {self.problem}"


def read(matcher: str | None) -> Matcher:
    """Read a matcher. Every string can be read; a broken one reads as `invalid` with its `problem`."""
    if matcher is None or matcher in ("", "*"):
        return Matcher(matcher, "every")
    if _PLAIN.fullmatch(matcher):
        names = tuple(name for name in (part.strip() for part in _SEPARATOR.split(matcher)) if name)
        note = "whether a space alone separates names is unverified" if any(" " in n for n in names) else ""
        return Matcher(matcher, "list", names, note=note)
    try:
        return Matcher(matcher, "regex", regex=jsregex.compile_pattern(matcher))
    except jsregex.InvalidRegex as error:
        return Matcher(matcher, "invalid", problem=str(error))


def matches(matcher: str | None, subject: str) -> bool:
    """Whether a group with that matcher runs for that subject."""
    return read(matcher).matches(subject)


def explain(matcher: str | None) -> str:
    """One sentence about what a matcher matches."""
    return read(matcher).explain()


def doubts(matcher: str | None, event: str) -> tuple[str, ...]:
    """Reasons to think that a matcher under that event does not do what its author meant; empty when none."""
    read_one = read(matcher)
    spec = EVENTS.get(event)
    found: list[str] = []
    if spec is not None and spec.matcher.value is None and matcher not in (None, "", "*"):
        evidence = "" if spec.matcher.evidence.level == "measured" else f" ({spec.matcher.evidence})"
        found.append(f"{event} looks at no matcher: the group always runs{evidence}")
        return tuple(found)
    if read_one.form == "invalid":
        found.append(f"{read_one.problem}; the client drops the group without a message")
    if spec is None or spec.matcher.value is None:
        return tuple(found)
    if read_one.form == "list":
        for name in read_one.names:
            found.extend(_doubts_about_name(name, spec.matcher.value, _values(event)))
    if read_one.form == "regex" and read_one.regex is not None:
        known = _values(event) or (tuple(tools.TOOLS) if spec.matcher.value == "tool_name" else ())
        mcp = "mcp__" in (matcher or "")
        if known and not mcp and not any(read_one.matches(name) for name in known):
            found.append(f"/{matcher}/ matches no known {spec.matcher.value}")
    if read_one.note:
        found.append(read_one.note)
    return tuple(found)


def watched_names(matcher: str | None) -> tuple[str, ...]:
    """The file names a FileChanged matcher watches: `|` between; absolute paths watch nothing (measured)."""
    names = (part.strip() for part in (matcher or "").split("|"))
    return tuple(name for name in names if name and "/" not in name)


def _values(event: str) -> tuple[str, ...]:
    spec = EVENTS[event]
    field = spec.field(spec.matcher.value) if spec.matcher.value else None
    return field.values if field and field.closed else ()


def _doubts_about_name(name: str, subject: str, values: tuple[str, ...]) -> list[str]:
    if subject == "tool_name":
        if tools.is_mcp(name):
            if name.count("__") < 2 or name.endswith("__"):
                return [f"`{name}` is an exact name, so it matches no tool of that server: write `{name}.*`"]
            return []
        if name in tools.TOOLS:
            return []
        if name in tools.ALIASES:
            return [f"`{name}` is an older name: events say `{tools.ALIASES[name]}`, the matcher still works"]
        return [f"no tool is called `{name}`{_meant(name, tuple(tools.TOOLS))}"]
    if values and name not in values:
        return [f"no {subject} `{name}` exists{_meant(name, values)}; known: {', '.join(values)}"]
    return []


def _meant(name: str, known: tuple[str, ...]) -> str:
    folded = {k.lower(): k for k in known}
    close = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.7)
    return f"; case and spelling count: `{folded[close[0]]}`?" if close else ""
