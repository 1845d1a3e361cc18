"""What one hook's output comes to, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dreamwork_hooks.contract.decision import Decision
from dreamwork_hooks.contract.evidence import Evidence, measured

OK = "ok"
FAILED = "failed"
CANCELLED = "cancelled"


@dataclass(frozen=True)
class Dropped:
    """Something a hook said that has no effect. `part` is its name in the answer."""

    part: str
    reason: str
    evidence: Evidence = measured


@dataclass(frozen=True)
class Reading:
    """What one hook's output comes to.

    `status` is OK, FAILED (void or unusable) or CANCELLED. `model`, `person` and `summarizer` are the texts
    as they arrive there, without the words the client puts around them; `misbehaviour` is what the hook's author
    should mend. `verdict` is the one of those texts that says why something was refused, asked or stopped.
    """

    event: str
    status: str
    form: str
    decision: Decision
    model: tuple[str, ...] = ()
    person: tuple[str, ...] = ()
    summarizer: str = ""
    dropped: tuple[Dropped, ...] = ()
    misbehaviour: tuple[str, ...] = ()
    answer: Mapping[str, object] | None = None
    verdict: str = ""

    def without_verdict(self) -> Reading:
        """The same, for a place where another hook's verdict counts instead."""
        if not self.verdict:
            return self
        return replace(
            self,
            decision=replace(self.decision, reason="", stop_reason=""),
            model=tuple(text for text in self.model if text != self.verdict),
            person=tuple(text for text in self.person if text != self.verdict),
            verdict="",
        )


def exit_words(exit_code: int | None) -> str:
    """An exit status in words; None is a hook that never started, a negative one a signal."""
    if exit_code is None:
        return "could not be started"
    return f"killed by signal {-exit_code}" if exit_code < 0 else f"exit {exit_code}"
