"""The findings of `lint` and `check` as text, as workflow commands, as SARIF. Pure functions from findings to lines."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from dreamwork_hooks import __version__
from dreamwork_hooks.cli.words import style
from dreamwork_hooks.rulebook import Rule

COLOURS = {"error": "red", "warning": "yellow", "advice": "cyan"}

_GITHUB = {"error": "error", "warning": "warning", "advice": "notice"}
_SARIF = {"error": "error", "warning": "warning", "advice": "note"}


class Located(Protocol):
    """Whatever has findings, each with the path to show for it."""

    def located(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """Path and finding: `rule`, `severity`, `line`, `message`, `fix`."""


@dataclass(frozen=True)
class Report:
    """What `lint` said of the ledger in `directory`, that directory as a person would name it, and what was read."""

    directory: Path
    result: dict[str, Any]
    texts: dict[str, bytes | None] = field(default_factory=dict)

    def located(self) -> list[tuple[str, dict[str, Any]]]:
        """Each finding with the path of its file."""
        return [(shown(self.directory / finding["file"]), finding) for finding in self.result["findings"]]


def shown(path: Path) -> str:
    """`path` from the working directory if it lies below, else absolute."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return str(path)
    return os.path.abspath(path) if relative.startswith(os.pardir) else relative


def text(reports: Sequence[Located], colour: bool, sound: str = "The ledger is sound.") -> str:
    """`path:line: rule message`, its severity when it is no error, the fix below it, and a summary line."""
    lines = []
    severities: Counter[str] = Counter()
    for report in reports:
        for path, finding in report.located():
            severity = finding["severity"]
            severities[severity] += 1
            where = f"{path}:{finding['line']}" if finding["line"] else path
            rule = finding["rule"]
            if colour:
                where, rule = style(where, bold=True), style(rule, COLOURS[severity])
            lesser = "" if severity == "error" else f" ({severity})"
            lines.append(f"{where}: {rule} {finding['message']}{lesser}")
            lines.append(f"    fix: {finding['fix']}")
    lines.append(summary(severities, sound))
    return "\n".join(lines) + "\n"


def summary(severities: Counter[str], sound: str) -> str:
    """`Found 2 errors and 1 warning.`, with the advice told apart."""
    parts = [_many(severities[name], name) for name in ("error", "warning") if severities[name]]
    advice = severities["advice"]
    rest = f" {advice} {'piece' if advice == 1 else 'pieces'} of advice." if advice else ""
    return ("Found " + " and ".join(parts) + "." if parts else sound) + rest


def _many(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def github(reports: Sequence[Located]) -> str:
    """Workflow commands, one a finding."""
    lines = []
    for report in reports:
        for path, finding in report.located():
            place = f"file={_property(path)}"
            if finding["line"]:
                place += f",line={finding['line']}"
            words = _data(f"{finding['message']}. Fix: {finding['fix']}")
            lines.append(f"::{_GITHUB[finding['severity']]} {place},title={_property(finding['rule'])}::{words}\n")
    return "".join(lines)


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


def sarif(reports: Sequence[Located], name: str, rules: Mapping[str, Rule]) -> dict[str, Any]:
    """A SARIF 2.1.0 log with one run of the command `name`."""
    names = list(rules)
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": f"dreamwork-hooks {name}",
                        "version": __version__,
                        "rules": [
                            {
                                "id": rule.name,
                                "shortDescription": {"text": rule.why},
                                "defaultConfiguration": {"level": _SARIF[rule.severity]},
                            }
                            for rule in rules.values()
                        ],
                    }
                },
                "results": [
                    {
                        "ruleId": finding["rule"],
                        "ruleIndex": names.index(finding["rule"]),
                        "level": _SARIF[finding["severity"]],
                        "message": {"text": f"{finding['message']}. Fix: {finding['fix']}"},
                        "locations": [{"physicalLocation": _location(path, finding["line"])}],
                    }
                    for report in reports
                    for path, finding in report.located()
                ],
            }
        ],
    }


def _location(path: str, line: int | None) -> dict[str, Any]:
    uri = Path(path).as_uri() if os.path.isabs(path) else quote(path.replace(os.sep, "/"))
    location: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if line:
        location["region"] = {"startLine": line}
    return location
