"""The focus records of a target, or of all targets of this machine, each with the audit of its compaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dreamwork_hooks.jsonlite import loads
from dreamwork_hooks.memory.focus_log import AUDIT_LOG, LOG, read_records
from dreamwork_hooks.memory.notes import mark_of
from dreamwork_hooks.memory.state import NoState, StateDir, config_dir

Json = dict[str, Any]


class NoLogs(Exception):
    """The logs cannot be read, or nothing says whose; the text says so in a sentence."""


@dataclass
class Logs:
    """What was read. `records` and `audits` are newest first; `target` is None for all targets together."""

    target: str | None
    records: list[Json] = field(default_factory=list)
    audits: list[Json] = field(default_factory=list)
    targets: int = 0

    def audit_of(self, record: Json) -> Json | None:
        """The audit of the compaction that `record` was written before."""
        mark = mark_of(record)
        alike = (audit for audit in self.audits if audit.get("record") == mark)
        return next((audit for audit in alike if audit.get("session_id") == record.get("session_id")), None)

    def of_session(self, start: str) -> Logs:
        """Those whose session's id begins with `start`."""

        def ours(rows: list[Json]) -> list[Json]:
            return [row for row in rows if str(row.get("session_id") or "").startswith(start)]

        return Logs(self.target, ours(self.records), ours(self.audits), self.targets)


def of_target(env: Mapping[str, str], target: Path) -> Logs:
    """The logs of one target; empty when nothing was written for it yet. Raises NoLogs."""
    logs = Logs(str(target.resolve()))
    _read(dict(env), str(target.resolve()), logs)
    return logs


def of_machine(env: Mapping[str, str]) -> Logs:
    """The logs of all targets that have some. Raises NoLogs."""
    logs = Logs(None)
    try:
        hooks = Path(config_dir(dict(env)), "hooks")
    except NoState as error:
        raise NoLogs(f"the records cannot be found: {error}") from None
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
        raise NoLogs(f"the records of {target} cannot be read: {error}") from None
    try:
        records, audits = read_records(state), read_records(state, AUDIT_LOG)
    except OSError as error:
        raise NoLogs(f"the records in {state.path} cannot be read: {error.strerror or error}") from None
    finally:
        state.close()
    logs.records += reversed(records)
    logs.audits += reversed(audits)
    logs.targets += 1


def _target_named_in(log: Path) -> str | None:
    try:
        with log.open("rb") as file:
            lines = file.read(1 << 20).splitlines()
    except OSError as error:
        raise NoLogs(f"{log} cannot be read: {error.strerror or error}") from None
    for line in lines:
        try:
            record = loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and isinstance(record.get("target"), str):
            return str(record["target"])
    return None
