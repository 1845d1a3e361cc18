"""`lint`: the embedded ledger lint, for a person, an editor, a build and pre-commit."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import click

from dreamwork_hooks.cli import lint_fix, lint_report, lint_rules
from dreamwork_hooks.cli.lint_files import MOST_BYTES, Place, places, read
from dreamwork_hooks.cli.lint_report import Report
from dreamwork_hooks.cli.options import project
from dreamwork_hooks.cli.words import coloured, say_document, say_json, write
from dreamwork_hooks.errors import Failed, UserError
from dreamwork_hooks.ledger.lint import FILES, keyed, lint, verdict
from dreamwork_hooks.ledger.rules import read_rules
from dreamwork_hooks.memory.config import LEVELS, read_levels
from dreamwork_hooks.settings.writing import replace_beside
from dreamwork_hooks.targets.find import STORE

PATH = click.Path(path_type=Path)


@click.command()
@project("The project whose ledger to lint [the nearest from here up]", type=PATH)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    show_default=True,
    help="How to write the findings",
)
@click.option("--json", "form", flag_value="json", help="Print JSON")
@click.option("--explain", metavar="RULE", help="Explain a rule, with a bad and a good example")
@click.option("--rules", is_flag=True, help="List all rules")
@click.option("--as", "name", type=click.Choice(FILES), help="Which file standard input (FILE `-`) stands for")
@click.option("--stdin", is_flag=True, help="The same as FILE `-`")
@click.option("--baseline", type=PATH, metavar="JSON", help="Pass over the findings that this file holds")
@click.option("--write-baseline", type=PATH, metavar="JSON", help="Write all findings of now into this file")
@click.option("--fix", is_flag=True, help="Show, as a diff, what mends the findings that have exactly one answer")
@click.option("--write", "wet", is_flag=True, help="With --fix: write it, and keep the file as it was beside it")
@click.argument("files", nargs=-1, type=PATH, metavar="[FILE]...")
def command(
    target: Path | None,
    form: str,
    explain: str | None,
    rules: bool,
    name: str | None,
    stdin: bool,
    baseline: Path | None,
    write_baseline: Path | None,
    fix: bool,
    wet: bool,
    files: tuple[Path, ...],
) -> None:
    """Check .dreamwork/questions.md and .dreamwork/tasks.md.

    FILE names one of them, or both, or is `-` for standard input; without one, both files of the target are checked.
    Exit status: 0 nothing or only warnings, 1 errors, 2 no target or a file that cannot be read.

    One finding is let stand by `<!-- lint-ignore: RULE -->` in its entry; a rule is turned off, or given another
    severity, for this ledger and the hook by .dreamwork/lint.json: {"rules": {"RULE": "off"}}.
    """
    if rules:
        return write(lint_rules.listed(read_rules()))
    if explain is not None:
        return write(lint_rules.explained(explain, read_rules()))
    if wet and not fix:
        raise UserError("--write goes with --fix")
    if stdin or files == (Path("-"),):
        if name is None or fix:
            raise UserError("standard input needs --as questions.md or --as tasks.md, and has no --fix")
        reports = [_buffer(name, target)]
    elif name is not None:
        raise UserError("--as goes with `-`, for standard input")
    elif fix:
        return _fix(places(target, files, Path.cwd()), wet)
    else:
        reports = [_report(place) for place in places(target, files, Path.cwd())]
    if form == "json" and len(reports) > 1:
        raise UserError("--json reports on one ledger; name the files of one project at a time")
    if write_baseline is not None:
        return _write_baseline(write_baseline, reports)
    passed = _pass_over(baseline, reports) if baseline is not None else 0
    if form == "json":
        say_json(reports[0].result)
    elif form == "sarif":
        say_document(lint_report.sarif(reports, "lint", read_rules()))
    elif form == "github":
        write(lint_report.github(reports))
    else:
        write(lint_report.text(reports, colour=coloured()))
        if passed:
            write(f"{passed} older finding{'s' * (passed != 1)} passed over, as {baseline} says.\n")
    if any(report.result["verdict"] == "errors" for report in reports):
        raise SystemExit(1)
    return None


def _report(place: Place) -> Report:
    questions, tasks = (read(place.directory / name) for name in FILES)
    return _linted(place.directory, questions, tasks, place.only)


def _linted(directory: Path, questions: bytes | None, tasks: bytes | None, only: str | None) -> Report:
    levels, fault = read_levels(str(directory / LEVELS))
    unknown = [rule for rule in levels if lint_rules.find(rule, read_rules()) is None]
    if fault or unknown:
        raise UserError(f"{directory / LEVELS}: {fault or 'there is no rule ' + repr(unknown[0])}")
    store = (directory / STORE).exists()
    result = lint(questions, tasks, store_present=store, levels=levels)
    if only:
        result["findings"] = [finding for finding in result["findings"] if finding["file"] == only]
        result["verdict"] = verdict(result["findings"])
    return Report(directory, result, {FILES[0]: questions, FILES[1]: tasks})


def _buffer(name: str, target: Path | None) -> Report:
    """Standard input as the ledger file `name`; the other file is the target's, where there is one."""
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UserError(f"standard input is larger than {MOST_BYTES >> 20} MB, which no ledger is")
    try:
        directory = places(target, (), Path.cwd())[0].directory
    except UserError:
        if target is not None:
            raise
        directory = Path()
    texts = {other: data if other == name else read(directory / other) for other in FILES}
    return _linted(directory, texts[FILES[0]], texts[FILES[1]], name)


