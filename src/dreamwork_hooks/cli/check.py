"""`check`: a linter for hooks, for an author and a build."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dreamwork_hooks.check.check import Finding, findings
from dreamwork_hooks.check.rules import read_rules
from dreamwork_hooks.check.sources import below, of_file
from dreamwork_hooks.cli import lint_report, lint_rules, options, words
from dreamwork_hooks.contract.asdata import as_data
from dreamwork_hooks.errors import Failed, UserError
from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.settings.layers import LayerFile, config_dir, once_each
from dreamwork_hooks.settings.plugins import plugin_files
from dreamwork_hooks.settings.reading import read_layer
from dreamwork_hooks.settings.sources import layer_files
from dreamwork_hooks.settings.writing import replace_beside

FORMATS = ("text", "json", "github", "sarif", "junit")


@click.command()
@options.project("The project [here]", "project", type=click.Path(exists=True, file_okay=False))
@click.option("--settings", multiple=True, metavar="FILE", help="Only this settings file, or JSON; repeatable")
@click.option("--plugin", "plugins", multiple=True, metavar="DIR", help="Only this plugin's directory; repeatable")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="How to write it")
@click.option("--json", "form", flag_value="json", help="Print JSON")
@click.option("--ignore", multiple=True, metavar="RULE[:PATH]", help="Leave a rule out, or only in paths with PATH")
@click.option("--baseline", type=click.Path(dir_okay=False), metavar="FILE", help="Leave out what this file holds")
@click.option("--write-baseline", type=click.Path(dir_okay=False), metavar="FILE", help="Write what is found there")
@click.option("--explain", metavar="RULE", help="Explain a rule, with a bad and a good example")
@click.option("--rules", is_flag=True, help="List all rules")
@click.argument("paths", nargs=-1, type=click.Path(exists=True), metavar="[FILE|DIR]...")
def command(
    project: str | None, settings: tuple[str, ...], plugins: tuple[str, ...], form: str, ignore: tuple[str, ...],
    baseline: str | None, write_baseline: str | None, explain: str | None, rules: bool, paths: tuple[str, ...],
) -> None:  # fmt: skip
    """Check hooks for what cannot work, without running any.

    Without FILE or DIR: all settings that apply here. A DIR is looked through for settings and plugins. Of the scripts
    that hooks run, shells are asked whether they can be read. Exit status: 0 no errors, 1 errors, 2 wrong usage.
    """
    known = read_rules()
    if rules:
        return words.write(lint_rules.listed(known))
    if explain is not None:
        return words.write(lint_rules.explained(explain, known))
    for each in ignore:
        if each.partition(":")[0] not in known:
            raise UserError(f"--ignore {each}: no rule {each.partition(':')[0]!r}; --rules lists them all")
    wanted = _sources(os.path.abspath(project or os.getcwd()), settings, plugins, paths)
    found = [each for root, files in wanted.items() for each in
             findings([read_layer(file) for file in once_each(files)], root, os.environ)]  # fmt: skip
    held = _baseline(baseline)
    kept = [each for each in dict.fromkeys(found) if not _ignored(each, ignore) and _key(each) not in held]
    if write_baseline is not None:
        rows = [dict(zip(("rule", "path", "message"), _key(each))) for each in kept]
        text = json.dumps({"version": 1, "findings": rows}, indent=1, ensure_ascii=False) + "\n"
        try:
            replace_beside(os.path.abspath(write_baseline), text.encode("utf-8", "backslashreplace"), 0o644)
        except OSError as error:
            raise Failed(f"{write_baseline} could not be written: {error.strerror or error}") from error
        return words.say(f"{len(kept)} findings written to {write_baseline}")
    report = Checked(kept)
    if form == "json":
        words.say_json({"findings": [dict(each) for _, each in report.located()]})
    elif form == "sarif":
        words.say_document(lint_report.sarif([report], "check", known))
    elif form == "github":
        words.write(lint_report.github([report]))
    elif form == "junit":
        words.write_data(junit(report))
    else:
        number = sum(os.path.lexists(file.path) or file.text is not None for files in wanted.values() for file in files)
        sound = f"No fault found in {number} file{'' if number == 1 else 's'}."
        words.write(lint_report.text([report], words.coloured(), sound if number else "There are no hooks to check."))
    if any(each.severity == "error" for each in kept):
        raise SystemExit(1)
    return None


@dataclass(frozen=True)
class Checked:
    """The findings, with paths as a person would name them."""

    findings: Sequence[Finding]

    def located(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Path and finding."""
        rows: list[tuple[str, Mapping[str, Any]]] = []
        for each in self.findings:
            path = _shown(each.path)
            data = as_data(each)
            assert isinstance(data, dict)
            rows.append((path, {**data, "path": path}))
        return rows


