"""From the readings of all hooks of an event to one decision.

Measured: deny beats ask beats allow whatever finishes first; of several reasons to deny the model gets that of the
hook that finishes last, of several to ask that of the first; of several `updatedInput` the one that finishes last
counts, and a deny beats it. Where a prompt is dropped or a batch ends the turn, the first to finish decides alone.
PreCompact's texts are joined in settings order with blank lines between. The client joins other contexts in the order
the hooks finish; this host does so by policy and else in configuration order, so that two runs read alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from dreamwork_hooks.contract import matcher as matchers
from dreamwork_hooks.contract import tools
from dreamwork_hooks.contract.decision import STRENGTH, Decision
from dreamwork_hooks.contract.event import CompactEvent, Event, StopEvent, ToolEvent
from dreamwork_hooks.contract.limits import STOP_CONTINUATIONS
from dreamwork_hooks.host.outcome import HookRun
from dreamwork_hooks.host.policies import GUARDS, Policies
from dreamwork_hooks.settings.configuration import Configuration
from dreamwork_hooks.settings.shape import Handler

T = TypeVar("T")


@dataclass(frozen=True)
class Folded:
    """One decision, who made it, and what was lost in making it."""

    decision: Decision
    decided_by: tuple[Handler, ...]
    model: tuple[str, ...]
    person: tuple[str, ...]
    summarizer: str
    conflicts: tuple[str, ...]


def fold(event: Event, runs: Sequence[HookRun], policies: Policies) -> Folded:
    """Fold the runs, given in configuration order."""
    runs = _heard(event, runs, policies)
    finish = sorted(runs, key=lambda run: run.ended.ended_at)
    spoken = finish if policies.context_order == "finish" and event.name != "PreCompact" else list(runs)
    conflicts: list[str] = []
    decision, deciders = _strongest(runs)
    updated = _last(finish, _updated_input, "updatedInput", conflicts)
    if decision.permission == "deny":
        updated = None
    output = _last(finish, lambda d: d.updated_output, "updatedToolOutput", conflicts)
    stops = [run for run in runs if run.reading.decision.stop]
    folded = replace(
        decision,
        context=_context(event, spoken),
        updated_input=updated,
        updated_output=output,
        stop=bool(stops),
        stop_reason=stops[0].reading.decision.stop_reason if stops else "",
        system_message="\n".join(r.reading.decision.system_message for r in runs if r.reading.decision.system_message),
        watch_paths=tuple(dict.fromkeys(path for run in runs for path in run.reading.decision.watch_paths)),
        worktree=next((run.reading.decision.worktree for run in runs if run.reading.decision.worktree), ""),
    )
    if updated is not None and isinstance(event, ToolEvent):
        missing = tools.missing_arguments(event.tool_name, updated)
        if missing:
            conflicts.append(
                f"the updated input lacks {', '.join(missing)}: it replaces the whole input, "
                f"so {event.tool_name} fails with an error to the model"
            )
    return Folded(
        folded,
        tuple(run.handler for run in deciders or stops),
        tuple(text for run in spoken for text in run.reading.model),
        tuple(text for run in spoken for text in run.reading.person),
        _summarizer(event, runs),
        tuple(conflicts),
    )


def _heard(event: Event, runs: Sequence[HookRun], policies: Policies) -> list[HookRun]:
    """The runs with what the client hears of them: where one verdict counts, the others say nothing of theirs."""
    finish = sorted(runs, key=lambda run: run.ended.ended_at)
    if event.name == "PreToolUse":
        return _one_reason(runs, finish)
    stopping = [run for run in finish if run.reading.decision.stop]
    if event.name == "PostToolUse" and stopping:
        return _until(stopping[0], runs, finish)
    if "first-verdict" not in event.spec.traits:
        return list(runs)
    blocking = [run for run in finish if run.reading.decision.block]
    verdicts = [run for run in finish if run in blocking or run in stopping]
    if not verdicts:
        return list(runs)
    # The client lets a stop that was first outweigh a block; a host that fails closed must not.
    first = blocking[0] if blocking and policies.fail_closed != "never" else verdicts[0]
    if event.name == "PostToolBatch":
        return [run if run is first else _overruled(run) for run in runs]
    if first.reading.decision.block:  # nothing is told beside a dropped prompt
        return [run if run is first else _unheard(run) for run in runs]
    return _until(first, runs, finish)


def _one_reason(runs: Sequence[HookRun], finish: Sequence[HookRun]) -> list[HookRun]:
    for permission, which in (("deny", -1), ("defer", -1), ("ask", 0)):
        deciders = [run for run in finish if run.reading.decision.permission == permission]
        if deciders:
            counts = deciders[which]
            return [run if run is counts else replace(run, reading=run.reading.without_verdict()) for run in runs]
    return list(runs)


def _until(last: HookRun, runs: Sequence[HookRun], finish: list[HookRun]) -> list[HookRun]:
    heard = finish[: finish.index(last) + 1]
    return [run if run in heard else _unheard(run) for run in runs]


def _overruled(run: HookRun) -> HookRun:
    reading = run.reading.without_verdict()
    return replace(run, reading=replace(reading, decision=replace(reading.decision, block=False, stop=False)))


def _unheard(run: HookRun) -> HookRun:
    return replace(run, reading=replace(run.reading, decision=Decision(), model=(), person=()))


def _strongest(runs: Sequence[HookRun]) -> tuple[Decision, list[HookRun]]:
    for permission in STRENGTH:
        deciders = [run for run in runs if run.reading.decision.permission == permission]
        if deciders:
            reason = "\n".join(r.reading.decision.reason for r in deciders if r.reading.decision.reason)
            return Decision(permission=permission, block=permission == "deny", reason=reason), deciders
    blockers = [run for run in runs if run.reading.decision.block]
    if blockers:
        reason = "\n".join(r.reading.decision.reason for r in blockers if r.reading.decision.reason)
        return Decision(block=True, reason=reason), blockers
    return Decision(), []


def _updated_input(decision: Decision) -> Mapping[str, object] | None:
    return decision.updated_input


def _last(finish: Sequence[HookRun], part: Callable[[Decision], T | None], name: str, conflicts: list[str]) -> T | None:
    given = [(run, value) for run in finish for value in [part(run.reading.decision)] if value is not None]
    if not given:
        return None
    winner, value = given[-1]
    if any(other != value for _, other in given):
        losers = ", ".join(run.handler.label for run, other in given[:-1])
        conflicts.append(f"{name} of {winner.handler.label} counts, it finished last; lost: {losers}")
    return value


def _context(event: Event, spoken: Sequence[HookRun]) -> str:
    between = "\n\n" if event.name == "PreCompact" else "\n"
    return between.join(run.reading.decision.context for run in spoken if run.reading.decision.context)


def _summarizer(event: Event, runs: Sequence[HookRun]) -> str:
    if not isinstance(event, CompactEvent) or event.name != "PreCompact":
        return ""
    texts = [run.reading.summarizer for run in runs if run.reading.summarizer]
    if event.custom_instructions:
        texts.insert(0, event.custom_instructions)
    return "\n\n".join(texts)


def guards(handler: Handler, policies: Policies) -> bool:
    """Whether a failure of that handler denies."""
    if handler.event not in GUARDS:
        return False
    return policies.fail_closed == "always" or (policies.fail_closed == "marked" and handler.fail_closed)


def closed(run: HookRun, policies: Policies) -> HookRun:
    """The run, with a deny put in its mouth when it failed and must not; unchanged otherwise."""
    if not guards(run.handler, policies) or run.reading.decision.block:
        return run
    ended = run.ended
    failed = run.reading.status != "ok" or ended.exit_code not in (0, 2) or ended.truncated
    if not failed:
        return run
    why = run.misbehaviour[0] if run.misbehaviour else "failed"
    reason = f"{run.handler.label} must not fail, and {why}"
    model = (*run.reading.model, reason)
    reading = replace(run.reading, decision=denial(run.handler.event, reason), model=model, verdict=reason)
    return replace(run, reading=reading)


def broken_configuration(configuration: Configuration, event: Event, policies: Policies) -> list[tuple[str, str]]:
    """Files with guards for this event that cannot be understood, or that count for nothing: path and reason."""
    if event.name not in GUARDS or policies.fail_closed not in ("marked", "always"):
        return []
    found: list[tuple[str, str]] = []
    for layer in configuration.layers:
        unread = [
            one.why
            for one in layer.unread
            if one.event == event.name
            and (one.fail_closed or policies.fail_closed == "always")
            and (layer.void or _might_match(one.matcher, event.subject))
        ]
        marked = any(handler.fail_closed and handler.event == event.name for handler in layer.lost)
        # Of a file that is no JSON nobody can tell what it guards: only ALWAYS denies for it.
        if layer.void and (policies.fail_closed == "always" or marked or unread):
            found.append((layer.file.path, layer.void_reason))
        elif unread:
            found.append((layer.file.path, unread[0]))
    return found


def _might_match(matcher: str | None, subject: str | None) -> bool:
    reading = matchers.read(matcher)
    return subject is None or reading.form == "invalid" or reading.matches(subject)


def denial(event: str, reason: str) -> Decision:
    """A deny in the form the guard event knows."""
    return Decision(permission=None if event == "UserPromptSubmit" else "deny", block=True, reason=reason)


def client_limit(env: Mapping[str, str]) -> int:
    """The client's own limit: `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` where that is a number above 0, else nine."""
    text = env.get("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "")
    return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else STOP_CONTINUATIONS


class StopGuard:
    """Counts continuations for each session and subagent."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._counts: dict[tuple[str, str | None], int] = {}

    def before(self, event: StopEvent) -> None:
        """Note an event about to be dispatched: one that is not active begins a new count."""
        if not event.stop_hook_active:
            self._counts.pop(self._key(event), None)

    def after(self, event: StopEvent, continues: bool) -> bool:
        """Note what the hooks decided. True when the agent must stop all the same."""
        key = self._key(event)
        if not continues:
            self._counts.pop(key, None)
            return False
        count = self._counts.get(key, 0) + 1
        self._counts[key] = count
        if count > self.limit:
            self._counts.pop(key, None)
            return True
        return False

    def _key(self, event: StopEvent) -> tuple[str, str | None]:
        return event.session_id, event.agent_id if event.name == "SubagentStop" else None
