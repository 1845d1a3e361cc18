"""The processes a hook has started, and ending them.

The client leaves nothing of a timed-out hook alive: neither its group nor a child in a session of its own
(measured). So the tree is read before the first signal, while the parents that lead to such a child still
live.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

from dreamwork_hooks.files import Unreadable, read_regular


@dataclass(frozen=True)
class Process:
    """A process with its start time, which tells it from a later one with the same id."""

    pid: int
    started: str
    parent: int
    session: int


def descendants(root: int) -> list[Process]:
    """All processes below `root`, or in the session it leads. Empty where there is no /proc."""
    table = {process.pid: process for process in _all()}
    found: dict[int, Process] = {}
    grew = True
    while grew:
        grew = False
        for process in table.values():
            if process.pid in found or process.pid == root:
                continue
            if process.parent == root or process.parent in found or process.session == root:
                found[process.pid] = process
                grew = True
    return list(found.values())


def alive(process: Process) -> bool:
    """Whether that very process still runs; a zombie does not."""
    now = _read(process.pid)
    return now is not None and now.started == process.started


def signal_tree(root: int, tree: list[Process], number: signal.Signals) -> None:
    """Send a signal to the group `root` leads and to each process of `tree` that still runs."""
    try:
        os.killpg(root, number)
    except (ProcessLookupError, PermissionError):
        pass
    for process in tree:
        if alive(process):
            try:
                os.kill(process.pid, number)
            except (ProcessLookupError, PermissionError):
                pass


def group_lives(root: int) -> bool:
    """Whether anything is left in the process group that `root` led; zombies do not count."""
    try:
        os.killpg(root, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    members = [process for process in _all() if process.session == root]
    return bool(members) or not os.path.isdir("/proc/self")


def _all() -> list[Process]:
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    read = (_read(int(name)) for name in names if name.isdigit())
    return [process for process in read if process is not None]


def _read(pid: int) -> Process | None:
    try:
        # The name, in parentheses, may hold anything; what follows the last one is regular.
        fields = read_regular(f"/proc/{pid}/stat", 4096).rpartition(b")")[2].split()
    except Unreadable:
        return None
    if len(fields) < 20 or fields[0] in (b"Z", b"X"):
        return None
    return Process(pid, fields[19].decode(), int(fields[1]), int(fields[3]))
