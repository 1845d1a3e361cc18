"""Finding the target an event is about, from the event and never from where this process happens to run."""

from __future__ import annotations

import os
from collections.abc import Callable
from stat import S_ISDIR

MARKER = ".dreamwork"
LEDGER_FILES = ("questions.md", "tasks.md")
STORE = "ledger.sqlite3"


def ledger_file(path: str, cwd: object) -> tuple[str, str] | None:
    """The (target, bare file name) of the ledger file at `path`; None when it is no ledger file.

    The path is normalised but links are not followed, as Claude Code does for its `if` rules. A relative one is taken
    from the event's cwd.
    """
    if not os.path.isabs(path):
        if not isinstance(cwd, str) or not os.path.isabs(cwd):
            return None
        path = os.path.join(cwd, path)
    directory, name = os.path.split(os.path.normpath(path))
    target, marker = os.path.split(directory)
    if name not in LEDGER_FILES or marker != ".dreamwork":
        return None
    return target, name


def linked_ledger_file(path: str, event: dict[str, object], env: dict[str, str]) -> tuple[str, str] | None:
    """As `ledger_file`, of a path that names the ledger in another way: by the place that a linked `.dreamwork`, or a
    linked file in it, leads to. The target is the one the event is about.
    """
    cwd = event.get("cwd")
    path = os.path.join(cwd if isinstance(cwd, str) else "", path)
    name = os.path.basename(path)
    if name not in LEDGER_FILES or not os.path.isabs(path):
        return None
    target = target_of(event, env)
    if target is None:
        return None
    try:
        same = os.path.realpath(path) == os.path.realpath(os.path.join(target, MARKER, name))
    except (OSError, ValueError):
        return None
    return (target, name) if same else None


def target_of(event: dict[str, object], env: dict[str, str]) -> str | None:
    """The real path of the nearest target from the event's cwd upwards, else from CLAUDE_PROJECT_DIR upwards.

    Only an event that names no cwd is looked up from this process's own.
    """
    cwd = event.get("cwd")
    starts = [cwd if isinstance(cwd, str) else None, env.get("CLAUDE_PROJECT_DIR")]
    if not isinstance(cwd, str):
        try:
            starts.append(os.getcwd())
        except OSError:
            pass
    for start in starts:
        if start and os.path.isabs(start):
            found = nearest(os.path.normpath(start), is_target)
            if found is not None:
                return os.path.realpath(found)
    return None


def nearest(directory: str, wanted: Callable[[str], bool]) -> str | None:
    """The first of `directory` and those above it that is `wanted`."""
    while True:
        if wanted(directory):
            return directory
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent


def holds_ledger(directory: str) -> bool:
    """Whether `directory` holds a `.dreamwork/`, whoever owns it: enough for a person who asks about it."""
    return os.path.isdir(os.path.join(directory, MARKER))


def is_target(directory: str) -> bool:
    """Whether `directory` holds a `.dreamwork/`, both owned by the user or root: never another's tree."""
    try:
        marker = os.stat(directory + "/.dreamwork")
        if not S_ISDIR(marker.st_mode):
            return False
        if not hasattr(os, "geteuid"):
            return True
        owners = (os.geteuid(), 0)
        return marker.st_uid in owners and os.stat(directory).st_uid in owners
    except (OSError, ValueError):
        return False
