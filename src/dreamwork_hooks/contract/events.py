"""The event table: what is known of the client's hook events, read from `events.txt`, whose head is its grammar."""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar, cast

T = TypeVar("T")

Level = Literal["measured", "documented", "declared", "unverified"]
"""`declared`: it stands in the client's own schema, and was not provoked."""

Support = Literal["full", "partial", "listed"]
SUPPORT: Mapping[Support, str] = {
    "full": "the host runs it and folds its answers by measured rules",
    "partial": "the host runs it; some of what its answers do is unverified",
    "listed": "the name is known; the host runs it and reports what it printed",
}

Effect = Literal[
    "context", "to-model", "summarizer", "shown", "shown-failed", "person", "denies", "permission", "blocks",
    "drops-prompt", "continues", "ends-turn", "stops", "replaces-input", "replaces-output", "watches", "worktree",
    "nothing", "voids", "sends-prompt", "titles", "declared", "unknown",
]  # fmt: skip
"""What the client does with one part of an answer; `MEANING` has a sentence for each."""

Part = Literal[
    "stdout", "additionalContext", "exit 2", "exit other", "decision: block", "decision: approve", "continue: false",
    "systemMessage", "suppressOutput", "permissionDecision", "updatedInput", "updatedToolOutput",
    "updatedMCPToolOutput", "decision.behavior", "watchPaths", "worktreePath", "initialUserMessage", "sessionTitle",
    "reloadSkills", "retry", "displayContent", "action", "content",
]  # fmt: skip
"""The parts of an answer."""

COMMON_PARTS: tuple[Part, ...] = (
    "stdout", "additionalContext", "exit 2", "exit other", "decision: block", "continue: false", "systemMessage",
    "suppressOutput",
)  # fmt: skip
"""The parts every event has a cell for; the others are listed only where they exist."""

Trait = Literal[
    "one-tool", "voids-file", "held-pipe-refused", "first-verdict", "stop-outweighs-block", "no-specific-output"
]
TRAITS: Mapping[Trait, str] = {
    "one-tool": "it is about one tool call, so that an `if` can hold",
    "voids-file": "one malformed entry under it voids its whole settings file; elsewhere only that entry goes",
    "held-pipe-refused": "JSON with context is refused when a grandchild still holds the pipe",
    "first-verdict": "of several hooks that block or stop the first to finish counts alone",
    "stop-outweighs-block": "a hook that stops the run has its block, or exit 2, not heard",
    "no-specific-output": "its own `hookSpecificOutput` fails validation, while another event's passes as success",
}
"""What sets some events apart. All measured."""


@dataclass(frozen=True)
class Evidence:
    """What a statement about the client rests on, with the client's version when it was measured."""

    level: Level
    client: str | None = None

    def __str__(self) -> str:
        return f"{self.level} ({self.client})" if self.client else self.level


def _lines() -> list[tuple[str, str]]:
    """The facts of the file, each as its keyword and the rest."""
    data = pkgutil.get_data("dreamwork_hooks.contract", "events.txt")  # out of a directory or an archive alike
    assert data is not None
    split = (line.split(None, 1) for line in data.decode().splitlines() if line and line[0] != "#")
    return [(words[0], words[1]) for words in split]


_LINES = _lines()
CLIENT = dict(_LINES)["client"]
"""The version of Claude Code whose behaviour the measured cells describe (Linux, print mode)."""

measured = Evidence("measured", CLIENT)
documented = Evidence("documented")
declared = Evidence("declared")
unverified = Evidence("unverified")


@dataclass(frozen=True)
class Cell(Generic[T]):
    """A value of the table together with its evidence and, where one word is not enough, a note."""

    value: T
    evidence: Evidence = measured
    note: str = ""


@dataclass(frozen=True)
class FieldSpec:
    """One key of an event's input.

    `types` are JSON type names; `values` the ones the client was seen to send, and all there are when `closed`.
    """

    name: str
    types: tuple[str, ...] = ("string",)
    required: bool = False
    values: tuple[str, ...] = ()
    closed: bool = False
    evidence: Evidence = measured


@dataclass(frozen=True)
class EventSpec:
    """One event: its input, its matcher, and what each part of an answer does there."""

    name: str
    kind: str
    """The host-neutral word; tool events become `shell.*` or `write.*` by their tool (`event.parse_event`)."""
    about: str
    matcher: Cell[str | None]
    """The input field a matcher is tested against; None when the event takes no matcher and always runs."""
    fields: tuple[FieldSpec, ...]
    answers: Mapping[Part, Cell[Effect]]
    timeout: Cell[float | None]
    """Seconds a handler without `timeout` gets; None when only a lower bound is known (see the note)."""
    support: Support = "full"
    exported: tuple[str, ...] = ()
    """Environment variables a hook of this event gets beside the common ones."""
    traits: frozenset[Trait] = frozenset()
    since: str = ""
    """The client version that brought the event; empty when that is not known."""

    @property
    def blocking(self) -> Cell[bool]:
        """Whether an answer can keep the announced thing from happening."""
        seen = [cell for part, cell in self.answers.items() if part in _BLOCKING_PARTS]
        for cell in seen:
            if cell.value in _STOPPING:
                return Cell(True, cell.evidence)
        known = all(cell.value != "unknown" for cell in seen)
        return Cell(False, measured if known else unverified)

    def effect(self, part: Part) -> Cell[Effect]:
        """What the client does with one part of an answer; unknown and unverified when not listed."""
        return self.answers.get(part, _UNKNOWN)

    def field(self, name: str) -> FieldSpec | None:
        """The input field of that name."""
        return next((f for f in self.fields if f.name == name), None)


