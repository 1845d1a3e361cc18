"""The embedded lint: both ledger files in, findings out. A pure function of bytes, in milliseconds."""

from __future__ import annotations

from typing import Any

from dreamwork_hooks.ledger.questions import ANSWERED, OPEN, Entry, Questions
from dreamwork_hooks.ledger.tasks import Tasks, by_size, entry_end, flat, title_and_tags
from dreamwork_hooks.ledger.text import MAX_DIGITS, number
from dreamwork_hooks.shapes import Fault

FILES = ("questions.md", "tasks.md")
IGNORE = b"<!-- lint-ignore:"


def lint(
    questions: bytes | None,
    tasks: bytes | None,
    *,
    store_present: bool = False,
    only: str | None = None,
    levels: dict[str, str] | None = None,
) -> dict[str, Any]:
    """What is wrong with the two ledger files.

    Arguments: the bytes of each file, None for one that is not there. `store_present`: `ledger.sqlite3` lies beside
    them, so a tasks.md that holds a migration notice alone is as it should be. `only`: the bare name of one of the
    files; the findings and counts are then that file's, though its rules still see what they need of the other.
    `levels`: rule -> the severity it has here instead of its own, or `off`.

    Returns `{"verdict", "counts", "findings"}`: the verdict is `clean`, `warnings` or `errors`; each finding has
    `rule`, `severity` (`error`, `warning`, or `advice`, which is never part of the verdict), `file`, `line` (from 1;
    None: the whole file), `subject`, `message` and `fix`, in order of file and line. The counts of a file that is
    absent, or not asked for, are None.
    """
    return Ledger(questions, tasks, store_present, levels).lint(only)


class Ledger:
    """The two files, each read when it is first needed."""

    __slots__ = ("_levels", "_questions", "_questions_data", "_tasks", "_tasks_data", "store_present")

    def __init__(
        self,
        questions: bytes | None,
        tasks: bytes | None,
        store_present: bool = False,
        levels: dict[str, str] | None = None,
    ) -> None:
        self._levels = levels or {}
        self._questions_data = questions
        self._tasks_data = tasks
        self._questions: Questions | None = None
        self._tasks: Tasks | None = None
        self.store_present = store_present

    def questions(self) -> Questions | None:
        """questions.md as read, None if it is absent."""
        if self._questions is None and self._questions_data is not None:
            self._questions = Questions(self._questions_data)
        return self._questions

    def tasks(self) -> Tasks | None:
        """tasks.md as read, None if it is absent."""
        if self._tasks is None and self._tasks_data is not None:
            self._tasks = Tasks(self._tasks_data)
        return self._tasks

    def lint(self, only: str | None = None) -> dict[str, Any]:
        """As the function `lint`."""
        findings: list[dict[str, Any]] = []
        if only != FILES[1]:
            faults = self._unless_ignored(self._question_faults(), self._questions_data, FILES[0])
            _report(faults, FILES[0], findings)
        if only != FILES[0]:
            faults = self._unless_ignored(self._task_faults(), self._tasks_data, FILES[1])
            _report(faults, FILES[1], findings)
        for finding in findings if self._levels else ():
            finding["severity"] = self._levels.get(finding["rule"], finding["severity"])
        findings = [finding for finding in findings if finding["severity"] != "off"]
        return {
            "verdict": verdict(findings),
            "counts": {
                "questions": None if only == FILES[1] else question_counts(self.questions()),
                "tasks": None if only == FILES[0] else task_counts(self.tasks()),
            },
            "findings": findings,
        }

    def _question_faults(self) -> list[Fault]:
        doc = self.questions()
        if doc is None:
            return [("questions/missing-file", 0, None, {})]
        from dreamwork_hooks.ledger.questions_rules import check

        landed = None
        if self._tasks_data is not None and any("#" in entry.title for entry in doc.entries if entry.section == OPEN):
            tasks = self.tasks()
            landed = None if tasks is None else tasks.landed_ids()
        return check(doc, landed)

    def _task_faults(self) -> list[Fault]:
        doc = self.tasks()
        if doc is None:
            return [("tasks/missing-file", 0, None, {"store": self.store_present})]
        from dreamwork_hooks.ledger.tasks_rules import check

        if doc.notice_only and self.store_present:
            return []
        cited = self._questions_data is not None and b"(blocks" in self._questions_data
        return check(doc, self._asked, cited)

    def _unless_ignored(self, faults: list[Fault], data: bytes | None, file: str) -> list[Fault]:
        if not faults or data is None or IGNORE not in data:
            return faults
        from dreamwork_hooks.ledger.ignored import unless_ignored

        return unless_ignored(faults, self.questions() if file == FILES[0] else self.tasks())

    def _asked(self) -> list[Entry] | None:
        doc = self.questions()
        return None if doc is None else doc.entries


