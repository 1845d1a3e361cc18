"""What a session holds in a target now, and how that differs from what a record says it held."""

from __future__ import annotations

import os
from typing import Any

from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.quoting import one_line, quoted
from dreamwork_hooks.shapes import Record
from dreamwork_hooks.targets.head import read_head
from dreamwork_hooks.targets.status import Status, read_status

MAX_LEDGER = 8 << 20  # bytes of a ledger file that are read; the wall budget is 2 s
MAX_TITLE = 100
MAX_TASKS = 3  # open tasks that stand for a silent status.json
MAX_QUESTIONS = 3


def focus_record(event: dict[str, Any], target: str, now: float) -> Record:
    """What the session of `event` holds in `target`, as a record of the focus log.

    `open_entries` is there only where `status.json` names neither a task nor an id: the newest open tasks of tasks.md
    and the open questions of questions.md, in short.
    """
    from dreamwork_hooks.memory.focus_log import session_name, timestamp

    status = read_status(target)
    notes = [] if status.note is None else [status.note]
    data: bytes | None = None
    questions = None
    try:
        data = _ledger(target, "questions.md")
    except Unreadable as error:
        notes.append("questions.md is " + str(error))
    if data is not None:
        from dreamwork_hooks.ledger.questions import open_question_count

        questions = open_question_count(data)
    record: Record = {
        "ts": timestamp(now),
        "event": "PreCompact",
        "trigger": _word(event.get("trigger"), 20),
        "session_id": session_name(event.get("session_id")),
        "target": target,
        "current_task": status.current_task,
        "current_task_ids": status.current_task_ids,
        "goal": status.goal,
        "open_questions": questions,
        "awaiting_human": status.awaiting_human,
        "head": read_head(target),
    }
    if is_silent(status):
        entries = _open_entries(target, data)
        if entries:
            record["open_entries"] = entries
    record["note"] = "; ".join(notes) or None
    return record


def is_silent(status: Status) -> bool:
    """Whether `status.json` says nothing of what is being done."""
    return status.current_task is None and not status.current_task_ids


def add_evidence(record: Record, event: dict[str, Any], target: str, now: float) -> None:
    """Put what the transcript's end shows into the record, before its `note`."""
    note = record.pop("note")
    try:
        from dreamwork_hooks.evidence.gather import gather  # read from the archive only now, which may be gone

        found, more = gather(event, target, now)
    except Exception as error:  # a transcript is another program's: no shape of it may cost the record
        found, more = None, "the transcript could not be understood: " + type(error).__name__
    if found is not None:
        record["evidence"] = found
    notes = [part for part in (note, more) if part is not None]
    record["note"] = "; ".join(notes) or None


def _open_entries(target: str, questions: bytes | None) -> list[str]:
    """`#3 read the scale` for each of the newest open tasks, then the titles of open questions."""
    from dreamwork_hooks.ledger.lint import open_titles
    from dreamwork_hooks.secrets import shown

    try:
        tasks: bytes | None = _ledger(target, "tasks.md")
    except Unreadable:
        tasks = None
    named, asked = open_titles(questions, tasks)
    entries = ["#" + name[:20] + (" " + title if title else "") for name, title in named[:MAX_TASKS]]
    return [shown(text, MAX_TITLE) for text in entries + asked[:MAX_QUESTIONS]]


def _ledger(target: str, name: str) -> bytes:
    return read_regular(os.path.join(target, ".dreamwork", name), MAX_LEDGER)


def _word(value: object, limit: int) -> str | None:
    return one_line(value, limit) if isinstance(value, str) else None


class Changes:
    """What a record says that is so no more.

    Attributes:
        said: each change in words, the record's and the target's own inside quotation marks.
        kinds: which of the record's keys are not to be told as current.
    """

    __slots__ = ("kinds", "said")

    def __init__(self, record: Record, target: str, now: float) -> None:
        self.said: list[str] = []
        self.kinds: set[str] = set()
        present = focus_record({}, target, now)
        if not str(present["note"] or "").startswith("status.json"):  # else it is unknown, not changed
            self._status(record, present)
        self._landed(record, target)
        self._head(record.get("head"), present["head"])
        before, after = record.get("open_questions"), present["open_questions"]
        if isinstance(before, int) and isinstance(after, int) and before != after:
            self.kinds.add("open_questions")
            self.said.append("questions.md had " + str(before) + " open, now " + str(after))

    def _status(self, record: Record, present: Record) -> None:
        for key, name in (("current_task", "current task"), ("goal", "goal")):
            before, after = record.get(key), present[key]
            if isinstance(before, str) and before != after:
                self.kinds.add(key)
                says = "status.json now says " + quoted(after, 160) if after else "status.json names none now"
                self.said.append("the " + name + " was " + quoted(before, 160) + "; " + says)
        before, after = record.get("current_task_ids"), present["current_task_ids"]
        if isinstance(before, list) and before and before != after:
            self.kinds.add("current_task_ids")
            says = "status.json now says " + _ids(after) if after else "status.json names none now"
            self.said.append("the task ids were " + _ids(before) + "; " + says)

    def _landed(self, record: Record, target: str) -> None:
        ids = record.get("current_task_ids")
        held = [str(name).lstrip("#") for name in ids[:20]] if isinstance(ids, list) else []
        if not held:
            return
        try:
            data = _ledger(target, "tasks.md")
        except Unreadable:
            return
        from dreamwork_hooks.ledger.tasks import Tasks

        landed = [name for name in held if name in Tasks(data).landed_ids()]
        if landed:
            self.said.append(_ids(landed) + (" has" if len(landed) == 1 else " have") + " landed since, by tasks.md")

    def _head(self, before: Any, after: Any) -> None:
        if not isinstance(before, dict) or not isinstance(after, dict):
            return
        branch, commit, now = before.get("branch"), short_commit(before), short_commit(after)
        if isinstance(branch, str) and isinstance(after["branch"], str) and branch != after["branch"]:
            self.kinds.add("head")
            self.said.append("the branch was " + quoted(branch, 80) + ", now " + quoted(after["branch"], 80))
        if commit and now and commit != now:
            self.kinds.add("head")
            self.said.append("the commit was " + commit + ", now " + now)


def short_commit(head: Any) -> str:
    """The commit of a record's `head` in 12 digits, which may stand unquoted; "" without one."""
    commit = head.get("commit")
    return commit[:12] if isinstance(commit, str) and not commit.strip("0123456789abcdef") else ""


def _ids(names: list[Any]) -> str:
    return ", ".join([quoted("#" + str(name).lstrip("#"), 30) for name in names[:8]])
