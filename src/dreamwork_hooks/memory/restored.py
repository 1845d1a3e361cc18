"""What a session has been given back already: so that a record, or a loss, is told once for each compaction."""

from __future__ import annotations

from typing import Any

from dreamwork_hooks.files import Unreadable
from dreamwork_hooks.jsonlite import dumps, loads_shallow
from dreamwork_hooks.memory.state import StateDir, digest

RESTORED = "restored.json"
KEPT = 40  # sessions
_MAX_BYTES = 65536


class Restored:
    """What was given back, by session: `{"record": which focus record, "audit": which audit record}`."""

    __slots__ = ("sessions",)

    def __init__(self, state: StateDir) -> None:
        self.sessions: dict[str, dict[str, Any]] = {}
        try:
            stored = loads_shallow(state.read(RESTORED, _MAX_BYTES).decode("utf-8", "replace"))
        except (ValueError, RecursionError, OSError, Unreadable):
            return
        if isinstance(stored, dict):
            self.sessions = {name: told for name, told in stored.items() if isinstance(told, dict)}

    def told(self, session: str, what: str) -> Any:
        """The mark of the record (`what` is `record` or `audit`) that the session was last given."""
        return self.sessions.get(session, {}).get(what)

    def tell(self, session: str, **what: str | None) -> None:
        """Note what the session is given now; None leaves a mark as it is."""
        told = self.sessions.pop(session, {})
        told.update({name: mark for name, mark in what.items() if mark is not None})
        self.sessions[session] = told

    def save(self, state: StateDir) -> None:
        """Write it to the locked state directory.

        Raises:
            OSError: nothing was changed.
        """
        newest = list(self.sessions)[-KEPT:]
        data = b""
        while newest and not 0 < len(data) <= _MAX_BYTES:
            data = dumps({name: self.sessions[name] for name in newest}).encode("ascii") + b"\n"
            del newest[: (len(newest) + 1) // 2]  # what another put there must not keep us from ever saving
        if 0 < len(data) <= _MAX_BYTES:
            state.replace(RESTORED, data)


def mark_of(record: dict[str, Any]) -> str:
    """What tells one record from every other: its time, and a digest, since two compactions can come in one second."""
    return str(record.get("ts")) + " " + digest(dumps(record).encode("ascii"))
