"""JSON without the `json` module, whose import costs as much as starting the interpreter.

CPython's C scanner and escaper live in `_json` and need only a few attributes that `json.JSONDecoder` would set. Where
`_json` is missing (another implementation) the `json` module does the work.
"""

from __future__ import annotations

from typing import Any, NoReturn

try:
    from _json import encode_basestring_ascii, make_scanner
except ImportError:  # pragma: no cover - not CPython
    from json import dumps as encode_basestring_ascii

    make_scanner = None  # type: ignore[assignment, misc]

_WHITESPACE = " \t\n\r"
_DEEPEST = 20  # far more than any file of ours is nested


def _not_json(constant: str) -> NoReturn:
    raise ValueError(constant + " is not JSON")


def _whole(digits: str) -> int | float:
    # int() is quadratic, cannot be interrupted, and refuses 4,300 digits in some versions; nothing of ours is so long.
    return int(digits) if len(digits) < 1000 else float(digits)


class _Context:
    """What the C scanner reads of its decoder."""

    strict = False  # a raw control character in a string is tolerated: losing the event helps nobody
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = staticmethod(_whole)
    parse_constant = staticmethod(_not_json)
    memo: dict[str, str] = {}  # noqa: RUF012 - read by the scanner once, never shared


def loads(text: str) -> Any:
    """Parse one JSON document.

    Duplicate keys: the last wins, as in Claude Code. `NaN` and `Infinity` are refused.

    Raises:
        ValueError: not one JSON document; the message says at which character.
        RecursionError: nested deeper than the interpreter allows.
    """
    end = len(text)
    start = 0
    while start < end and text[start] in _WHITESPACE:
        start += 1
    if start == end:
        raise ValueError("nothing there")
    if make_scanner is None:  # pragma: no cover - not CPython
        return _slow_loads(text)
    try:
        value, stop = make_scanner(_Context)(text, start)  # type: ignore[arg-type]
    except StopIteration as stopped:
        raise ValueError("not JSON at character " + str(stopped.value)) from None
    except SystemError:
        # On 3.10 and 3.11 the scanner cannot raise its error unless json.decoder has been imported by somebody.
        return _slow_loads(text)
    while stop < end:
        if text[stop] not in _WHITESPACE:
            raise ValueError("more than one JSON document: extra text at character " + str(stop))
        stop += 1
    return value


def loads_shallow(text: str) -> Any:
    """As `loads`, for files of our own: what another put there nested deep would overflow whoever walks it or writes it
    back, at every event anew.

    Raises:
        ValueError: not one JSON document, or nested deeper than anything of ours.
        RecursionError: nested deeper than the interpreter allows.
    """
    value = loads(text)
    if text.count("[") + text.count("{") > _DEEPEST:  # most texts hold too few to be deep
        level = [value]
        for _ in range(_DEEPEST):
            level = [
                item
                for held in level
                if isinstance(held, (list, dict))
                for item in (held.values() if isinstance(held, dict) else held)
                if isinstance(item, (list, dict))
            ]
            if not level:
                return value
        raise ValueError("nested deeper than " + str(_DEEPEST))
    return value


def _slow_loads(text: str) -> Any:
    import json

    return json.loads(text, strict=False, parse_int=_whole, parse_constant=_not_json)


def dumps(value: Any) -> str:
    """One line of ASCII JSON for what our answers hold: dict, list, tuple, str, int, float, bool, None.

    Raises:
        TypeError: another type.
    """
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return str(encode_basestring_ascii(value))
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value) if value - value == 0 else "null"
    if isinstance(value, dict):
        return "{" + ",".join([str(encode_basestring_ascii(k)) + ":" + dumps(v) for k, v in value.items()]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([dumps(item) for item in value]) + "]"
    raise TypeError("not JSON: " + type(value).__name__)
