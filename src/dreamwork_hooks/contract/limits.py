"""How much of a hook's text reaches the model."""

from __future__ import annotations

CONTEXT_CHARACTERS = 10_000
"""Longer context is saved to a file and the model gets its path and the first part: 9,000 pass, 11,000 do
not."""

PREVIEW_CHARACTERS = 2_048
"""The part of a longer context that the model still gets (2 KB measured)."""

SUMMARIZER_CHARACTERS = 10_000
"""PreCompact's output is cut at about this length."""

STOP_CONTINUATIONS = 9
"""A Stop hook that always blocks is overridden after so many in a row; `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP`
changes it."""

HELD_PIPE_SECONDS = 0.5
"""How long the client waits for a pipe that a grandchild keeps open after the hook itself has ended."""


def clip_context(text: str) -> str:
    """What the model gets of a context: all of it, or the first part."""
    return text if len(text) <= CONTEXT_CHARACTERS else text[:PREVIEW_CHARACTERS]
