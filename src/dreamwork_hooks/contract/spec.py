"""The shape of a row of the event table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dreamwork_hooks.contract import effects
from dreamwork_hooks.contract.evidence import Cell, Evidence, measured, unverified

FULL = "full"
PARTIAL = "partial"
LISTED = "listed"
SUPPORT = {
    FULL: "the host runs it and folds its answers by measured rules",
    PARTIAL: "the host runs it; some of what its answers do is unverified",
    LISTED: "the name is known; the host runs it and reports what it printed",
}


@dataclass(frozen=True)
class FieldSpec:
    """One key of an event's input.

    `types` are JSON type names; `values` the ones the client was seen to send, and all there are when
    `closed`.
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
    """The host-neutral word; tool events become `shell.*` or `write.*` by their tool
    (`parsing.parse_event`)."""
    about: str
    matcher: Cell[str | None]
    """The input field a matcher is tested against; None when the event takes no matcher and always runs."""
    fields: tuple[FieldSpec, ...]
    answers: Mapping[str, Cell[str]]
    timeout: Cell[float | None]
    """Seconds a handler without `timeout` gets; None when only a lower bound is known (see the note)."""
    support: str = FULL
    exported: tuple[str, ...] = field(default=())
    """Environment variables a hook of this event gets beside the common ones."""

    @property
    def blocking(self) -> Cell[bool]:
        """Whether an answer can keep the announced thing from happening."""
        stopping = {
            effects.DENIES,
            effects.BLOCKS,
            effects.DROPS_PROMPT,
            effects.CONTINUES,
            effects.ENDS_TURN,
            effects.PERMISSION,
        }
        seen = [c for part, c in self.answers.items() if part in _BLOCKING_PARTS]
        for cell in seen:
            if cell.value in stopping:
                return Cell(True, cell.evidence)
        known = all(c.value != effects.UNKNOWN for c in seen)
        return Cell(False, measured if known else unverified)

    def effect(self, part: str) -> Cell[str]:
        """What the client does with one part of an answer (`effects`); unknown and unverified when not
        listed."""
        return self.answers.get(part, Cell(effects.UNKNOWN, unverified))

    def field(self, name: str) -> FieldSpec | None:
        """The input field of that name."""
        return next((f for f in self.fields if f.name == name), None)


_BLOCKING_PARTS = (effects.EXIT_2, effects.BLOCK, effects.PERMISSION_DECISION, effects.REQUEST_DECISION)
