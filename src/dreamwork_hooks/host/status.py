"""The status of each configured hook: `user`, `trusted`, `untrusted`, `disabled`, `broken`."""

from __future__ import annotations

from dataclasses import dataclass

from dreamwork_hooks.contract import matcher as matchers
from dreamwork_hooks.contract import permission_rule
from dreamwork_hooks.contract.events import EVENTS
from dreamwork_hooks.host.trust import Verdict
from dreamwork_hooks.settings.configuration import Configuration
from dreamwork_hooks.settings.handler import RUNNABLE, Handler

USER = "user"
TRUSTED = "trusted"
UNTRUSTED = "untrusted"
DISABLED = "disabled"
BROKEN = "broken"


_PLUGIN_WORDS = ("${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_DATA}")


@dataclass(frozen=True)
class Status:
    """One of the five words and, unless all is well, a sentence."""

    word: str
    why: str = ""

    @property
    def runs(self) -> bool:
        """Whether such a hook may run at all."""
        return self.word in (USER, TRUSTED)


def status(handler: Handler, configuration: Configuration, verdict: Verdict | None, *, rules: bool = True) -> Status:
    """Of one handler. `verdict` is None where everything is trusted. `rules=False` leaves `if` out of the
    judgement."""
    if handler in configuration.lost:
        return Status(BROKEN, "its file counts for nothing")
    if handler in configuration.off:
        return Status(DISABLED, configuration.off[handler])
    if handler.type not in RUNNABLE:
        return Status(BROKEN, f"hooks of type {handler.type} are not run by this host")
    if handler.shell == "powershell":
        return Status(BROKEN, "PowerShell hooks are not run by this host")
    if handler.plugin_root is None and any(word in handler.shown() for word in _PLUGIN_WORDS):
        return Status(BROKEN, "speaks of ${CLAUDE_PLUGIN_...} and comes with no plugin: the client does not start it")
    if rules:
        try:
            permission_rule.parse(handler.rule)
        except permission_rule.InvalidRule as error:
            return Status(BROKEN, f"`if` never holds: {error}")
    spec = EVENTS[handler.event]
    if spec.matcher.value is not None and handler.event != "FileChanged":
        reading = matchers.read(handler.matcher)
        if reading.form == matchers.INVALID:
            return Status(BROKEN, reading.explain())
    if verdict is None or handler not in verdict.handlers:
        return Status(USER)
    if verdict.runs:
        return Status(TRUSTED)
    return Status(UNTRUSTED, f"comes with {verdict.project} and is {_STATES[verdict.state]}")


_STATES = {
    "untrusted": "not trusted yet; see `trust`",
    "changed": "not trusted in its present form; see `trust`",
    "denied": "refused; `trust --allow` takes that back",
}


def rule_is_broken(rule: str) -> bool:
    """Whether an `if` can never hold."""
    try:
        permission_rule.parse(rule)
    except permission_rule.InvalidRule:
        return True
    return False
