"""Recorded events, run through a host: loading them, putting them in a directory that exists, judging the hooks."""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dreamwork_hooks.contract.decision import Reading
from dreamwork_hooks.contract.event import Event, EventError, filled, no_constant, parse_event, sample_event
from dreamwork_hooks.contract.events import EVENTS
from dreamwork_hooks.contract.matcher import matches
from dreamwork_hooks.errors import UserError
from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.host.host import HookHost
from dreamwork_hooks.host.outcome import HookRun, Outcome
from dreamwork_hooks.processes.running import Ended
from dreamwork_hooks.settings.shape import RUNNABLE, Handler

_LIMIT = 64 << 20  # bytes of recorded events in one file


class NoEvents(UserError):
    """There is nothing to replay; the message names what was looked at."""


@dataclass(frozen=True)
class Recorded:
    """An event and where it came from."""

    name: str
    data: dict[str, object]
    filled: tuple[str, ...] = ()
    """The common fields that a hand-written event lacked."""


@dataclass
class HookReport:
    """One hook over all repetitions: its last run, every time it took, and what it did wrong."""

    run: HookRun
    seconds: list[float]
    faults: list[str]

    @property
    def median(self) -> float:
        """Seconds."""
        return statistics.median(self.seconds)


@dataclass
class EventReport:
    """One event: the last outcome, and each hook that ran."""

    name: str
    outcome: Outcome
    hooks: list[HookReport] = field(default_factory=list)
    broken: list[tuple[Handler, str]] = field(default_factory=list)
    """Hooks the event meant that cannot run as configured, or stand in a file that is ignored."""
    withheld: list[tuple[Handler, str]] = field(default_factory=list)
    """Hooks the event meant that were not run for lack of trust."""
    ignored: list[str] = field(default_factory=list)
    """Settings files that are ignored, of which nobody can say what they held."""

    @property
    def ok(self) -> bool:
        """Whether every hook the event meant ran and behaved."""
        return not (self.broken or self.withheld or self.ignored) and not any(report.faults for report in self.hooks)


def load_events(source: str) -> list[Recorded]:
    """The events of a file, of a directory's `*.json` files in order, of standard input (`-`), or a sample of the event
    of that name.

    A file may hold several documents. Common fields an event lacks are filled in. Raises EventError (named for the
    file) and NoEvents.
    """
    if source == "-":
        return list(_documents("-", sys.stdin.buffer.read()))
    if source in EVENTS and not os.path.exists(source):
        return [Recorded(f"{source} (a sample)", sample_event(source, os.getcwd()))]
    path = Path(source)
    if path.is_dir():
        files = sorted(path.glob("*.json"))
        if not files:
            raise NoEvents(f"{source}: no *.json file in this directory")
        return [event for file in files for event in _documents(str(file), _read(str(file)))]
    return list(_documents(source, _read(source)))


def _read(path: str) -> bytes:
    try:
        return read_regular(path, _LIMIT)
    except Unreadable as error:
        raise NoEvents(error.of(path)) from None


def placed(event: Mapping[str, object], project: str | None, here: str) -> tuple[dict[str, object], str]:
    """The event with its paths where they exist, and the project it then belongs to.

    With `project` the recording's own project directory is replaced by it. Without, an event whose `cwd` exists stays
    as it is, and another is put into `here`.
    """
    cwd = str(event.get("cwd", ""))
    root = _recorded_root(event, cwd)
    if project is None and os.path.isdir(cwd):
        return dict(event), root
    new = os.path.abspath(project if project is not None else here)
    if cwd == new or cwd.startswith(new.rstrip("/") + "/"):
        moved = dict(event)
    else:
        moved = {key: _moved(value, root, new) for key, value in event.items()}
    place = str(moved.get("cwd", ""))
    while place.startswith(new + "/") and not os.path.isdir(place):
        place = os.path.dirname(place)
    moved["cwd"] = place
    return moved, new


