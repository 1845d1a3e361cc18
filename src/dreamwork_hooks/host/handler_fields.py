"""Which handlers are well formed: the types the client demands of each key, for each type of handler (measured)."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from dreamwork_hooks.contract.parsing import type_name
from dreamwork_hooks.host.handler import COMMAND, HTTP, TYPES

Check = Callable[[object], bool]


def _text(value: object) -> bool:
    return isinstance(value, str)


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _map(value: object) -> bool:
    return isinstance(value, dict)


def _text_map(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


def _seconds(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _address(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(urlsplit(value).scheme)
    except ValueError:
        return False


def _shell(value: object) -> bool:
    return value in ("bash", "powershell")


_WORDS: dict[Check, str] = {
    _text: "must be a string",
    _flag: "must be true or false",
    _texts: "must be a list of strings",
    _map: "must be an object",
    _text_map: "must be an object of strings",
    _seconds: "must be a number of seconds above 0",
    _address: "must be an address with a scheme, like http://localhost:8000/",
    _shell: 'must be "bash" or "powershell"',
}

_OF_ALL: dict[str, Check] = {"if": _text, "statusMessage": _text, "timeout": _seconds, "once": _flag}
_NEEDED: dict[str, dict[str, Check]] = {
    COMMAND: {"command": _text},
    HTTP: {"url": _address},
    "prompt": {"prompt": _text},
    "agent": {"prompt": _text},
    "mcp_tool": {"server": _text, "tool": _text},
}
_OPTIONAL: dict[str, dict[str, Check]] = {
    COMMAND: {
        "args": _texts,
        "shell": _shell,
        "async": _flag,
        "asyncRewake": _flag,
        "rewakeMessage": _text,
        "rewakeSummary": _text,
    },
    HTTP: {"headers": _text_map, "allowedEnvVars": _texts},
    "prompt": {"model": _text},
    "agent": {"model": _text},
    "mcp_tool": {"input": _map},
}


def handler_fault(entry: object) -> tuple[str | None, str] | None:
    """The key at fault (None: the entry itself) and what is wrong with a handler; None when it is well formed.

    Keys of another type of handler are not looked at, unknown ones neither; a null is no value of any type.
    """
    if not isinstance(entry, dict):
        return None, f"a handler must be an object, is {type_name(entry)}"
    kind = entry.get("type")
    if kind is None:
        return None, "a handler needs `type`"
    if kind not in TYPES:
        return "type", f"must be one of {', '.join(TYPES)}, is {kind!r}"
    for key, check in _NEEDED[str(kind)].items():
        if key not in entry:
            return None, f"a handler of type {kind} needs `{key}`"
        if not check(entry[key]):
            return key, _wrong(check, entry[key])
    for key, check in {**_OF_ALL, **_OPTIONAL[str(kind)]}.items():
        if key in entry and not check(entry[key]):
            return key, _wrong(check, entry[key])
    return None


def _wrong(check: Check, value: object) -> str:
    shown = repr(value)[:60] if isinstance(value, (str, int, float)) else type_name(value)
    return f"{_WORDS[check]}, is {shown}"
