"""`focus`: what the sessions of a target held at their compactions, and what came through."""

from __future__ import annotations

import contextlib
import os
import textwrap
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from dreamwork_hooks.cli import options
from dreamwork_hooks.cli.options import project
from dreamwork_hooks.cli.words import BAD, GOOD, say, say_json, style
from dreamwork_hooks.errors import UserError
from dreamwork_hooks.files import NoState, Unreadable, hooks_dir, read_head
from dreamwork_hooks.jsonlite import loads
from dreamwork_hooks.memory.facts import KINDS, ended, exits, facts_of, lost_facts
from dreamwork_hooks.memory.focus_log import AUDIT_LOG, LOG, age_of, ago, damaged_lines, read_records
from dreamwork_hooks.memory.notes import mark_of
from dreamwork_hooks.memory.state import StateDir
from dreamwork_hooks.quoting import one_line
from dreamwork_hooks.targets.find import holds_ledger, nearest

Json = dict[str, Any]

WIDTH = 80
INDENT = 13

PLURALS = {
    "task": "current tasks",
    "id": "task ids",
    "file": "files",
    "command": "commands",
    "test": "failing tests",
    "number": "numbers",
}


@click.command()
@project("The project [the nearest from here up]", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--all", "machine", is_flag=True, help="All projects of this machine.")
@click.option("--last", metavar="N", type=click.IntRange(min=1), default=5, show_default=True, help="How many records.")
@click.option("--session", metavar="ID", default="", help="Only this session's; the beginning of its id is enough.")
@click.option("--survival", "sum_up", is_flag=True, help="Sum up what came through all the compactions.")
@options.as_json
def command(target: Path | None, machine: bool, last: int, session: str, sum_up: bool, as_json: bool) -> None:
    """Show what was held at the last compactions, and what their summaries lost.

    Run it after a compaction: it shows the current task, its ids, and the files, commands and numbers of just before.
    """
    logs = _logs(target, machine)
    logs = logs.of_session(session) if session else logs
    if sum_up:
        sums = survival(logs)
        say_json(sums) if as_json else say("\n".join([*_heading(logs), *sums_told(sums)]))
        return
    now = time.time()
    shown = logs.records[:last]
    if as_json:
        told = [{**row, **_beside(logs, row, now)} for row in shown]
        say_json({"target": logs.target, "damaged": logs.damaged, "records": told})
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
    found = nearest(str(Path.cwd()), holds_ledger)
    place = target or (Path(found) if found else None)
    if place is None:
        raise UserError(f"no .dreamwork/ in {Path.cwd()} or above it; name a project with --project DIR, or use --all")
    return of_target(os.environ, place)


def _heading(logs: Logs) -> list[str]:
    heading = [style(logs.target or f"{several(logs.targets, 'project')} of this machine", bold=True)]
    if logs.damaged:
        kept = "precompact-focus.damaged and compaction-audit.damaged hold them"
        heading.append(style(f"{several(logs.damaged, 'damaged line')} left the logs; {kept}", BAD))
    return heading


def _beside(logs: Logs, record: Json, now: float) -> Json:
    """What is shown of a record that does not stand in it."""
    age = age_of(record, now)
    return {"age_seconds": None if age is None else int(age), "audit": logs.audit_of(record)}


def _told(record: Json, audit: Json | None, now: float, name_target: bool) -> list[str]:
    """One record for a person: lines of at most 80 columns."""
    told = [ago(record, now), str(record.get("trigger") or "")]
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
    for kind, label in (
        ("entry", "ledger"),
        ("decision", "decisions"),
        ("test", "failing"),
        ("file", "files"),
        ("command", "commands"),
    ):
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
        told = "no facts were recorded, so nothing could be lost"
    if audit.get("steered") is False:
        told += "; the summarizer was not steered"
    return told + ("; the record was given back" if audit.get("restored") is True else "")


# ---- the records and audits


@dataclass
class Logs:
    """What was read. `records` and `audits` are newest first; `target` is None for all targets together.
    `damaged` is how many torn or foreign lines are kept beside the logs."""

    target: str | None
    records: list[Json] = field(default_factory=list)
    audits: list[Json] = field(default_factory=list)
    targets: int = 0
    damaged: int = 0

    def audit_of(self, record: Json) -> Json | None:
        """The audit of the compaction that `record` was written before."""
        mark = mark_of(record)
        alike = (audit for audit in self.audits if audit.get("record") == mark)
        return next((audit for audit in alike if audit.get("session_id") == record.get("session_id")), None)

    def of_session(self, start: str) -> Logs:
        """Those whose session's id begins with `start`."""

        def ours(rows: list[Json]) -> list[Json]:
            return [row for row in rows if str(row.get("session_id") or "").startswith(start)]

        return Logs(self.target, ours(self.records), ours(self.audits), self.targets, self.damaged)


def of_target(env: Mapping[str, str], target: Path) -> Logs:
    """The logs of one target; empty when nothing was written for it yet. Raises UserError."""
    logs = Logs(str(target.resolve()))
    _read(dict(env), str(target.resolve()), logs)
    return logs


def of_machine(env: Mapping[str, str]) -> Logs:
    """The logs of all targets that have some. Raises UserError."""
    logs = Logs(None)
    try:
        hooks = Path(hooks_dir(dict(env)))
    except NoState as error:
        raise UserError(f"the records cannot be found: {error}") from None
    for log in sorted([*hooks.glob(f"*/{LOG}"), *hooks.glob(f"*/{AUDIT_LOG}")]):
        target = _target_named_in(log)
        if target is not None and log.name == LOG:
            _read(dict(env), target, logs)
    for rows in (logs.records, logs.audits):
        rows.sort(key=lambda row: str(row.get("ts")), reverse=True)
    return logs


def _read(env: dict[str, str], target: str, logs: Logs) -> None:
    try:
        state = StateDir(env, target, create=False)
    except NoState as error:
        if "no such file" in str(error):
            return
        raise UserError(f"the records of {target} cannot be read: {error}") from None
    reading = LOG
    try:
        records = read_records(state)
        reading = AUDIT_LOG
        audits = read_records(state, AUDIT_LOG)
        with contextlib.suppress(Unreadable):
            logs.damaged += sum(damaged_lines(state, log) for log in (LOG, AUDIT_LOG))
    except OSError as error:
        path = Path(state.path, reading)
        raise UserError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    finally:
        state.close()
    logs.records += reversed(records)
    logs.audits += reversed(audits)
    logs.targets += 1


def _target_named_in(log: Path) -> str | None:
    try:
        lines = read_head(str(log), 1 << 20).splitlines()
    except Unreadable as error:
        raise UserError(error.of(log)) from None
    for line in lines:
        try:
            record = loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and isinstance(record.get("target"), str):
            return str(record["target"])
    return None


# ---- what came through all the compactions


def survival(logs: Logs) -> Json:
    """Sums over all records and audits.

    Returns:
        `compactions` (recorded), `audited`, `targets`, and for `steered` and `unsteered` each: `compactions`,
        `restored` (how many of them had the record given back), and `facts`: kind -> `held`, `kept`, `part`, `lost`.
    """
    sums: Json = {
        "target": logs.target,
        "targets": logs.targets,
        "compactions": len(logs.records),
        "audited": len(logs.audits),
    }
    for name, steered in (("steered", True), ("unsteered", False)):
        audits = [audit for audit in logs.audits if (audit.get("steered") is not False) is steered]
        sums[name] = {
            "compactions": len(audits),
            "restored": sum(audit.get("restored") is True for audit in audits),
            "facts": _facts(audits),
        }
    return sums


def _facts(audits: list[Json]) -> Json:
    facts: Json = {}
    for kind in KINDS:
        rows = [counts for audit in audits if (counts := _counts(audit, kind)) is not None]
        kept, part, lost = (sum(row[at] for row in rows) for at in range(3))
        if kept + part + lost:
            facts[kind] = {"held": kept + part + lost, "kept": kept, "part": part, "lost": lost}
    return facts


def _counts(audit: Json, kind: str) -> list[int] | None:
    facts = audit.get("facts")
    counts = facts.get(kind) if isinstance(facts, dict) else None
    if isinstance(counts, list) and len(counts) == 3 and all(isinstance(n, int) and n >= 0 for n in counts):
        return counts
    return None


def sums_told(sums: Json) -> list[str]:
    """The sums for a person, at most 80 columns wide."""
    if not sums["audited"]:
        return [
            f"{several(sums['compactions'], 'compaction')} recorded, none audited, so what came through is not known.",
            "The audit is opt-in:  dreamwork-hooks.pyz install --with audit",
        ]
    where = "" if sums["target"] else f" in {several(sums['targets'], 'project')}"
    counted = f"{several(sums['compactions'], 'compaction')} recorded{where}, {sums['audited']} audited"
    columns = [name for name in ("steered", "unsteered") if sums[name]["compactions"]]
    if not any(sums[name]["facts"] for name in columns):
        return [f"{counted}.", "No facts were recorded, so nothing could be lost."]
    told = [f"{counted}. Came through:"]
    heads = {"steered": "with steering", "unsteered": "without"}
    told += ["", "".join([" " * 16, *[f"{heads[name]} ({sums[name]['compactions']})".ljust(32) for name in columns]])]
    for kind in KINDS:
        cells = [_cell(sums[name]["facts"].get(kind)) for name in columns]
        if any(cells):
            told.append("".join([f"  {PLURALS[kind]}".ljust(16), *[cell.ljust(32) for cell in cells]]))
    told += ["", "Counted is what the summary kept literally; in brackets what it kept in part."]
    restored = sum(sums[name]["restored"] for name in columns)
    told.append(f"The record was given back to the model after {restored} of {sums['audited']}.")
    return [line.rstrip() for line in told]


def _cell(counts: Json | None) -> str:
    if counts is None:
        return ""
    part = f" (+{counts['part']})" if counts["part"] else ""
    return f"{100 * counts['kept'] // counts['held']:>3} %  {counts['kept']} of {counts['held']}{part}"


def several(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
