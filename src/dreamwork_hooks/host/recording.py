"""Keeping the events a hook gets, and wrapping the hooks of a settings file so that theirs are kept."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence

from dreamwork_hooks.host.masking import mask_event
from dreamwork_hooks.settings import textedit
from dreamwork_hooks.settings.jsontext import parse
from dreamwork_hooks.settings.reading import commands

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

    Only the commands' own bytes change. Raises JsonSyntaxError for a file that is not JSON, and RecordingError when no
    hook is there.
    """
    document = parse(text)
    words = [*recorder, "record", "--to", directory, "--"]
    changes: list[tuple[int, int, str]] = []
    for node in commands(document):
        command, args = node.get("command"), node.get("args")
        assert command is not None
        if args is not None:
            changes.append((command.start, command.end, textedit.quoted(words[0])))
            behind = [*words[1:], command.string, *(item.string for item in args.items)]
            changes.append((args.start, args.end, textedit.quoted(behind)))
        else:
            wrapping = shlex.join([*words, "/bin/sh", "-c", command.string])
            changes.append((command.start, command.end, textedit.quoted(wrapping)))
    if not changes:
        raise RecordingError("no command hook is configured here")
    pieces: list[str] = []
    at = 0
    for start, end, piece in sorted(changes):
        pieces += [text[at:start], piece]
        at = end
    return "".join([*pieces, text[at:]])


def _name(event: Mapping[str, object]) -> str:
    parts = [str(event["hook_event_name"])]
    for key in ("tool_name", "source", "trigger", "reason"):
        if isinstance(event.get(key), str):
            parts.append(str(event[key]))
            break
    return re.sub(r"[^A-Za-z0-9_.-]", "_", "-".join(parts))[:100]
