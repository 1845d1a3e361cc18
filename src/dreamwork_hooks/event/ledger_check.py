"""Linting what was touched of a target's ledger, and saying it to the model in a bounded way."""

from __future__ import annotations

import os
import time

from dreamwork_hooks import MAX_ANSWER, PLUGIN
from dreamwork_hooks.event import skip
from dreamwork_hooks.event.posttooluse import HOOK
from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.jsonlite import dumps
from dreamwork_hooks.memory.config import read_config
from dreamwork_hooks.memory.ledger_seen import LedgerMemory, digest_of, mark
from dreamwork_hooks.shapes import After, Answer, Finding
from dreamwork_hooks.targets.find import LEDGER_FILES

MAX_LEDGER = 8 << 20  # bytes of a ledger file that are linted inside the budget
MAX_CONTEXT = 2000  # characters the model is given
MAX_ROWS = 20
_FOR_THE_ANSWER = 0.25  # seconds of the deadline that the core lint does not get
_AROUND_CONTEXT = 120  # characters of JSON
_LOCK_WAIT = 0.1  # seconds


class Checked:
    """What linting came to.

    Attributes:
        findings: errors and warnings, the touched file's first.
        problems: why something could not be linted.
        linter: `core` when the core lint was run, else `embedded`.
        rows: what of the core lint's output is worth reporting.
        core_warned: whether it warned about a touched file.
    """

    __slots__ = ("core_warned", "findings", "linter", "problems", "rows")

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.problems: list[str] = []
        self.linter = "embedded"
        self.rows: list[str] = []
        self.core_warned = False

    def of(self, severity: str) -> list[Finding]:
        return [finding for finding in self.findings if finding["severity"] == severity]


def check(target: str, name: str | None, env: dict[str, str], deadline: float) -> tuple[Answer, After | None]:
    """Lint the touched file `name`, or (None) whichever ledger files moved since they were last seen.

    Returns:
        The answer, and the bookkeeping to do once it is said.
    """
    real = os.path.realpath(target)
    memory = LedgerMemory.load(env, real)
    marks = {file: mark(os.path.join(target, ".dreamwork", file)) for file in LEDGER_FILES}
    if name is not None:
        moved = [name]
    else:
        moved = [file for file in LEDGER_FILES if memory.marks.get(file) != marks[file]]
        if not moved:
            return skip(HOOK, "the ledger has not moved"), None

    checked = Checked()
    _embedded(target, moved, memory, checked)
    _core(target, moved, env, deadline, checked)
    news = False
    for file in moved:
        memory.marks[file] = marks[file]
        rows = checked.rows if checked.core_warned else []
        now = digest_of([finding for finding in checked.findings if finding["file"] == file], rows)
        news = news or memory.told.get(file, "") != now
        memory.told[file] = now
    # A fault that an edit of the file left standing is said each time; what has no edit to answer for, or is a mere
    # warning, once until it changes.
    tell = bool(checked.problems) or news or (name is not None and bool(checked.of("error")))
    said = _answer(moved, checked, tell)

    def remember() -> None:
        from dreamwork_hooks.memory.focus_log import timestamp
        from dreamwork_hooks.memory.notes import note_run
        from dreamwork_hooks.memory.state import StateDir, in_locked_state

        def work(state: StateDir) -> None:
            memory.save(state, moved)
            # A fault of the ledger is a success of the hook.
            note_run(state, "posttooluse", real, timestamp(time.time()), "; ".join(checked.problems) or None)

        in_locked_state(env, real, _LOCK_WAIT, work)

    return said, remember


def _embedded(target: str, moved: list[str], memory: LedgerMemory, checked: Checked) -> None:
    from dreamwork_hooks.ledger.lint import Ledger
    from dreamwork_hooks.ledger.losses import entry_identities, lost, remember

    data: dict[str, bytes | None] = {}
    unreadable = []
    for file in LEDGER_FILES:
        try:
            data[file] = read_regular(os.path.join(target, ".dreamwork", file), MAX_LEDGER)
        except Unreadable as error:
            data[file] = None
            if not error.absent:
                unreadable.append(file)
                if file in moved:
                    checked.problems.append(file + " could not be linted: it is " + str(error))
    store = os.path.exists(os.path.join(target, ".dreamwork", "ledger.sqlite3"))
    ledger = Ledger(data["questions.md"], data["tasks.md"], store)
    for file in moved:
        if file in unreadable:
            continue
        now = entry_identities(ledger, file)
        checked.findings += lost(memory.entries, now)
        memory.entries = remember(memory.entries, now)
        found = ledger.lint(file)["findings"]
        checked.findings += [finding for finding in found if finding["severity"] != "advice"]