def junit(report: Checked) -> bytes:
    """The findings as JUnit XML: a case each, of which errors are failures, and one that passes where there is none."""
    failures = sum(each.severity == "error" for each in report.findings)
    suite = ET.Element(
        "testsuite", name="dreamwork-hooks check", tests=str(max(len(report.findings), 1)), failures=str(failures)
    )
    for path, each in report.located():
        case = ET.SubElement(suite, "testcase", classname=each["rule"], name=f"{path}:{each['line']}")
        text = f"{each['message']}\nfix: {each['fix']}"
        if each["severity"] == "error":
            ET.SubElement(case, "failure", message=each["message"]).text = text
        else:
            ET.SubElement(case, "system-out").text = f"{each['severity']}: {text}"
    if not report.findings:
        ET.SubElement(suite, "testcase", classname="check", name="all rules")
    written: bytes = ET.tostring(suite, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _sources(
    project: str, settings: Sequence[str], plugins: Sequence[str], paths: Sequence[str]
) -> dict[str, list[LayerFile]]:
    """The files to check by the project they belong to."""
    found: dict[str, list[LayerFile]] = {}
    for text in settings:
        if text.lstrip().startswith("{"):
            found.setdefault(project, []).append(LayerFile("flag", "--settings", text))
        elif not os.path.lexists(text):
            raise UserError(f"--settings {text}: no such file")
        else:
            file, root = of_file(text)
            found.setdefault(root, []).append(file)
    for directory in plugins:
        if not os.path.isdir(directory):
            raise UserError(f"--plugin {directory}: no such directory")
        files = plugin_files(directory, config_dir(os.environ, os.path.expanduser("~"), project))
        if not files:
            raise UserError(f"--plugin {directory}: has no hooks/hooks.json, and no hooks in its manifest or skills")
        found.setdefault(os.path.abspath(directory), []).extend(files)
    for path in paths:
        for file, root in below(path) if os.path.isdir(path) else [of_file(path)]:
            found.setdefault(root, []).append(file)
    if not (settings or plugins or paths):
        home = os.environ.get("HOME") or os.path.expanduser("~")
        found[project] = layer_files(project, env=os.environ, home=home)
    return found


def _key(finding: Finding) -> tuple[str, str, str]:
    """What a finding is known by in a baseline: not its line, which moves."""
    return finding.rule, _shown(finding.path), finding.message


def _shown(path: str) -> str:
    return lint_report.shown(Path(path)) if os.path.isabs(path) else path


def _ignored(finding: Finding, ignore: Sequence[str]) -> bool:
    for each in ignore:
        rule, _, path = each.partition(":")
        if rule == finding.rule and path in _shown(finding.path):
            return True
    return False


def _baseline(path: str | None) -> set[tuple[str, str, str]]:
    if path is None:
        return set()
    try:
        rows = json.loads(read_regular(path, 16 << 20))["findings"]
        return {(row["rule"], row["path"], row["message"]) for row in rows}
    except Unreadable as error:
        raise UserError(f"--baseline {path}: {error}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UserError(f"--baseline {path}: is not a baseline; --write-baseline makes one") from None
