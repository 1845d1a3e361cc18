"""Reading and replacing a settings file that belongs to somebody else.

The order is always: lock, read, plan, back up, write beside, compare, rename, read back.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dreamwork_hooks.errors import Failed, Refused
from dreamwork_hooks.settings.backup import back_up
from dreamwork_hooks.settings.filelock import locked
from dreamwork_hooks.settings.new_files import private_directory, stale, sweep
from dreamwork_hooks.settings.replacing import Changed, remove, write
from dreamwork_hooks.settings.snapshot import Snapshot, read

ATTEMPTS = 6


@dataclass(frozen=True)
class Edited:
    """What an edit did. `method` is "rename", "in place", "created", "removed" or "none"."""

    before: Snapshot
    after: Snapshot
    method: str
    backup: str | None


def edit(
    path: str,
    change: Callable[[Snapshot], bytes],
    *,
    spare_backups: str,
    now: Callable[[], float] = time.time,
    wait: float | None = None,
    remove_empty: bool = False,
    known_backups: Sequence[str] = (),
) -> Edited:
    """Replace the file's bytes by what `change` makes of them, or leave it alone when that is the same.

    `change` is called again on the newer bytes when another program wrote meanwhile, and raises Refused to stop.
    `spare_backups` is a directory for the backup where the file's own takes none. Ten of `known_backups` and the new
    one are kept. With `remove_empty` a file that would be left with no byte is removed instead. Raises Refused (nothing
    changed) and Failed.
    """
    first = read(path)
    parent = os.path.dirname(first.real)
    if change(first) == (first.data or b""):
        if stale(first.real):
            with locked(parent, wait):
                sweep(first.real)
        return Edited(first, first, "none", None)
    if first.data is None:
        _make_parent(first, parent)
    with locked(parent, wait):
        sweep(first.real)
        return _edit_locked(path, change, spare_backups, now, remove_empty, known_backups)


def _edit_locked(
    path: str,
    change: Callable[[Snapshot], bytes],
    spare_backups: str,
    now: Callable[[], float],
    remove_empty: bool,
    known_backups: Sequence[str],
) -> Edited:
    original: Snapshot | None = None
    backup: str | None = None
    method = "none"
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(0.02 * attempt)
        snapshot = read(path)
        new = change(snapshot)
        if new == (snapshot.data or b""):
            return Edited(original or snapshot, snapshot, method, backup)
        _check_writable(snapshot)
        if method == "none":  # what was read before belongs to no edit of ours
            if backup is not None:
                os.unlink(backup)
            backup = back_up(snapshot, spare_backups, now, known_backups)
            original = snapshot
        try:
            method = write(snapshot, new) if new or not remove_empty else remove(snapshot)
        except Changed:
            continue
        except OSError as error:
            raise Failed(
                f"{path}: could not be written ({error.strerror or error}); it holds what it held before"
            ) from error
        landed = read(path)
        if (landed.data or b"") == new:
            return Edited(original or snapshot, landed, method, backup)
    if method == "none":
        if backup is not None:
            os.unlink(backup)
        raise Refused(
            f"{path}: another program keeps writing this file; nothing was changed. Try again when it is idle"
        )
    raise Failed(
        f"{path}: another program keeps overwriting what was written here. End the running sessions and try again;"
        f" the file as it was before is {backup}"
    )


def _make_parent(snapshot: Snapshot, parent: str) -> None:
    if os.path.isdir(parent):
        return
    if os.path.islink(snapshot.path):
        raise Refused(
            f"{snapshot.path} is a link to {snapshot.real}, whose directory does not exist; nothing was changed.\n"
            f"  Make the directory or remove the link, then run this again."
        )
    try:
        private_directory(parent)
    except OSError as error:
        raise Refused(f"{parent}: cannot be made ({error.strerror}); nothing was changed") from None


def _check_writable(snapshot: Snapshot) -> None:
    if snapshot.data is None:
        return
    if not snapshot.mode & stat.S_IWUSR:
        raise Refused(
            f"{snapshot.path} is read-only (mode {snapshot.mode:04o}); nothing was changed.\n"
            f"  If it is yours to change:  chmod u+w {snapshot.real}"
        )
    if not os.access(snapshot.real, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise Refused(
            f"{snapshot.path} may not be written by this user (owner {snapshot.uid}); nothing was changed.\n"
            f"  Run this as its owner, or take the snippet (--print) to whoever manages the file."
        )
