"""One module for each event this plugin answers; each holds `answer(event, env, deadline)`."""

from __future__ import annotations

from dreamwork_hooks import PLUGIN
from dreamwork_hooks.shapes import Answer

LOCK_WAIT = 0.6  # seconds that another hook's lock is waited for before the answer


def skip(hook: str, reason: str) -> Answer:
    """The answer of a hook that had nothing to do."""
    return {"ok": True, "skipped": True, "reason": reason, "hook": hook, "plugin": PLUGIN}


def failure(hook: str, error: str) -> Answer:
    """The answer of a hook that could not do its job."""
    return {"ok": False, "hook": hook, "plugin": PLUGIN, "error": error}
