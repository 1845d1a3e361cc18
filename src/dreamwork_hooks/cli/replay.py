"""`replay`: run the configured hooks on recorded events."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from dreamwork_hooks.cli import options, words
from dreamwork_hooks.errors import UserError
from dreamwork_hooks.host import HookHost
from dreamwork_hooks.host.replaying import EventReport, HookReport, Pace, load_events, prints_its_input, replay
from dreamwork_hooks.host.reports import event_data, junit

PROGRESS_AFTER = 1.0  # seconds; a short replay needs no line
_STDERR_LINES = 3
_SHOWN = 400  # characters of a text in the report for a person


@click.command()
@options.sources
@options.running
@click.option("--trust", is_flag=True, help="Run the project's own hooks this once, without remembering it")
@click.option("--budget", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Seconds a hook may take")
@click.option("--repeat", type=click.IntRange(min=1), default=1, show_default=True, help="Run each event so often")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "junit"]),
    default="text",
    show_default=True,
    help="How to write the report; junit is XML for a build server",
)
@click.option("--json", "form", flag_value="json", help="Print JSON")
@click.option("--junit", "form", flag_value="junit", hidden=True)
@click.argument("events", metavar="EVENT.json|DIR|EVENT|-")
def command(events: str, project: str | None, budget: float | None, repeat: int, form: str, **given: Any) -> None:
    """Run the hooks that recorded events fire, and show what came of each.

    The name of an event stands for a sample of it (`events EVENT --sample`).

    Per hook: the time it took of what it had, its exit status, its verdict, what reaches the model, the person and the
    summarizer, what is dropped and why. Per event: the decision, and who made it.

    Exit status: 0 all hooks ran and behaved, 1 one did not, 2 wrong usage, or a hook was not run for lack of trust.
    """
    trust = given.pop("trust")
    wanted = options.Wanted.of({**given, "trust_all": trust})
    hosts: dict[str, HookHost] = {}
    pace = Pace()

    def host_for(root: str) -> HookHost:
        if root not in hosts:
            hosts[root] = wanted.host(root)
            options.warn_of_problems(hosts[root])
        return hosts[root]

    line = ProgressLine(pace)
    try:
        loaded = load_events(events)
        for each in loaded:
            if each.filled:
                words.note(f"{each.name}: filled in {', '.join(each.filled)}")
        reports = replay(
            loaded,
            host_for,
            project=project,
            here=os.getcwd(),
            budget=budget,
            repeat=repeat,
            progress=line.show,
        )
    finally:
        line.clear()
        for host in hosts.values():
            host.close(drain=1.0)
    if form == "json":
        words.say_json({"rate": round(pace.rate(), 2), "events": [event_data(report) for report in reports]})
    elif form == "junit":
        words.write_data(junit(reports))
    else:
        for report in reports:
            words.say(shown(report))
        if len(reports) > 1:
            words.say(summary(reports))
        if repeat > 1:
            words.say(
                f"{pace.rate():.0f} dispatches a second; the first fifth {pace.rate(0, 0.2):.0f}, "
                f"the last {pace.rate(0.8, 1):.0f}"
            )
    for warning in dict.fromkeys(warning for report in reports for warning in report.outcome.warnings):
        words.note(f"warning: {warning}")
    if any(report.outcome.refused for report in reports):
        raise UserError("a fail-closed hook is not trusted: see `trust`")
    withheld = {handler for report in reports for handler, _ in report.withheld}
    if withheld and not any(report.broken or any(hook.faults for hook in report.hooks) for report in reports):
        number = f"{len(withheld)} hook was" if len(withheld) == 1 else f"{len(withheld)} hooks were"
        raise UserError(f"{number} not run, so nothing is known of them: see `trust`, or run with --trust this once")
    if not all(report.ok for report in reports):
        raise SystemExit(1)


class ProgressLine:
    """How far a long replay has come, on standard error when that is a terminal."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._began = self._shown = time.monotonic()
        self._visible = False

    def show(self, done: int, total: int) -> None:
        """Note a dispatch that is done."""
        self._pace.tick()
        now = time.monotonic()
        if now - self._began < PROGRESS_AFTER or now - self._shown < 0.1 or words.quiet() or not sys.stderr.isatty():
            return
        self._shown = now
        self._visible = True
        click.echo(f"\r\033[K{done}/{total}  {self._pace.rate():.0f} a second", err=True, nl=False)

    def clear(self) -> None:
        """Take the line away."""
        if self._visible:
            click.echo("\r\033[K", err=True, nl=False)


def summary(reports: Sequence[EventReport]) -> str:
    """All events in one line."""
    states = Counter(state(report) for report in reports)
    return f"{len(reports)} events: " + ", ".join(f"{number} {word}" for word, number in states.items())