def _fix(found: list[Place], wet: bool) -> None:
    changed = False
    for place in found:
        for name in FILES if place.only is None else (place.only,):
            path = place.directory / name
            before = read(path)
            after = lint_fix.fixed(name, before) if before is not None else None
            if before is None or after is None or after == before:
                continue
            changed = True
            write(lint_fix.diff(lint_report.shown(path), before, after))
            if wet:
                backup = lint_fix.replace(path, before, after)
                write(f"Wrote {lint_report.shown(path)}; the file as it was: {lint_report.shown(backup)}\n")
    if not changed:
        write("Nothing has exactly one answer.\n")
    elif not wet:
        write("Nothing was written; --fix --write does it.\n")


def _keys(report: Report) -> list[tuple[dict[str, Any], str]]:
    return [
        (finding, f"{finding['file']}: {key}")
        for name in FILES
        for finding, key in keyed([f for f in report.result["findings"] if f["file"] == name], report.texts[name])
    ]


def _write_baseline(path: Path, reports: list[Report]) -> None:
    held = Counter(key for report in reports for _, key in _keys(report))
    data = {"format": 1, "findings": dict(sorted(held.items()))}
    try:
        replace_beside(str(path.absolute()), (json.dumps(data, indent=1) + "\n").encode("ascii"), 0o644)
    except OSError as e:
        raise Failed(f"{path} could not be written: {e.strerror or e}") from e
    count = sum(held.values())
    write(f"Wrote {count} finding{'s' * (count != 1)} to {path}.\n")


def _pass_over(path: Path, reports: list[Report]) -> int:
    """Take the findings that the baseline holds out of the reports; returns how many those were."""
    data = read(path)
    if data is None:
        raise UserError(f"there is no baseline {path}; --write-baseline {path} writes it")
    try:
        held = json.loads(data)["findings"]
        left = Counter({str(key): int(count) for key, count in held.items()})
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as e:
        raise UserError(f"{path} is not a baseline of this lint; write it again with --write-baseline") from e
    passed = 0
    for report in reports:
        new = []
        for finding, key in _keys(report):
            if left[key] > 0:
                left[key] -= 1
                passed += 1
            else:
                new.append(finding)
        report.result["findings"] = new
        report.result["verdict"] = verdict(new)
    return passed
