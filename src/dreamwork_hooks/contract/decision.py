"""What one hook, or all hooks of an event together, decided; in the client's words, for every event alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ALLOW = "allow"
ASK = "ask"
DENY = "deny"
DEFER = "defer"

STRENGTH = (DENY, DEFER, ASK, ALLOW)
"""Strongest first, whatever finishes first (measured); `defer` ends the run."""


@dataclass(frozen=True)
class Decision:
    """A decision. What `block` does depends on the event: `effects` has the words, `EventSpec.effect` the
    cell."""

    permission: str | None = None
    """`allow`, `ask`, `deny` or `defer` for PreToolUse; `allow` or `deny` for PermissionRequest."""
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
