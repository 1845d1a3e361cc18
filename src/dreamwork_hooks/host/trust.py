"""Consent to run the hooks that come with a repository.

Kept on this machine, outside the repository, by the project's real path, and bound to a fingerprint of the hook
entries and of what they run: after any change the answer has to be given again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from dreamwork_hooks.errors import Refused, UserError
from dreamwork_hooks.files import NoState, Unreadable, hooks_dir, make_private, read_regular
from dreamwork_hooks.host.fingerprint import (
    Fingerprint,
    comes_with_repository,
    elsewhere,
    fingerprint,
    newest,
    stamps,
)
from dreamwork_hooks.host.following import TooMuch
from dreamwork_hooks.settings.configuration import Configuration, merge
from dreamwork_hooks.settings.layers import LOCAL, PROJECT
from dreamwork_hooks.settings.shape import Handler
from dreamwork_hooks.settings.writing import locked, replace_beside

_LIMIT = 16 << 20  # bytes of the store
# A write in the same tick of the file system's clock as our reading leaves no trace in the stamps.
_TICK = 50_000_000  # nanoseconds


class TrustError(UserError):
    """The store cannot be read or written; the message says which file and what to do."""


State = Literal["trusted", "untrusted", "changed", "denied"]
"""`untrusted` was never asked about; `changed` has changed since."""


@dataclass(frozen=True)
class Verdict:
    """Whether a project's hooks may run, and whether its `env` and `disableAllHooks` hold for the person's own."""

    state: State
    project: str
    fingerprint: Fingerprint
    handlers: tuple[Handler, ...]
    env: Mapping[str, str] = field(default_factory=dict, hash=False)
    switches: Mapping[str, object] = field(default_factory=dict, hash=False)
    """What its settings switch on or off for all hooks: `disableAllHooks`."""
    changes: tuple[str, ...] = ()
    """What is not as it was when it was trusted: `hooks`, `env`, `switches`, or paths."""

    @property
    def asks(self) -> bool:
        """Whether anything comes with the project that trust is about."""
        return bool(self.handlers or self.env or self.switches)

    @property
    def runs(self) -> bool:
        """Whether the hooks run, and the project's `env` and switches hold for other hooks."""
        return self.state == "trusted" or not self.asks


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
            raise TrustError(f"the answers cannot be kept: {error}") from None

    def verdict(
        self,
        project: str,
        handlers: Iterable[Handler],
        env: Mapping[str, str],
        switches: Mapping[str, object] | None = None,
    ) -> Verdict:
        """Judge the handlers that come with `project`, and its settings' `env` and switches. Raises TrustError."""
        brought = tuple(handler for handler in handlers if comes_with_repository(handler, project))
        real = os.path.realpath(project)
        now = fingerprint(brought, env, real, switches=switches)
        answer = self._read().get(real)
        changes: tuple[str, ...] = ()
        if answer is None:
            state: State = "untrusted"
        elif answer.get("decision") == "deny":
            state = "denied"
        elif answer.get("fingerprint") == now.digest and not now.refused:
            state = "trusted"
        else:
            state = "changed"
            changes = _changes(answer.get("parts"), now.parts)
        return Verdict(state, real, now, brought, dict(env), dict(switches or {}), changes)

    def set(self, verdict: Verdict, decision: Literal["allow", "deny"]) -> None:
        """Remember the answer for exactly what `verdict` saw. Raises TrustError."""
        now = verdict.fingerprint
        if decision == "allow" and now.refused:
            raise TrustError(f"{verdict.project} cannot be trusted: {now.refused}")
        with self._changed() as answers:
            answers[verdict.project] = {"decision": decision, "fingerprint": now.digest, "parts": dict(now.parts)}

    def forget(self, project: str) -> bool:
        """Drop the answer for a project; False when there was none. Raises TrustError."""
        with self._changed() as answers:
            return answers.pop(os.path.realpath(project), None) is not None

    @contextmanager
    def _changed(self) -> Iterator[dict[str, dict[str, object]]]:
        """The answers, to be changed and written under the lock of their directory."""
        directory = str(self.path.parent)
        try:
            make_private(directory)
            with locked(directory):
                answers = self._read()
                before = json.dumps(answers)
                yield answers
                if json.dumps(answers) != before:
                    text = json.dumps(answers, indent=1, sort_keys=True) + "\n"
                    replace_beside(str(self.path), text.encode("utf-8", "surrogateescape"))
        except OSError as error:
            raise TrustError(f"{self.path}: cannot be written ({error.strerror}); the answer was not kept") from None
        except Refused:
            raise TrustError(f"{directory} is locked by another program; the answer was not kept") from None

    def _read(self) -> dict[str, dict[str, object]]:
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


def _changes(before: object, now: Mapping[str, str]) -> tuple[str, ...]:
    if not isinstance(before, dict):
        return ()
    return tuple(sorted(name for name in {*before, *now} if before.get(name) != now.get(name)))


