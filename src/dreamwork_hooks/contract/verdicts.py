"""Events at which the client hears one verdict and not another (measured)."""

from __future__ import annotations

REFUSED_WHEN_HELD = frozenset({"PreToolUse", "PostToolUse", "Stop"})
"""Events that refuse JSON with context when a grandchild still holds the pipe; PreToolUse then blocks the
call."""

FIRST_VERDICT_COUNTS = frozenset({"UserPromptSubmit", "PostToolBatch"})
"""Events where of several hooks that block or stop the first to finish counts alone."""

STOP_BEFORE_BLOCK = FIRST_VERDICT_COUNTS | {"PostToolUse"}
"""Events where a hook that stops the run has its block, or exit 2, not heard."""
