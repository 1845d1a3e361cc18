"""The limit on a stopping agent that its hooks keep going.

The client overrides a Stop hook that always blocks after nine continuations in a row, and tells hooks from
the second call on that one is already active (`stop_hook_active`).
"""

from __future__ import annotations

from collections.abc import Mapping

from dreamwork_hooks.contract.event import StopEvent
from dreamwork_hooks.contract.limits import STOP_CONTINUATIONS


def client_limit(env: Mapping[str, str]) -> int:
    """The client's own limit: `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` where that is a number above 0, else nine."""
    text = env.get("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "")
    return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else STOP_CONTINUATIONS


class StopGuard:
    """Counts continuations for each session and subagent."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._counts: dict[tuple[str, str | None], int] = {}

    def before(self, event: StopEvent) -> None:
        """Note an event about to be dispatched: one that is not active begins a new count."""
        if not event.stop_hook_active:
            self._counts.pop(self._key(event), None)

    def after(self, event: StopEvent, continues: bool) -> bool:
        """Note what the hooks decided. True when the agent must stop all the same."""
        key = self._key(event)
        if not continues:
            self._counts.pop(key, None)
            return False
        count = self._counts.get(key, 0) + 1
        self._counts[key] = count
        if count > self.limit:
            self._counts.pop(key, None)
            return True
        return False

    def _key(self, event: StopEvent) -> tuple[str, str | None]:
        return event.session_id, event.agent_id if event.name == "SubagentStop" else None
