"""`history`: which hooks ran in past sessions, how they ended, and which never did."""

from __future__ import annotations

import os
import re
import time
from datetime import datetime

import click

from dreamwork_hooks.cli import options, words
from dreamwork_hooks.errors import UserError
from dreamwork_hooks.history.review import History, review
from dreamwork_hooks.history.runs import Run
from dreamwork_hooks.history.summary import NOT_NAMED, Hook
from dreamwork_hooks.secrets import masked
from dreamwork_hooks.settings.shape import Handler

_SPAN = {"m": 60, "h": 3600, "d": 86400, "w": 604800}
# Of these events the client writes down no run at all, unless it blocks (measured).
UNSEEN_EVENTS = ("PreCompact", "PostCompact", "SessionEnd")


@click.command()
@options.project("Only sessions started there [all]", "project", type=click.Path(exists=True, file_okay=False))
@click.option("--since", metavar="WHEN", help="Only from then on: a date (2026-03-04) or a span (12h, 7d, 4w)")
@click.option("--failures", is_flag=True, help="List each failing run with its session and time")
@options.as_json
def command(project: str | None, since: str | None, failures: bool, as_json: bool) -> None:
    """Show which hooks ran in past sessions, and how they ended.

    Read from Claude Code's own transcripts on this machine; nothing leaves it. The client writes down no run of a hook
    that succeeds without printing anything (except at Stop), and none at PreCompact, PostCompact and SessionEnd.
    """
    history = review(os.environ, project, None if since is None else moment(since, time.time()))
    if as_json:
        words.say_json(as_data(history))
        return
    words.say(failing(history) if failures else shown(history))


def moment(text: str, now: float) -> float:
    """A date or a span before `now` (seconds since 1970) as seconds since 1970."""
    span = re.fullmatch(r"(\d{1,6})([mhdw])", text)
    if span:
        return now - int(span[1]) * _SPAN[span[2]]
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise UserError(f"--since {text}: not a date like 2026-03-04 or a span like 12h, 7d or 4w") from None


def as_data(history: History) -> dict[str, object]:
    """The history as plain data, likely secrets masked."""
    return {
        "hooks": [
            {
                "event": hook.event,
                "command": masked(hook.command),
                "runs": hook.runs,
                "failures": hook.failures,
                "timeouts": hook.timeouts,
                "blocks": hook.blocks,
                "p50_ms": hook.percentile(0.5),
                "p95_ms": hook.percentile(0.95),
                "last_success": hook.last_success,
                "last_failure": hook.last_failure,
                "first_stderr": None if hook.first_stderr is None else masked(hook.first_stderr),
                "exit": hook.last_exit,
                "sessions": len(hook.sessions),
                "configured": (hook.event, hook.command) in history.configured,
            }
            for hook in ordered(history)
        ],
        "not_seen": [
            {"event": handler.event, "command": masked(handler.shown()), "place": handler.place}
            for handler in history.not_seen
        ],
        "failures": [run_data(run) for run in history.failures],
        "sessions": len(history.summary.sessions),
        "compactions": history.summary.compactions,
        "transcripts": history.passed.files,
        "passed_over": {
            "torn": history.passed.torn,
            "long": history.passed.long,
            "unreadable": sorted(history.passed.unreadable),
        },
    }


def run_data(run: Run) -> dict[str, object]:
    """One failing run as plain data, likely secrets masked."""
    return {
        "at": run.at,
        "session": run.session,
        "event": run.event,
        "command": masked(run.command or NOT_NAMED),
        "ended": run.ended,
        "exit": run.exit,
        "ms": run.milliseconds,
        "stderr": masked(run.stderr[:2000]),
    }


def ordered(history: History) -> list[Hook]:
    """The worst first: failures and time-outs, then the most runs."""
    hooks = history.summary.hooks.values()
    return sorted(hooks, key=lambda hook: (-(hook.failures + hook.timeouts), -hook.runs, hook.event, hook.command))


def shown(history: History) -> str:
    """The history for a person."""
    rows = []
    for hook in ordered(history):
        known = (hook.event, hook.command) in history.configured or hook.command == NOT_NAMED
        gone = "" if known else "  (not configured)"
        numbers = (hook.failures, hook.timeouts, hook.blocks, len(hook.sessions))
        counts = [str(number or "-") for number in numbers]
        times = [_milliseconds(hook.percentile(share)) for share in (0.5, 0.95)]
        lasts = [_when(stamp) for stamp in (hook.last_success, hook.last_failure)]
        rows.append([str(hook.runs), *counts, *times, *lasts, hook.event, masked(hook.command) + gone])
    parts = []
    if rows:
        heads = [
            "runs",
            "failed",
            "timed out",
            "blocked",
            "sessions",
            "p50",
            "p95",
            "last success",
            "last failure",
            "event",
            "command",
        ]
        parts.append(words.table(rows, heads))
    stderr = [
        f"  {hook.event}  {masked(hook.command)[:60]}\n    {_ended(hook)}" for hook in ordered(history) if hook.failures
    ]
    if stderr:
        parts.append("Failures, the first line of standard error:\n" + "\n".join(stderr))
    if history.not_seen:
        parts.append("Configured, not seen:\n" + "\n".join(_not_seen(handler) for handler in history.not_seen))
    parts.append(_footing(history))
    return "\n\n".join(parts)


def _ended(hook: Hook) -> str:
    status = "" if hook.last_exit is None else f"exit {hook.last_exit}: "
    return status + masked(hook.first_stderr or "nothing on standard error")


def _not_seen(handler: Handler) -> str:
    why = (
        "the client writes down no run at this event"
        if handler.event in UNSEEN_EVENTS
        else "silent successes leave no trace"
        if handler.event != "Stop"
        else "at Stop every run is written down"
    )
    return f"  {handler.event}  {masked(handler.shown())}  ({handler.place})\n    not seen; {why}"


def _footing(history: History) -> str:
    passed = history.passed
    sessions = _count(len(history.summary.sessions), "session")
    text = f"{_count(passed.files, 'transcript')}, {sessions} with hooks or compactions"
    text += f", {_count(history.summary.compactions, 'compaction')}."
    over = [f"{_count(passed.torn, 'torn or foreign line')}" if passed.torn else ""]
    over += [_count(passed.long, "line") + " over 64 MB" if passed.long else ""]
    over += [_count(len(passed.unreadable), "unreadable file") if passed.unreadable else ""]
    said = ", ".join(part for part in over if part)
    return text + (f" Passed over: {said}." if said else "")


def failing(history: History) -> str:
    """Each failing run for a person, the newest last."""
    lines = []
    for run in history.failures:
        how = run.ended if run.exit is None else f"{run.ended}, exit {run.exit}"
        lines.append(f"{run.at}  {run.session}  {run.event}  {how}\n  {masked(run.command or NOT_NAMED)}")
        lines += [f"    {masked(line)}" for line in run.stderr.splitlines()[:5]]
    return "\n".join(lines) or "No failing run was seen."


def _milliseconds(spent: float | None) -> str:
    return "-" if spent is None else f"{spent:.0f} ms"


def _when(stamp: str | None) -> str:
    return "-" if not stamp else stamp[:16].replace("T", " ")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
