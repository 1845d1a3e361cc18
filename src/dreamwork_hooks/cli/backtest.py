"""`backtest`: what a new guard would have done in past sessions."""

from __future__ import annotations

import json
import os
import statistics
import time
from pathlib import Path
from typing import Any

import click

from dreamwork_hooks.cli import options, words
from dreamwork_hooks.cli.history import moment
from dreamwork_hooks.errors import UserError
from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.history.backtest import Expected, Result, Tally, backtest
from dreamwork_hooks.history.calls import NOT_REBUILT, Name, calls
from dreamwork_hooks.history.transcripts import Passed, transcripts
from dreamwork_hooks.host import HookHost, LayerFile
from dreamwork_hooks.secrets import masked
from dreamwork_hooks.settings.layers import FLAG, config_dir

_MOST_EXPECTED = 1 << 20  # bytes


@click.command()
@click.option("--hook", metavar="COMMAND", help="The guard, as `command` of a hook")
@click.option("--settings", metavar="FILE", help="The guards, as a settings file holds them")
@click.option("--event", type=click.Choice(["PreToolUse", "PostToolUse"]), default="PreToolUse", show_default=True)
@click.option("--matcher", metavar="TEXT", default="", help="With --hook: the tools it is for [all]")
@click.option("--sessions", metavar="N", type=click.IntRange(1), default=20, help="The last N sessions [20]")
@options.project("Only sessions started there [all]", "project", type=click.Path(exists=True, file_okay=False))
@click.option("--since", metavar="WHEN", help="Only from then on: a date (2026-03-04) or a span (12h, 7d, 4w)")
@click.option("--expect", metavar="FILE", help="Known good calls, one a line: a tool_use_id or a rule like Bash(git *)")
@options.as_json
def command(project: str | None, since: str | None, as_json: bool, **given: Any) -> None:
    """Play the tool calls of past sessions to a new guard.

    The calls are rebuilt from Claude Code's own transcripts on this machine; nothing leaves it. The guard really runs,
    once for each call, on the files as they are now. Exits 1 when it would have stopped a known good call.
    """
    if bool(given["hook"]) == bool(given["settings"]):
        raise UserError("name the guard with --hook COMMAND, or several with --settings FILE")
    home = os.environ.get("HOME") or os.path.expanduser("~")
    name: Name = given["event"]
    try:
        expected = Expected(_text(given["expect"]), home)
        layer = LayerFile(FLAG, given["settings"]) if given["settings"] else _of_command(name, given)
        if given["settings"]:
            read_regular(given["settings"], _MOST_EXPECTED)
    except Unreadable as error:
        raise UserError(f"{given['expect'] or given['settings']}: {error}") from None
    passed = Passed()
    start = None if since is None else moment(since, time.time())
    found = transcripts(
        Path(config_dir(os.environ, home, project or os.getcwd())), None if project is None else Path(project), start
    )
    found = found[-given["sessions"] :]
    played = (call for path in found for call in calls(path, name, passed))
    with HookHost.load(project or os.getcwd(), files=[layer], trust="all") as host:
        options.warn_of_problems(host)
        result = backtest(host, played, expected)
    if as_json:
        words.say_json(as_data(result, name, len(found), bool(expected)))
    else:
        words.say(shown(result, name, len(found), bool(expected)))
    if result.alarms:
        raise SystemExit(1)


def _of_command(name: str, given: dict[str, Any]) -> LayerFile:
    group = {"matcher": given["matcher"], "hooks": [{"type": "command", "command": given["hook"]}]}
    return LayerFile(FLAG, "--hook", text=json.dumps({"hooks": {name: [group]}}))


def _text(path: str | None) -> str:
    return "" if path is None else read_regular(path, _MOST_EXPECTED).decode("utf-8", "replace")


