"""What a check says: one line, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

OK = "ok"
NOTE = "note"  # worth knowing, nothing to do
WARN = "warn"  # works, but needs attention
FAIL = "fail"  # does not work


@dataclass(frozen=True)
class Check:
    """`about` groups the lines: settings, wiring, hooks, program, command, python, lint, state, runs.

    `remedy` is for a person to read, `command` for a person to paste.
    """

    about: str
    state: str
    line: str
    remedy: str = ""
    command: str = ""


def needs_a_person(checks: list[Check]) -> bool:
    return any(check.state in (WARN, FAIL) for check in checks)
