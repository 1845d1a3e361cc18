"""Which parts of a settings file are well formed: the types the client demands, key by key (measured).

What is wrong takes something with it, without a message: a fault of `setting_faults` the whole file, one of a group
or a handler that part alone, and under the events of `events.VOIDING_EVENTS` the whole file as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from dreamwork_hooks.contract.event import type_name

COMMAND = "command"
HTTP = "http"
TYPES = (COMMAND, HTTP, "mcp_tool", "prompt", "agent")
"""The types of handlers."""

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


_SETTINGS = {
    "hooks": "object",
    "permissions": "object",
    "env": "object",
    "model": "string",
    "disableAllHooks": "boolean",
    "allowManagedHooksOnly": "boolean",
    "allowedHttpHookUrls": "array",
    "apiKeyHelper": "string",
    "cleanupPeriodDays": "number",
    "enabledPlugins": "object",
    "includeCoAuthoredBy": "boolean",
    "statusLine": "object",
    "$schema": "string",
}
_PERMISSIONS = ("allow", "deny", "ask")


def setting_faults(settings: Mapping[str, object]) -> list[tuple[tuple[str, ...], str]]:
    """What voids the whole file: the keys down to it, and what is wrong. Other keys than these were not measured."""
    faults: list[tuple[tuple[str, ...], str]] = []
    for key, wanted in _SETTINGS.items():
        if key in settings and type_name(settings[key]) != wanted:
            faults.append(((key,), f"must be {_A[wanted]}, is {shown(settings[key])}"))
    permissions = settings.get("permissions")
    if not isinstance(permissions, Mapping):
        return faults
    for key in _PERMISSIONS:
        if key in permissions and not isinstance(permissions[key], list):
            faults.append((("permissions", key), f"must be a list of rules, is {shown(permissions[key])}"))
    return faults


def group_fault(group: object) -> tuple[str | None, str] | None:
    """The key at fault (None: the group itself) and what is wrong with a group; None when it is well formed."""
    if not isinstance(group, Mapping):
        return None, f"a group must be an object, is {shown(group)}"
    if "matcher" in group and not isinstance(group["matcher"], str):
        return "matcher", f"must be a string, is {shown(group['matcher'])}"
    if "hooks" in group:
        if not isinstance(group["hooks"], list):
            return "hooks", f"must be a list, is {shown(group['hooks'])}"
        return None
    said = "a group needs `hooks`, a list of handlers"
    if "command" in group or "type" in group:
        said += '; this is a bare handler: wrap it in {"hooks": [...]}'
    return None, said


def handler_fault(entry: object) -> tuple[str | None, str] | None:
    """The key at fault (None: the entry itself) and what is wrong with a handler; None when it is well formed.

    Keys of another type of handler are not looked at, unknown ones neither; a null is no value of any type.
    """
    if not isinstance(entry, dict):
        return None, f"a handler must be an object, is {shown(entry)}"
    kind = entry.get("type")
    if kind is None:
        return None, "a handler needs `type`"
    if kind not in TYPES:
        return "type", f"must be one of {', '.join(TYPES)}, is {shown(kind)}"
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
    return f"{_WORDS[check]}, is {shown(value)}"


_A = {
    "object": "an object",
    "array": "a list",
    "string": "a string",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def shown(value: object) -> str:
    """A value in a message: as JSON has it, shortened, or the kind of thing it is."""
    if isinstance(value, (dict, list)):
        return _A[type_name(value)]
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
