"""Every rule in words: what it is for, what it says, what to write instead, an example of each.

A row of the tables is `(name, severity, why, message, fix, place, bad, good)`. `message` and `fix` are format strings
over the details of a fault. `place` says where the examples go: `open` and `answered` are lines below that heading of
the rule's file, `file` is a whole file, `absent` a file that is not there. Imported when there is something to say, or
to explain.
"""

from __future__ import annotations

from typing import Any

from dreamwork_hooks.ledger import rules_of_questions, rules_of_tasks

_NOTICE = "; the file is only a migration notice: the ledger moved to ledger.sqlite3, which is not beside it"
_NOTICE_FIX = (
    "bring ledger.sqlite3 back beside this notice; or, if the ledger lives in Markdown again, replace the notice by a"
    " ledger with `Next id: **N**`, `## Open` and `## Recently landed`"
)


class Rule:
    """One rule. `severity` is `error`, `warning` or `advice`; the rest as in the tables."""

    __slots__ = ("bad", "fix", "good", "message", "name", "place", "severity", "why")

    def __init__(self, row: tuple[str, str, str, str, str, str, str, str]) -> None:
        self.name, self.severity, self.why, self.message, self.fix, self.place, self.bad, self.good = row


RULES = {row[0]: Rule(row) for row in rules_of_questions.RULES + rules_of_tasks.RULES}


def clip(text: str, limit: int = 60) -> str:
    """`text` on one line, printable, at most `limit` characters."""
    text = text[: limit * 4].replace("\t", " ").replace("\n", " ")
    text = "".join([c for c in text if c.isprintable()]).strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def finding(rule: str, file: str, line: int, subject: str | None, details: dict[str, Any]) -> dict[str, Any]:
    """The finding for a fault: `rule`, `severity`, `file`, `line`, `subject`, `message`, `fix`."""
    row = RULES[rule]
    words = {key: _word(value) for key, value in details.items()}
    message, fix = row.message, row.fix
    if rule == "questions/heading-not-literal":
        names = details["headings"]
        words["headings"] = "found: " + ", ".join([f"`{clip(n, 30)}`" for n in names]) if names else "no heading found"
        if details["bom"]:
            words["headings"] += "; a byte order mark stands before `## Open`"
            fix += "; save the file without a byte order mark"
    elif rule == "tasks/next-id-missing" and details["near"]:
        message += "; line {near} is not written like that (blanks or a byte order mark before it count)"
    elif rule == "tasks/origin-missing" and details["near"]:
        message += "; the field is spelled `origin: **...**`"
    elif rule == "tasks/open-count-disagrees":
        where, name = details["stray"]
        if where:
            words["where"], words["name"] = where, clip(name, 30)
            message += "; look at the heading on line {where}, `{name}`"
    elif rule == "tasks/blocked-without-question":
        words["ask"] = words["gate"] or words["ids"]
        if words["gate"]:
            message = "{ids} waits for a human at gate {gate} and no question names {gate}"
    elif rule == "tasks/missing-file" and details["store"]:
        message += "; ledger.sqlite3 is there, the notice that should point to it is not"
    if details.get("notice"):
        message += _NOTICE
        fix = _NOTICE_FIX
    return {
        "rule": rule,
        "severity": row.severity,
        "file": file,
        "line": line or None,
        "subject": subject,
        "message": message.format(**words),
        "fix": fix.format(**words),
    }


def _word(value: Any) -> Any:
    if isinstance(value, str):
        return clip(value)
    if isinstance(value, list):
        return ", ".join([clip(str(item), 30) for item in value])
    return value
