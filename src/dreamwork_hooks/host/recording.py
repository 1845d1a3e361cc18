"""Keeping the events a hook gets."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping

from dreamwork_hooks.errors import UserError
from dreamwork_hooks.files import make_private
from dreamwork_hooks.secrets import MASK, masked, names_a_secret
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


HOME = "/home/user"
PROJECT = "/home/user/project"

_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)
_TOOL_USE = re.compile(r"\btoolu_[A-Za-z0-9_]+")
_PATHS = ("cwd", "file_path", "notebook_path", "path", "transcript_path", "agent_transcript_path")  # may hold hashes


def mask_event(event: Mapping[str, object], *, home: str, project: str) -> dict[str, object]:
    """The event with its paths, ids and likely secrets replaced, the same thing always by the same.

    `home` becomes `/home/user`, `project` `/home/user/project`, also where the client spells them with hyphens.
    """
    text = _Masker(event, home, project)
    return {key: text.value(value, key) for key, value in event.items()}


class _Masker:
    def __init__(self, event: Mapping[str, object], home: str, project: str) -> None:
        self._places = [(project, PROJECT), (home, HOME)] if project != home else [(home, HOME)]
        self._places += [(_slug(old), _slug(new)) for old, new in self._places]
        self._places = [(old, new) for old, new in self._places if len(old) > 1]
        self._places.sort(key=lambda pair: -len(pair[0]))
        self._uuids = _Numbered(lambda n: f"{n:x}" * 8 + "-0000-4000-8000-" + f"{n:012x}" if n < 16 else _uuid(n))
        self._tool_uses = _Numbered(lambda n: f"toolu_{n:03d}")
        self._agents = _Numbered(lambda n: f"a{n:016x}")
        for found in _agent_ids(event):
            self._agents.of(found)

    def value(self, value: object, key: str = "") -> object:
        if isinstance(value, str):
            return self._text(value, key)
        if isinstance(value, Mapping):
            return {self._text(str(name)): self.value(inner, str(name)) for name, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(inner, key) for inner in value]
        return value

    def _text(self, text: str, key: str = "") -> str:
        if text and names_a_secret(key):
            return MASK
        for old, new in self._places:
            if old in text:
                # Not within a longer name: /home/anna is not a part of /home/annabel.
                text = re.sub(re.escape(old) + r"(?![A-Za-z0-9_])", lambda _, new=new: new, text)  # type: ignore[misc]
        text = _UUID.sub(lambda match: self._uuids.of(match[0].lower()), text)
        text = _TOOL_USE.sub(lambda match: self._tool_uses.of(match[0]), text)
        for old, new in self._agents.seen.items():
            text = text.replace(old, new)
        return masked(text, random=key not in _PATHS)


class _Numbered:
    """Replacements that stay the same for the same thing."""

    def __init__(self, name: Callable[[int], str]) -> None:
        self._name = name
        self.seen: dict[str, str] = {}

    def of(self, found: str) -> str:
        if found in self.seen.values():
            return found
        return self.seen.setdefault(found, self._name(len(self.seen) + 1))


def _uuid(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def _slug(path: str) -> str:
    """How the client spells a path in the name of its transcript directory."""
    return re.sub(r"[^A-Za-z0-9]", "-", path)


def _agent_ids(value: object, key: str = "") -> list[str]:
    if isinstance(value, str):
        return [value] if key in ("agent_id", "agentId") and value else []
    if isinstance(value, Mapping):
        return [found for name, inner in value.items() for found in _agent_ids(inner, str(name))]
    if isinstance(value, (list, tuple)):
        return [found for inner in value for found in _agent_ids(inner, key)]
    return []
