"""PostCompact: hold the summary against the record from before the compaction, and tell the person what it lost."""

from __future__ import annotations

import time
from typing import Any

from dreamwork_hooks import HOOKS, PLUGIN
from dreamwork_hooks.event import LOCK_WAIT, failure, skip
from dreamwork_hooks.memory.focus_log import newest_of
from dreamwork_hooks.memory.notes import Restored
from dreamwork_hooks.memory.state import StateDir
from dreamwork_hooks.shapes import After, Answer, Fact, Record
from dreamwork_hooks.targets.consent import consenting_target

HOOK = HOOKS["postcompact"][1]
MAX_AGE = 3600  # seconds: an older record is not of this compaction
MAX_MESSAGE = 500  # characters
MAX_MESSAGE_JSON = 3000  # and what they may take in the answer
NOT_WRITTEN = "the audit was not written: "
_SAME = ("event", "session_id", "record")


def answer(event: dict[str, Any], env: dict[str, str], deadline: float) -> tuple[Answer, After | None]:
    """The answer to one PostCompact event, and nothing left to do after it."""
    target, why_not = consenting_target(event, env)
    if why_not is not None:
        return skip(HOOK, why_not), None
    summary = event.get("compact_summary")
    if not isinstance(summary, str):
        return skip(HOOK, "the event holds no summary"), None

    from dreamwork_hooks.files import NoState
    from dreamwork_hooks.memory.focus_log import timestamp
    from dreamwork_hooks.memory.notes import note_run
    from dreamwork_hooks.memory.state import Locked, StateDir

    now = time.time()
    try:
        state = StateDir(env, target, create=False)
    except NoState:
        return skip(HOOK, "there is no record of this compaction"), None
    try:
        state.lock(LOCK_WAIT)
        said = _audit(state, event, summary, now)
        try:
            note_run(state, "postcompact", target, timestamp(now), said.get("error"))
        except OSError:
            pass
    except Locked:
        said = failure(HOOK, NOT_WRITTEN + "the log is locked by another process")
    except OSError as failed:
        said = failure(HOOK, NOT_WRITTEN + (failed.strerror or "no reason given").lower())
    finally:
        state.close()
    return said, None


def _audit(state: StateDir, event: dict[str, Any], summary: str, now: float) -> Answer:
    from dreamwork_hooks.memory import audit
    from dreamwork_hooks.memory.focus_log import AUDIT_LOG, append, newest_first, session_name, timestamp
    from dreamwork_hooks.memory.notes import mark_of

    session = session_name(event.get("session_id"))
    record = newest_of(newest_first(state), session, now, MAX_AGE) if session else None
    restored = Restored(state)
    if event.get("trigger") == "auto" and restored.subagents(str(session), now):
        return _amid_subagents(state, restored, str(session), record, now)
    if record is None:
        return skip(HOOK, "there is no record of this compaction")
    if record.get("whose") == "unknown":
        return skip(HOOK, "it is unknown whether this is the session's compaction or a subagent's")
    for done in newest_first(state, AUDIT_LOG):
        if done.get("session_id") == session:
            if done.get("record") == mark_of(record):
                return skip(HOOK, "this compaction was already audited")
            break
    found = audit.fates(record, summary)
    made = audit.audit_record(record, event, found, timestamp(now))
    made["restored"] = restored.told(str(session), "record") == mark_of(record)
    append(state, made, now, audit.MAX_RECORD, AUDIT_LOG, _SAME)
    totals = [sum([counts[at] for counts in made["facts"].values()]) for at in range(3)]
    said: Answer = {"ok": True, "hook": HOOK, "plugin": PLUGIN}
    said["kept"], said["part"], said["lost"] = totals
    lost = [fact for fact, what in found if what == audit.LOST]
    if lost:
        said["systemMessage"] = message(lost, sum(totals), bool(made["restored"]))
    return said


def _amid_subagents(state: StateDir, restored: Restored, session: str, record: Record | None, now: float) -> Answer:
    """What to say while a subagent is being compacted: nothing, unless this is certainly the session's."""
    from dreamwork_hooks.memory.focus_log import AUDIT_LOG, newest_first
    from dreamwork_hooks.memory.notes import mark_of

    mark = mark_of(record) if record is not None and record.get("trigger") == "auto" else None
    audited = {done.get("record") for done in newest_first(state, AUDIT_LOG) if done.get("session_id") == session}
    if mark is not None and mark not in audited:
        return skip(HOOK, "it is unknown whether this is the session's compaction or a subagent's")
    restored.end_subagent(session, now)
    restored.save(state)
    return skip(HOOK, "a subagent's compaction")


def message(lost: list[Fact], held: int, restored: bool) -> str:
    """What the person is told: at most 500 characters."""
    from dreamwork_hooks.jsonlite import dumps
    from dreamwork_hooks.memory.facts import NAMES
    from dreamwork_hooks.quoting import quoted

    head = "dreamwork-hooks: the summary lost " + str(len(lost)) + " of " + str(held) + " held facts: "
    if restored:
        tail = ". The model was given the record back; they come first at the next resume or compaction."
    else:
        tail = ". They come first at the next compaction; the command `focus` shows them."
    told: list[str] = []
    for at, (kind, text) in enumerate(lost):
        item = NAMES[kind][0] + " " + quoted(text, 100)
        more = len(lost) - at - 1
        rest = " and " + str(more) + " more" if more else ""
        said = head + "; ".join([*told, item]) + rest + tail
        if len(said) > MAX_MESSAGE - 10 or len(dumps(said)) > MAX_MESSAGE_JSON:
            break
        told.append(item)
    more = len(lost) - len(told)
    return head + "; ".join(told) + (" and " + str(more) + " more" if more else "") + tail
