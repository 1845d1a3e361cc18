"""What one hook, or all hooks of an event together, decided; in the client's words, for every event alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from dreamwork_hooks.contract.events import Evidence, measured

Permission = Literal["allow", "ask", "deny", "defer"]
PERMISSIONS: tuple[Permission, ...] = get_args(Permission)

STRENGTH: tuple[Permission, ...] = ("deny", "defer", "ask", "allow")
"""Strongest first, whatever finishes first (measured); `defer` ends the run."""


@dataclass(frozen=True)
class Decision:
    """A decision. What `block` does depends on the event: see `EventSpec.effect`."""

    permission: Permission | None = None
    """Any of them for PreToolUse; `allow` or `deny` for PermissionRequest."""
    block: bool = False
    """`decision: block`, or exit 2 where that means the same."""
    reason: str = ""
    """Why: of the permission, or of the block."""
    context: str = ""
    """Text for the model (`additionalContext`, or plain standard output where that is context)."""
    updated_input: Mapping[str, object] | None = None
    updated_output: object = None
    """A replacement of the tool's result; None leaves it alone."""
    stop: bool = False
    """`continue: false`: the run ends."""
    stop_reason: str = ""
    system_message: str = ""
    watch_paths: tuple[str, ...] = ()
    worktree: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was decided."""
        return self == Decision()


Status = Literal["ok", "failed", "cancelled"]
"""`failed`: the output is void or unusable."""


@dataclass(frozen=True)
class Dropped:
    """Something a hook said that has no effect. `part` is its name in the answer."""

    part: str
    reason: str
    evidence: Evidence = measured


@dataclass(frozen=True)
class Reading:
    """What one hook's output comes to.

    `form` is one of `answer_shape.Form`. `model`, `person` and `summarizer` are the texts as they arrive there, without
    the words the client puts around them; `misbehaviour` is what the hook's author should mend. `verdict` is the one of
    those texts that says why something was refused, asked or stopped.
    """

    event: str
    status: Status
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
