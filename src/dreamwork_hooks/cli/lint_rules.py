"""The rules in words: one explained, all listed, and the page `ledger/RULES.md`.

`python -m dreamwork_hooks.cli.lint_rules` prints that page; it is kept beside the rules and compared by a test.
"""

from __future__ import annotations

import difflib
import sys

from dreamwork_hooks.ledger.rules import RULES, Rule

_PLACES = {"open": "below `## Open`", "answered": "below `## Answered`", "file": "the whole file"}
# Words for the gaps of a fix, where no fault fills them.
_GAPS = {
    "ids": "#7",
    "id": "#7",
    "ask": "#7",
    "question": "#7",
    "other": "#9",
    "first": "5",
    "there": "5",
    "row": "8",
    "free": "8",
    "labels": "Q2",
    "heading": "## Open",
    "token": "PENDING",
}
_INTRODUCTION = """\
Generated from the rules themselves by `python -m dreamwork_hooks.cli.lint_rules`; edit those, not this page.

An **error** is something that a reader cannot see or misreads, a **warning** is worth a look, and **advice** is never
part of the verdict. `dreamwork-hooks.pyz lint --explain RULE` prints one of these.
"""


def find(name: str) -> Rule | None:
    """The rule of that name; the part after the slash will do where it names one rule."""
    if name in RULES:
        return RULES[name]
    found = [rule for rule in RULES.values() if rule.name.partition("/")[2] == name]
    return found[0] if len(found) == 1 else None


def alike(name: str) -> list[str]:
    """Names of rules that a person may have meant."""
    short = name.rpartition("/")[2]
    return [rule for rule in RULES if short and short in rule] or difflib.get_close_matches(name, RULES, 3, 0.5)


def explain(rule: Rule) -> str:
    """What the rule is for, what to write, and its examples."""
    parts = [f"{rule.name} ({rule.severity})", rule.why, f"Fix: {_filled(rule.fix)}."]
    if rule.place == "memory":
        return "\n\n".join(parts) + "\n"
    where = f" ({_PLACES[rule.place].replace('`', '')})" if rule.place in _PLACES else ""
    bad = "(no such file)" if rule.place == "absent" else _example(rule.bad) or "(nothing)"
    parts.append(f"Bad{where}:\n\n{_indented(bad)}")
    parts.append(f"Good{where}:\n\n{_indented(_example(rule.good))}")
    return "\n\n".join(parts) + "\n"


def listed() -> str:
    """One line a rule."""
    width = max(map(len, RULES))
    return "".join(f"{rule.name:<{width}}  {rule.severity:<7}  {_first(rule.why)}\n" for rule in RULES.values())


def page() -> str:
    """RULES.md."""
    out = [
        "# Rules of the ledger lint\n",
        _INTRODUCTION,
    ]
    for rule in RULES.values():
        out.append(f"## `{rule.name}`\n\n*{rule.severity}*: {rule.why}\n\nFix: {_filled(rule.fix)}.\n")
        if rule.place in _PLACES:
            if rule.bad:
                out.append(f"Bad, {_PLACES[rule.place]}:\n\n{_fenced(rule.bad)}")
            out.append(f"Good, {_PLACES[rule.place]}:\n\n{_fenced(rule.good)}")
        elif rule.good:
            out.append(f"Good:\n\n{_fenced(rule.good)}")
    return "\n".join(out)


def _filled(fix: str) -> str:
    return fix.format(**_GAPS)


def _example(text: str) -> str:
    """An example as it can be printed: a byte that is not UTF-8 shows as an escape, a long run of digits is cut."""
    text = text.encode("utf-8", "backslashreplace").decode().replace("\\udc", "\\x")
    return text.replace("7" * 4301, "7777... (4301 digits)").rstrip("\n")


def _indented(text: str) -> str:
    return "\n".join("    " + line if line else "" for line in text.split("\n"))


def _fenced(text: str) -> str:
    return f"~~~text\n{_example(text)}\n~~~\n"


def _first(why: str) -> str:
    return why.split(". ")[0].rstrip(".") + "."


if __name__ == "__main__":
    sys.stdout.buffer.write(page().encode())
