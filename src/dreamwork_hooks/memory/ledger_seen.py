"""What was last seen of a target's ledger: machine-local, so that a lost entry and an unannounced edit can be noticed.

One small JSON file a target. Losing it costs one silence: what is seen first seeds it.
"""

from __future__ import annotations

import os
from typing import Any

from dreamwork_hooks.files import NoState, Unreadable
from dreamwork_hooks.jsonlite import dumps, loads_shallow
from dreamwork_hooks.memory.state import StateDir
from dreamwork_hooks.targets.find import LEDGER_FILES

SEEN = "ledger-seen.json"
CORE_LINT = "core lint"
_MAX_BYTES = 1 << 20
_MOST_TOLD = 5_000  # findings of a file
_MOST_IDS = 1_000_000


class LedgerMemory:
    """What was last seen.

    Attributes:
        entries: what `ledger.identities.remember` returned; None before the first sight.
        marks: bare file name -> `[size, mtime in ns, ctime in ns, inode]`, `[]` for a file that was not there; never
            seen: missing.
        told: bare file name -> a short digest of each finding that was there when the file was last linted; under
            `CORE_LINT`, of why the core lint could not run.
    """

    __slots__ = ("entries", "marks", "told")

    def __init__(self, stored: Any = None) -> None:
        fields = stored if isinstance(stored, dict) else {}
        self.entries: Any = fields.get("entries") if _is_bounded(fields.get("entries")) else None
        self.marks: dict[str, Any] = fields["marks"] if isinstance(fields.get("marks"), dict) else {}
        told = fields.get("told")
        self.told: dict[str, list[str]] = {
            str(name): [one for one in ones if isinstance(one, str)]
            for name, ones in (told.items() if isinstance(told, dict) else ())
            if isinstance(ones, list)
        }

    @classmethod
    def load(cls, env: dict[str, str], target: str) -> LedgerMemory:
        """The memory of a target (its real path); empty when there is none that can be read."""
        try:
            state = StateDir(env, target, create=False)
        except NoState:
            return cls()
        try:
            return cls.read(state)
        finally:
            state.close()

    @classmethod
    def read(cls, state: StateDir) -> LedgerMemory:
        """As `load`, from an open state directory."""
        try:
            return cls(loads_shallow(state.read(SEEN, _MAX_BYTES).decode("utf-8", "replace")))
        except (OSError, Unreadable, ValueError, RecursionError):
            return cls()

    def save(self, state: StateDir, moved: list[str]) -> None:
        """Write what was seen of the files `moved` to the locked state directory; of the others, what is there stays:
        another hook may have seen them since this memory was loaded.

        Raises:
            OSError: nothing was changed.
        """
        known = LedgerMemory.read(state)
        if not isinstance(self.entries, dict):
            self.entries = known.entries
        for name in [name for name in LEDGER_FILES if name not in moved]:
            _take(self.marks, known.marks, name)
            _take(self.told, known.told, name)
            part = name[:-3]
            if isinstance(self.entries, dict) and isinstance(known.entries, dict) and part in known.entries:
                self.entries[part] = known.entries[part]
        told = {name: ones[:_MOST_TOLD] for name, ones in self.told.items() if name in (*LEDGER_FILES, CORE_LINT)}
        data = dumps({"marks": self.marks, "told": told, "entries": self.entries}).encode("ascii") + b"\n"
        if len(data) > _MAX_BYTES:
            data = dumps({"marks": self.marks, "told": told, "entries": None}).encode("ascii") + b"\n"
        state.replace(SEEN, data)


def _is_bounded(entries: Any) -> bool:
    """Whether the ranges of task ids stand for no more ids than a ledger that is linted can hold."""
    tasks = entries.get("tasks") if isinstance(entries, dict) else None
    ids = tasks.get("ids") if isinstance(tasks, dict) else None
    if not isinstance(ids, list):
        return True
    total = 0
    for row in ids:
        if isinstance(row, list) and len(row) == 2 and isinstance(row[0], int) and isinstance(row[1], int):
            total += max(0, row[1] - row[0])
    return total <= _MOST_IDS


def _take(mine: dict[str, Any], theirs: dict[str, Any], name: str) -> None:
    mine.pop(name, None)
    if name in theirs:
        mine[name] = theirs[name]


def mark(path: str) -> list[int]:
    """What tells whether a file moved; empty when it is not there.

    A writer can keep the size and put the mtime back. It cannot put the ctime back.
    """
    try:
        status = os.stat(path)
    except OSError:
        return []
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
