"""PreCompact: write down what the session holds, and tell the summarizer to keep it.

Claude Code appends all that this hook prints to the summarizer's instructions, so the answer is written to be read
there: `preserve` comes first, and an answer that has nothing to preserve asks for nothing.
"""

import os
import time

from dreamwork_hooks import PLUGIN
from dreamwork_hooks.jsonlite import one_line
from dreamwork_hooks.reading import Unreadable, read_regular
from dreamwork_hooks.target.consent import refusal
from dreamwork_hooks.target.find import target_of
from dreamwork_hooks.target.head import read_head
from dreamwork_hooks.target.status import read_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Answer = dict[str, Any]

HOOK = "precompact-focus"
MAX_QUESTIONS = 8 << 20  # bytes of questions.md that are counted; the wall budget is 2 s
LOCK_WAIT = 0.6  # seconds
NOT_WRITTEN = "the focus record was not written: "


def answer(
    event: "dict[str, Any]", env: "dict[str, str]", deadline: float
) -> "tuple[Answer, Callable[[], None] | None]":
    """The answer to one PreCompact event, and nothing left to do after it."""
    target = target_of(event, env)
    if target is None:
        return {"ok": False, "hook": HOOK, "plugin": PLUGIN, "error": "no dreamwork target here"}, None
    why_not = refusal(target)
    if why_not is not None:
        return {"ok": True, "skipped": True, "reason": why_not, "hook": HOOK, "plugin": PLUGIN}, None

    now = time.time()
    record = focus_record(event, target, now)
    wrote, error, note = _keep(record, env, target, now)
    if note is not None:
        record["note"] = note if record["note"] is None else record["note"] + "; " + note
    said: "Answer" = {"preserve": preserve(record), "ok": error is None, "hook": HOOK, "plugin": PLUGIN}
    if error is not None:
        said["error"] = error
    said["trigger"] = record["trigger"]
    said["wrote"] = wrote
    said["focus"] = {
        key: record[key]
        for key in ("current_task", "current_task_ids", "goal", "open_questions", "awaiting_human", "head")
    }
    said["note"] = record["note"]
    return said, None


def focus_record(event: "dict[str, Any]", target: str, now: float) -> "dict[str, Any]":
    """What the session of `event` holds in `target`, as a record of the focus log."""
    from dreamwork_hooks.records import timestamp

    status = read_status(target)
    questions, question_note = _open_questions(target)
    notes = [note for note in (status.note, question_note) if note is not None]
    return {
        "ts": timestamp(now),
        "event": "PreCompact",
        "trigger": _word(event.get("trigger"), 20),
        "session_id": _word(event.get("session_id"), 100),
        "target": target,
        "current_task": status.current_task,
        "current_task_ids": status.current_task_ids,
        "goal": status.goal,
        "open_questions": questions,
        "awaiting_human": status.awaiting_human,
        "head": read_head(target),
        "note": "; ".join(notes) or None,
    }


def preserve(record: "dict[str, Any]") -> str:
    """What the summarizer is asked to keep: at most 600 characters; words of the target only inside quotation marks."""
    held = []
    if record["current_task"]:
        held.append("current task " + _quoted(record["current_task"], 160))
    if record["current_task_ids"]:
        held.append(
            "task ids " + _quoted(", ".join(["#" + str(name).lstrip("#") for name in record["current_task_ids"]]), 80)
        )
    count = record["open_questions"]
    if count is not None:
        held.append(str(count) + (" open question" if count == 1 else " open questions"))
    head = record["head"]
    if head is not None:
        if head["branch"]:
            held.append("branch " + _quoted(head["branch"], 60))
        if head["commit"]:
            held.append("commit " + head["commit"][:12])
    keep = "Keep these literally in the summary: " + "; ".join(held) + ". " if held else ""
    return keep + (
        "After the compaction, re-read .dreamwork/status.json, .dreamwork/questions.md and .dreamwork/tasks.md"
        " before going on."
    )


def _quoted(text: str, limit: int) -> str:
    return '"' + one_line(text, limit).replace('"', "'") + '"'


def _word(value: object, limit: int) -> "str | None":
    return one_line(value, limit) if isinstance(value, str) else None


def _open_questions(target: str) -> "tuple[int | None, str | None]":
    try:
        data = read_regular(os.path.join(target, ".dreamwork", "questions.md"), MAX_QUESTIONS)
    except Unreadable as error:
        return None, "questions.md is " + str(error)
    from dreamwork_hooks.ledger.questions import open_question_count

    return open_question_count(data), None


def _keep(
    record: "dict[str, Any]", env: "dict[str, str]", target: str, now: float
) -> "tuple[bool, str | None, str | None]":
    """(written, error, note): a compaction that is already recorded is not an error."""
    from dreamwork_hooks.records import append, timestamp
    from dreamwork_hooks.runs import note_run
    from dreamwork_hooks.state import Locked, NoState, StateDir

    try:
        state = StateDir(env, target)
    except NoState as unusable:
        return False, NOT_WRITTEN + str(unusable), None
    wrote, error = False, None
    try:
        state.lock(LOCK_WAIT)
        try:
            wrote = append(state, record, now)
        except OSError as failed:
            error = NOT_WRITTEN + (failed.strerror or "no reason given").lower()
        try:
            note_run(state, "precompact", target, timestamp(now), error)
        except OSError:
            pass
    except Locked:
        error = NOT_WRITTEN + "the log is locked by another process"
    except OSError as failed:
        error = NOT_WRITTEN + (failed.strerror or "no reason given").lower()
    finally:
        state.close()
    return wrote, error, None if wrote or error else "this compaction is already recorded"
