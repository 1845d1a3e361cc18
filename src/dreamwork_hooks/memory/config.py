"""`config.json`: what the person who installed us chose. Written by the installer only; read by the hooks."""

from __future__ import annotations

import os

from dreamwork_hooks.files import NoState, Unreadable, hooks_dir, read_regular
from dreamwork_hooks.jsonlite import loads

_MAX_BYTES = 256 * 1024
LEVELS = "lint.json"  # beside the ledger
_SEVERITIES = ("error", "warning", "advice", "off")


def read_config(env: dict[str, str]) -> dict[str, object]:
    """The installer's choices; empty when there are none that can be read, which leaves every default in force."""
    try:
        data = read_regular(os.path.join(hooks_dir(env), "config.json"), _MAX_BYTES)
        config = loads(data.decode("utf-8"))
    except (Unreadable, NoState, ValueError, RecursionError):
        return {}
    return config if isinstance(config, dict) else {}


def read_levels(path: str) -> tuple[dict[str, str], str]:
    """(rule -> the severity it has in this ledger, or `off`; what is wrong with the file): `lint.json`, which is data:

    {"rules": {"tasks/landing-placeholder": "off"}}
    """
    try:
        data = read_regular(path, _MAX_BYTES)
    except Unreadable as error:
        return {}, "" if error.absent else LEVELS + " could not be read: it is " + str(error)
    try:
        held = loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return {}, LEVELS + " could not be read: it is not JSON"
    rules = held.get("rules") if isinstance(held, dict) else None
    if not isinstance(rules, dict):
        return {}, LEVELS + ' could not be read: it has no object "rules"'
    wrong = [rule for rule, level in rules.items() if level not in _SEVERITIES]
    fault = LEVELS + ": " + wrong[0][:60] + " is to be one of " + ", ".join(_SEVERITIES) if wrong else ""
    return {rule: level for rule, level in rules.items() if level in _SEVERITIES}, fault
