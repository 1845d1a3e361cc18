"""`config.json`: what the person who installed us chose. Written by the installer only; read by the hooks."""

from __future__ import annotations

import os

from dreamwork_hooks.files import NoState, Unreadable, hooks_dir, read_regular
from dreamwork_hooks.jsonlite import loads

_MAX_BYTES = 256 * 1024


def read_config(env: dict[str, str]) -> dict[str, object]:
    """The installer's choices; empty when there are none that can be read, which leaves every default in force."""
    try:
        data = read_regular(os.path.join(hooks_dir(env), "config.json"), _MAX_BYTES)
        config = loads(data.decode("utf-8"))
    except (Unreadable, NoState, ValueError, RecursionError):
        return {}
    return config if isinstance(config, dict) else {}