def state(report: EventReport) -> str:
    """An event in a word or three: `ok` when every hook it meant ran and behaved."""
    if report.ok:
        return "ok" if report.hooks else "no hook ran"
    if report.broken or report.ignored or any(hook.faults for hook in report.hooks):
        return "misbehaved"
    return "not run"


def shown(report: EventReport) -> str:
    """One event for a person."""
    outcome = report.outcome
    mark = words.style(state(report), words.GOOD if report.ok else words.BAD)
    lines = [words.style(outcome.event.name, bold=True) + f"  {report.name}  {mark}"]
    if report.hooks:
        rows = [_row(hook) for hook in report.hooks]
        lines.append(_indented(words.table(rows, ("time", "of", "exit", "verdict", "hook")), 2))
    for hook in report.hooks:
        texts = _texts(hook)
        if texts and len(report.hooks) > 1:
            lines.append(f"  {_one_line(hook.run.handler.shown())}")
        lines.extend(_indented(line, 4) for line in texts)
    for handler, why in report.broken:
        lines.append("    " + words.style(f"{handler.label} cannot run: {why}", words.BAD))
    for handler, why in report.withheld:
        lines.append("    " + words.style(f"{handler.label} was not run: {why}", words.BAD))
    lines.extend("    " + words.style(why, words.BAD) for why in report.ignored)
    silent = len(outcome.not_run) - len(report.withheld)
    if silent:
        lines.append(f"  {silent} other hook{'s' if silent > 1 else ''} of this event did not run: see `explain`")
    lines.append("  decision: " + decided(report))
    lines.extend(f"  conflict: {conflict}" for conflict in outcome.conflicts)
    return "\n".join(lines) + "\n"


def decided(report: EventReport) -> str:
    """The folded decision and who made it, on one line."""
    outcome, decision = report.outcome, report.outcome.decision
    words: list[str] = []
    if decision.permission:
        words.append(decision.permission)
    elif outcome.continues:
        words.append("the agent goes on")
    elif outcome.blocked:
        words.append("blocked")
    elif decision.block:
        words.append("feedback to the model" if not outcome.ends_turn else "the turn ends")
    if decision.stop:
        words.append(f"the run stops: {decision.stop_reason}")
    if decision.updated_input is not None:
        words.append("the input is rewritten")
    if decision.updated_output is not None:
        words.append("the result is replaced")
    if decision.context:
        words.append(f"{len(decision.context)} characters of context")
    said = ", ".join(words) or "nothing"
    if decision.reason:
        said += f": {_cut(decision.reason)}"
    if outcome.decided_by:
        said += " (by " + ", ".join(handler.label for handler in outcome.decided_by) + ")"
    return said


def _row(hook: HookReport) -> tuple[str, ...]:
    ended = hook.run.ended
    time_text = f"{hook.median * 1000:.0f} ms"
    if len(hook.seconds) > 1:
        time_text += f" (max {max(hook.seconds) * 1000:.0f})"
    budget = f"{hook.run.budget:g} s" if hook.run.budget is not None else "-"
    exit_text = "-" if ended.exit_code is None else str(ended.exit_code)
    return (time_text, budget, exit_text, hook.run.verdict, _one_line(hook.run.handler.shown()))


def _texts(hook: HookReport) -> list[str]:
    reading = hook.run.reading
    lines = [f"model: {_cut(text)}" for text in reading.model]
    lines += [f"person: {_cut(text)}" for text in reading.person]
    lines += [f"summarizer: {_cut(reading.summarizer)}"] if reading.summarizer else []
    for drop in () if prints_its_input(hook.run) else reading.dropped:
        evidence = "" if drop.evidence.level == "measured" else f" ({drop.evidence})"
        lines.append(words.style(f"dropped {drop.part}: {drop.reason}{evidence}", words.DOUBT))
    lines += [words.style(f"misbehaved: {fault}", words.BAD) for fault in hook.faults]
    if hook.faults or hook.run.verdict == "failed":
        said = hook.run.ended.stderr.decode("utf-8", "replace").strip().splitlines()
        lines += [f"stderr: {_one_line(line, _SHOWN)}" for line in said[:_STDERR_LINES]]
    return lines


def _one_line(text: str, most: int = 100) -> str:
    """The beginning of a text: a command of a kilobyte does not bury the rest."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _cut(text: str) -> str:
    text = text.replace("\n", "\n       ")
    return text if len(text) <= _SHOWN else text[:_SHOWN] + f"... ({len(text)} characters)"


def _indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line for line in text.split("\n"))
