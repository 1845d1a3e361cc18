"""Which hooks may run at all, which of them fire for an event, and of the others why not."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dreamwork_hooks.contract import matcher as matchers
from dreamwork_hooks.contract import permission_rule, tools
from dreamwork_hooks.contract.event import Event, ShellEvent
from dreamwork_hooks.contract.events import EVENTS
from dreamwork_hooks.host.policies import Policies
from dreamwork_hooks.host.rule_matching import Held, holds
from dreamwork_hooks.host.trust import Verdict
from dreamwork_hooks.settings.configuration import Configuration
from dreamwork_hooks.settings.doubts import never
from dreamwork_hooks.settings.shape import RUNNABLE, Handler


@dataclass(frozen=True)
class Match:
    """A handler of the event, whether it fires, and one sentence why."""

    handler: Handler
    fires: bool
    why: str


def match(
    handlers: Sequence[Handler],
    event: Event,
    *,
    home: str,
    policies: Policies | None = None,
    watched: Collection[str] = (),
    used: Collection[str] = (),
) -> list[Match]:
    """Every handler, in configuration order, with its verdict; of identical handlers that fire the first
    one does.

    `watched` are the absolute paths SessionStart hooks asked to watch, `used` the skills this session has used.
    """
    rules = policies or Policies()
    seen: dict[tuple[object, ...], Handler] = {}
    found: list[Match] = []
    for handler in handlers:
        fires, why = _verdict(handler, event, home, rules, watched)
        if fires and handler.scope:
            fires, why = _in_scope(handler, event, used, why)
        if fires and handler.identity in seen:
            fires, why = False, f"identical to {seen[handler.identity].label}, which runs"
        if fires:
            seen[handler.identity] = handler
        found.append(Match(handler, fires, why))
    return found


def _verdict(
    handler: Handler, event: Event, home: str, policies: Policies, watched: Collection[str]
) -> tuple[bool, str]:
    if handler.event != event.name:
        return False, f"is for {handler.event}"
    matched = _matcher(handler, event, policies, watched)
    if not matched.holds:
        return False, matched.why
    held = _rule(handler, event, home, policies)
    if not held.holds:
        return False, held.why
    return True, matched.why if not handler.rule else f"{matched.why}; {held.why}"


def skill_used(event: Event) -> str:
    """The skill or command that an event says is used, "" for none."""
    if event.name == "UserPromptExpansion":
        name = event.raw.get("command_name")
    elif event.name == "PostToolUse" and event.raw.get("tool_name") == "Skill":
        given = event.raw.get("tool_input")
        name = given.get("skill") if isinstance(given, Mapping) else None
    else:
        return ""
    return name.lstrip("/") if isinstance(name, str) else ""


def _in_scope(handler: Handler, event: Event, used: Collection[str], why: str) -> tuple[bool, str]:
    """A skill's hooks run from its use to the session's end, an agent's inside it (measured)."""
    kind, *names = handler.scope
    if kind == "skill":
        found = any(name in used for name in names)
        return found, why if found else f"its skill {names[-1]} was not used in this session"
    found = event.raw.get("agent_type") in names and event.name != "SubagentStart"
    return found, why if found else f"runs inside the agent {names[-1]} alone"


def _matcher(handler: Handler, event: Event, policies: Policies, watched: Collection[str]) -> Held:
    subject = event.subject
    if event.spec.matcher.value is None:
        return Held(True, f"{event.name} takes no matcher")
    if event.name == "FileChanged":
        return _watched(handler.matcher, subject or "", watched)
    reading = matchers.read(handler.matcher)
    if subject is None:
        fires = reading.form == "every"
        return Held(fires, f"the event has no {event.spec.matcher.value} (unverified)")
    fires = reading.fully_matches(subject) if policies.full_match else reading.matches(subject)
    verb = "matches" if fires else "does not match"
    return Held(fires, f"matcher {handler.matcher!r} {verb} {subject!r} ({reading.explain()})")


