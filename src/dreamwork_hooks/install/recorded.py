"""Recording the hooks of a settings file: begun, known while it lasts, and ended."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass

from dreamwork_hooks.errors import Failed, Refused
from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.install.places import Places
from dreamwork_hooks.install.request import OwnCommand
from dreamwork_hooks.install.wrapping import MARK, wrapped
from dreamwork_hooks.settings import editing
from dreamwork_hooks.settings.jsontext import JsonSyntaxError
from dreamwork_hooks.settings.snapshot import Snapshot, decode, encode
from dreamwork_hooks.settings.writing import replace_beside

_MOST = 32 << 20  # bytes of what is kept: a settings file of the largest size, in base64


@dataclass(frozen=True)
class Recording:
    """What is kept of a settings file while it is recorded: its bytes, the hash of what was written, since when."""

    path: str
    original: bytes
    written: str
    since: str
    directory: str


def refuse_recorded(path: str, text: str, own: OwnCommand) -> None:
    """Raises Refused: handlers of ours that are recorded would be wired a second time."""
    if MARK in text:
        raise Refused(
            f"{path}: its hooks are being recorded; nothing was changed. End that first, then run this again:\n"
            f"  {own('record --remove --settings ' + shlex.quote(path))}"
        )


def recording_of(path: str, here: Places) -> Recording | None:
    """The recording of a settings file; None when there is none. Raises Failed when what is kept cannot be read."""
    kept = _kept(path, here)
    try:
        note = json.loads(read_regular(kept, _MOST))
        original = base64.b64decode(note["original"])
        return Recording(path, original, *(str(note.get(key, "")) for key in ("written", "since", "directory")))
    except Unreadable as error:
        if error.absent and not os.path.lexists(kept):
            return None
        raise Failed(f"{error.of(kept)}; nothing was changed") from None
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise Failed(f"{kept}: cannot be read ({error}); nothing was changed") from None


def told_of(path: str, here: Places) -> str:
    """Since when and where to the hooks of a settings file are recorded, "" where that is not known."""
    try:
        recording = recording_of(path, here)
    except Failed:
        return ""
    return "" if recording is None else f" since {recording.since}, into {recording.directory}"


def start(path: str, here: Places, program: str, directory: str, now: Callable[[], float] = time.time) -> None:
    """Record the hooks of a settings file, after keeping its bytes. Raises Refused and Failed."""
    if recording_of(path, here) is not None:
        raise Refused(f"{path}: is recorded already; record --remove first")
    if not os.access(program, os.X_OK):
        raise Refused(f"{program} is not executable, so nothing would be recorded:  chmod +x {shlex.quote(program)}")
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now()))
    wrote: list[bytes] = []

    def change(snapshot: Snapshot) -> bytes:
        if snapshot.data is not None and snapshot.data in wrote:
            return snapshot.data  # asked again about our own work: the bytes kept are those before it
        if snapshot.data is None:
            raise Refused(f"{path}: no such file, so there is no hook to record")
        try:
            new = encode(wrapped(decode(snapshot.data), program, directory))
        except JsonSyntaxError as error:
            raise Refused(f"{path}: {error}; Claude Code ignores such a file, nothing was changed") from None
        except Refused as error:
            raise Refused(f"{path}: {error}") from None
        note = {
            "path": path,
            "since": since,
            "directory": directory,
            "written": hashlib.sha256(new).hexdigest(),
            "original": base64.b64encode(snapshot.data).decode(),
        }
        replace_beside(_kept(path, here), json.dumps(note).encode())
        wrote.append(new)
        return new

    try:
        editing.edit(path, change, spare_backups=here.backups)
    except BaseException:
        if wrote and os.path.exists(_kept(path, here)):
            os.unlink(_kept(path, here))
        raise


def stop(path: str, here: Places, force: bool) -> None:
    """Give a settings file its bytes back. Raises Refused and Failed."""
    recording = recording_of(path, here)
    if recording is None:
        raise Refused(f"{path}: is not recorded, nothing was changed")

    def change(snapshot: Snapshot) -> bytes:
        now = hashlib.sha256(snapshot.data or b"").hexdigest()
        if snapshot.data not in (None, recording.original) and now != recording.written and not force:
            raise Refused(
                f"{path}: was edited since recording began, so its old bytes would undo that edit\n"
                "  to give them back all the same:  record --remove --force"
            )
        return recording.original

    editing.edit(path, change, spare_backups=here.backups)
    os.unlink(_kept(path, here))


def _kept(path: str, here: Places) -> str:
    name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:16]
    return os.path.join(here.state, "recording", f"{name}.json")
