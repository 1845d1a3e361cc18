"""What is well formed in a settings file: the types the client demands, key by key (measured), and a hook as read.

What is wrong takes something with it, without a message: a fault of `setting_faults` the whole file, one of a group
or a handler that part alone, and under the events of `events.VOIDING_EVENTS` the whole file as well.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from dreamwork_hooks.contract.event import type_name

COMMAND = "command"
HTTP = "http"
TYPES = (COMMAND, HTTP, "mcp_tool", "prompt", "agent")
"""The types of handlers."""
RUNNABLE = (COMMAND, HTTP)

Check = Callable[[object], bool]


def _text(value: object) -> bool:
    return isinstance(value, str)


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _list(value: object) -> bool:
    return isinstance(value, list)


def _switches(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(each, bool) or _texts(each) for each in value.values())


def _map(value: object) -> bool:
    return isinstance(value, dict)


def _text_map(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


def _seconds(value: object) -> bool:
    return _number(value) and value > 0  # type: ignore[operator]


def _days(value: object) -> bool:
    return _number(value) and value >= 0  # type: ignore[operator]


def _number(value: object) -> bool:
    """A number that JavaScript can hold: 1e309 is none (measured)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < math.inf


def _address(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(urlsplit(value).scheme) and not re.search(r"\s", value)
    except ValueError:
        return False


def _shell(value: object) -> bool:
    return value in ("bash", "powershell")


def _block(value: object) -> bool:
    return value == "block"


_WORDS: dict[Check, str] = {
    _text: "must be a string",
    _flag: "must be true or false",
    _texts: "must be a list of strings",
    _list: "must be a list",
    _map: "must be an object",
    _switches: "must be an object of true and false",
    _text_map: "must be an object of strings",
    _seconds: "must be a number of seconds above 0",
    _days: "must be a number, 0 or more",
    _address: "must be an address with a scheme, like http://localhost:8000/",
    _shell: 'must be "bash" or "powershell"',
    _block: 'must be "block"',
}

_OF_ALL: dict[str, Check] = {
    "if": _text,
    "statusMessage": _text,
    "timeout": _seconds,
    "once": _flag,
    "onFailure": _block,
}
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


# What voids the whole file, by the keys down to it. Other keys than these were not measured.
_SETTINGS: dict[tuple[str, ...], Check] = {
    ("hooks",): _map,
    ("permissions",): _map,
    ("permissions", "allow"): _list,
    ("permissions", "deny"): _list,
    ("permissions", "ask"): _list,
    ("permissions", "additionalDirectories"): _list,
    ("permissions", "defaultMode"): _text,
    ("env",): _map,
    ("model",): _text,
    ("outputStyle",): _text,
    ("alwaysThinkingEnabled",): _flag,
    ("disableAllHooks",): _flag,
    ("allowManagedHooksOnly",): _flag,
    ("allowedHttpHookUrls",): _list,
    ("apiKeyHelper",): _text,
    ("cleanupPeriodDays",): _days,
    ("enabledPlugins",): _switches,
    ("includeCoAuthoredBy",): _flag,
    ("statusLine",): _map,
    ("statusLine", "type"): _text,
    ("$schema",): _text,
}


def setting_faults(settings: Mapping[str, object]) -> list[tuple[tuple[str, ...], str]]:
    """What voids the whole file: the keys down to it, and what is wrong."""
    faults: list[tuple[tuple[str, ...], str]] = []
    for keys, check in _SETTINGS.items():
        around = settings if len(keys) == 1 else settings.get(keys[0])
        if isinstance(around, Mapping) and keys[-1] in around and not check(around[keys[-1]]):
            faults.append((keys, _wrong(check, around[keys[-1]])))
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


GROUP_KEYS = ("matcher", "hooks", "description")
"""What a group may hold; `description` is for a person."""

_NOT_READ = ("description", "name", "id", "comment", "fail_closed")  # for a person, or for this host


def keys_of(kind: str) -> tuple[str, ...]:
    """The keys a handler of that type may hold, and those that mean nothing anywhere."""
    return ("type", *_OF_ALL, *_NEEDED[kind], *_OPTIONAL[kind], *_NOT_READ)


# Keys that people write where they are not read, and what to do instead.
_MISPLACED = {
    "matcher": "move it to the group, beside `hooks`",
    "if": "move it into the handler, beside `command`",
    "timeout": "move it into the handler, beside `command`",
    "command": "move it into a handler inside `hooks`",
    "event": "leave it out; the event is the key above the group",
    "timeout_ms": "write `timeout`, in seconds",
    "timeoutMs": "write `timeout`, in seconds",
    "timeoutSeconds": "write `timeout`, in seconds",
    "continueOnError": 'leave it out; a hook that fails never stops anything unless `onFailure` is "block"',
    "blocking": "leave it out; a guard blocks with exit status 2 or an answer",
    "background": "write `async`",
    "run_in_background": "write `async`",
    "cwd": "begin the command with `cd DIR &&`",
    "env": "write NAME=value before the command, or `env` at the top of the settings",
}


def misplaced(key: str, known: Sequence[str]) -> str:
    """What to do about a key that is not read where it stands, "" when nobody is likely to count on it."""
    close = difflib.get_close_matches(key, [each for each in known if each not in _NOT_READ], n=1, cutoff=0.8)
    return _MISPLACED.get(key) or (f"did you mean `{close[0]}`?" if close else "")


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


@dataclass(frozen=True)
class Handler:
    """A handler as its settings file has it. Times are seconds."""

    event: str
    layer: str
    path: str
    line: int
    group: int
    index: int
    type: str = COMMAND
    matcher: str | None = None
    command: str = ""
    args: tuple[str, ...] | None = None
    """Set for the exec form (no shell); an empty list counts as one (measured)."""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)
    allowed_env: tuple[str, ...] = ()
    rule: str = ""
    """The `if`."""
    timeout: float | None = None
    shell: str | None = None
    background: bool = False
    """`async: true`."""
    rewake: bool = False
    """`asyncRewake: true`."""
    once: bool = False
    status_message: str = ""
    fail_closed: bool = False
    """An addition of this host, behind a policy: the client ignores the key."""
    plugin_root: str | None = None
    fails_closed: bool = False
    """`onFailure: "block"`."""
    plugin_data: str | None = None
    source: str = ""
    """The plugin, skill or agent it comes with; empty for settings."""
    scope: tuple[str, ...] = ()
    """`skill` or `agent` with the names it has: it runs once the skill was used, or inside such an agent."""
    brought: bool = False
    """The project's settings switch its plugin on."""

    @property
    def label(self) -> str:
        """A short name that is unique within a configuration: `user PreToolUse[0].hooks[1]`."""
        return f"{self.layer} {self.event}[{self.group}].hooks[{self.index}]"

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.path}:{self.line}"

    @property
    def identity(self) -> tuple[object, ...]:
        """Two handlers with one identity run once (measured).

        `if` is part of it; timeout, statusMessage, async, shell, matcher and file are not. It is known by its source:
        the same text in the settings and in two plugins runs three times.
        """
        target = self.url if self.type == HTTP else self.command
        return (self.event, self.type, target, self.args, self.rule, self.source)

    def shown(self) -> str:
        """What it runs, on one line."""
        if self.type == HTTP:
            return self.url
        if self.type != COMMAND:
            return self.type
        return " ".join([self.command, *self.args]) if self.args is not None else self.command


