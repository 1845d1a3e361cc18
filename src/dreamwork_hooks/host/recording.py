"""Keeping the events a hook gets."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping

from dreamwork_hooks.errors import UserError
from dreamwork_hooks.files import make_private
from dreamwork_hooks.host.masking import mask_event
from dreamwork_hooks.settings.writing import create, fill

_KEEP = 1000  # files of one name; more of the same teach nothing


class RecordingError(UserError):
    """Nothing was recorded; the message says why."""


def save_event(raw: bytes, directory: str, *, home: str, env: Mapping[str, str]) -> str:
    """Write an event, masked, to a new file named for it, and return its path. Raises RecordingError."""
    try:
        event = json.loads(raw.decode("utf-8", errors="replace"))
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"not an event: {error}") from None
    if not isinstance(event, dict) or not isinstance(event.get("hook_event_name"), str):
        raise RecordingError("not an event: no hook_event_name")
    project = env.get("CLAUDE_PROJECT_DIR") or str(event.get("cwd", ""))
    masked = mask_event(event, home=home, project=project)
    data = (json.dumps(masked, indent=1) + "\n").encode()
    try:
        make_private(directory)
        for number in range(1, _KEEP + 1):
            path = os.path.join(directory, f"{_name(event)}-{number:03d}.json")
            try:
                fd = create(path)
            except FileExistsError:
                continue
            fill(fd, data)
            return path
    except OSError as error:
        raise RecordingError(f"{directory}: {error.strerror}") from None
    raise RecordingError(f"{directory}: holds {_KEEP} events of this name already")


def _name(event: Mapping[str, object]) -> str:
    parts = [str(event["hook_event_name"])]
    for key in ("tool_name", "source", "trigger", "reason"):
        if isinstance(event.get(key), str):
            parts.append(str(event[key]))
            break
    return re.sub(r"[^A-Za-z0-9_.-]", "_", "-".join(parts))[:100]
