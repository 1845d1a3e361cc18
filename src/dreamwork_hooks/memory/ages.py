"""How old a record is, in seconds and in words."""

from __future__ import annotations

from collections.abc import Iterator

from dreamwork_hooks.shapes import Record


def age_of(record: Record, now: float) -> float | None:
    """Seconds since a record's `ts`, at least 0; None when it has none that can be read."""
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
    return max(0.0, now - (days * 86400 + seconds))


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
