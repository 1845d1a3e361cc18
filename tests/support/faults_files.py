"""Faults of the files a hook reads and of its own state: something else in their place, or nothing that can be used."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

from dreamwork_hooks.memory.focus_log import LOG
from dreamwork_hooks.memory.ledger_seen import SEEN
from dreamwork_hooks.memory.notes import RUNS
from dreamwork_hooks.memory.state import LOCK
from tests.support.faults import Row, Scene, both, obey_modes

GIB = 1 << 30

Replace = Callable[[Scene, Path], None]


def _away(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _fifo(scene: Scene, path: Path) -> None:
    os.mkfifo(path)


def _socket(scene: Scene, path: Path) -> None:
    bound = socket.socket(socket.AF_UNIX)
    scene.closers.append(bound.close)
    here = os.open(path.parent, os.O_RDONLY)  # a socket's path is short, so it is bound relative to its directory
    try:
        bound.bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)


def _directory(scene: Scene, path: Path) -> None:
    path.mkdir()
    (path / "within").write_text("x")


def _device(scene: Scene, path: Path) -> None:
    path.symlink_to("/dev/zero")


def _dangling(scene: Scene, path: Path) -> None:
    path.symlink_to(scene.root / "not there")


def _looping(scene: Scene, path: Path) -> None:
    path.symlink_to(path.name)


def _unreadable(scene: Scene, path: Path) -> None:
    path.write_text("# nobody may read this\n")
    path.chmod(0)
    obey_modes(scene)


def _huge(scene: Scene, path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(GIB)


def _empty(scene: Scene, path: Path) -> None:
    path.write_bytes(b"")


def _noise(scene: Scene, path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 400)


def _deep(scene: Scene, path: Path) -> None:
    path.write_bytes(b'{"task":' + b"[" * 100_000)


def _one_long_line(scene: Scene, path: Path) -> None:
    path.write_bytes(b"- **" + b"x" * (4 << 20))


REPLACED: list[tuple[str, Replace]] = [
    ("a FIFO", _fifo),
    ("a socket", _socket),
    ("a directory", _directory),
    ("a device", _device),
    ("a dangling link", _dangling),
    ("a looping link", _looping),
    ("unreadable", _unreadable),
    ("1 GB", _huge),
    ("empty", _empty),
    ("noise", _noise),
    ("nested 100,000 deep", _deep),
    ("one line of 4 MB", _one_long_line),
]
HOLDS_NOTHING_GOOD = REPLACED[8:]


def _replaced(where: Callable[[Scene], Path], replace: Replace) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        path = where(scene)
        _away(path)
        replace(scene, path)

    return prepare


def _head(scene: Scene) -> Path:
    return scene.target / ".git" / "HEAD"


def _table() -> list[Row]:
    rows = []
    for what, replace in REPLACED:
        regular = (what, replace) in HOLDS_NOTHING_GOOD
        absent = what == "a dangling link"
        gone = {"a dangling link": "there is no", "empty": "does not load", "noise": "not UTF-8"}
        rows += [
            Row(
                f"DREAMWORK.md is {what}",
                _replaced(lambda scene: scene.target / "DREAMWORK.md", replace),
                both(True),
                gone.get(what, "DREAMWORK.md"),
            ),
            Row(
                f"status.json is {what}",
                _replaced(lambda scene: scene.ledger / "status.json", replace),
                both(True),
                {"precompact": "status.json is "},
            ),
            Row(
                f"questions.md is {what}",
                _replaced(lambda scene: scene.ledger / "questions.md", replace),
                both(precompact=True, posttooluse=None),
                {} if regular else {"precompact": "questions.md is "},
            ),
            Row(
                f"tasks.md is {what}",
                _replaced(lambda scene: scene.ledger / "tasks.md", replace),
                both(precompact=True, posttooluse=None if regular else absent),
                {} if regular or absent else {"posttooluse": "tasks.md could not be linted"},
            ),
            Row(
                f"the installer's config.json is {what}",
                _replaced(lambda scene: scene.state.parent / "config.json", replace),
                both(True),
            ),
            Row(f"git's HEAD is {what}", _replaced(_head, replace), both(precompact=True), "preserve"),
            Row(
                f".git is {what}",
                _replaced(lambda scene: scene.target / ".git", replace),
                both(precompact=True),
                "preserve",
            ),
        ]
        if not regular:
            rows.append(
                Row(
                    f".dreamwork is {what}",
                    _replaced(lambda scene: scene.ledger, replace),
                    both(precompact=what == "a directory", posttooluse=None),
                )
            )
    return rows


def _of_our_own() -> list[Row]:
    """The same in place of each file of the state directory, where no link is followed at all."""
    rows = []
    for what, replace in REPLACED:
        regular = (what, replace) in HOLDS_NOTHING_GOOD
        rows += [
            Row(
                f"the focus log is {what}",
                _replaced(lambda scene: scene.state / LOG, replace),
                both(precompact=regular or what == "1 GB", posttooluse=True),
                log_kept=False,
            ),
            Row(
                f"the lock file is {what}",
                _replaced(lambda scene: scene.state / LOCK, replace),
                both(precompact=regular or what == "1 GB", posttooluse=True),
            ),
            Row(f"the runs' file is {what}", _replaced(lambda scene: scene.state / RUNS, replace), both(True)),
            Row(
                f"what a killed rotation left is {what}",
                _replaced(lambda scene: scene.state / (LOG + ".tmp"), replace),
                both(True),
            ),
            Row(
                f"the memory of the ledger is {what}",
                _replaced(lambda scene: scene.state / SEEN, replace),
                both(posttooluse=True),
            ),
        ]
        if not regular:
            rows.append(
                Row(
                    f"the state directory is {what}",
                    _replaced(lambda scene: scene.state, replace),
                    both(precompact=what == "a directory", posttooluse=True),
                    log_kept=False,
                )
            )
    return rows


ROWS = [*_table(), *_of_our_own()]