def _core(target: str, moved: list[str], env: dict[str, str], deadline: float, checked: Checked) -> None:
    config = read_config(env)
    if not env.get("DREAMWORK_LINT") and "lint" not in config:
        return
    from dreamwork_hooks.event import corelint

    try:
        lint = corelint.chosen_lint(env, config, target)
        if lint is None:
            return
        checked.linter = "core"
        seconds = min(corelint.time_limit(env), deadline - time.monotonic() - _FOR_THE_ANSWER)
        ran = corelint.run(lint, target, seconds)
    except corelint.CannotRun as error:
        checked.linter = "core"
        checked.problems.append(str(error))
        return
    rows = ran.rows
    if ran.status is None:
        checked.problems.append("the core lint did not finish in " + str(round(seconds, 1)) + " s")
    elif ran.status != 0:
        checked.problems.append("the core lint left with status " + str(ran.status))
    else:
        rows = [row for row in rows if any(corelint.warns_about(row, file) for file in moved)]
        checked.core_warned = bool(rows)
    checked.rows = corelint.tail_of(rows).split("\n") if rows else []


def _answer(moved: list[str], checked: Checked, tell: bool) -> Answer:
    errors = checked.of("error")
    warned = checked.core_warned or bool(checked.of("warning"))
    said: Answer = {"ok": True, "hook": HOOK, "plugin": PLUGIN}
    problems = [_count(len(errors), "error") + " in " + " and ".join(moved)] if errors else []
    problems += checked.problems
    if problems:
        said["ok"] = False
        said["linter"] = checked.linter
        said["error"] = "; ".join(problems)
        said["lint_output"] = ""
    else:
        said["lint"] = "warnings" if warned else "clean"
        said["linter"] = checked.linter
    if tell and (problems or warned):
        # In the answer a letter outside ASCII is six characters or more. A row is told whole or not at all.
        room = MAX_ANSWER - len(dumps(said)) - _AROUND_CONTEXT
        told = context(moved, checked, said.get("error") or "warnings", room)
        said["hookSpecificOutput"] = {"hookEventName": "PostToolUse", "additionalContext": told}
    if problems:
        # What room is left: the context is what the model reads, this is for whoever reads the hook's own output.
        rows = [_row(finding) for finding in checked.findings] + checked.rows
        said["lint_output"] = _fitting(rows, MAX_ANSWER - len(dumps(said)))
    return said


def context(moved: list[str], checked: Checked, summary: str, wire: int) -> str:
    """What the model is told: the errors, each with its line and its fix, then a count of the rest.

    Args:
        wire: the characters it may take as JSON.
    """
    lines = ["dreamwork ledger lint of .dreamwork/" + " and ".join(moved) + ": " + summary]
    room = MAX_CONTEXT - len(lines[0]) - 60  # the count of the rest always fits
    wire -= len(dumps(lines[0])) + 60
    ordered = checked.of("error") + checked.of("warning")
    told = 0
    for finding in ordered:
        row = _row(finding) + " Fix: " + finding["fix"]
        if len(row) + 1 > room or len(dumps(row)) > wire:
            break
        lines.append(row)
        room -= len(row) + 1
        wire -= len(dumps(row))
        told += 1
    rest = ordered[told:]
    if rest:
        errors = sum([finding["severity"] == "error" for finding in rest])
        lines.append("and " + _count(errors, "more error") + ", " + _count(len(rest) - errors, "more warning"))
    for row in checked.rows:
        if len(row) + 1 > room or len(dumps(row)) > wire:
            break
        lines.append(row)
        room -= len(row) + 1
        wire -= len(dumps(row))
    return "\n".join(lines)


def _fitting(rows: list[str], room: int) -> str:
    """As many of the first 20 rows as take at most `room` characters of JSON."""
    kept: list[str] = []
    for row in rows[:MAX_ROWS]:
        room -= len(dumps(row))
        if room < 0:
            break
        kept.append(row)
    return "\n".join(kept)


def _row(finding: Finding) -> str:
    line = ":" + str(finding["line"]) if finding["line"] else ""
    return "{file}{0}: {severity} {rule}: {message}".format(line, **finding)


def _count(number: int, noun: str) -> str:
    return str(number) + " " + noun + ("" if number == 1 else "s")
