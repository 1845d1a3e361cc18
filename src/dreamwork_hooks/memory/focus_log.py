"""The focus log: what a session was holding at each compaction, one JSON line a record, newest last, 200 kept."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

from dreamwork_hooks.files import Unreadable, write_all
from dreamwork_hooks.jsonlite import dumps, loads, loads_shallow
from dreamwork_hooks.memory.state import StateDir
from dreamwork_hooks.quoting import one_line
from dreamwork_hooks.shapes import Record

LOG = "precompact-focus.jsonl"
AUDIT_LOG = "compaction-audit.jsonl"
KEPT = 200
MAX_RECORD = 2000
MAX_RECORD_WITH_EVIDENCE = 6000
SAME_WITHIN = 10  # seconds in which two events of one compaction arrive
# Far more than 200 records of ours: beyond it something else wrote here, and only the end is looked at.
_MAX_LOG = 8 << 20
_MAX_OTHERS = 20_000
_AUDIT_TOLD = 86400  # seconds after which a loss is told no more
_MAX_DAMAGED = 1 << 20  # bytes
_MANY = 50  # entries of a dictionary: no record of ours has so many
# What makes two events one compaction. Not `custom_instructions`: the client repeats an event with other instructions.
_SAME = (
    "event",
    "session_id",
    "trigger",
    "target",
    "current_task",
    "current_task_ids",
    "goal",
    "open_questions",
    "awaiting_human",
    "head",
)


def timestamp(seconds: float) -> str:
    """UTC to the second, as `2026-03-04T05:06:07Z`: such stamps sort as text."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def session_name(value: object) -> str | None:
    """An event's session id as the records hold it, which is how they are found again: one line, 100 characters."""
    return one_line(value, 100) if isinstance(value, str) else None


def age_of(record: Record, now: float) -> float | None:
    """Seconds since a record's `ts`, at least 0; None when it has none that can be read."""
    since = since_stamp(record, now)
    return None if since is None else max(0.0, since)


def since_stamp(record: Record, now: float) -> float | None:
    """As `age_of`, less than 0 for a stamp that is still to come by this machine's clock."""
    stamp = record.get("ts")
    if not isinstance(stamp, str) or len(stamp) != 20 or stamp[19] != "Z":
        return None
    try:
        year, month, day = int(stamp[:4]), int(stamp[5:7]), int(stamp[8:10])
        seconds = int(stamp[11:13]) * 3600 + int(stamp[14:16]) * 60 + int(stamp[17:19])
    except ValueError:
        return None
    # Days since 1970 by the civil calendar: `calendar` and `datetime` cost an event too much.
    year -= month <= 2
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day - 719469
    return now - (days * 86400 + seconds)


def newest_of(records: Iterator[Record], session: str | None, now: float, most: float) -> Record | None:
    """The session's newest record, if there is one and it is at most `most` seconds old.

    Args:
        records: the newest first.
    """
    for record in records:
        if record.get("session_id") == session:
            age = age_of(record, now)
            return record if age is not None and age <= most else None
    return None


