"""The doctor's checks of one target: which lint runs there and in what time, and when the hooks last ran."""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Mapping
from pathlib import Path

from dreamwork_hooks import PLUGIN
from dreamwork_hooks.doctor.checks import FAIL, NOTE, OK, WARN, Check
from dreamwork_hooks.doctor.settings import shown
from dreamwork_hooks.event import corelint, precompact
from dreamwork_hooks.event.ledger_check import MAX_LEDGER
from dreamwork_hooks.files import NoState, Unreadable, read_regular
from dreamwork_hooks.install.ours import EVENTS
from dreamwork_hooks.install.places import Places
from dreamwork_hooks.install.request import OwnCommand
from dreamwork_hooks.ledger.lint import FILES, lint
from dreamwork_hooks.memory.focus_log import AUDIT_LOG, LOG, damaged_lines
from dreamwork_hooks.memory.notes import RUNS
from dreamwork_hooks.memory.state import StateDir, slug
from dreamwork_hooks.targets.consent import refusal
from dreamwork_hooks.targets.find import MARKER, STORE

_SHARE = 0.75  # of the time limit: beyond that a busier machine runs out of it
_MOST_RUNS = 1 << 20  # bytes


def check_target(
    env: Mapping[str, str], config: Mapping[str, object], here: Places, target: str | None, own: OwnCommand
) -> list[Check]:
    """All checks of this module; `target` is None outside of one."""
    if target is None:
        found = [
            Check("lint", NOTE, "not in a dreamwork target, so no lint was timed", "", own("doctor --project DIR"))
        ]
        return found + _all_runs(here)
    found = []
    reason = skipped(target)
    if reason is not None:
        why, remedy = reason
        remedy, _, line = remedy.partition(":  ")  # the line is there to be pasted, so it is never broken
        skips = f"{shown(target, here.home)}: {why}, so the hooks skip this target"
        found.append(Check("lint", WARN, skips, remedy + (":" if line else ""), line))
    if reason is None:
        found += _compaction(dict(env), target)
    return found + _lint(dict(env), dict(config), here, target, own) + _runs(here, target)


def _compaction(env: dict[str, str], target: str) -> list[Check]:
    """What a compaction now would ask the summarizer to keep, and whether lines of its logs are damaged."""
    found = []
    try:
        steering = precompact.preserve(precompact.held_now({}, env, os.path.realpath(target), time.time())[0], [])
    except (OSError, ValueError) as error:
        return [Check("compaction", WARN, f"what a compaction would hold cannot be read: {error}", "see .dreamwork/")]
    if steering.startswith("Keep"):
        found.append(Check("compaction", OK, "a compaction now: " + steering.partition(". ")[0]))
    else:
        line = "a compaction now would name nothing to keep: status.json and the ledger hold no task and no question"
        found.append(Check("compaction", NOTE, line, "", "write what is being done into .dreamwork/status.json"))
    try:
        state = StateDir(env, os.path.realpath(target), create=False)
    except NoState:
        return found
    try:
        damaged = sum(damaged_lines(state, log) for log in (LOG, AUDIT_LOG))
    except (OSError, Unreadable):
        damaged = 0
    finally:
        state.close()
    if damaged:
        line = f"{damaged} torn or foreign lines left the logs; they are kept in {state.path}/*.damaged"
        found.append(Check("compaction", WARN, line, "look at them, then delete the file: something else wrote there"))
    return found


def _lint(env: dict[str, str], config: dict[str, object], here: Places, target: str, own: OwnCommand) -> list[Check]:
    found = _embedded(here, target, own)
    try:
        chosen = corelint.chosen_lint(env, config, target)
    except corelint.CannotRun as error:
        line = f"the core lint that was asked for cannot run: {error}"
        if env.get("DREAMWORK_LINT"):
            return [*found, Check("lint", FAIL, line, "DREAMWORK_LINT names it", "unset DREAMWORK_LINT")]
        return [*found, _another(line, own)]
    if chosen is None:
        return found
    limit = corelint.time_limit(env)
    begun = time.monotonic()
    try:
        run = corelint.run(chosen, os.path.realpath(target), limit)
    except corelint.CannotRun as error:
        return [*found, _another(str(error), own)]
    seconds = time.monotonic() - begun
    name = shown(chosen, here.home)
    if run.status is None:
        line = f"core lint {name} does not finish within its {limit:g} s here"
        found.append(
            Check("lint", FAIL, line, "make the core lint faster, or do without it", own("install --lint embedded"))
        )
    elif corelint.why_no_verdict(run, limit):
        first = f': "{run.rows[0]}"' if run.rows else ""
        line = f"core lint {name} gives no verdict: {corelint.why_no_verdict(run, limit)}{first}"
        found.append(_another(line, own))
    else:
        slow = seconds > _SHARE * limit
        line = f"core lint {name} ends with {run.status} in {seconds:.2f} s of its {limit:g} s"
        if slow:
            found.append(Check("lint", WARN, line, "a busier machine runs out of it", own("install --lint embedded")))
        else:
            found.append(Check("lint", OK, line))
    return found