def replay(
    events: Sequence[Recorded],
    host_for: Callable[[str], HookHost],
    *,
    project: str | None,
    here: str,
    budget: float | None = None,
    repeat: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[EventReport]:
    """Dispatch every event `repeat` times and judge the hooks; `budget` is seconds a hook may take.

    `host_for` gives the host of a project. Raises EventError naming the file.
    """
    reports: list[EventReport] = []
    total = len(events) * repeat
    for at, recorded in enumerate(events):
        data, root = placed(recorded.data, project, here)
        event = _parsed(recorded.name, data)
        host = host_for(root)
        report: EventReport | None = None
        for turn in range(repeat):
            outcome = host.dispatch(event)
            report = _added(report, recorded.name, outcome, budget)
            if progress is not None:
                progress(at * repeat + turn + 1, total)
        assert report is not None
        for skipped in report.outcome.not_run:
            if skipped.loud and skipped.handler.type in RUNNABLE:
                broken = host.status(skipped.handler).word == "broken"
                (report.broken if broken else report.withheld).append((skipped.handler, skipped.why))
        for layer in host.configuration.layers:
            why = f"{layer.file.path} is ignored: {layer.void_reason}"
            lost = [handler for handler in layer.lost if handler.event == event.name]
            meant = [handler for handler in lost if matches(handler.matcher, event.subject or "")]
            report.broken += [(handler, why) for handler in meant if handler not in dict(report.broken)]
            if layer.void and layer.present and not layer.lost:
                report.ignored.append(why)
        reports.append(report)
    return reports


class Pace:
    """How fast a long replay goes: dispatches a second, over the first and the last fifth and over all."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times = [clock()]

    def tick(self) -> None:
        """One dispatch is done."""
        self._times.append(self._clock())

    def rate(self, begin: float = 0.0, end: float = 1.0) -> float:
        """Dispatches a second between two parts of the way."""
        last = len(self._times) - 1
        first, until = int(last * begin), max(int(last * end), int(last * begin) + 1)
        if last < 1 or self._times[until] <= self._times[first]:
            return 0.0
        return (until - first) / (self._times[until] - self._times[first])


def _added(report: EventReport | None, name: str, outcome: Outcome, budget: float | None) -> EventReport:
    if report is None:
        report = EventReport(name, outcome)
    report.outcome = outcome
    known = {hook.run.handler: hook for hook in report.hooks}
    for run in outcome.runs:
        faults = misbehaviour(run)
        if budget is not None and run.ended.seconds > budget:
            faults.append(f"took longer than its budget of {budget:g} s")
        hook = known.get(run.handler)
        if hook is None:
            report.hooks.append(HookReport(run, [run.ended.seconds], faults))
        else:
            hook.run = run
            hook.seconds.append(run.ended.seconds)
            hook.faults.extend(fault for fault in faults if fault not in hook.faults)
    return report


# What a shell or an interpreter says when it ends with 2 before the hook has said anything.
_NOT_THE_HOOK = re.compile(
    r"(?:/bin/)?(?:da|ba)?sh: (?:\d+: |line \d+: |-c: )|.*: (?:line )?\d+: (?:[Ss]yntax error|Bad substitution)"
    r"|.*python[\d.]*: can't open file|(?:cat|ls|grep|sed): "
)
_VERDICTS = ("permissionDecision", "decision: block", "continue: false", "decision")


def misbehaviour(run: HookRun) -> list[str]:
    """What the author of a hook should mend: what the host says of it, and what has no effect at all."""
    if prints_its_input(run):
        return [*run.misbehaviour, "prints its input back, which tells Claude Code nothing"]
    return [*run.misbehaviour, *without_effect(run.reading, run.ended)]


def without_effect(reading: Reading, ended: Ended) -> list[str]:
    """A refusal that is none, and a verdict that goes nowhere."""
    faults = []
    answer, event = reading.answer, reading.event
    said = ended.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
    if ended.exit_code == 2 and not answer and _NOT_THE_HOOK.match(said):
        faults.append(f"exit 2 comes from the shell or the interpreter, not from the hook: {said[:200]}")
    for drop in reading.dropped:
        if drop.part == "exit 2":
            faults.append(f"exit 2 has no effect for {event}, so nothing was refused")
        elif drop.part in _VERDICTS:
            faults.append(f"a verdict is lost: `{drop.part}` {drop.reason}")
    return faults


def prints_its_input(run: HookRun) -> bool:
    """Whether a hook's answer is the event itself."""
    answer = run.reading.answer
    return bool(answer) and "hook_event_name" in answer and "session_id" in answer  # type: ignore[operator]


def _documents(name: str, raw: bytes) -> Iterator[Recorded]:
    text = raw.decode("utf-8", errors="replace").lstrip("\ufeff").strip()
    decoder = json.JSONDecoder(parse_constant=no_constant)
    at = number = 0
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise EventError("", f"{name}: not JSON: {error}") from None
        if not isinstance(value, dict):
            raise EventError("", f"{name}: an event must be an object")
        number += 1
        while at < len(text) and text[at].isspace():
            at += 1
        several = number > 1 or at < len(text)
        yield Recorded(f"{name}#{number}" if several else name, *filled(value, os.getcwd()))
    if number == 0:
        raise EventError("", f"{name} is empty")


def _parsed(name: str, data: Mapping[str, object]) -> Event:
    try:
        return parse_event(data)
    except EventError as error:
        raise EventError(error.field, f"{error.problem} (in {name})") from None


def _recorded_root(event: Mapping[str, object], cwd: str) -> str:
    """The project a session was started in: the client names its transcript directory for it, with hyphens."""
    folder = os.path.basename(os.path.dirname(str(event.get("transcript_path", ""))))
    place = cwd
    while len(place) > 1:
        if re.sub(r"[^A-Za-z0-9]", "-", place) == folder:
            return place
        place = os.path.dirname(place)
    return cwd


def _moved(value: object, old: str, new: str) -> object:
    if isinstance(value, str):
        if value == old or value.startswith(old.rstrip("/") + "/"):
            return new + value[len(old) :]
        return value
    if isinstance(value, Mapping):
        return {key: _moved(inner, old, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [_moved(inner, old, new) for inner in value]
    return value
