"""Past hook runs held against the settings of today: what failed, what is gone, and what never fired."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dreamwork_hooks.history.runs import Reader, Run
from dreamwork_hooks.history.summary import Summary
from dreamwork_hooks.history.transcripts import Passed, transcripts
from dreamwork_hooks.host import HookHost
from dreamwork_hooks.settings.layers import config_dir
from dreamwork_hooks.settings.shape import Handler

MOST_FAILURES = 1000
MOST_PROJECTS = 200
"""Projects whose settings are read: those that the transcripts name, as far as they are still there."""


@dataclass(frozen=True)
class History:
    """What the transcripts told, held against the settings.

    Attributes:
        not_seen: handlers that are configured now and of which no run was seen.
        configured: (event, command) of all handlers that are configured now.
    """

    summary: Summary
    passed: Passed
    failures: Sequence[Run]
    not_seen: Sequence[Handler]
    configured: frozenset[tuple[str, str]]


def review(env: Mapping[str, str], project: str | None, since: float | None) -> History:
    """The history of all projects or of one, held against the settings that apply in these projects now.

    Args:
        since: seconds since 1970; None for all of it.
    """
    home = env.get("HOME") or os.path.expanduser("~")
    here = project or os.getcwd()
    handlers = _handlers([here], env, home)
    reader = Reader(frozenset(handler.shown() for handler in handlers), since)
    summary = Summary()
    failures: list[Run] = []
    for path in transcripts(Path(config_dir(env, home, here)), None if project is None else Path(project), since):
        for failed in summary.take(reader.read(path)):
            failures.append(failed)
            del failures[:-MOST_FAILURES]
    others = [place for place in reader.directories if project is None and os.path.isdir(place)]
    handlers = _handlers([here, *others[:MOST_PROJECTS]], env, home)
    not_seen = [handler for handler in handlers if (handler.event, handler.shown()) not in summary.hooks]
    configured = frozenset((handler.event, handler.shown()) for handler in handlers)
    return History(summary, reader.passed, failures, not_seen, configured)


def _handlers(projects: Iterable[str], env: Mapping[str, str], home: str) -> list[Handler]:
    """The handlers that are configured in these projects, those of the person once."""
    found: dict[str, Handler] = {}
    for project in projects:
        with HookHost.load(project, env=env, home=home, trust="all") as host:
            found.update((f"{handler.place} {handler.label}", handler) for handler in host.configuration.handlers)
    return list(found.values())