Ask = Callable[[Verdict], "bool | None"]
"""Asks the person whether a repository's hooks may run: True, False, or None for neither (skip, ask again)."""

_THEIRS = (PROJECT, LOCAL)


class Consent:
    """`verdict` is None without a store: everything is trusted then. Raises TrustError when made."""

    def __init__(
        self, configuration: Configuration, project: str, store: TrustStore | None, ask: Ask | None = None
    ) -> None:
        self._configuration = configuration
        self._project = project
        self._store = store
        self._ask = ask
        self._stamps: list[tuple[object, ...]] | None = None
        self._without: Configuration | None = None
        self.verdict: Verdict | None = None
        if store is not None:
            self.verdict = self._judge(store)

    def refresh(self) -> None:
        """Judge again when anything that counts was written; what cannot be read then is not trusted."""
        if self._store is None or self.verdict is None:
            return
        if self._stamps is not None and self._seen(self.verdict) == self._stamps:
            return
        try:
            self.verdict = self._judge(self._store)
        except TrustError:
            self.verdict = replace(self.verdict, state="changed")

    def elsewhere(self, handler: Handler, cwd: str) -> str:
        """Why a trusted hook may not run for an event in `cwd`; empty when it may."""
        verdict = self.verdict
        if verdict is None or verdict.state != "trusted" or handler not in verdict.handlers:
            return ""
        cwd = os.path.realpath(cwd)
        if cwd == verdict.project:
            return ""
        return elsewhere(handler, verdict.env, verdict.project, cwd, verdict.fingerprint)

    def uncovered(self, handler: Handler) -> list[str]:
        """What a repository's hook runs that trust does not cover, a sentence each."""
        verdict = self.verdict
        if verdict is None or handler not in verdict.handlers:
            return []
        return [gap for about, gap in verdict.fingerprint.gaps if about in (None, handler)]

    def env(self) -> dict[str, str]:
        """The `env` of the settings that hooks get: without the repository's own where that is not trusted.

        It would reach the trusted hooks as well, with a PATH or a preloaded library of its choice.
        """
        trusted = self.verdict is None or self.verdict.runs
        return self._env(lambda layer: trusted or layer not in _THEIRS)

    def off(self) -> Mapping[Handler, str]:
        """Which hooks are switched off, and by what; a repository that is not trusted switches none on or off."""
        if self.verdict is None or self.verdict.runs:
            return self._configuration.off
        if self._without is None:
            self._without = merge(
                [
                    replace(
                        layer,
                        disable_all_hooks=None if layer.file.layer in _THEIRS else layer.disable_all_hooks,
                        file=replace(layer.file, switched_off=""),
                    )
                    for layer in self._configuration.layers
                ]
            )
        return self._without.off

    def added_env(self, handler: Handler) -> dict[str, str]:
        """What a trusted hook's environment has beside the usual.

        Python would run a compiled file of the repository's instead of the source that was trusted.
        """
        if self.verdict is None or handler not in self.verdict.handlers:
            return {}
        return {"PYTHONPYCACHEPREFIX": os.devnull}

    def _judge(self, store: TrustStore) -> Verdict:
        began = time.time_ns()
        verdict = self._ask_store(store)
        if not verdict.runs and verdict.state != "denied" and not verdict.fingerprint.refused and self._ask is not None:
            answer = self._ask(verdict)
            if answer is not None:
                store.set(verdict, "allow" if answer else "deny")
                began = time.time_ns()
                verdict = self._ask_store(store)
        seen = self._seen(verdict)
        self._stamps = seen if seen is not None and newest(seen) < began - _TICK else None
        return verdict

    def _seen(self, verdict: Verdict) -> list[tuple[object, ...]] | None:
        if not verdict.asks:
            return []
        try:
            assert self._store is not None
            return stamps(verdict.fingerprint, verdict.project, str(self._store.path))
        except TooMuch:
            return None

    def _ask_store(self, store: TrustStore) -> Verdict:
        handlers = (*self._configuration.handlers, *self._configuration.lost)
        switches = {
            f"disableAllHooks in {layer.file.layer}": layer.disable_all_hooks
            for layer in self._configuration.layers
            if layer.file.layer in _THEIRS and layer.disable_all_hooks is not None
        }
        off = sorted({layer.file.source for layer in self._configuration.layers if layer.file.switched_off})
        switches.update({f"enabledPlugins has {source} off": True for source in off})
        return store.verdict(self._project, handlers, self._env(lambda layer: layer in _THEIRS), switches)

    def _env(self, wanted: Callable[[str], bool]) -> dict[str, str]:
        env: dict[str, str] = {}
        for layer in self._configuration.layers:
            if wanted(layer.file.layer):
                env.update(layer.env or {})
        return env
