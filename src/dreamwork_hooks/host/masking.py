"""Takes out of an event what belongs to a person: paths, ids and likely secrets. The event stays a valid one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

HOME = "/home/user"
PROJECT = "/home/user/project"
HIDDEN = "***"

_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)
_TOOL_USE = re.compile(r"\btoolu_[A-Za-z0-9_]+")
_SECRET_KEY = re.compile(r"token|secret|passw|api_?key|authorization|credential|private_?key|cookie", re.IGNORECASE)
_SECRETS = tuple(
    re.compile(pattern)
    for pattern in (
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
        r"\bsk-[A-Za-z0-9_-]{16,}",
        r"\bgh[pousr]_[A-Za-z0-9]{20,}",
        r"\bgithub_pat_[A-Za-z0-9_]{20,}",
        r"\bglpat-[A-Za-z0-9_-]{16,}",
        r"\bxox[abeprs]-[A-Za-z0-9-]{10,}",
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
        r"\bAIza[A-Za-z0-9_-]{30,}",
        r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    )
)
_AFTER = re.compile(
    r"((?:\bbearer\s+|\bbasic\s+|--?(?:password|token|secret|api-?key)[ =]"
    r"|\b[\w-]*(?:token|secret|passw(?:or)?d|api_?key)[\"']?\s*[=:]\s*[\"']?))([^\s\"'&;,]{4,})",
    re.IGNORECASE,
)
_IN_URL = re.compile(r"(\w+://[^/\s:@]+:)[^/\s@]+(@)")
_RANDOM = re.compile(r"[A-Za-z0-9+/_-]{32,}={0,2}")


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
            if value and _SECRET_KEY.search(key):
                return HIDDEN
            return self._text(value)
        if isinstance(value, Mapping):
            return {self._text(str(name)): self.value(inner, str(name)) for name, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(inner, key) for inner in value]
        return value

    def _text(self, text: str) -> str:
        for old, new in self._places:
            if old in text:
                # Not within a longer name: /home/anna is not a part of /home/annabel.
                text = re.sub(re.escape(old) + r"(?![A-Za-z0-9_])", lambda _, new=new: new, text)  # type: ignore[misc]
        text = _UUID.sub(lambda match: self._uuids.of(match[0].lower()), text)
        text = _TOOL_USE.sub(lambda match: self._tool_uses.of(match[0]), text)
        for old, new in self._agents.seen.items():
            text = text.replace(old, new)
        for secret in _SECRETS:
            text = secret.sub(HIDDEN, text)
        text = _AFTER.sub(lambda match: match[1] + HIDDEN, text)
        text = _IN_URL.sub(rf"\1{HIDDEN}\2", text)
        return _RANDOM.sub(lambda match: HIDDEN if _looks_random(match[0]) else match[0], text)


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


def _looks_random(text: str) -> bool:
    """Long runs that mix digits, capitals and small letters are keys more often than words."""
    kinds = [any(test(letter) for letter in text) for test in (str.isdigit, str.isupper, str.islower)]
    return all(kinds) and "/" not in text.strip("/") and len(set(text)) > 12