def keyed(findings: list[dict[str, Any]], data: bytes | None) -> list[tuple[dict[str, Any], str]]:
    """Each finding of a file with a text that stays the same when other lines come or go."""
    lines = data.splitlines() if findings and data else []
    found = []
    for finding in findings:
        about = finding["subject"]
        if about is None and finding["line"] and finding["line"] <= len(lines):
            about = lines[finding["line"] - 1][:500].decode("utf-8", "replace").strip()
        found.append((finding, finding["rule"] + " " + (about or "")))
    return found


def verdict(findings: list[dict[str, Any]]) -> str:
    """`errors`, `warnings` or `clean`; advice does not count."""
    severities = {finding["severity"] for finding in findings}
    return "errors" if "error" in severities else "warnings" if "warning" in severities else "clean"


def open_titles(questions: bytes | None, tasks: bytes | None) -> tuple[list[tuple[str, str]], list[str]]:
    """((id, title) of each open task, the highest id first; the titles of the unanswered open questions)."""
    named: list[tuple[str, str]] = []
    if tasks is not None:
        doc = Tasks(tasks)
        for head in doc.heads:
            if head.counted and doc.is_open(head) and head.ids:
                found = title_and_tags(
                    flat(doc.lines[head.at : entry_end(doc.lines, head.at, doc.open_end)]), head.size
                )
                named.append((head.ids[0], found[0] if found else ""))
        named.sort(key=lambda row: (len(row[0]), row[0]), reverse=True)
    asked = [] if questions is None else [e for e in Questions(questions).entries if e.section == OPEN]
    return named, [entry.title for entry in asked if not entry.is_answered()]


def question_counts(doc: Questions | None) -> dict[str, Any] | None:
    """What the dashboard counts in questions.md, titles in file order."""
    if doc is None:
        return None
    opened = [entry for entry in doc.entries if entry.section == OPEN]
    answered = [entry.title for entry in doc.entries if entry.section == ANSWERED]
    return {
        "open": sum([not entry.is_answered() for entry in opened]),
        "open_entries": len(opened),
        "answered": len(answered),
        "health": doc.health(),
        "open_titles": [entry.title for entry in opened],
        "answered_titles": answered,
    }


def task_counts(doc: Tasks | None) -> dict[str, Any] | None:
    """What the dashboard counts in tasks.md: ids as written, shortest first.

    An id too long to be a number is named by its size, and then `entries` is None: the checker dies before it counts.
    """
    if doc is None:
        return None
    opened = by_size(doc.open_ids)
    landed = by_size(doc.landed_ids())
    unreadable = len(doc.next_id) > MAX_DIGITS or any(
        len(digits) > MAX_DIGITS for head in doc.heads for digits in head.ids
    )
    if unreadable:
        opened = [i if len(i) <= MAX_DIGITS else f"({len(i)} digits)" for i in opened]
        landed = [i if len(i) <= MAX_DIGITS else f"({len(i)} digits)" for i in landed]
    value = number(doc.next_id) if doc.next_id else -1
    return {
        "open": opened,
        "landed": landed,
        "entries": None if unreadable else len(doc.heads),
        "next_id": value if value >= 0 else None,
    }


def _report(faults: list[Fault], file: str, findings: list[dict[str, Any]]) -> None:
    """Put a file's faults into words, in order of line."""
    if not faults:
        return
    from dreamwork_hooks.ledger.rules import finding

    faults.sort(key=lambda fault: (fault[1], fault[0]))
    for rule, line, subject, details in faults:
        findings.append(finding(rule, file, line, subject, details))
