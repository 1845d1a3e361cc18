"""What came through the audited compactions, kind by kind, with steering and without."""

from __future__ import annotations

from typing import Any

from dreamwork_hooks.cli.focus_logs import Logs
from dreamwork_hooks.memory.facts import KINDS

Json = dict[str, Any]

PLURALS = {
    "task": "current tasks",
    "id": "task ids",
    "file": "files",
    "command": "commands",
    "test": "failing tests",
    "number": "numbers",
}


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


def lines(sums: Json) -> list[str]:
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
        return [f"{counted}.", "Nothing was held that a summary could lose."]
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
