"""Keeping the events a hook gets, and wrapping the hooks of a settings file so that theirs are kept."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence

from dreamwork_hooks.contract.events import EVENTS
from dreamwork_hooks.host.masking import mask_event
from dreamwork_hooks.settings.jsonmap import JsonPath, parse
from dreamwork_hooks.settings.shape import handler_fault

_KEEP = 1000  # files of one name; more of the same teach nothing


class RecordingError(Exception):
    """Nothing was recorded or wrapped; the message says why."""


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
        os.makedirs(directory, mode=0o700, exist_ok=True)
        for number in range(1, _KEEP + 1):
            path = os.path.join(directory, f"{_name(event)}-{number:03d}.json")
            try:
                fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                continue
            with open(fd, "wb") as file:
                file.write(data)
            return path
    except OSError as error:
        raise RecordingError(f"{directory}: {error.strerror}") from None
    raise RecordingError(f"{directory}: holds {_KEEP} events of this name already")


def wrapped(text: str, recorder: Sequence[str], directory: str) -> str:
    """A settings file with every command hook run through `recorder record --to DIRECTORY --`.

    Only the commands' own bytes change. Raises NotJson for a file that is none, RecordingError when no hook is there.
    """
    document = parse(text)
    changes: list[tuple[int, int, str]] = []
    for path, entry in _commands(document.value):
        words = [*recorder, "record", "--to", directory, "--"]
        start, end = document.spans[(*path, "command")]
        args = entry.get("args")
        if isinstance(args, list):
            changes.append((start, end, json.dumps(words[0])))
            start, end = document.spans[(*path, "args")]
            changes.append((start, end, json.dumps([*words[1:], entry["command"], *args], ensure_ascii=False)))
        else:
            command = shlex.join([*words, "/bin/sh", "-c", str(entry["command"])])
            changes.append((start, end, json.dumps(command, ensure_ascii=False)))
    if not changes:
        raise RecordingError("no command hook is configured here")
    new = document.text
    for start, end, piece in sorted(changes, reverse=True):
        new = new[:start] + piece + new[end:]
    return text[: len(text) - len(document.text)] + new


def _commands(value: object) -> list[tuple[JsonPath, dict[str, object]]]:
    """The well-formed command handlers of a settings file, with their places."""
    found: list[tuple[JsonPath, dict[str, object]]] = []
    hooks = value.get("hooks") if isinstance(value, dict) else None
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        if event not in EVENTS or not isinstance(groups, list):
            continue
        for number, group in enumerate(groups):
            entries = group.get("hooks") if isinstance(group, dict) else None
            for index, entry in enumerate(entries if isinstance(entries, list) else ()):
                if handler_fault(entry) is None and entry["type"] == "command" and entry["command"].strip():
                    found.append((("hooks", event, number, "hooks", index), entry))
    return found


def _name(event: Mapping[str, object]) -> str:
    parts = [str(event["hook_event_name"])]
    for key in ("tool_name", "source", "trigger", "reason"):
        if isinstance(event.get(key), str):
            parts.append(str(event[key]))
            break
    return re.sub(r"[^A-Za-z0-9_.-]", "_", "-".join(parts))[:100]
