"""Consent to run the hooks that come with a repository.

Kept on this machine, outside the repository, by the project's real path, and bound to a fingerprint of the
hook entries and of every script they reference: after any change the answer has to be given again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dreamwork_hooks.host.fingerprint import Fingerprint, comes_with_repository, fingerprint
from dreamwork_hooks.host.own_files import replace_private
from dreamwork_hooks.settings.handler import Handler

ALLOW = "allow"
DENY = "deny"

TRUSTED = "trusted"
UNTRUSTED = "untrusted"
DENIED = "denied"
CHANGED = "changed"


class TrustError(Exception):
    """The store cannot be read or written; the message says which file and what to do."""


@dataclass(frozen=True)
class Verdict:
    """Whether a project's hooks may run: TRUSTED, UNTRUSTED (never asked), CHANGED (since asked) or
    DENIED."""

    state: str
    project: str
    fingerprint: Fingerprint
    handlers: tuple[Handler, ...]
    env: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def runs(self) -> bool:
        """Whether the hooks run, and the `env` of the project's settings reaches other hooks."""
        return self.state == TRUSTED or not (self.handlers or self.env)


class TrustStore:
    """The answers given on this machine, in one JSON file (mode 0600)."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    @classmethod
    def default(cls, env: Mapping[str, str], home: str) -> TrustStore:
        """`hooks/trust.json` below `$DREAMWORK_HOOKS_CONFIG`, else below `~/.config/dreamwork`."""
        base = env.get("DREAMWORK_HOOKS_CONFIG") or os.path.join(home, ".config", "dreamwork")
        return cls(os.path.join(base, "hooks", "trust.json"))

    def verdict(self, project: str, handlers: Iterable[Handler], env: Mapping[str, str]) -> Verdict:
        """Judge the handlers that come with `project`; `env` is that of its settings. Raises TrustError."""
        brought = tuple(handler for handler in handlers if comes_with_repository(handler, project))
        real = os.path.realpath(project)
        now = fingerprint(brought, env, real)
        answer = self._read().get(real)
        if answer is None:
            state = UNTRUSTED
        elif answer.get("decision") == DENY:
            state = DENIED
        else:
            state = TRUSTED if answer.get("fingerprint") == now.digest else CHANGED
        return Verdict(state, real, now, brought, dict(env))

    def set(self, verdict: Verdict, decision: str) -> None:
        """Remember ALLOW or DENY for exactly what `verdict` saw. Raises TrustError."""
        answers = self._read()
        answers[verdict.project] = {"decision": decision, "fingerprint": verdict.fingerprint.digest}
        self._write(answers)

    def forget(self, project: str) -> bool:
        """Drop the answer for a project; False when there was none. Raises TrustError."""
        answers = self._read()
        if answers.pop(os.path.realpath(project), None) is None:
            return False
        self._write(answers)
        return True

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise TrustError(f"{self.path}: cannot be read ({error}); nothing is trusted until it is removed") from None
        if not isinstance(data, dict):
            raise TrustError(f"{self.path}: not an object; nothing is trusted until it is removed")
        return {key: value for key, value in data.items() if isinstance(value, dict)}

    def _write(self, answers: dict[str, dict[str, str]]) -> None:
        text = json.dumps(answers, indent=2, sort_keys=True) + "\n"
        try:
            replace_private(str(self.path), text.encode("utf-8", "surrogateescape"))
        except OSError as error:
            raise TrustError(f"{self.path}: cannot be written ({error.strerror}); the answer was not kept") from None
