"""Numbers that a text states with a unit: `340 ms`, `97.5 %`, `$1,200`, `12 tests`."""

from __future__ import annotations

# Read as they are spelt; the words in any letter case, and with a plural ending.
SIGNS = """
    ns us µs μs ms s min h d B KB kB MB GB TB KiB MiB GiB TiB b bit kbit Mbit Gbit Hz kHz MHz GHz nm µm mm cm m km
    mg g kg t ml l L mV V kV mA A W kW MW kWh Wh J kJ N Pa kPa bar K °C °F C dB px pt em rem x × % ‰ pp
    fps rps qps tps req reqs op ops USD EUR GBP JPY CHF LOC
"""
WORDS = """
    second sec minute mins hour hr hrs day week month year millisecond microsecond byte bit percent pixel point degree
    token word character line file page row column record entry item task question message query request response
    retry call error warning failure test case sample event commit user iteration epoch step time thread process
    worker core
"""
_SIGNS = frozenset(SIGNS.split())
_WORDS = frozenset(WORDS.split())
_MONEY = "$€£¥"
MOST_CHARACTERS = 20000  # of the text's end that are looked at


def stated_numbers(text: str, most: int) -> list[str]:
    """The last `most` distinct numbers with their units as the text states them, in its order."""
    text = text[-MOST_CHARACTERS:]
    found: list[str] = []
    at = 0
    while at < len(text):
        if not text[at].isdigit() or not text[at].isascii():
            at += 1
            continue
        start = at
        at = _end_of_number(text, at)
        if not _begins_a_number(text, start):
            continue
        money = text[start - 1 : start] in tuple(_MONEY)
        stop = _end_of_unit(text, at)
        if not stop and not money:
            continue
        stated = " ".join(text[start - 1 if money else start : stop or at].split())
        if stated in found:
            found.remove(stated)
        found.append(stated)
        at = stop or at
    return found[-most:]


def number_of(stated: str) -> str:
    """The number alone of what `stated_numbers` returned."""
    stated = stated.lstrip(_MONEY)
    return stated[: _end_of_number(stated, 0)]


def states(text: str, stated: str) -> str:
    """How a text states a number with its unit: `kept`, `part` (the number alone), or `lost`.

    A space more or less before the unit is the same statement.
    """
    number = number_of(stated)
    money = stated[:1] if stated[:1] in tuple(_MONEY) else ""
    unit = stated[len(money) + len(number) :].strip()
    fate = "lost"
    at = text.find(number) if number else -1
    while at >= 0:
        stop = at + len(number)
        if _begins_a_number(text, at) and _end_of_number(text, at) == stop:
            fate = "part"
            rest = text[stop:].lstrip()
            after = rest[len(unit) : len(unit) + 1]
            alike = text[max(0, at - len(money)) : at] == money and rest.startswith(unit)
            if alike and not (unit and unit[-1].isalnum() and after.isalnum()):
                return "kept"
        at = text.find(number, stop)
    return fate


def _begins_a_number(text: str, at: int) -> bool:
    """Whether the digit at `at` is not the inside of a word, a version, a date, a path or an id."""
    before = text[at - 1 : at]
    if not before or not (before.isalnum() or before in "_.,/#:\\-−"):
        return True
    if before in "-−":
        return not text[at - 2 : at - 1].isalpha()  # `5-10 min` is a range
    return before == "," and not text[at - 2 : at - 1].isdigit()


def _end_of_number(text: str, at: int) -> int:
    """Past the digits, with their decimal point and separators of thousands."""
    while at < len(text):
        if not text[at].isdigit() and not (text[at] in ".,_" and text[at + 1 : at + 2].isdigit()):
            break
        at += 1
    return at


def _end_of_unit(text: str, at: int) -> int:
    """Past the unit that follows a number; 0 when none does."""
    start = at
    while text[start : start + 1] in (" ", "\u00a0", "\u202f"):
        start += 1
    if start - at > 1:
        return 0
    stop = start
    while stop < len(text) and (text[stop].isalpha() or text[stop] in "%‰°×"):
        stop += 1
        if text[stop - 1] in "%‰×":
            break
    if text[stop : stop + 1].isdigit() or text[stop : stop + 1] == "_":
        return 0
    unit = text[start:stop]
    if not unit or not _is_unit(unit):
        return 0
    if text[stop : stop + 1] == "/":
        over = stop + 1
        while over < len(text) and text[over].isalpha():
            over += 1
        if _is_unit(text[stop + 1 : over]):
            return over
    return stop


def _is_unit(unit: str) -> bool:
    low = unit.lower()
    if unit in _SIGNS or low in _WORDS:
        return True
    return low.endswith("s") and (low[:-1] in _WORDS or low[:-2] in _WORDS or low[:-3] + "y" in _WORDS)
