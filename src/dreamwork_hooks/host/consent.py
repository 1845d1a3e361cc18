"""A host's view of trust: judged when it loads, judged again when a referenced script is no longer the same."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from dreamwork_hooks.host.trust import ALLOW, CHANGED, DENIED, DENY, TrustError, TrustStore, Verdict
from dreamwork_hooks.settings.configuration import Configuration
from dreamwork_hooks.settings.layers import LOCAL, PROJECT

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
            self.verdict = replace(self.verdict, state=CHANGED)

    def env(self) -> dict[str, str]:
        """The `env` of the settings that hooks get: without the repository's own where that is not trusted.

        It would reach the trusted hooks as well, with a PATH or a preloaded library of its choice.
        """
        trusted = self.verdict is None or self.verdict.runs
        return self._env(lambda layer: trusted or layer not in (PROJECT, LOCAL))

    def _judge(self, store: TrustStore) -> Verdict:
        verdict = self._ask_store(store)
        if not verdict.runs and verdict.state != DENIED and self._ask is not None:
            answer = self._ask(verdict)
            if answer is not None:
                store.set(verdict, ALLOW if answer else DENY)
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
