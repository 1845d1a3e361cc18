"""Which ledger files `lint` is asked about, and their bytes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from dreamwork_hooks.errors import UserError
from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.ledger.lint import FILES
from dreamwork_hooks.targets import find
from dreamwork_hooks.targets.find import MARKER

MOST_BYTES = 32 << 20


@dataclass(frozen=True)
class Place:
    """A directory with a ledger, and the one file of it that was asked about (None: both)."""

    directory: Path
    only: str | None = None


def places(target: Path | None, files: tuple[Path, ...], cwd: Path) -> list[Place]:
    """Where to look: the files named, else the target named, else the nearest target from `cwd` upwards.

    Raises UserError.
    """
    if not files:
        return [Place(_ledger_of(target) if target is not None else nearest(cwd))]
    wanted: dict[Path, set[str]] = {}
    for file in files:
        if file.name not in FILES:
            hint = "; a directory is named with --project" if file.is_dir() else ""
            raise UserError(f"{file} is not a ledger file: those are named {FILES[0]} and {FILES[1]}{hint}")
        directory = file.parent
        if target is not None:
            inside = _ledger_of(target)
            if file == Path(file.name) or directory.resolve() == inside.resolve():
                directory = inside
            else:
                raise UserError(f"{file} is not in the ledger of {target}")
        if not os.path.lexists(directory / file.name):
            raise UserError(f"{directory / file.name} does not exist")
        wanted.setdefault(directory, set()).add(file.name)
    return [Place(directory, None if len(names) == 2 else min(names)) for directory, names in wanted.items()]


def nearest(cwd: Path) -> Path:
    """The ledger directory of the nearest target from `cwd` upwards. Raises UserError."""
    target = find.nearest(str(cwd), find.holds_ledger)
    if target is None:
        raise UserError(f"no {MARKER}/ in {cwd} or above it; name a project with --project DIR")
    return Path(target, MARKER)


def _ledger_of(target: Path) -> Path:
    if target.name == MARKER and target.is_dir():
        return target
    if (target / MARKER).is_dir():
        return target / MARKER
    raise UserError(f"{target} is not a dreamwork target: it has no {MARKER}/ directory")


def read(path: Path) -> bytes | None:
    """The bytes of a ledger file, None if it is not there. Raises UserError."""
    try:
        return read_regular(str(path), MOST_BYTES)
    except Unreadable as error:
        if not error.absent:
            raise UserError(error.of(path)) from None
        if path.is_symlink():
            raise UserError(f"{path} is a link to a file that does not exist") from None
        return None
