"""PostToolUse: when a ledger file was touched, lint it and tell the model at once. Never blocks."""

from dreamwork_hooks import PLUGIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Answer = dict[str, Any]
    Finding = dict[str, Any]

HOOK = "ledger-lint"
MAX_LEDGER = 8 << 20  # bytes that are linted inside the budget
MAX_CONTEXT = 2000  # characters
MAX_OUTPUT = 1500
_AFTER_LINT = 0.25  # seconds kept for the answer


def answer(
    event: "dict[str, Any]", env: "dict[str, str]", deadline: float
) -> "tuple[Answer, Callable[[], None] | None]":
    """The answer to one PostToolUse event, and the bookkeeping that may follow it."""
    tool_input = event.get("tool_input")
    path = tool_input.get("file_path") if isinstance(tool_input, dict) else None
    if not isinstance(path, str) or not path.endswith((".md", "/")):
        return _skip("not a ledger file"), None  # before anything is imported: this is nearly every edit
    from dreamwork_hooks.target.consent import refusal
    from dreamwork_hooks.target.find import is_target, ledger_file

    touched = ledger_file(path, event.get("cwd"))
    if touched is None:
        return _skip("not a ledger file"), None
    target, name = touched
    if not is_target(target):
        return _skip("not in a dreamwork target"), None
    why_not = refusal(target)
    if why_not is not None:
        return _skip(why_not), None
    said = lint_answer(target, name, env, deadline)

    def note_it() -> None:
        import os
        import time

        from dreamwork_hooks.records import timestamp
        from dreamwork_hooks.runs import note_run
        from dreamwork_hooks.state import in_locked_state

        real = os.path.realpath(target)
        stamp = timestamp(time.time())
        in_locked_state(env, real, 0.1, lambda state: note_run(state, "posttooluse", real, stamp, said.get("error")))

    return said, note_it


def lint_answer(target: str, name: str, env: "dict[str, str]", deadline: float) -> "Answer":
    """Lint the touched ledger `name`: the embedded lint always, then the core lint if one was chosen."""
    from dreamwork_hooks.config import read_config

    findings, problem = embedded_findings(target, name)
    errors = [finding for finding in findings if finding["severity"] == "error"]
    warned = any(finding["severity"] == "warning" for finding in findings)
    linter = "embedded"
    rows: "list[str]" = []
    config = read_config(env)
    if env.get("DREAMWORK_LINT") or "lint" in config:
        linter, rows, core_problem, core_warned = _core(target, name, env, config, deadline)
        problem = problem or core_problem
        warned = warned or core_warned

    if errors:
        problem = _count(errors, "error") + " in " + name + ("; " + problem if problem else "")
    said: "Answer" = {"ok": problem is None, "hook": HOOK, "plugin": PLUGIN}
    if problem is None:
        said["lint"] = "warnings" if warned else "clean"
        said["linter"] = linter
    else:
        said["linter"] = linter
        said["error"] = problem
        said["lint_output"] = _output(findings, rows)
    if problem is not None or warned:
        said["hookSpecificOutput"] = {
            "hookEventName": "PostToolUse",
            "additionalContext": context(name, findings, problem, rows),
        }
    return said


def embedded_findings(target: str, name: str) -> "tuple[list[Finding], str | None]":
    """(findings of the touched file, why it could not be linted)."""
    import os

    from dreamwork_hooks.ledger.lint import lint
    from dreamwork_hooks.reading import Unreadable, read_regular

    ledger: "dict[str, bytes | None]" = {}
    for file in ("questions.md", "tasks.md"):
        try:
            ledger[file] = read_regular(os.path.join(target, ".dreamwork", file), MAX_LEDGER)
        except Unreadable as error:
            if file == name and not error.absent:
                return [], name + " could not be linted: it is " + str(error)
            ledger[file] = None
    store = os.path.exists(os.path.join(target, ".dreamwork", "ledger.sqlite3"))
    found = lint(ledger["questions.md"], ledger["tasks.md"], store_present=store, only=name)["findings"]
    return [finding for finding in found if finding["severity"] != "advice"], None


def _core(
    target: str, name: str, env: "dict[str, str]", config: "dict[str, object]", deadline: float
) -> "tuple[str, list[str], str | None, bool]":
    """(linter, rows, problem, whether it warned about the touched file)."""
    import time

    from dreamwork_hooks import corelint

    try:
        lint = corelint.chosen_lint(env, config, target)
        if lint is None:
            return "embedded", [], None, False
        seconds = min(corelint.time_limit(env), deadline - time.monotonic() - _AFTER_LINT)
        ran = corelint.run(lint, target, seconds)
    except corelint.CannotRun as error:
        return "core", [], str(error), False
    if ran.status is None:
        return "core", ran.rows, "the core lint did not finish in " + str(round(seconds, 1)) + " s", False
    if ran.status != 0:
        return "core", ran.rows, "the core lint left with status " + str(ran.status), False
    return "core", ran.rows, None, ran.warns_about(name)


def context(name: str, findings: "list[Finding]", problem: "str | None", rows: "list[str]") -> str:
    """What the model is told: the errors, each with its line and its fix, then a count of the rest."""
    lines = ["dreamwork ledger lint, .dreamwork/" + name + ": " + (problem or "warnings")]
    room = MAX_CONTEXT - len(lines[0]) - 80  # the count of the rest always fits
    told = 0
    ordered = [f for f in findings if f["severity"] == "error"] + [f for f in findings if f["severity"] != "error"]
    for finding in ordered:
        row = _row(finding) + " Fix: " + finding["fix"]
        if len(row) + 1 > room:
            break
        lines.append(row)
        room -= len(row) + 1
        told += 1
    rest = ordered[told:]
    if rest:
        lines.append(
            "and "
            + _count([f for f in rest if f["severity"] == "error"], "error")
            + ", "
            + _count([f for f in rest if f["severity"] != "error"], "warning")
            + " more"
        )
    for row in _core_rows(rows):
        if len(row) + 1 > room:
            break
        lines.append(row)
        room -= len(row) + 1
    return "\n".join(lines)[:MAX_CONTEXT]


def _core_rows(rows: "list[str]") -> "list[str]":
    from dreamwork_hooks.corelint import tail_of

    return tail_of(rows).split("\n") if rows else []


def _output(findings: "list[Finding]", rows: "list[str]") -> str:
    lines = [_row(finding) for finding in findings] + _core_rows(rows)
    kept = []
    room = MAX_OUTPUT
    for line in lines[:20]:
        if len(line) + 1 > room:
            break
        kept.append(line)
        room -= len(line) + 1
    return "\n".join(kept)


def _row(finding: "Finding") -> str:
    line = ":" + str(finding["line"]) if finding["line"] else ""
    return "{file}{0}: {severity} {rule}: {message}".format(line, **finding)


def _count(findings: "list[Finding]", noun: str) -> str:
    return str(len(findings)) + " " + noun + ("" if len(findings) == 1 else "s")


def _skip(reason: str) -> "Answer":
    return {"ok": True, "skipped": True, "reason": reason, "hook": HOOK, "plugin": PLUGIN}
