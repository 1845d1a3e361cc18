"""Whether the hooks do anything in a target, for a person: why they skip it, and what would change that."""

from __future__ import annotations

from dreamwork_hooks import PLUGIN
from dreamwork_hooks.targets.consent import refusal


def skipped(target: str) -> tuple[str, str] | None:
    """Why the hooks skip `target` and what to do about it; None where they run."""
    why = refusal(target)
    if why is None:
        return None
    if "does not resolve" in why:
        return why, "put that right: until then no plugin of that file is loaded"
    return why, f"to load it, write below a `## Plugins` heading in DREAMWORK.md:  - Load: `{PLUGIN}`"