def _another(line: str, own: OwnCommand) -> Check:
    return Check("lint", FAIL, line, "name another with --lint PATH, or do without one", own("install --lint embedded"))


def _embedded(here: Places, target: str, own: OwnCommand) -> list[Check]:
    data: list[bytes | None] = []
    found = []
    for name in FILES:
        path = os.path.join(target, MARKER, name)
        try:
            data.append(read_regular(path, MAX_LEDGER))
        except Unreadable as error:
            data.append(None)
            if not error.absent or os.path.lexists(path):
                line = error.of(shown(path, here.home))
                found.append(Check("lint", WARN, line, "no hook can check it; put a regular file in its place"))
    begun = time.monotonic()
    verdict = lint(data[0], data[1], store_present=os.path.exists(os.path.join(target, MARKER, STORE)))
    seconds = time.monotonic() - begun
    size = sum(len(one or b"") for one in data)
    about = f"{size / 1024:.0f} KB, {shown(target, here.home)}"
    line = f"embedded lint: {verdict['verdict']} in {seconds * 1000:.0f} ms ({about})"
    if verdict["verdict"] == "errors":
        return [*found, Check("lint", WARN, line, "", own(f"lint --project {shlex.quote(target)}"))]
    return [*found, Check("lint", OK, line)]


def last_runs(here: Places, target: str) -> dict[str, object]:
    """What the hooks noted of their last runs for a target; empty when that cannot be read."""
    try:
        runs = json.loads(read_regular(_runs_file(here, target), _MOST_RUNS))
    except (Unreadable, ValueError, RecursionError):
        return {}
    return runs if isinstance(runs, dict) else {}


def _runs_file(here: Places, target: str) -> str:
    return os.path.join(here.state, slug(os.path.realpath(target)), RUNS)


def _runs(here: Places, target: str) -> list[Check]:
    found = _told_in(_runs_file(here, target), here, target)
    if found:
        return found
    return [Check("runs", NOTE, f"no hook has run for {shown(target, here.home)} yet, or none could write it down")]


def _all_runs(here: Places) -> list[Check]:
    """Outside of a target: what is known of every target, failures first in mind."""
    found = []
    for file in sorted(Path(here.state).glob(f"*/{RUNS}"))[:20]:
        found += _told_in(str(file), here, None)
    return found or [Check("runs", NOTE, "no hook has run yet, or none could write it down")]


def _told_in(path: str, here: Places, target: str | None) -> list[Check]:
    """What a file of last runs says; without a `target`, of the one it names."""
    try:
        runs = json.loads(read_regular(path, _MOST_RUNS))
    except Unreadable as error:
        if error.absent and not os.path.lexists(path):
            return []
        line = error.of(shown(path, here.home))
        return [Check("runs", WARN, line, "remove it; the next hook writes it anew")]
    except (ValueError, RecursionError):
        runs = None
    if not isinstance(runs, dict):
        line = f"{shown(path, here.home)} does not hold a JSON object, so it says nothing; the next hook writes it anew"
        return [Check("runs", NOTE, line)]
    named = target or runs.get("target")
    return _told(runs, shown(named, here.home)) if isinstance(named, str) else []


def _told(runs: Mapping[str, object], target: str) -> list[Check]:
    found = []
    for word in EVENTS:
        last = runs.get(word)
        if not isinstance(last, dict):
            continue
        ok, failure = last.get("ok"), last.get("failure")
        parts = [f"{word}: last ran {last.get('run', 'never')}"]
        parts.append(f"succeeded {ok}" if ok else "never succeeded")
        if failure:
            parts.append(f"failed {failure} ({last.get('error', 'no reason noted')})")
        line = f"{target}: {', '.join(parts)}"
        if not failure or (ok and str(failure) <= str(ok)):
            found.append(Check("runs", OK, line))
        else:
            found.append(Check("runs", WARN, line, "see the reason; it stays until the hook succeeds once"))
    return found


def skipped(target: str) -> tuple[str, str] | None:
    """Why the hooks skip `target` and what to do about it; None where they run."""
    why = refusal(target)
    if why is None:
        return None
    if "does not resolve" in why:
        return why, "fix that line: until then no plugin of that file is loaded"
    return why, f"to load it, write below a `## Plugins` heading in DREAMWORK.md:  - Load: `{PLUGIN}`"