def as_data(result: Result, name: Name, sessions: int, expecting: bool) -> dict[str, object]:
    """The result as plain data, likely secrets masked."""
    times = _times(result.seconds)
    return {
        "event": name,
        "sessions": sessions,
        "total": vars(result.total),
        "tools": {tool: vars(tally) for tool, tally in sorted(result.tools.items())},
        "patterns": {pattern: vars(tally) for pattern, tally in sorted(result.patterns.items())},
        "stopped": [
            {
                "session": stopped.call.event["session_id"],
                "tool_use_id": stopped.call.id,
                "tool": stopped.call.tool,
                "input": masked(json.dumps(stopped.call.event["tool_input"], ensure_ascii=False))[:2000],
                "reason": masked(stopped.reason),
                "known_good": stopped.known_good,
            }
            for stopped in result.stopped
        ],
        "known_good": result.good if expecting else None,
        "false_alarms": result.alarms if expecting else None,
        "false_alarm_rate": result.alarms / result.good if expecting and result.good else None,
        "seconds": times[0],
        "p50_ms": times[1],
        "p95_ms": times[2],
        "not_rebuilt": list(NOT_REBUILT[name]),
        "not_run": result.withheld,
        "skipped": result.skipped,
    }


def _times(seconds: list[float]) -> tuple[float, float | None, float | None]:
    """(all, median in ms, 95th percentile in ms)."""
    if not seconds:
        return 0.0, None, None
    high = sorted(seconds)[min(len(seconds) - 1, int(0.95 * len(seconds)))]
    return round(sum(seconds), 3), round(statistics.median(seconds) * 1000, 1), round(high * 1000, 1)


def shown(result: Result, name: Name, sessions: int, expecting: bool) -> str:
    """The result for a person."""
    total = result.total
    if not total.calls:
        return f"No {name} call was found in {sessions} transcripts; nothing was run."
    heads = ["calls", "ran", "stopped", "asked", "said", "failed", ""]
    parts = [words.table([_row(tally, tool) for tool, tally in _most_stopped(result.tools)], heads)]
    patterns = _most_stopped(result.patterns)
    noticed = [_row(tally, pattern) for pattern, tally in patterns if tally.stopped or tally.asked]
    if noticed:
        parts.append(words.table(noticed[:20], heads))
    if result.stopped:
        lines = ["It would have stopped:"]
        for stopped in result.stopped[:10]:
            given = masked(json.dumps(stopped.call.event["tool_input"], ensure_ascii=False))[:100]
            good = "  (known good)" if stopped.known_good else ""
            lines.append(f"  {stopped.call.tool} {given}{good}")
            lines.append(f"    {masked(stopped.reason)[:200]}")
        if total.stopped > 10:
            lines.append(f"  and {total.stopped - 10:,} more; --json lists {len(result.stopped)}")
        parts.append("\n".join(lines))
    for command, why in result.withheld.items():
        parts.append(f"Not run: {command}: {why}")
    spent, median, high = _times(result.seconds)
    said = [f"{total.calls:,} calls in {sessions} transcripts: it ran for {total.fired:,}, stopped {total.stopped:,}."]
    if median is not None:
        said.append(f"It would have cost {spent:.1f} s: median {median:.0f} ms, 95 % within {high:.0f} ms.")
    if expecting:
        rate = f"{result.alarms / result.good:.1%}" if result.good else "not measured"
        said.append(f"Known good: {result.good:,}, of which stopped: {result.alarms:,} (false alarms: {rate}).")
    said.append(f"Not rebuilt, since no transcript holds it: {', '.join(NOT_REBUILT[name])}.")
    parts.append("\n".join(said))
    return "\n\n".join(parts)


def _most_stopped(tallies: dict[str, Tally]) -> list[tuple[str, Tally]]:
    return sorted(tallies.items(), key=lambda item: (-item[1].stopped, -item[1].calls, item[0]))


def _row(tally: Tally, name: str) -> list[str]:
    numbers = (tally.calls, tally.fired, tally.stopped, tally.asked, tally.said, tally.failed)
    return [*(f"{number:,}" if number else "-" for number in numbers), masked(name)]
