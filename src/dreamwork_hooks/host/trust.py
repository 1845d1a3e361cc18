"""Consent to run the hooks that come with a repository.

Kept on this machine, outside the repository, by the project's real path, and bound to a fingerprint of the
hook entries and of every script they reference: after any change the answer has to be given again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from dreamwork_hooks.errors import UserError
from dreamwork_hooks.files import NoState, Unreadable, hooks_dir, read_regular
from dreamwork_hooks.host.fingerprint import Fingerprint, comes_with_repository, fingerprint
from dreamwork_hooks.settings.configuration import Configuration
from dreamwork_hooks.settings.layers import LOCAL, PROJECT
from dreamwork_hooks.settings.shape import Handler
from dreamwork_hooks.settings.writing import replace_beside

_LIMIT = 16 << 20  # bytes of the store


class TrustError(UserError):
    """The store cannot be read or written; the message says which file and what to do."""


State = Literal["trusted", "untrusted", "changed", "denied"]
"""`untrusted` was never asked about; `changed` has changed since."""


@dataclass(frozen=True)
class Verdict:
    """Whether a project's hooks may run."""

    state: State
    project: str
    fingerprint: Fingerprint
    handlers: tuple[Handler, ...]
    env: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def runs(self) -> bool:
        """Whether the hooks run, and the `env` of the project's settings reaches other hooks."""
        return self.state == "trusted" or not (self.handlers or self.env)


class TrustStore:
    """The answers given on this machine, in one JSON file (mode 0600)."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    @classmethod
    def default(cls, env: Mapping[str, str], home: str) -> TrustStore:
        """`hooks/trust.json` among our own files, never inside a repository. Raises TrustError."""
        try:
            return cls(os.path.join(hooks_dir({**env, "HOME": home}), "trust.json"))
        except NoState as error:
            raise TrustError(f"there is no place for the answers: {error}") from None

    def verdict(self, project: str, handlers: Iterable[Handler], env: Mapping[str, str]) -> Verdict:
        """Judge the handlers that come with `project`; `env` is that of its settings. Raises TrustError."""
        brought = tuple(handler for handler in handlers if comes_with_repository(handler, project))
        real = os.path.realpath(project)
        now = fingerprint(brought, env, real)
        answer = self._read().get(real)
        if answer is None:
            state: State = "untrusted"
        elif answer.get("decision") == "deny":
            state = "denied"
        else:
            state = "trusted" if answer.get("fingerprint") == now.digest else "changed"
        return Verdict(state, real, now, brought, dict(env))

    def set(self, verdict: Verdict, decision: Literal["allow", "deny"]) -> None:
        """Remember the answer for exactly what `verdict` saw. Raises TrustError."""
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
            data = json.loads(read_regular(str(self.path), _LIMIT))
        except Unreadable as error:
            if error.absent and not os.path.lexists(self.path):
                return {}
            raise TrustError(f"{error.of(self.path)}; nothing is trusted until it is removed") from None
        except (ValueError, RecursionError) as error:
            raise TrustError(f"{self.path}: cannot be read ({error}); nothing is trusted until it is removed") from None
        if not isinstance(data, dict):
            raise TrustError(f"{self.path}: not an object; nothing is trusted until it is removed")
        return {key: value for key, value in data.items() if isinstance(value, dict)}

    def _write(self, answers: dict[str, dict[str, str]]) -> None:
        text = json.dumps(answers, indent=2, sort_keys=True) + "\n"
        try:
            replace_beside(str(self.path), text.encode("utf-8", "surrogateescape"))
        except OSError as error:
            raise TrustError(f"{self.path}: cannot be written ({error.strerror}); the answer was not kept") from None


Ask = Callable[[Verdict], "bool | None"]
"""Asks the person whether a repository's hooks may run: True, False, or None for neither (skip, ask again)."""


class Consent:
    """`verdict` is None without a store: everything is trusted then. Raises TrustError when made."""

    def __init__(
        self, configuration: Configuration, project: str, store: TrustStore | None, ask: Ask | None = None
    ) -> None:
        self._configuration = configuration
        self._project = project
        self._store = store
        self._ask = ask
        self._stamps: list[tuple[int, ...] | None] = []
        self.verdict: Verdict | None = None
        if store is not None:
            self.verdict = self._judge(store)

    def refresh(self) -> None:
        """Judge again when a script has changed; a store that cannot be read then means no trust."""
        if self._store is None or self.verdict is None or _stamps(self.verdict) == self._stamps:
            return
        try:
            self.verdict = self._judge(self._store)
        except TrustError:
            self.verdict = replace(self.verdict, state="changed")

    def env(self) -> dict[str, str]:
        """The `env` of the settings that hooks get: without the repository's own where that is not trusted.

        It would reach the trusted hooks as well, with a PATH or a preloaded library of its choice.
        """
        trusted = self.verdict is None or self.verdict.runs
        return self._env(lambda layer: trusted or layer not in (PROJECT, LOCAL))

    def _judge(self, store: TrustStore) -> Verdict:
        verdict = self._ask_store(store)
        if not verdict.runs and verdict.state != "denied" and self._ask is not None:
            answer = self._ask(verdict)
            if answer is not None:
                store.set(verdict, "allow" if answer else "deny")
                verdict = self._ask_store(store)
        self._stamps = _stamps(verdict)
        return verdict

    def _ask_store(self, store: TrustStore) -> Verdict:
        handlers = (*self._configuration.handlers, *self._configuration.lost)
        return store.verdict(self._project, handlers, self._env(lambda layer: layer in (PROJECT, LOCAL)))

    def _env(self, wanted: Callable[[str], bool]) -> dict[str, str]:
        env: dict[str, str] = {}
        for layer in self._configuration.layers:
            if wanted(layer.file.layer):
                env.update(layer.env or {})
        return env


def _stamps(verdict: Verdict) -> list[tuple[int, ...] | None]:
    """What changes when a referenced script does, for the price of one look at each."""
    found: list[tuple[int, ...] | None] = []
    for path in (*verdict.fingerprint.scripts, *verdict.fingerprint.missing):
        try:
            seen = os.stat(path)
        except OSError:
            found.append(None)
        else:
            found.append((seen.st_mtime_ns, seen.st_size, seen.st_ino, seen.st_ctime_ns))
    return found
