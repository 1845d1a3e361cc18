"""What came of one event: every hook's run, what they decided together, and who decided."""

from __future__ import annotations

from dataclasses import dataclass, field

from dreamwork_hooks.contract.decision import Decision, Reading
from dreamwork_hooks.contract.event import Event
from dreamwork_hooks.processes.running import Ended
from dreamwork_hooks.settings.shape import Handler


@dataclass(frozen=True)
class HookRun:
    """One hook that ran. `budget` is the seconds it had, None when the client's own limit is not known."""

    handler: Handler
    ended: Ended
    reading: Reading
    budget: float | None
    misbehaviour: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """One word: `denied`, `blocked`, `asked`, `allowed`, `answered`, `silent`, `failed` or `timed
        out`."""
        decision = self.reading.decision
        if self.ended.timed_out or self.ended.cancelled:
            return "timed out" if self.ended.timed_out else "cancelled"
        if decision.permission is not None:
            return {"deny": "denied", "ask": "asked", "allow": "allowed", "defer": "deferred"}[decision.permission]
        if decision.block:
            return "blocked"
        if self.reading.status == "failed":
            return "failed"
        return "silent" if decision.is_empty and not self.reading.person else "answered"


@dataclass(frozen=True)
class NotRun:
    """A hook of the event that did not run, and why."""

    handler: Handler
    why: str
    loud: bool = False
    """Whether it should have run but could not: untrusted, broken, or of a type this host does not run."""


@dataclass(frozen=True)
class Outcome:
    """The folded result of an event."""

    event: Event
    runs: tuple[HookRun, ...]
    not_run: tuple[NotRun, ...]
    decision: Decision
    decided_by: tuple[Handler, ...] = ()
    model: tuple[str, ...] = ()
    """Texts the model gets."""
    person: tuple[str, ...] = ()
    summarizer: str = ""
    """What is added to the summarizer's instructions, the person's own words first."""
    conflicts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    late: tuple[HookRun, ...] = ()
    """`async` hooks of earlier events that ended since the last dispatch; their texts are in `model`."""
    rewake: bool = False
    """An `asyncRewake` hook among `late` asks for a new turn."""
    refused: bool = False
    """A `fail_closed` hook was skipped for lack of trust: the run must not go on."""
    agent_input: dict[str, object] | None = field(default=None)
    """The updated input in the agent's own argument names, when there is one."""

    @property
    def blocked(self) -> bool:
        """Whether what the event announced must not happen."""
        if self.refused or self.decision.permission == "deny":
            return True
        return self.decision.block and self._block_effect in ("denies", "blocks", "drops-prompt")

    @property
    def continues(self) -> bool:
        """Whether a stopping agent must go on. `continue: false` of any hook outweighs that (measured)."""
        return not self.decision.stop and self.decision.block and self._block_effect == "continues"

    @property
    def ends_turn(self) -> bool:
        """Whether the turn ends here; `defer` ends the run (measured)."""
        return (
            self.decision.stop
            or self.decision.permission == "defer"
            or (self.decision.block and self._block_effect == "ends-turn")
        )

    @property
    def _block_effect(self) -> str:
        by_block = self.event.spec.effect("decision: block").value
        return by_block if by_block != "unknown" else self.event.spec.effect("exit 2").value
