"""What a statement about the client rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

CLIENT = "2.1.332"
"""The version of Claude Code whose behaviour the measured cells describe (Linux, print mode)."""

MEASURED = "measured"
DOCUMENTED = "documented"
UNVERIFIED = "unverified"
LEVELS = (MEASURED, DOCUMENTED, UNVERIFIED)


@dataclass(frozen=True)
class Evidence:
    """One of `LEVELS`, with the client version when it was measured."""

    level: str
    client: str | None = None

    def __str__(self) -> str:
        return f"{self.level} ({self.client})" if self.client else self.level


measured = Evidence(MEASURED, CLIENT)
documented = Evidence(DOCUMENTED)
unverified = Evidence(UNVERIFIED)


@dataclass(frozen=True)
class Cell(Generic[T]):
    """A value of the table together with its evidence and, where one word is not enough, a note."""

    value: T
    evidence: Evidence = measured
    note: str = ""
