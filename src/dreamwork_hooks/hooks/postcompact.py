"""PostCompact: hold the summary against the record from before the compaction, and tell the person what it lost."""

import time

from dreamwork_hooks import PLUGIN
from dreamwork_hooks.ages import age_of
from dreamwork_hooks.target.consent import refusal
from dreamwork_hooks.target.find import target_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from dreamwork_hooks.facts import Fact
    from dreamwork_hooks.state import StateDir

    Answer = dict[str, Any]
    Record = dict[str, Any]

HOOK = "compaction-audit"
MAX_AGE = 3600  # seconds: an older record is not of this compaction
MAX_MESSAGE = 500  # characters
MAX_MESSAGE_JSON = 3000  # and what they may take in the answer
LOCK_WAIT = 0.6  # seconds
_SAME = ("event", "session_id", "record")


def answer(
    event: "dict[str, Any]", env: "dict[str, str]", deadline: float
) -> "tuple[Answer, Callable[[], None] | None]":
    """The answer to one PostCompact event, and nothing left to do after it."""
    target = target_of(event, env)
    if target is None:
        return _skip("no dreamwork target here"), None
    why_not = refusal(target)
    if why_not is not None:
        return _skip(why_not), None
    summary = event.get("compact_summary")
    if not isinstance(summary, str):
        return _skip("the event holds no summary"), None

    from dreamwork_hooks.records import timestamp
    from dreamwork_hooks.runs import note_run
    from dreamwork_hooks.state import Locked, NoState, StateDir

    now = time.time()
    try:
        state = StateDir(env, target, create=False)
    except NoState:
        return _skip("there is no record of this compaction"), None
    try:
        state.lock(LOCK_WAIT)
        said = _audit(state, event, summary, now)
        try:
            note_run(state, "postcompact", target, timestamp(now), said.get("error"))
        except OSError:
            pass
    except Locked:
        said = _failed("the log is locked by another process")
    except OSError as failed:
        said = _failed((failed.strerror or "no reason given").lower())
    finally:
        state.close()
    return said, None


def _audit(state: "StateDir", event: "dict[str, Any]", summary: str, now: float) -> "Answer":
    from dreamwork_hooks import audit
    from dreamwork_hooks.records import AUDIT_LOG, append, newest_first, session_name, timestamp
    from dreamwork_hooks.restored import Restored, mark_of

    session = session_name(event.get("session_id"))
    record = _of_session(newest_first(state), session, now)
    if record is None:
        return _skip("there is no record of this compaction")
    for done in newest_first(state, AUDIT_LOG):
        if done.get("session_id") == session:
            if done.get("record") == mark_of(record):
                return _skip("this compaction was already audited")
            break
    found = audit.fates(record, summary)
    made = audit.audit_record(record, event, found, timestamp(now))
    made["restored"] = Restored(state).told(str(session), "record") == mark_of(record)
    append(state, made, now, audit.MAX_RECORD, AUDIT_LOG, _SAME)
    totals = [sum([counts[at] for counts in made["facts"].values()]) for at in range(3)]
    said: "Answer" = {"ok": True, "hook": HOOK, "plugin": PLUGIN}
    said["kept"], said["part"], said["lost"] = totals
    lost = [fact for fact, what in found if what == audit.LOST]
    if lost:
        said["systemMessage"] = message(lost, sum(totals), bool(made["restored"]))
    return said


def _of_session(records: "Iterator[Record]", session: "str | None", now: float) -> "Record | None":
    if not session:
        return None
    for record in records:
        if record.get("session_id") == session:
            age = age_of(record, now)
            return record if age is not None and age <= MAX_AGE else None
    return None


def message(lost: "list[Fact]", held: int, restored: bool) -> str:
    """What the person is told: at most 500 characters."""
    from dreamwork_hooks.facts import NAMES, quoted
    from dreamwork_hooks.jsonlite import dumps

    head = "dreamwork-hooks: the summary lost " + str(len(lost)) + " of " + str(held) + " held facts: "
    if restored:
        tail = ". The model was given the record back; they come first at the next resume or compaction."
    else:
        tail = ". They come first at the next compaction; the command `focus` shows them."
    told: "list[str]" = []
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


def _skip(reason: str) -> "Answer":
    return {"ok": True, "skipped": True, "reason": reason, "hook": HOOK, "plugin": PLUGIN}


def _failed(error: str) -> "Answer":
    return {"ok": False, "hook": HOOK, "plugin": PLUGIN, "error": "the audit was not written: " + error}
