"""`<!-- lint-ignore: RULE -->`: a finding that somebody looked at and lets stand. Imported when a ledger holds one.

In an entry it is about that entry alone; above the first entry, about what is said of the file.
"""

from __future__ import annotations

from dreamwork_hooks.ledger.lint import IGNORE
from dreamwork_hooks.ledger.questions import Questions
from dreamwork_hooks.ledger.tasks import Tasks, entry_end
from dreamwork_hooks.shapes import Fault


def unless_ignored(faults: list[Fault], doc: Questions | Tasks | None) -> list[Fault]:
    """The faults that no comment of the file lets stand."""
    if doc is None:
        return faults
    if isinstance(doc, Questions):
        spans = [(doc.line(entry.start), doc.line(entry.end - 1)) for entry in doc.entries]
    else:
        spans = [(head.at + 1, entry_end(doc.lines, head.at, len(doc.lines))) for head in doc.heads]
    mark = IGNORE.decode()
    ignored: set[tuple[str, int]] = set()
    for i, line in enumerate(doc.text.split("\n")):
        if mark in line:
            at = _place(i + 1, spans)
            for rule in line.partition(mark)[2].partition("-->")[0].split(","):
                ignored.add((rule.strip(), at))
    return [fault for fault in faults if (fault[0], _place(fault[1], spans)) not in ignored]


def _place(line: int, spans: list[tuple[int, int]]) -> int:
    """The first line of the entry that holds a line, 0 above the first; a line between entries stands for itself."""
    if line == 0 or not spans or line < spans[0][0]:
        return 0
    for first, last in spans:
        if first <= line <= last:
            return first
    return line
