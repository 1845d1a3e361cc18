"""The facts of a focus record, one by one: what a summary is asked to keep, is given back, and is held against."""

from __future__ import annotations

from typing import Any

from dreamwork_hooks.quoting import one_line
from dreamwork_hooks.shapes import Fact, Record

KINDS = ("task", "id", "entry", "decision", "file", "command", "test", "number")
# How one and several of a kind are called.
NAMES = {
    "task": ("current task", "current task"),
    "id": ("task id", "task ids"),
    "entry": ("open entry of the ledger", "open entries of the ledger"),
    "decision": ("decision", "decisions"),
    "file": ("file", "files"),
    "command": ("command", "commands"),
    "test": ("failing test", "failing tests"),
    "number": ("number", "numbers"),
}
_LISTS = (("decision", "decisions"), ("file", "files"), ("test", "failing_tests"), ("number", "numbers"))
_OF_NOW = ("task", "id", "entry")
_MOST = 100  # of a list: far more than a record of ours has room for


def facts_of(record: Record) -> list[Fact]:
    """All facts of a record in the order of `KINDS`, each list as it stands there: the newest first."""
    facts: list[Fact] = []
    if isinstance(record.get("current_task"), str):
        facts.append(("task", record["current_task"]))
    facts += [("id", task_id(name)) for name in _list(record.get("current_task_ids"))]
    facts += [("entry", text) for text in _list(record.get("open_entries")) if isinstance(text, str)]
    evidence = record.get("evidence")
    if isinstance(evidence, dict):
        for kind, key in _LISTS:
            facts += [(kind, text) for text in _list(evidence.get(key)) if isinstance(text, str)]
        for ran in _list(evidence.get("commands")):
            if isinstance(ran, dict) and isinstance(ran.get("command"), str):
                facts.append(("command", ran["command"]))
    return sorted(dict.fromkeys(facts), key=lambda fact: KINDS.index(fact[0]))


def lost_first(facts: list[Fact], lost: list[Fact]) -> list[Fact]:
    """`facts` with what an earlier summary lost before the rest of its kind.

    A lost file, command, test or number still happened and is taken up again; a task, an id or an open entry counts
    only while it is among `facts`, for else the session has moved on.
    """
    taken = [fact for fact in lost if fact in facts or fact[0] not in _OF_NOW]
    rest = [fact for fact in facts if fact not in taken]
    return sorted(taken + rest, key=lambda fact: KINDS.index(fact[0]))


def exits(record: Record) -> dict[str, int | str]:
    """command -> how its newest run ended."""
    found: dict[str, int | str] = {}
    evidence = record.get("evidence")
    for ran in _list(evidence.get("commands") if isinstance(evidence, dict) else None):
        if isinstance(ran, dict) and isinstance(ran.get("command"), str):
            found.setdefault(ran["command"], ran.get("exit", "unknown"))
    return found


def lost_facts(audit: Record | None) -> list[Fact]:
    """The facts that an audit record says were lost."""
    lost = audit.get("lost") if audit is not None else None
    pairs = [pair for pair in lost if isinstance(pair, list) and len(pair) == 2] if isinstance(lost, list) else []
    return [(kind, text) for kind, text in pairs if kind in KINDS and isinstance(text, str)]


def task_id(name: object) -> str:
    """A task's id as the ledger writes it: `#7`."""
    return "#" + str(name).lstrip("#")


def ended(state: int | str) -> str:
    """`exit 1`, `background`, ...: how a command ended, for a reader."""
    return "exit " + str(state) if isinstance(state, int) else one_line(str(state), 20)


def _list(value: object) -> list[Any]:
    return value[:_MOST] if isinstance(value, list) else []
