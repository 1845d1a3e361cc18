"""`focus`: what the sessions of a target held at their compactions, and what came through."""

from __future__ import annotations

import os
import textwrap
import time
from pathlib import Path
from typing import Any

import click

from dreamwork_hooks.cli.focus_logs import Logs, NoLogs, of_machine, of_target
from dreamwork_hooks.cli.nearest import nearest_target
from dreamwork_hooks.cli.survival import lines as survival_lines
from dreamwork_hooks.cli.survival import several, survival
from dreamwork_hooks.cli.tables import BAD, GOOD, say, say_json, style
from dreamwork_hooks.cli.usage import usage
from dreamwork_hooks.memory.audit import lost_facts
from dreamwork_hooks.memory.facts import ended, exits, facts_of
from dreamwork_hooks.memory.focus_log import age_of, in_words
from dreamwork_hooks.quoting import one_line

Json = dict[str, Any]

WIDTH = 80
INDENT = 13


@click.command()
@click.option(
    "--target",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The project [the nearest from here up].",
)
@click.option("--all", "machine", is_flag=True, help="All projects of this machine.")
@click.option("--last", metavar="N", type=click.IntRange(min=1), default=5, show_default=True, help="How many records.")
@click.option("--session", metavar="ID", default="", help="Only this session's; the beginning of its id is enough.")
@click.option("--survival", "sum_up", is_flag=True, help="Sum up what came through all the compactions.")
@click.option("--json", "as_json", is_flag=True, help="Answer with one JSON object.")
def command(target: Path | None, machine: bool, last: int, session: str, sum_up: bool, as_json: bool) -> None:
    """Show what was held at the last compactions, newest first, and what their summaries lost.

    Run it after a compaction: it shows the current task, its ids, and the files, commands and numbers of just before.
    """
    try:
        logs = _logs(target, machine)
    except NoLogs as error:
        raise usage(str(error)) from None
    logs = logs.of_session(session) if session else logs
    if sum_up:
        sums = survival(logs)
        say_json(sums) if as_json else say("\n".join([*_heading(logs), *survival_lines(sums)]))
        return
    now = time.time()
    shown = logs.records[:last]
    if as_json:
        say_json({"target": logs.target, "records": [{**row, **_beside(logs, row, now)} for row in shown]})
        return
    if not shown:
        whose = f" of session {session}" if session else ""
        say("\n".join([*_heading(logs), f"No record{whose} yet: each compaction of a session here writes one."]))
        return
    of_all = f"{len(shown)} of {len(logs.records)} records, newest first"
    say("\n".join([*_heading(logs), of_all]))
    for record in shown:
        say("\n" + "\n".join(_told(record, logs.audit_of(record), now, logs.target is None)))


def _logs(target: Path | None, machine: bool) -> Logs:
    if machine:
        return of_machine(os.environ)
    place = target if target is not None else nearest_target(Path.cwd())
    if place is None:
        raise NoLogs(f"no .dreamwork/ in {Path.cwd()} or above it; name a project with --target DIR, or use --all")
    return of_target(os.environ, place)


def _heading(logs: Logs) -> list[str]:
    return [style(logs.target or f"{several(logs.targets, 'project')} of this machine", bold=True)]


def _beside(logs: Logs, record: Json, now: float) -> Json:
    """What is shown of a record that does not stand in it."""
    age = age_of(record, now)
    return {"age_seconds": None if age is None else int(age), "audit": logs.audit_of(record)}


def _told(record: Json, audit: Json | None, now: float, name_target: bool) -> list[str]:
    """One record for a person: lines of at most 80 columns."""
    age = age_of(record, now)
    told = [in_words(age) + " ago" if age is not None else "at a time unknown", str(record.get("trigger") or "")]
    told.append("session " + one_line(str(record.get("session_id") or "unknown"), 100)[:8])
    head = record.get("head")
    if isinstance(head, dict):
        stood = [one_line(str(head[key]), 60)[:cut] for key, cut in (("branch", 60), ("commit", 12)) if head.get(key)]
        told.append(" ".join(stood))
    rows = [style(" · ".join(part for part in told if part), bold=True)]
    if name_target:
        rows += _row("target", str(record.get("target")))
    lost = lost_facts(audit)
    facts = facts_of(record)
    states = exits(record)
    for kind, label in (("task", "task"), ("id", "ids")):
        texts = [_marked(text, (kind, text) in lost) for found, text in facts if found == kind]
        rows += _row(label, ", ".join(texts))
    if isinstance(record.get("goal"), str):
        rows += _row("goal", record["goal"])
    rows += _row("questions", _questions(record))
    for kind, label in (("test", "failing"), ("file", "files"), ("command", "commands")):
        texts = [text for found, text in facts if found == kind]
        for at, text in enumerate(texts):
            how = f" ({ended(states[text])})" if kind == "command" else ""
            rows += _row("" if at else label, _marked(text + how, (kind, text) in lost))
    numbers = [_marked(text, ("number", text) in lost) for found, text in facts if found == "number"]
    rows += _row("numbers", ", ".join(numbers))
    rows += _row("survived", _verdict(audit), colour=BAD if lost else GOOD if audit else None)
    if isinstance(record.get("note"), str):
        rows += _row("note", record["note"])
    return rows


def _row(label: str, text: str, colour: str | None = None) -> list[str]:
    if not text:
        return []
    wrapped = textwrap.wrap(one_line(text, 2000), WIDTH - INDENT, break_long_words=True, break_on_hyphens=False)
    first = f"  {label}".ljust(INDENT)
    return [(" " * INDENT if at else first) + style(line, colour) for at, line in enumerate(wrapped)]


def _marked(text: str, lost: bool) -> str:
    return text + " [lost]" if lost else text


def _questions(record: Json) -> str:
    parts = [
        f"{record[key]} {words}"
        for key, words in (("open_questions", "open"), ("awaiting_human", "awaiting the human"))
        if isinstance(record.get(key), int)
    ]
    return ", ".join(parts)


def _verdict(audit: Json | None) -> str:
    if audit is None:
        return "not audited"
    facts = audit.get("facts")
    rows = [row for row in facts.values() if isinstance(row, list) and len(row) == 3] if isinstance(facts, dict) else []
    kept, part, lost = (sum(row[at] for row in rows) for at in range(3))
    told = f"{kept} of {kept + part + lost} facts in the summary literally, {part} in part, {lost} lost"
    if not kept + part + lost:
        told = "nothing was held that a summary could lose"
    if audit.get("steered") is False:
        told += "; the summarizer was not steered"
    return told + ("; the record was given back" if audit.get("restored") is True else "")
