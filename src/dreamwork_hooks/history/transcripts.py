"""Reading transcripts from beginning to end, a line at a time: any number of files of any size in little memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dreamwork_hooks.files import Unreadable, lines_of
from dreamwork_hooks.jsonlite import loads

LONGEST_LINE = 64 << 20
"""Bytes: the largest line that is looked at. The client writes one line a message, a pasted file included."""

Entry = dict[str, Any]


@dataclass
class Passed:
    """What was read, and what was passed over.

    Attributes:
        files: transcripts read.
        bytes: their sizes, together.
        torn: lines that are no JSON object (cut off, or written by something else) though they looked like ours.
        long: lines of more than `LONGEST_LINE` bytes.
        unreadable: path -> why a transcript could not be read.
    """

    files: int = 0
    bytes: int = 0
    torn: int = 0
    long: int = 0
    unreadable: dict[str, str] = field(default_factory=dict)


def transcripts(config_dir: Path, project: Path | None = None, since: float | None = None) -> list[Path]:
    """The transcripts below a configuration directory of the client, oldest change first, subagents' ones included.

    Args:
        project: only those of sessions that were started there. The client names a project's directory after its path,
            with every character but letters and digits as `-` (measured), so that two paths may share one.
        since: seconds since 1970; files that were last written before are left out.
    """
    found: list[tuple[float, Path]] = []
    top = config_dir / "projects"
    wanted = None if project is None else {_directory_name(str(project)), _directory_name(os.path.realpath(project))}
    for directory in _directories(top):
        if wanted is not None and directory.name not in wanted:
            continue
        for path, _, names in os.walk(directory):
            for name in names:
                if name.endswith(".jsonl"):
                    file = Path(path, name)
                    changed = _changed(file)
                    if changed is not None and (since is None or changed >= since):
                        found.append((changed, file))
    return [path for _, path in sorted(found)]


def _directories(top: Path) -> list[Path]:
    try:
        return sorted(entry for entry in top.iterdir() if entry.is_dir())
    except OSError:
        return []


def _changed(file: Path) -> float | None:
    try:
        return file.stat().st_mtime
    except OSError:
        return None


def _directory_name(path: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in path)


def entries(path: Path, looks_right: Callable[[bytes], bool], passed: Passed) -> Iterator[Entry]:
    """The entries of one transcript, in order, of the lines that `looks_right` lets through; the others are not parsed.

    What cannot be read or parsed is counted in `passed` and passed over. A last line without its newline is still being
    written and counts as torn.
    """
    passed.files += 1
    try:
        for line in lines_of(str(path), LONGEST_LINE):
            if line is None:
                passed.long += 1
                continue
            passed.bytes += len(line)
            # The client also writes down its requests, with the whole conversation in them over again.
            if not looks_right(line) or line.startswith((b'{"type":"api-', b'{"type":"queue')):
                continue
            entry = _parsed(line)
            if entry is None:
                passed.torn += 1
            else:
                yield entry
    except Unreadable as error:
        passed.unreadable[str(path)] = str(error)


def _parsed(line: bytes) -> Entry | None:
    if not line.endswith(b"\n"):
        return None
    try:
        entry = loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None
