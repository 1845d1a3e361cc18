"""`lint --fix`: the findings that have exactly one answer, answered.

A step is taken only when every entry that the reader saw is still seen, and no error is new. The hook repairs nothing:
this is a person's command.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

from dreamwork_hooks.errors import Failed, Refused
from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.ledger.lint import lint
from dreamwork_hooks.ledger.meant import meant_questions, meant_tasks
from dreamwork_hooks.ledger.questions import Questions
from dreamwork_hooks.ledger.tasks import LANDED, OPEN, Tasks, entry_end
from dreamwork_hooks.ledger.text import MAX_DIGITS, conflict_markers, plain, suspects
from dreamwork_hooks.settings.writing import replace_beside

_MOST_ROUNDS = 8
Lines = list[str]


def fixed(name: str, data: bytes) -> bytes:
    """The bytes of the ledger file `name` with what has one answer put right; the same bytes where nothing has."""
    steps: tuple[Callable[[bytes], bytes], ...] = _TASKS if name == "tasks.md" else _QUESTIONS
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    if conflict_markers(text, text.split("\n")):
        return data
    for _ in range(_MOST_ROUNDS):
        before = after = data
        for step in steps:
            after = step(after)
        if _is_better(name, data, after):  # together: an entry that is read again may need a higher next id
            data = after
        else:
            for step in steps:
                after = step(data)
                if after != data and _is_better(name, data, after):
                    data = after
        if data == before:
            break
    return data


def _is_better(name: str, before: bytes, after: bytes) -> bool:
    """Whether all that was seen is seen, and no kind of error became more frequent."""
    if not _seen(name, before) <= _seen(name, after):
        return False
    was, now = (_errors(name, data) for data in (before, after))
    return all(now.count(rule) <= was.count(rule) for rule in set(now))


def _seen(name: str, data: bytes) -> set[str]:
    if name == "questions.md":
        return {entry.section + entry.title for entry in Questions(data).entries}
    doc = Tasks(data)
    return {f"open {plain(i)}" for i in doc.open_ids} | {f"landed {plain(i)}" for i in doc.landed_ids()}


def _errors(name: str, data: bytes) -> list[str]:
    files = (data, None) if name == "questions.md" else (None, data)
    return [f["rule"] for f in lint(*files, only=name)["findings"] if f["severity"] == "error"]


def _lines(data: bytes) -> Lines:
    """The lines with their ends, cut where the reader's narrow cut is."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", data.decode("utf-8"))


def _joined(lines: Lines) -> bytes:
    return "".join(lines).encode("utf-8")


def _put(lines: Lines, at: int, text: str) -> None:
    """Write `text` over a line, whose end stays."""
    end = lines[at][len(lines[at].rstrip("\r\n")) :]
    lines[at] = text + end


def _end_of(lines: Lines) -> str:
    return next((line[len(line.rstrip("\r\n")) :] for line in lines if line.endswith(("\r", "\n"))), "\n")


def _unread_questions(data: bytes) -> bytes:
    doc, lines = Questions(data), _lines(data)
    if doc.numbers is None:
        for meant in meant_questions(doc, suspects(doc.lines)):
            if meant.sure:
                _put(lines, meant.at, meant.form)
    return _joined(lines)


def _unread_tasks(data: bytes) -> bytes:
    doc, lines = Tasks(data), _lines(data)
    for meant in meant_tasks(doc, suspects(doc.lines)):
        if meant.sure:
            _put(lines, meant.at, meant.form)
    return _joined(lines)


def _headings(names: tuple[str, ...], append: str = "") -> Callable[[bytes], bytes]:
    def step(data: bytes) -> bytes:
        lines = _lines(data)
        bare = [line.rstrip("\r\n") for line in lines]
        for name in names:
            if any(line.strip() == name for line in bare):
                continue
            near = [i for i, line in enumerate(bare) if _key(line) == _key(name)]
            if len(near) == 1:
                _put(lines, near[0], name)
            elif name == append and not near and bare:
                end = _end_of(lines)
                if not lines[-1].endswith(("\r", "\n")):
                    lines[-1] += end
                lines += [end, name + end]
        return _joined(lines)

    return step


def _key(heading: str) -> str:
    return re.sub(r"[\s:.*_`]+", " ", heading.replace("\ufeff", "")).strip().casefold()


def _copies(data: bytes) -> bytes:
    """Without an entry that stands twice in the same half, byte for byte: the later copy goes."""
    doc, lines = Tasks(data), _lines(data)
    seen: set[tuple[bool, str]] = set()
    gone: set[int] = set()
    for head in doc.heads:
        end = entry_end(doc.lines, head.at, len(doc.lines))
        block = "\n".join(doc.lines[head.at : end]).rstrip()
        if not head.counted or not (doc.is_open(head) or head.at >= doc.landed_start):
            continue
        if (doc.is_open(head), block) in seen:
            gone.update(range(head.at, head.at + block.count("\n") + 1))
        seen.add((doc.is_open(head), block))
    return _joined([line for i, line in enumerate(lines) if i not in gone])


def _next_id(data: bytes) -> bytes:
    doc, lines = Tasks(data), _lines(data)
    digits = [i for head in doc.heads for i in head.ids]
    if any(len(i) > MAX_DIGITS for i in [*digits, doc.next_id]):
        return data
    free = max([int(i) for i in digits], default=0) + 1
    if doc.next_at >= 0:
        if int(doc.next_id) < free and any(head.counted for head in doc.heads):
            old = lines[doc.next_at]
            lines[doc.next_at] = old.replace(f"**{doc.next_id}**", f"**{free}**", 1)
        return _joined(lines)
    near = [i for i, line in enumerate(lines) if re.match(r"\W*next id\b\W*\d*\W*$", line.strip(), re.I)]
    if len(near) == 1:
        said = re.search(r"\d{1,9}", lines[near[0]])
        _put(lines, near[0], f"Next id: **{max(free, int(said[0]) if said else 0)}**")
    elif not near and len(doc.open_heads) == 1:
        end = _end_of(lines)
        lines[doc.open_heads[0] : doc.open_heads[0]] = [f"Next id: **{free}**{end}", end]
    return _joined(lines)


_QUESTIONS = (_headings(("## Open", "## Answered")), _unread_questions)
_TASKS = (_headings((OPEN, LANDED), append=LANDED), _unread_tasks, _copies, _next_id)


def diff(path: str, before: bytes, after: bytes) -> str:
    """The change as a unified diff."""
    old, new = (data.decode("utf-8", "replace").splitlines(keepends=True) for data in (before, after))
    rows = difflib.unified_diff(old, new, f"{path} (now)", f"{path} (then)")
    return "".join(row if row.endswith("\n") else row + "\n\\ No newline at end of file\n" for row in rows)


def replace(path: Path, before: bytes, after: bytes) -> Path:
    """Write `after` over the file in one step; returns the backup that holds `before`.

    A link stays a link. Raises UserError when the file holds something else by now or cannot be written.
    """
    real = Path(os.path.realpath(path))
    stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    backup = real.with_name(f"{real.name}.bak-{stamp}")
    try:
        if read_regular(str(real), len(before)) != before:
            raise Refused(f"{path} was changed meanwhile; run the command again")
        mode = real.stat().st_mode & 0o7777
        for target, data in ((backup, before), (real, after)):
            replace_beside(str(target), data, mode)
    except (OSError, Unreadable) as error:
        raise Failed(f"{path} could not be written: {error}") from error
    return backup