def _watched(text: str | None, path: str, watched: Collection[str]) -> Held:
    if path in watched:
        return Held(True, f"{path} was asked for by a SessionStart hook (which handlers then run is unverified)")
    names = matchers.watched_names(text)
    fires = os.path.basename(path) in names
    return Held(fires, f"watches {', '.join(names) or 'nothing'}; changed: {path}")


def _rule(handler: Handler, event: Event, home: str, policies: Policies) -> Held:
    if policies.command_regex and handler.rule.startswith("re:"):
        if not isinstance(event, ShellEvent):
            return Held(False, "an `if` of `re:` is about shell commands")
        try:
            found = re.search(handler.rule[3:], event.command)
        except re.error as error:
            return Held(False, f"`if` is not a regular expression: {error}")
        return Held(found is not None, f"/{handler.rule[3:]}/ {'is' if found else 'is not'} in the command")
    return holds(handler.rule, event, home=home)


def needed_to_fire(handler: Handler) -> str:
    """What has to happen for a handler to run, as one sentence."""
    spec = EVENTS[handler.event]
    said = spec.about
    reading = matchers.read(handler.matcher)
    on = spec.matcher.value
    if handler.event == "FileChanged":
        said += f": {', '.join(matchers.watched_names(handler.matcher)) or 'but it watches nothing'}"
    elif on is not None and reading.form == "invalid":
        return f"cannot fire: {reading.problem}"
    elif on is not None and reading.form == "list":
        names = [tools.ALIASES.get(name, name) for name in reading.names]
        said += f"; {on} is {' or '.join(names) or 'nothing'}"
    elif on is not None and reading.form == "regex":
        said += f"; {on} contains a match of /{handler.matcher}/"
    if handler.rule:
        said += f"; and `{handler.rule}` holds"
    if handler.scope:
        where = "once the skill {} was used" if handler.scope[0] == "skill" else "inside the agent {}"
        said += "; " + where.format(handler.scope[-1])
    return said


Word = Literal["user", "trusted", "untrusted", "disabled", "broken"]


@dataclass(frozen=True)
class Status:
    """Whether a hook may run and, where it may not, a sentence why."""

    word: Word
    why: str = ""

    @property
    def runs(self) -> bool:
        """Whether such a hook may run at all."""
        return self.word in ("user", "trusted")


def status(
    handler: Handler,
    configuration: Configuration,
    verdict: Verdict | None,
    off: Mapping[Handler, str] | None = None,
    *,
    rules: bool = True,
) -> Status:
    """Return the status of one handler.

    `verdict` is None where everything is trusted; `off` says why instead of the configuration; with `rules=False` its
    `if` is not looked at.
    """
    if handler in configuration.lost_handlers:
        return Status("broken", "its settings file is ignored")
    off = configuration.off if off is None else off
    if handler in off:
        return Status("disabled", off[handler])
    if handler.type not in RUNNABLE:
        return Status("broken", f"hooks of type {handler.type} are not run by this host")
    if handler.shell == "powershell":
        return Status("broken", "PowerShell hooks are not run by this host")
    why = never(handler, rules=rules) or ("" if rules else _broken_expression(handler.rule))
    if why:
        return Status("broken", why)
    if verdict is None or handler not in verdict.handlers:
        return Status("user")
    if verdict.runs:
        return Status("trusted")
    return Status("untrusted", f"comes with {verdict.project} and is {_STATES[verdict.state]}")


def _broken_expression(rule: str) -> str:
    if not rule.startswith("re:"):
        return permission_rule.problem(rule)
    try:
        re.compile(rule[3:])
    except (re.error, OverflowError, RecursionError) as error:
        return f"`if` is not a regular expression: {error}"
    return ""


_STATES = {
    "untrusted": "not trusted yet; see `trust`",
    "changed": "not trusted in its present form; see `trust`",
    "denied": "refused; `trust --allow` takes that back",
}
