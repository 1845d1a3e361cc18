"""`lint`: the embedded ledger lint, for a person, an editor, a build and pre-commit."""

from __future__ import annotations

from pathlib import Path

import click

from dreamwork_hooks.cli import lint_report, lint_rules
from dreamwork_hooks.cli.lint_files import Place, places, read
from dreamwork_hooks.cli.lint_report import Report
from dreamwork_hooks.cli.options import project
from dreamwork_hooks.cli.words import coloured, say_document, write
from dreamwork_hooks.errors import UserError
from dreamwork_hooks.ledger.lint import FILES, lint, verdict
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
@click.argument("files", nargs=-1, type=PATH, metavar="[FILE]...")
def command(target: Path | None, form: str, explain: str | None, rules: bool, files: tuple[Path, ...]) -> None:
    """Check .dreamwork/questions.md and .dreamwork/tasks.md.

    FILE names one of them, or both; without one, both files of the target are checked. Exit status: 0 sound or
    warnings, 1 errors, 2 no target or a file that cannot be read.
    """
    if rules:
        return write(lint_rules.listed())
    if explain is not None:
        return write(_explained(explain))
    reports = [_report(place) for place in places(target, files, Path.cwd())]
    if form == "json" and len(reports) > 1:
        raise UserError("--json holds one ledger; name the files of one project at a time")
    if form == "json":
        say_document(reports[0].result)
    elif form == "sarif":
        say_document(lint_report.sarif(reports))
    elif form == "github":
        write(lint_report.github(reports))
    else:
        write(lint_report.text(reports, colour=coloured()))
    if any(report.result["verdict"] == "errors" for report in reports):
        raise SystemExit(1)
    return None


def _report(place: Place) -> Report:
    questions, tasks = (read(place.directory / name) for name in FILES)
    store = (place.directory / STORE).exists()
    result = lint(questions, tasks, store_present=store)
    if place.only:
        result["findings"] = [finding for finding in result["findings"] if finding["file"] == place.only]
        result["verdict"] = verdict(result["findings"])
    return Report(place.directory, result)


def _explained(name: str) -> str:
    rule = lint_rules.find(name)
    if rule is None:
        near = lint_rules.alike(name)
        raise UserError(
            f"no rule {name!r}; " + (f"did you mean {', '.join(near)}?" if near else "--rules lists them all")
        )
    return lint_rules.explain(rule)