def in_words(age: float) -> str:
    """An age as a person says it: `40 seconds`, `3 hours`."""
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if age >= size:
            number = int(age // size)
            return str(number) + " " + name + ("" if number == 1 else "s")
    return str(int(age)) + (" second" if int(age) == 1 else " seconds")


def ago(record: Record, now: float) -> str:
    """When a record was written, as a person says it: `just now`, `3 hours ago`."""
    age = since_stamp(record, now)
    if age is None:
        return "at a time unknown"
    if age < -60:
        return "at a time that is still to come by this machine's clock"
    return "just now" if age < 10 else in_words(age) + " ago"


def encode(record: Record, limit: int) -> bytes:
    """The record as one line of at most `limit` bytes; its longest texts are halved until it fits.

    Keys go last, when even their values as null are too much; an empty record is the least there is.
    """
    while True:
        line = dumps(record).encode("ascii") + b"\n"
        if len(line) <= limit or not record:
            return line
        record = _lighter(record)


def halved(value: Any) -> Any:
    """About half of a text, a list or a dictionary of many entries (the first half each), else a lighter dictionary.

    Always shorter as JSON than `value`, or None: whoever halves until something fits comes to an end.
    """
    smaller: Any = None
    if isinstance(value, str) and len(value) > 4:
        smaller = value[: len(value) // 2 - 1] + "…"
    elif isinstance(value, list):
        smaller = value[: len(value) // 2]
    elif isinstance(value, dict) and value:
        many = len(value) > _MANY
        smaller = {key: value[key] for key in list(value)[: len(value) // 2]} if many else _lighter(value)
    return smaller if len(dumps(smaller)) < len(dumps(value)) else None


def _lighter(held: dict[str, Any]) -> dict[str, Any]:
    """`held` with its heaviest value halved, or without it where its key is what is heavy. Shorter as JSON, always."""
    held = dict(held)
    heaviest = max(held, key=lambda key: len(key) + len(dumps(held[key])))
    value = held[heaviest]
    smaller = halved(value)
    if len(dumps(smaller)) < len(dumps(value)) and len(heaviest) < len(dumps(value)):
        held[heaviest] = smaller
    else:
        del held[heaviest]
    return held


def append(
    state: StateDir,
    record: Record,
    now: float,
    limit: int = MAX_RECORD,
    log: str = LOG,
    same: tuple[str, ...] = _SAME,
) -> bool:
    """Append a record to a locked log, dropping what is older than the newest 200; lines that are torn or foreign are
    kept aside, see `damaged_lines`.

    Args:
        same: the keys in which a record of the last 10 seconds is equal when it is this one over again.

    Returns:
        False when the log already holds this record, and nothing was written.

    Raises:
        OSError: nothing was written; the log is as it was.
    """
    line = encode(record, limit)
    old = _read_log(state, log)
    lines = old.split(b"\n")
    torn = lines.pop()  # what follows the last newline
    whole, damaged = _newest_records(lines)
    if torn:
        damaged.append(torn)
    if _is_repeated(whole[-20:], line, now, same):
        return False
    if damaged:
        _set_aside(state, log, damaged)
    if torn or len(whole) != len(lines) or len(whole) >= KEPT:
        state.replace(log, b"\n".join([*whole[-(KEPT - 1) :], line]))
        return True
    state.unlink(log + ".tmp")  # of a process killed while it replaced the log
    fd = state.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        size = os.fstat(fd).st_size
        try:
            write_all(fd, line)
        except OSError:
            os.ftruncate(fd, size)
            raise
    finally:
        os.close(fd)
    return True


def newest_audit(state: StateDir, session: str | None, now: float) -> Record | None:
    """The session's newest audit record, if there is one and it is younger than a day."""
    try:
        return newest_of(newest_first(state, AUDIT_LOG), session, now, _AUDIT_TOLD)
    except OSError:
        return None


def read_records(state: StateDir, log: str = LOG) -> list[Record]:
    """All whole records of a log, oldest first; torn or foreign lines are passed over.

    Raises:
        OSError: the log cannot be read.
    """
    found = list(newest_first(state, log))
    found.reverse()
    return found


def newest_first(state: StateDir, log: str = LOG) -> Iterator[Record]:
    """The records of a log from the end, each parsed when it is asked for; of the newest 20,000 lines, more than any
    log of ours holds.

    Raises:
        OSError: the log cannot be read.
    """
    for line in _read_log(state, log).split(b"\n")[: -_MAX_OTHERS - 1 : -1]:
        record = _parsed(line) if line else None
        if record is not None:
            yield record


def _read_log(state: StateDir, log: str) -> bytes:
    try:
        return state.read(log, _MAX_LOG)
    except Unreadable:
        fd = state.open(log, os.O_RDONLY)
        try:
            os.lseek(fd, -_MAX_LOG // 2, os.SEEK_END)
            data = os.read(fd, _MAX_LOG // 2)
        finally:
            os.close(fd)
        return data[data.find(b"\n") + 1 :]


def _newest_records(lines: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """(the newest 200 whole records, the other lines among them), oldest first; given up after as many other lines as
    no log of ours holds."""
    found: list[bytes] = []
    others: list[bytes] = []
    for line in reversed(lines):
        if _is_record(line):
            found.append(line)
            if len(found) == KEPT:
                break
        elif line.strip():
            others.append(line)
            if len(others) == _MAX_OTHERS:
                break
    found.reverse()
    others.reverse()
    return found, others


def damaged_name(log: str) -> str:
    """The file beside `log` that holds its lines that were torn or foreign."""
    return log.rpartition(".")[0] + ".damaged"


def damaged_lines(state: StateDir, log: str = LOG) -> int:
    """How many torn or foreign lines of a log are kept aside.

    Raises:
        OSError, Unreadable: the file cannot be read.
    """
    return state.read(damaged_name(log), 2 * _MAX_DAMAGED).count(b"\n")


def _set_aside(state: StateDir, log: str, lines: list[bytes]) -> None:
    """Keep lines that are about to leave the log; of very many the newest. Raises OSError: nothing was changed."""
    name = damaged_name(log)
    try:
        before = state.read(name, 2 * _MAX_DAMAGED)
    except Unreadable:
        before = b""
    kept = (before + b"\n".join(lines) + b"\n")[-_MAX_DAMAGED:]
    state.replace(name, kept)


def _is_record(line: bytes) -> bool:
    """Whether a line is whole. Ours begin with `ts` and end with `note`, which no cut-off line does.

    Parsing 200 records at every event would cost more than all the rest. Another shape (an older version's) is parsed.
    """
    if line.startswith(b'{"ts":"') and line.endswith(b"}") and line.find(b'{"ts":"', 1) < 0:
        note = line.rfind(b',"note":')
        if note > 0 and (line[note + 8 :] == b"null}" or line[note + 8 : note + 9] == b'"' == line[-2:-1]):
            return True
    return line.lstrip()[:1] == b"{" and line.rstrip()[-1:] == b"}" and _parsed(line) is not None


def _parsed(line: bytes) -> Record | None:
    try:
        record = loads_shallow(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _is_repeated(newest: list[bytes], line: bytes, now: float, same: tuple[str, ...]) -> bool:
    record = loads(line.decode("ascii"))  # as it would stand there, where what was too long has been cut
    earliest, latest = timestamp(now - SAME_WITHIN), timestamp(now + SAME_WITHIN)
    for earlier in reversed(newest):
        other = _parsed(earlier)
        if other is None or not earliest <= str(other.get("ts")) <= latest:
            continue
        if all(other.get(key) == record.get(key) for key in same):
            return True
    return False
