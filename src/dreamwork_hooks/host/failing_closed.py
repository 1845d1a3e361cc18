"""The `fail_closed` policy: on a guard event a hook that could not do its work denies."""

from __future__ import annotations

from dataclasses import replace

from dreamwork_hooks.contract.decision import DENY, Decision
from dreamwork_hooks.contract.reading import OK
from dreamwork_hooks.host.outcome import HookRun
from dreamwork_hooks.host.policies import ALWAYS, GUARDS, MARKED, Policies
from dreamwork_hooks.settings.configuration import Configuration
from dreamwork_hooks.settings.handler import Handler


def guards(handler: Handler, policies: Policies) -> bool:
    """Whether a failure of that handler denies."""
    if handler.event not in GUARDS:
        return False
    return policies.fail_closed == ALWAYS or (policies.fail_closed == MARKED and handler.fail_closed)


def closed(run: HookRun, policies: Policies) -> HookRun:
    """The run, with a deny put in its mouth when it failed and must not; unchanged otherwise."""
    if not guards(run.handler, policies) or run.reading.decision.block:
        return run
    ended = run.ended
    failed = run.reading.status != OK or ended.exit_code not in (0, 2) or ended.truncated
    if not failed:
        return run
    why = run.misbehaviour[0] if run.misbehaviour else "failed"
    reason = f"{run.handler.label} must not fail, and {why}"
    model = (*run.reading.model, reason)
    reading = replace(run.reading, decision=denial(run.handler.event, reason), model=model, verdict=reason)
    return replace(run, reading=reading)


def broken_configuration(configuration: Configuration, event: str, policies: Policies) -> list[tuple[str, str]]:
    """Files that count for nothing although hooks in them may guard this event: path and reason."""
    if event not in GUARDS or policies.fail_closed not in (MARKED, ALWAYS):
        return []
    found: list[tuple[str, str]] = []
    for layer in configuration.layers:
        if not layer.void:
            continue
        marked = any(handler.fail_closed and handler.event == event for handler in layer.lost)
        # Of a file that is no JSON nobody can tell what it guards: only ALWAYS denies for it.
        if policies.fail_closed == ALWAYS or marked:
            found.append((layer.file.path, str(layer.problems[0])))
    return found


def denial(event: str, reason: str) -> Decision:
    """A deny in the form the guard event knows."""
    permission = None if event == "UserPromptSubmit" else DENY
    return Decision(permission=permission, block=True, reason=reason)
