"""The rules in words: one explained, all listed."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from dreamwork_hooks.errors import UserError
from dreamwork_hooks.rulebook import Rule

_PLACES = {
    **{name: f"a {name}" for name in ("command", "handler", "group", "script")},
    "open": "below ## Open",
    "answered": "below ## Answered",
    "file": "the whole file",
    "over": "the whole file",
}
# Words for the gaps of a fix, where no fault fills them.
_GAPS = {
    "ids": "#7",
    "id": "#7",
    "question": "#7",
    "other": "#9",
    "first": "5",
    "there": "5",
    "row": "8",
    "free": "8",
    "labels": "Q2",
    "heading": "## Open",
    "token": "PENDING",
    "form": "- **#7** — title",
}


def find(name: str, rules: Mapping[str, Rule]) -> Rule | None:
    """The rule of that name; the part after the slash will do where it names one rule."""
    if name in rules:
        return rules[name]
    found = [rule for rule in rules.values() if rule.name.partition("/")[2] == name]
    return found[0] if len(found) == 1 else None


def alike(name: str, rules: Mapping[str, Rule]) -> list[str]:
    """Names of rules that a person may have meant."""
    short = name.rpartition("/")[2]
    return [rule for rule in rules if short and short in rule] or difflib.get_close_matches(name, list(rules), 3, 0.5)


def explain(rule: Rule) -> str:
    """What the rule is for, what to write, and its examples."""
    parts = [f"{rule.name} ({rule.severity})", rule.why, f"Fix: {_filled(rule.fix)}."]
    where = f" ({_PLACES[rule.place]})" if rule.place in _PLACES else ""
    bad = "(no such file)" if rule.place == "absent" else rule.bad
    parts.append(f"Bad{' (written over the good one)' if rule.place == 'over' else where}:\n\n{_indented(bad)}")
    parts.append(f"Good{where}:\n\n{_indented(rule.good)}")
    if rule.place != "over" and rule.name.startswith(("questions/", "tasks/")):
        parts.append(f"To let it stand in one entry, write there:\n\n    <!-- lint-ignore: {rule.name} -->")
    return "\n\n".join(parts) + "\n"


def explained(name: str, rules: Mapping[str, Rule]) -> str:
    """The rule of that name, explained. Raises UserError, which names those a person may have meant."""
    rule = find(name, rules)
    if rule is None:
        near = alike(name, rules)
        raise UserError(
            f"no rule {name!r}; " + (f"did you mean {', '.join(near)}?" if near else "--rules lists them all")
        )
    return explain(rule)


def listed(rules: Mapping[str, Rule]) -> str:
    """One line a rule."""
    width = max(map(len, rules))
    return "".join(f"{rule.name:<{width}}  {rule.severity:<7}  {_first(rule.why)}\n" for rule in rules.values())


def _filled(fix: str) -> str:
    return fix.format(**_GAPS)


def _indented(text: str) -> str:
    return "\n".join("    " + line if line else "" for line in text.split("\n"))


def _first(why: str) -> str:
    return why.split(". ")[0].rstrip(".") + "."
