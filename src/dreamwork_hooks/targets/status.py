"""What the loop says it is doing: `.dreamwork/status.json`, which may be absent, empty, cut off or of any shape."""

from __future__ import annotations

import os

from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.jsonlite import loads
from dreamwork_hooks.secrets import shown

MAX_BYTES = 1 << 20
MAX_TEXT = 200
MAX_IDS = 20


class Status:
    """The fields a focus record keeps; None is unknown, and `note` says why when something was there to be read."""

    __slots__ = ("awaiting_human", "current_task", "current_task_ids", "goal", "note")

    def __init__(self) -> None:
        self.current_task: str | None = None
        self.current_task_ids: list[int | str] = []
        self.goal: str | None = None
        self.awaiting_human: int | None = None
        self.note: str | None = None


def read_status(target: str) -> Status:
    """Read `status.json` of a target; never raises for what it holds."""
    try:
        data = read_regular(os.path.join(target, ".dreamwork", "status.json"), MAX_BYTES)
    except Unreadable as error:
        status = Status()
        status.note = "status.json is " + str(error)
        return status
    return parse_status(data)


def parse_status(data: bytes) -> Status:
    """The current task is `task`, else the old name `current_task`, else known by its ids alone."""
    status = Status()
    try:
        fields = loads(data.decode("utf-8", "replace").lstrip("\ufeff"))
    except (ValueError, RecursionError):
        status.note = "status.json is empty" if not data.strip() else "status.json is not JSON"
        return status
    if not isinstance(fields, dict):
        status.note = "status.json is not an object"
        return status
    task = fields.get("task")
    if not isinstance(task, str):
        task = fields.get("current_task")
    status.current_task = _text(task)
    status.goal = _text(fields.get("goal"))
    ids = fields.get("current_task_ids")
    if isinstance(ids, list):
        status.current_task_ids = [name for name in (_task_id(item) for item in ids[:MAX_IDS]) if name is not None]
    waiting = fields.get("awaiting_human")
    if isinstance(waiting, list):
        status.awaiting_human = len(waiting)
    return status


def _text(value: object) -> str | None:
    return (shown(value, MAX_TEXT) or None) if isinstance(value, str) else None


def _task_id(value: object) -> int | str | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) < 10**15 else None
    return (shown(value, 20) or None) if isinstance(value, str) else None