def marked(entry: Mapping[str, object]) -> bool:
    """Whether a handler must not fail. A mark that is no boolean counts as one: nobody writes it to mean nothing."""
    return entry.get("fail_closed") not in (None, False)


def handler_of(
    entry: Mapping[str, object], *, event: str, matcher: str | None, group: int, index: int, **place: Any
) -> Handler:
    """The handler a well-formed entry (`handler_fault`) means; `place` is the rest of where it stands."""
    kind = str(entry["type"])
    of_command = kind == COMMAND
    args, headers, timeout = entry.get("args"), entry.get("headers"), entry.get("timeout")
    allowed = entry.get("allowedEnvVars")
    return Handler(
        event=event,
        group=group,
        index=index,
        type=kind,
        matcher=_sent(matcher) if matcher is not None else None,
        command=_sent(entry["command"]) if of_command else "",
        args=tuple(map(_sent, args)) if of_command and isinstance(args, list) else None,
        url=_sent(entry["url"]) if kind == HTTP else "",
        headers={_sent(k): _sent(v) for k, v in headers.items()} if kind == HTTP and isinstance(headers, dict) else {},
        allowed_env=tuple(map(_sent, allowed)) if kind == HTTP and isinstance(allowed, list) else (),
        rule=_sent(entry.get("if", "")),
        timeout=float(timeout) if isinstance(timeout, (int, float)) else None,
        shell=str(entry["shell"]) if of_command and "shell" in entry else None,
        background=of_command and (entry.get("async") is True or entry.get("asyncRewake") is True),
        rewake=entry.get("asyncRewake") is True,
        once=entry.get("once") is True,
        status_message=_sent(entry.get("statusMessage", "")),
        fail_closed=marked(entry),
        fails_closed=entry.get("onFailure") == "block",
        **place,
    )


def _sent(text: object) -> str:
    """A text as it reaches a process or the net: what has no UTF-8 is replaced (measured for answers)."""
    return re.sub("[\ud800-\udfff]", "\ufffd", str(text))
