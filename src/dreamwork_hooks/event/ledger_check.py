"""Linting what was touched of a target's ledger, and saying it to the model in a bounded way."""

from __future__ import annotations

import os
import time
from typing import Any

from dreamwork_hooks import MAX_ANSWER, PLUGIN
from dreamwork_hooks.event import skip
from dreamwork_hooks.event.posttooluse import HOOK
from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.jsonlite import dumps
from dreamwork_hooks.ledger.lint import Ledger
from dreamwork_hooks.memory.config import LEVELS, read_config, read_levels
from dreamwork_hooks.memory.ledger_seen import CORE_LINT, LedgerMemory, mark
from dreamwork_hooks.memory.state import digest
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
        new: the errors and warnings that this edit made, or that nobody was told of yet where no edit is to answer.
        standing: those that were there before.
        untold: of the standing ones, those that the model was never told.
        problems: why a ledger file could not be linted.
        failure: why the core lint could not run, or that it failed for other files; for the person alone.
        linter: `core` when the core lint was run, else `embedded`.
        output: what the core lint printed, where that explains a failure.
    """

    __slots__ = ("failure", "linter", "new", "output", "problems", "standing", "untold")

    def __init__(self) -> None:
        self.new: list[Finding] = []
        self.standing: list[Finding] = []
        self.untold: list[Finding] = []
        self.problems: list[str] = []
        self.failure = ""
        self.linter = "embedded"
        self.output: list[str] = []

    def count(self, severity: str) -> int:
        return sum([finding["severity"] == severity for finding in self.new + self.standing])


def check(
    target: str, name: str | None, env: dict[str, str], deadline: float, event: dict[str, Any] | None = None
) -> tuple[Answer, After | None]:
    """Lint the touched file `name`, or (None) whichever ledger files moved since they were last seen.

    Args:
        event: holds the text before the edit, where the tool tells it.

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
            return skip(HOOK, "the ledger has not changed"), None

    config = read_config(env)
    checked = Checked()
    found = _embedded(target, moved, memory, checked, event or {})
    _core(target, moved, env, config, deadline, checked, found)
    for file in moved:
        memory.marks[file] = marks[file]
        known = set(memory.told.get(file) or ())
        memory.told[file] = told = []
        for finding, is_new, key in found[file]:
            told.append(digest(key.encode("utf-8", "replace"))[:8])
            is_told = told[-1] in known
            if not is_told if is_new is None else is_new:
                checked.new.append(finding)
            else:
                checked.standing.append(finding)
                if not is_told:
                    checked.untold.append(finding)
    said_before = memory.told.get(CORE_LINT) or []
    memory.told[CORE_LINT] = [digest(checked.failure.encode("utf-8", "replace"))[:8]] if checked.failure else []
    errors = checked.count("error")
    # What an edit left standing is counted each time; what has no edit to answer for, or is a mere warning, is told
    # once.
    tell = bool(checked.problems or checked.new or checked.untold) or (name is not None and errors > 0)
    said = _answer(moved, checked, tell)
    words = []
    if checked.failure and memory.told[CORE_LINT] != said_before:
        words.append(checked.failure + "; the ledger was linted without it (`doctor` says more)")
    fresh = [finding for finding in checked.new if finding["severity"] == "error"]
    if fresh and config.get("notice") is True:
        first = _row(fresh[0])  # whole or not at all: what is cut could end inside a quotation
        words.append(
            _count(len(fresh), "new error") + " in the ledger" + (", the first: " + first) * (len(first) < 300)
        )
    while words and len("; ".join(words)) > 480:
        words.pop()
    if words and len(dumps(said)) < MAX_ANSWER - 700:
        said["systemMessage"] = "dreamwork-hooks: " + "; ".join(words)

    def remember() -> None:
        from dreamwork_hooks.memory.focus_log import timestamp
        from dreamwork_hooks.memory.notes import note_run
        from dreamwork_hooks.memory.state import StateDir, in_locked_state

        def work(state: StateDir) -> None:
            memory.save(state, moved)
            # A fault of the ledger is a success of the hook.
            failures = [*checked.problems, *([checked.failure] if checked.failure else [])]
            note_run(state, "posttooluse", real, timestamp(time.time()), "; ".join(failures) or None)

        in_locked_state(env, real, _LOCK_WAIT, work)

    return said, remember


