"""Whose conversation is being compacted: the session's own, or that of a subagent.

Claude Code 2.1.332 gives both the same session id and no other mark (measured). But a conversation is compacted just
before it asks the model again, so its transcript ends with what the model is to read; that of a conversation that waits
for a person or a subagent does not. A subagent's transcript lies in `<session>/subagents/` beside the session's.
"""

from __future__ import annotations

import os
import time
from typing import Any

from dreamwork_hooks.evidence.transcript import blocks_of, newest_messages
from dreamwork_hooks.files import Unreadable

SESSION, SUBAGENT, UNKNOWN = "session", "subagent", "unknown"
_RECENT = 600  # seconds since a subagent that still works has written
_MOST = 8  # subagents that are looked at, the newest
_CLEARLY = 2  # times as many tokens as the other's: then it is the one that is full
_NOT_ASKED = ("<local-command", "<command-name>")


def compacting(event: dict[str, Any], now: float, seconds: float = 0.1) -> str:
    """`session`, `subagent`, or `unknown` where several conversations are about to ask.

    Args:
        event: PreCompact's.
        seconds: that it may take.
    """
    path = event.get("transcript_path")
    if event.get("trigger") != "auto" or not isinstance(path, str) or not path.endswith(".jsonl"):
        return SESSION  # nobody types /compact in a subagent
    until = time.monotonic() + seconds
    agents = [size for asks, size in [_state(file, until) for file in _subagents(path[:-6], now)] if asks]
    if not agents:
        return SESSION
    asks, size = _state(path, until)
    if not asks:
        return SUBAGENT
    fullest = max(agents)
    if size > _CLEARLY * fullest:
        return SESSION
    return SUBAGENT if fullest > _CLEARLY * size else UNKNOWN


def _subagents(session: str, now: float) -> list[str]:
    """The transcripts of the session's subagents that were written lately, newest first."""
    directory = session + "/subagents"
    found = []
    try:
        for name in os.listdir(directory)[:1000]:
            if name.endswith(".jsonl"):
                written = os.stat(directory + "/" + name).st_mtime
                if now - written < _RECENT:
                    found.append((written, directory + "/" + name))
    except (OSError, ValueError):
        return []
    return [path for _, path in sorted(found, reverse=True)[:_MOST]]


def _state(path: str, until: float) -> tuple[bool, int]:
    """(whether its conversation is about to ask the model, the tokens that the model last counted in it)."""
    asks: bool | None = None
    try:
        messages, _ = newest_messages(path, until)
    except Unreadable:
        return False, 0
    for entry in messages:
        if entry.get("isMeta") or _is_command(entry):
            continue
        if asks is None:
            asks = entry["type"] == "user"
        if entry["type"] == "assistant":
            message = entry["message"]
            usage = message.get("usage") if isinstance(message, dict) else None
            counts = [usage[key] for key in usage if key.endswith("input_tokens")] if isinstance(usage, dict) else []
            return asks, sum([count for count in counts if isinstance(count, int)])
        if entry.get("isCompactSummary"):
            break
    return bool(asks), 0


def _is_command(entry: dict[str, Any]) -> bool:
    """Whether it is a command of the client's own, which the model is not asked about."""
    blocks = blocks_of(entry)
    return any(str(block.get("text", "")).startswith(_NOT_ASKED) for block in blocks)
