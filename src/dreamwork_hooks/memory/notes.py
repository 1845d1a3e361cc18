"""Two small notes beside a target's logs, harmless when lost: when each hook last ran there, which the doctor shows,
and what a session has been given back already, so that a record, or a loss, is told once for each compaction.
"""

from __future__ import annotations

from typing import Any

from dreamwork_hooks.files import Unreadable
from dreamwork_hooks.jsonlite import dumps, loads_shallow
from dreamwork_hooks.memory.state import StateDir, digest
from dreamwork_hooks.quoting import one_line

RUNS = "last-runs.json"
RESTORED = "restored.json"
KEPT = 40  # sessions
_SUBAGENT_LASTS = 600  # seconds after which the compaction of a subagent is over, seen or not
_MAX_RUNS = 16384
_MAX_RESTORED = 65536


def note_run(state: StateDir, word: str, target: str, stamp: str, error: str | None) -> None:
    """Note one run in the locked state directory.

    Args:
        word: the event's word, e.g. `precompact`.
        stamp: UTC, as in the focus log.
        error: why it failed; None when it did not.

    Raises:
        OSError: nothing was changed.
    """
    runs = _read(state, RUNS, _MAX_RUNS)
    last = runs.get(word)
    if not isinstance(last, dict):
        last = {}
    last["run"] = stamp
    if error is None:
        last["ok"] = stamp
    else:
        last["failure"] = stamp
        last["error"] = one_line(error, 200)
    runs[word] = last
    runs["target"] = target
    data = dumps(runs).encode("ascii") + b"\n"
    if len(data) > _MAX_RUNS:  # what another put there must not keep us from ever noting a run
        data = dumps({word: {"run": stamp, "failure" if error else "ok": stamp}}).encode("ascii") + b"\n"
    state.replace(RUNS, data)


class Restored:
    """What was given back, by session: `{"record": which focus record, "audit": which audit record}`; and which
    compactions are not the session's own but a subagent's: `subagents`, when each began."""

    __slots__ = ("sessions",)

    def __init__(self, state: StateDir) -> None:
        stored = _read(state, RESTORED, _MAX_RESTORED)
        self.sessions: dict[str, dict[str, Any]] = {
            name: told for name, told in stored.items() if isinstance(told, dict)
        }

    def told(self, session: str, what: str) -> Any:
        """The mark of the record (`what` is `record` or `audit`) that the session was last given."""
        return self.sessions.get(session, {}).get(what)

    def tell(self, session: str, **what: str | None) -> None:
        """Note what the session is given now; None leaves a mark as it is."""
        self._set(session, **{name: mark for name, mark in what.items() if mark is not None})

    def subagents(self, session: str, now: float) -> int:
        """How many compactions of the session's subagents have begun lately and not been seen to end."""
        return len(self._begun(session, now))

    def begin_subagent(self, session: str, now: float) -> None:
        """Note that a subagent of the session is being compacted."""
        self._set(session, subagents=[*self._begun(session, now), now], starts=0)

    def end_subagent(self, session: str, now: float) -> None:
        """Note that the compaction of a subagent has ended."""
        self._set(session, subagents=self._begun(session, now)[1:], starts=0)

    def start_amid_subagents(self, session: str, now: float) -> bool:
        """Count a SessionStart that may be a subagent's; whether all that can be have come."""
        starts = self.sessions.get(session, {}).get("starts", 0)
        starts = starts + 1 if isinstance(starts, int) else 1
        self._set(session, starts=starts)
        return starts > self.subagents(session, now)

    def _begun(self, session: str, now: float) -> list[float]:
        begun = self.sessions.get(session, {}).get("subagents")
        times = begun[-KEPT:] if isinstance(begun, list) else []
        return [at for at in times if isinstance(at, (int, float)) and abs(now - at) < _SUBAGENT_LASTS]

    def _set(self, session: str, **what: Any) -> None:
        told = self.sessions.pop(session, {})
        told.update(what)
        self.sessions[session] = told

    def save(self, state: StateDir) -> None:
        """Write it to the locked state directory.

        Raises:
            OSError: nothing was changed.
        """
        newest = list(self.sessions)[-KEPT:]
        data = b""
        while newest and not 0 < len(data) <= _MAX_RESTORED:
            data = dumps({name: self.sessions[name] for name in newest}).encode("ascii") + b"\n"
            del newest[: (len(newest) + 1) // 2]  # what another put there must not keep us from ever saving
        if 0 < len(data) <= _MAX_RESTORED:
            state.replace(RESTORED, data)


def mark_of(record: dict[str, Any]) -> str:
    """What tells one record from every other: its time, and a digest, since two compactions can come in one second."""
    return str(record.get("ts")) + " " + digest(dumps(record).encode("ascii"))


def _read(state: StateDir, name: str, most: int) -> dict[str, Any]:
    try:
        stored = loads_shallow(state.read(name, most).decode("utf-8", "replace"))
    except (ValueError, RecursionError, OSError, Unreadable):
        return {}
    return stored if isinstance(stored, dict) else {}
