"""The event table. Cells without a word about it are measured on `evidence.CLIENT`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from dreamwork_hooks.contract.rows_around import AROUND_EVENTS
from dreamwork_hooks.contract.rows_turn import TURN_EVENTS
from dreamwork_hooks.contract.spec import EventSpec

EVENTS: Mapping[str, EventSpec] = {spec.name: spec for spec in (*TURN_EVENTS, *AROUND_EVENTS)}
"""Every event the client is known to have, by name."""

VOIDING_EVENTS = frozenset({"PreToolUse", "PermissionRequest"})
"""One malformed entry under these voids its whole settings file (measured); elsewhere only that entry
goes."""

TOOL_EVENTS = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"})
"""Events about one tool call: the ones whose `if` can hold."""


def is_known(name: str) -> bool:
    """Whether the client has an event of that name; case matters."""
    return name in EVENTS


def takes_matcher(name: str) -> bool:
    """Whether a matcher under that event is looked at; unknown events take none."""
    spec = EVENTS.get(name)
    return spec is not None and spec.matcher.value is not None


def can_block(name: str) -> bool:
    """Whether a hook of that event can keep something from happening."""
    spec = EVENTS.get(name)
    return spec is not None and spec.blocking.value


def nearest(name: str) -> str | None:
    """The known event a misspelt name probably means."""
    folded = {known.lower(): known for known in EVENTS}
    close = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None