Found = dict[str, "list[tuple[Finding, bool | None, str]]"]
"""File -> each finding, whether this edit made it (None: no edit to compare with), and what tells it from others."""


def _embedded(target: str, moved: list[str], memory: LedgerMemory, checked: Checked, event: dict[str, Any]) -> Found:
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
    levels, fault = read_levels(os.path.join(target, ".dreamwork", LEVELS))
    checked.problems += [fault] if fault else []
    ledger = Ledger(data["questions.md"], data["tasks.md"], store, levels)
    found: Found = {file: [] for file in moved}
    for file in moved:
        if file in unreadable:
            continue
        now = entry_identities(ledger, file)
        compared, text = text_before(event, data[file] or b"")
        former = None
        gone = lost(memory.entries, now)
        if text is not None:
            held_before = {**data, file: text}
            former = Ledger(held_before["questions.md"], held_before["tasks.md"], store, levels)
            held = entry_identities(former, file)
            unseen = lost(memory.entries, held) if gone else []  # by a writer before this edit
            gone = lost(remember(None, held), now) + unseen
        memory.entries = remember(memory.entries, now)
        found[file] += [(finding, True, finding["rule"] + finding["message"]) for finding in gone]
        findings = _keyed(ledger, file, data[file])
        standing: dict[str, int] = {}
        if compared and findings and former is not None:
            for _, key in _keyed(former, file, text):
                standing[key] = standing.get(key, 0) + 1
        for finding, key in findings:
            stood = standing.get(key, 0)
            standing[key] = stood - 1
            found[file].append((finding, stood <= 0 if compared else None, key))
    return found


def _keyed(ledger: Ledger, file: str, data: bytes | None) -> list[tuple[Finding, str]]:
    """The errors and warnings of a file, each with what stays the same when other lines come or go."""
    from dreamwork_hooks.ledger.lint import keyed

    findings = [finding for finding in ledger.lint(file)["findings"] if finding["severity"] != "advice"]
    return keyed(findings, data)


def text_before(event: dict[str, Any], now: bytes) -> tuple[bool, bytes | None]:
    """Whether the event tells what the file held before, and that (None: there was no file, or nothing is known).

    A Write and an Edit of Claude Code carry the whole text; of an edit that does not, the strings it replaced are put
    back where each of them can be in one place only.
    """
    response = event.get("tool_response")
    for name in ("originalFile", "originalFileContents"):
        if isinstance(response, dict) and name in response:
            text = response[name]
            if isinstance(text, str) and len(text) <= MAX_LEDGER:
                return True, _encoded(text)
            return text is None, None
    edit = event.get("tool_input")
    if not isinstance(edit, dict):
        return False, None
    edits = edit.get("edits", [edit])
    if not isinstance(edits, list) or not edits:
        return False, None
    for one in reversed(edits):
        old, new = [
            next((one[name] for name in names if isinstance(one, dict) and isinstance(one.get(name), str)), None)
            for names in (("old_string", "oldText"), ("new_string", "newText"))
        ]
        if old is None or not new or len(old) > MAX_LEDGER:
            return False, None
        if now.count(_encoded(new)) != 1:
            return False, None
        now = now.replace(_encoded(new), _encoded(old))
    return True, now


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _core(
    target: str,
    moved: list[str],
    env: dict[str, str],
    config: dict[str, object],
    deadline: float,
    checked: Checked,
    found: Found,
) -> None:
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
        checked.failure = str(error)
        return
    checked.failure = corelint.why_no_verdict(ran, seconds)
    if checked.failure:
        checked.output = corelint.tail_of(ran.rows).split("\n")
        return
    told = 0
    for file in moved:
        said = [finding for finding, _, _ in found[file]]
        for severity, row in corelint.rows_about(ran, file):
            told += severity == "error"
            if not corelint.is_said(row, file, said):
                finding = {"rule": CORE_LINT, "file": file, "line": None, "severity": severity, "message": row}
                found[file].append((finding, None, corelint.without_line(row, file)))
    if ran.status == 1 and not told:
        checked.failure = "the core lint finds errors, none of them in " + " or ".join(moved)
        checked.output = corelint.tail_of(ran.rows).split("\n")


