"""A guard played against the tool calls of past sessions: what it would have stopped, said and cost."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from dreamwork_hooks.contract.event import Event, EventError, parse_event
from dreamwork_hooks.history.calls import Call
from dreamwork_hooks.host import HookHost
from dreamwork_hooks.host.outcome import Outcome
from dreamwork_hooks.host.rule_matching import holds

MOST_SHOWN = 50
"""Stopped calls that are kept to be shown."""


@dataclass
class Tally:
    """Calls of one kind."""

    calls: int = 0
    fired: int = 0
    stopped: int = 0
    asked: int = 0
    said: int = 0
    failed: int = 0

    def add(self, outcome: Outcome) -> None:
        """Count one call."""
        self.calls += 1
        self.fired += bool(outcome.runs)
        self.stopped += stops(outcome)
        self.asked += outcome.decision.permission == "ask"
        self.said += bool(outcome.model or outcome.person)
        self.failed += any(run.misbehaviour or run.verdict in ("failed", "timed out") for run in outcome.runs)


@dataclass(frozen=True)
class Stopped:
    """One call that the guard would have stopped."""

    call: Call
    reason: str
    known_good: bool


@dataclass
class Result:
    """What came of it.

    Attributes:
        tools, patterns: the tallies by tool, and by what the call is like.
        good: how many calls were known to be good, `alarms` how many of them were stopped.
        seconds: the hooks' times, one for each call that fired.
        skipped: calls that are no event of the client's (a transcript of something else).
    """

    tools: dict[str, Tally] = field(default_factory=dict)
    patterns: dict[str, Tally] = field(default_factory=dict)
    stopped: list[Stopped] = field(default_factory=list)
    withheld: dict[str, str] = field(default_factory=dict)
    good: int = 0
    alarms: int = 0
    seconds: list[float] = field(default_factory=list)
    skipped: int = 0

    @property
    def total(self) -> Tally:
        """All calls."""
        sums = Tally()
        for tally in self.tools.values():
            for name, number in vars(tally).items():
                setattr(sums, name, getattr(sums, name) + number)
        return sums


class Expected:
    """Calls that are known to be good, so that stopping one is a false alarm.

    Each line is the `tool_use_id` of a call, or a permission rule such as `Bash(git status *)` or `Edit(*.md)`; blank
    lines and lines that begin with `#` do not count.
    """

    def __init__(self, text: str, home: str) -> None:
        lines = [line.strip() for line in text.splitlines()]
        lines = [line for line in lines if line and not line.startswith("#")]
        self._ids = {line for line in lines if line.startswith("toolu_")}
        self._rules = [line for line in lines if not line.startswith("toolu_")]
        self._home = home

    def __bool__(self) -> bool:
        return bool(self._ids or self._rules)

    def is_good(self, call: Call, event: Event) -> bool:
        """Whether the call is one of them."""
        if call.id in self._ids:
            return True
        return any(holds(rule, event, home=self._home).holds for rule in self._rules)


def stops(outcome: Outcome) -> bool:
    """Whether the guard would have kept the call from happening, or its result from standing."""
    return outcome.blocked or outcome.ends_turn or outcome.decision.block


def backtest(host: HookHost, calls: Iterable[Call], expected: Expected) -> Result:
    """Play the calls to the host's hooks, one after the other.

    The hooks run on the machine as it is now: files that a call was about may have changed since or be gone. Where the
    directory of a call is gone, the project's takes its place.
    """
    result = Result()
    for call in calls:
        here = str(call.event["cwd"])
        try:
            event = parse_event({**call.event, "cwd": here if os.path.isdir(here) else host.project})
        except EventError:
            result.skipped += 1
            continue
        started = time.monotonic()
        outcome = host.dispatch(event)
        spent = time.monotonic() - started
        result.tools.setdefault(call.tool, Tally()).add(outcome)
        result.patterns.setdefault(call.pattern, Tally()).add(outcome)
        result.withheld.update((not_run.handler.shown(), not_run.why) for not_run in outcome.not_run if not_run.loud)
        if outcome.runs:
            result.seconds.append(spent)
        good = expected.is_good(call, event)
        result.good += good
        if stops(outcome):
            result.alarms += good
            if len(result.stopped) < MOST_SHOWN:
                reason = outcome.decision.reason or outcome.decision.stop_reason
                result.stopped.append(Stopped(call, reason, good))
    return result
