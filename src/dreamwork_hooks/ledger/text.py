"""How ledger bytes become text, lines, ids and dates.

Two ways of cutting lines are in use. The narrow cut knows LF alone (CRLF and lone CR are translated first) and gives
the line numbers of findings. The wide cut is `str.splitlines`, which also breaks at U+000B, U+000C, U+001C to U+001E,
U+0085, U+2028 and U+2029.
"""

from __future__ import annotations

# `int` refuses more digits than this (and would need quadratic time for them), so a longer id is no number.
MAX_DIGITS = 4300


def decode(data: bytes) -> tuple[str, int]:
    """The text of a ledger file with LF line ends, and the line of its first byte that is not UTF-8 (0: none).

    A bad byte becomes U+FFFD: the dashboard shows such a file, so it is still counted.
    """
    bad = 0
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        head = data[: e.start]
        bad = 1 + head.count(b"\n") + head.count(b"\r") - head.count(b"\r\n")
        text = data.decode("utf-8", "replace")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, bad


def breaks_wide(text: str) -> bool:
    """Whether the wide cut of `text` differs from the narrow one."""
    return any(char in text for char in "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")


def wide_lines(text: str) -> tuple[list[str], list[int] | None]:
    """The wide cut of `text`, and the narrow line number of each line (None: it is the index plus one)."""
    lines = text.splitlines()
    if not breaks_wide(text):
        return lines, None
    numbers = []
    number = 1
    for line in text.splitlines(True):
        numbers.append(number)
        if line[-1] == "\n":
            number += 1
    return lines, numbers


def ids_in(text: str) -> list[str]:
    """The digits of every `#N` in `text`, as written and in order."""
    if "#" not in text:
        return []
    found = []
    for part in text.split("#")[1:]:
        size = 0
        for char in part:
            if not char.isdecimal():
                break
            size += 1
        if size:
            found.append(part[:size])
    return found


def number(digits: str) -> int:
    """The value of an id, -1 if it has more digits than can be read."""
    return int(digits) if len(digits) <= MAX_DIGITS else -1


def plain(digits: str) -> str:
    """One spelling for each number, to compare ids: `007` and `7` are one."""
    return str(int(digits)) if len(digits) <= MAX_DIGITS else digits


def skip_space(text: str, at: int) -> int:
    """The first position from `at` on that holds no white space."""
    size = len(text)
    while at < size and text[at].isspace():
        at += 1
    return at


def is_date(text: str, at: int) -> bool:
    """Whether `YYYY-MM-DD` stands at `at`."""
    day = text[at : at + 10]
    return len(day) == 10 and day[4] == day[7] == "-" and (day[:4] + day[5:7] + day[8:]).isdecimal()


def closed_stamp(text: str, at: int) -> tuple[str, int]:
    """The `YYYY-MM-DD` or `YYYY-MM-DD HH:MM` at `at` and the position after its `)`; ("", -1) if there is none.

    White space, line ends too, may stand before the time and before the parenthesis.
    """
    if not is_date(text, at):
        return "", -1
    day_end = at + 10
    after = skip_space(text, day_end)
    if text[after : after + 1] == ")":
        return text[at:day_end], after + 1
    clock = text[after : after + 5]
    if after > day_end and len(clock) == 5 and clock[2] == ":" and (clock[:2] + clock[3:]).isdecimal():
        close = skip_space(text, after + 5)
        if text[close : close + 1] == ")":
            return text[at:day_end] + " " + clock, close + 1
    return "", -1


def find_closed_stamp(text: str) -> str:
    """The first date, with its time if it has one, that a `)` follows; "" if there is none."""
    dash = text.find("-", 4)
    while dash >= 0:
        if text[dash + 3 : dash + 4] == "-":
            stamp = closed_stamp(text, dash - 4)[0]
            if stamp:
                return stamp
        dash = text.find("-", dash + 1)
    return ""


def find_date(text: str) -> bool:
    """Whether `text` holds a `YYYY-MM-DD`."""
    dash = text.find("-", 4)
    while dash >= 0:
        if text[dash + 3 : dash + 4] == "-" and is_date(text, dash - 4):
            return True
        dash = text.find("-", dash + 1)
    return False


_MARKS = " \t-*+•‣◦·–—―−‐‑‒#0123456789"


def suspects(lines: list[str]) -> list[int]:
    """Indices of the lines that start no entry and may have been meant as one; see `meant`.

    Behind the marks of a list or a heading stands an id or a date, or the line at column 0 asks something, or has an
    origin.
    """
    found = []
    for i, line in enumerate(lines):
        if line[:1] in _MARKS and line[:4] not in ("- **", "    "):
            rest = line.lstrip(" \t-*+•‣◦·–—―−‐‑‒#[]xX")
            if rest.removeprefix("P")[:1].isdecimal() or (
                line[:1] not in " \t" and ("?" in line or "origin: **" in line)
            ):
                found.append(i)
    return found


def around_damage(line: str) -> str:
    """The part of a decoded line with its first byte that was not UTF-8, to quote it."""
    at = line.find("\ufffd")
    return line if at < 40 else "…" + line[at - 20 : at + 40]


def conflict_markers(text: str, lines: list[str]) -> list[int]:
    """Indices of the lines that git left in an unresolved merge: exactly seven of one sign at column 0."""
    found: list[int] = []
    for sign in "<=>|":
        mark = sign * 7
        if mark in text:
            found += [i for i, line in enumerate(lines) if line.startswith(mark) and line[7:8] != sign]
    return found
