"""What would keep an install or uninstall from being carried out, looked at before the first write."""

from __future__ import annotations

import os
import pwd
import shlex
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from dreamwork_hooks.errors import Refused
from dreamwork_hooks.files import Unreadable, read_whole
from dreamwork_hooks.install.places import Places
from dreamwork_hooks.settings.editing import check_writable
from dreamwork_hooks.settings.snapshot import Snapshot, read
from dreamwork_hooks.settings.writing import replace_beside

_POLL = 0.1  # seconds between two looks at a file that is being written
_SPARE = 1 << 20  # bytes that are to be free beside what is written
_MOST = 64 << 20  # bytes of a file that can be put back
_STORES = ("/nix/store/", "/gnu/store/")


def settled(path: str, patience: float) -> Snapshot:
    """The settings file once it is neither empty nor cut short, or after `patience` seconds as it is. Raises Refused.

    Another program may be writing it just now: its text must not be lost under ours.
    """
    until = time.monotonic() + patience
    snapshot = read(path)
    while snapshot.data is not None and _looks_unfinished(snapshot.text) and time.monotonic() < until:
        time.sleep(_POLL)
        snapshot = read(path)
    return snapshot


def _looks_unfinished(text: str) -> bool:
    return not text.rstrip().endswith("}")


def check_person(here: Places) -> None:
    """Raises Refused for root in somebody's home: what it made there would be root's, and not theirs to run."""
    try:
        owner = os.stat(here.home).st_uid
    except OSError:
        return
    if os.geteuid() != 0 or owner == 0:
        return
    try:
        name = pwd.getpwuid(owner).pw_name
    except KeyError:
        name = f"#{owner}"
    raise Refused(
        f"this is root, and the home directory {here.home} belongs to {name}; nothing was changed.\n"
        f"  Run the same command as {name}:  sudo -u {shlex.quote(name)} -H COMMAND"
    )


def check_places(here: Places, size: int) -> None:
    """Raises Refused where our file or our state cannot be put: `size` bytes are to be written."""
    for path in (os.path.dirname(here.program), here.state):
        _check_directory(path)
    if os.path.isdir(here.program) and not os.path.islink(here.program):
        raise Refused(f"{here.program} is a directory; nothing was changed. Move it away and run this again")
    free = os.statvfs(_nearest(here.config))
    if free.f_bavail * free.f_frsize < size + _SPARE:
        raise Refused(
            f"{here.config}: {free.f_bavail * free.f_frsize >> 10} KiB are free there, too few for this; nothing was "
            "changed. Free some space, or set DREAMWORK_HOOKS_CONFIG to another directory"
        )


def check_settings(snapshot: Snapshot) -> None:
    """Raises Refused where the settings file may not be written."""
    if snapshot.data is None:
        if os.path.islink(snapshot.path) and not os.path.isdir(os.path.dirname(snapshot.real)):
            raise Refused(
                f"{snapshot.path} is a link to {snapshot.real}, whose directory does not exist; nothing was changed.\n"
                f"  Make the directory or remove the link, then run this again."
            )
        _check_directory(os.path.dirname(snapshot.real))
        return
    if snapshot.real.startswith(_STORES) or os.statvfs(snapshot.real).f_flag & os.ST_RDONLY:
        raise Refused(
            f"{snapshot.path} is {snapshot.real}, which cannot be written; nothing was changed.\n"
            "  Put the snippet (the same command with --print) into what that file is made from, such as "
            "`programs.claude-code.settings.hooks` of home-manager; `upgrade` then only replaces the program."
        )
    check_writable(snapshot)


def _check_directory(path: str) -> None:
    """Raises Refused unless a file can be made in the directory, or it in the nearest one that is there."""
    nearest = _nearest(path)
    what = path if nearest == path else f"{path} cannot be made: {nearest}"
    if not os.path.isdir(nearest):
        raise Refused(f"{what} is not a directory; nothing was changed. Move it away and run this again")
    if not os.access(nearest, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
        raise Refused(
            f"{what} may not be written by this user; nothing was changed.\n"
            f"  If it is yours:  chmod u+rwx {shlex.quote(nearest)}"
        )


def _nearest(path: str) -> str:
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path


@contextmanager
def undone_when_refused(*paths: str) -> Iterator[None]:
    """Put these files back as they were when what is done within is refused after all, and say so truly."""
    before: dict[str, tuple[bytes, int] | None] = {}
    for path in paths:
        with suppress(Unreadable):  # what cannot be read now is left alone then
            before[path] = _bytes(path)
    made = [folder for path in paths for folder in _absent_above(path)]
    try:
        yield
    except Refused:
        for path, was in before.items():
            if was is None:
                with suppress(FileNotFoundError):
                    os.unlink(path)
                continue
            now = None
            with suppress(Unreadable):
                now = _bytes(path)
            if now != was:
                replace_beside(path, *was, swept=True)
        for folder in sorted(made, key=len, reverse=True):
            with suppress(OSError):  # somebody else's file is in it by now
                os.rmdir(folder)
        raise


def _absent_above(path: str) -> list[str]:
    found = []
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):
        found.append(folder)
        folder = os.path.dirname(folder)
    return found


def _bytes(path: str) -> tuple[bytes, int] | None:
    """A file's bytes and mode, None when there is none. Raises Unreadable."""
    try:
        data, status = read_whole(path, _MOST)
    except Unreadable as error:
        if error.absent and not os.path.lexists(path):
            return None
        raise
    return data, stat.S_IMODE(status.st_mode)