_BLOCKING_PARTS = ("exit 2", "decision: block", "permissionDecision", "decision.behavior")
_STOPPING = ("denies", "blocks", "drops-prompt", "continues", "ends-turn", "permission")
_UNKNOWN: Cell[Effect] = Cell("unknown", unverified)
_ANY = ("string", "number", "boolean", "object", "array", "null")
_MARKS = {"?": unverified, "(d)": documented}


@dataclass
class _Draft:
    """What the lines of one event have said so far."""

    head: str
    facts: dict[str, str] = field(default_factory=dict)
    fields: list[FieldSpec] = field(default_factory=list)
    effects: dict[Part, Effect] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def spec(self) -> EventSpec:
        names, about = self.head.split(": ", 1)
        name, kind, support = names.split()
        on, _, note = self.facts.get("matcher", "none").partition(" -- ")
        on, evidence = _marked(on)
        effects: dict[Part, Effect] = {**dict.fromkeys(COMMON_PARTS, _UNKNOWN.value), **self.effects}
        return EventSpec(
            name,
            kind,
            about,
            Cell(None if on == "none" else on, evidence, note),
            tuple(self.fields),
            {part: self._cell(part, effect) for part, effect in effects.items()},
            _timeout(self.facts.get("timeout", "")),
            cast(Support, support),
            tuple(self.facts.get("env", "").split()),
            frozenset(cast("list[Trait]", self.facts.get("traits", "").split())),
            self.facts.get("since", ""),
        )

    def _cell(self, part: Part, effect: Effect) -> Cell[Effect]:
        evidence = {"unknown": unverified, "declared": declared}.get(effect, measured)
        return Cell(effect, evidence, self.notes.get(part, ""))


def _specs() -> list[EventSpec]:
    groups: dict[str, list[FieldSpec]] = {}
    drafts: list[_Draft] = []
    for keyword, text in _LINES:
        if keyword == "fields":
            group, *words = text.split()
            groups.setdefault(group, []).extend(_field(word) for word in words)
        elif keyword == "event":
            drafts.append(_Draft(text, fields=list(groups["common"])))
        elif keyword == "input":
            for word in text.split():
                drafts[-1].fields += groups[word[1:]] if word[0] == "@" else [_field(word)]
        elif keyword == "answer":
            effect, parts = text.split(": ", 1)
            drafts[-1].effects.update(dict.fromkeys(cast("list[Part]", parts.split(", ")), cast(Effect, effect)))
        elif keyword == "note":
            part, note = text.split(" -- ")
            drafts[-1].notes[part] = note
        elif drafts:
            drafts[-1].facts[keyword] = text
    return [draft.spec() for draft in drafts]


def _marked(word: str) -> tuple[str, Evidence]:
    mark = next((mark for mark in _MARKS if word.endswith(mark)), "")
    return word[: len(word) - len(mark)], _MARKS.get(mark, measured)


def _field(word: str) -> FieldSpec:
    word, evidence = _marked(word)
    word, _, values = word.partition("=")
    word, _, types = word.partition(":")
    seen = tuple(values.split("|")) if values else ()
    return FieldSpec(
        word.rstrip("*"),
        _ANY if types == "any" else tuple((types or "string").split("|")),
        word.endswith("*"),
        tuple(value for value in seen if value != "..."),
        bool(seen) and "..." not in seen,
        evidence,
    )


def _timeout(text: str) -> Cell[float | None]:
    if text == "long":
        return Cell(None, measured, "still waited at 150 s; the limit was not measured")
    return Cell(float(text)) if text else Cell(None, unverified)


MEANING = {cast(Effect, word): said for word, said in (text.split(": ", 1) for key, text in _LINES if key == "effect")}
"""A sentence for each effect."""

EVENTS: Mapping[str, EventSpec] = {spec.name: spec for spec in _specs()}
"""Every event the client is known to have, by name."""

VOIDING_EVENTS = frozenset(spec.name for spec in EVENTS.values() if "voids-file" in spec.traits)
TOOL_EVENTS = frozenset(spec.name for spec in EVENTS.values() if "one-tool" in spec.traits)


def is_known(name: str) -> bool:
    """Whether the client has an event of that name; case matters."""
    return name in EVENTS


def takes_matcher(name: str) -> bool:
    """Whether a matcher under that event is looked at; unknown events take none."""
    spec = EVENTS.get(name)
    return spec is not None and spec.matcher.value is not None


def can_block(name: str) -> bool:
    """Whether a hook of that event can keep something from happening."""
    spec = EVENTS.get(name)
    return spec is not None and spec.blocking.value


def nearest(name: str) -> str | None:
    """The known event a misspelt name probably means."""
    folded = {known.lower(): known for known in EVENTS}
    close = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None