def _answer(moved: list[str], checked: Checked, tell: bool) -> Answer:
    errors = checked.count("error")
    warned = checked.count("warning") > 0
    said: Answer = {"ok": True, "hook": HOOK, "plugin": PLUGIN}
    problems = [_count(errors, "error") + " in " + " and ".join(moved)] if errors else []
    problems += checked.problems
    summary = "; ".join(problems) or "warnings"
    failed = [*problems, *([checked.failure] if checked.failure else [])]
    if failed:
        said["ok"] = False
        said["linter"] = checked.linter
        said["error"] = "; ".join(failed)
        said["lint_output"] = ""
    else:
        said["lint"] = "warnings" if warned else "clean"
        said["linter"] = checked.linter
    if errors or warned:
        said["new"] = len(checked.new)
        said["standing"] = len(checked.standing)
    if tell and (problems or warned):
        # In the answer a letter outside ASCII is six characters or more. A row is told whole or not at all.
        room = MAX_ANSWER - len(dumps(said)) - _AROUND_CONTEXT
        said["hookSpecificOutput"] = {
            "hookEventName": "PostToolUse",
            "additionalContext": context(moved, checked, summary, room),
        }
    if failed:
        # What room is left: the context is what the model reads, this is for whoever reads the hook's own output.
        rows = [_row(finding) for finding in _by_severity(checked.new) + _by_severity(checked.standing)]
        said["lint_output"] = _fitting(rows + checked.output, MAX_ANSWER - len(dumps(said)))
    return said


def context(moved: list[str], checked: Checked, summary: str, wire: int) -> str:
    """What the model is told: what is new, each with its line and its fix; what stood before and was never told; then
    a count of the rest.

    Args:
        wire: the characters it may take as JSON.
    """
    lines = ["dreamwork ledger lint of .dreamwork/" + " and ".join(moved) + ": " + summary]
    ordered = _by_severity(checked.new) + _by_severity(checked.untold)
    older = [finding for finding in checked.standing if finding not in checked.untold]
    between = "and what stood before this edit:" if checked.new and checked.untold else ""
    room = MAX_CONTEXT - len(lines[0]) - len(between) - 120  # the counts always fit
    wire -= len(dumps(lines[0])) + len(between) + 120
    told = 0
    for finding in ordered:
        row = _row(finding) + (" Fix: " + finding["fix"] if finding.get("fix") else "")
        if len(row) + 1 > room or len(dumps(row)) > wire:
            break
        if between and told == len(checked.new):
            lines.append(between)
        lines.append(row)
        room -= len(row) + 1
        wire -= len(dumps(row))
        told += 1
    for rest, which in ((ordered[told:], "more"), (older, "older")):
        if rest:
            errors = sum([finding["severity"] == "error" for finding in rest])
            counts = _count(errors, which + " error") + ", " + _count(len(rest) - errors, which + " warning")
            lines.append("and " + counts + (" as before" if which == "older" else ""))
    return "\n".join(lines)


def _by_severity(findings: list[Finding]) -> list[Finding]:
    return [f for f in findings if f["severity"] == "error"] + [f for f in findings if f["severity"] != "error"]


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
    if finding["rule"] == CORE_LINT:
        return str(finding["message"])
    line = ":" + str(finding["line"]) if finding["line"] else ""
    return "{file}{0}: {severity} {rule}: {message}".format(line, **finding)


def _count(number: int, noun: str) -> str:
    return str(number) + " " + noun + ("" if number == 1 else "s")
