"""`dreamwork-hooks lint` as a person, an editor, a build and pre-commit use it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dreamwork_hooks.cli import lint_files, lint_report
from dreamwork_hooks.cli.main import main
from tests.support.ledgers import SOUND_QUESTIONS, SOUND_TASKS, asked, planned

ROOT = Path(__file__).parents[3]
BROKEN = planned("- **#5** — a, 100%: x\n- **#5** — b · landed `TBD` ·")


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    ledger = tmp_path / "my project" / ".dreamwork"
    ledger.mkdir(parents=True)
    (ledger / "questions.md").write_text(SOUND_QUESTIONS, encoding="utf-8")
    (ledger / "tasks.md").write_text(SOUND_TASKS, encoding="utf-8")
    monkeypatch.chdir(ledger.parent)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return ledger.parent


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["lint", *(str(argument) for argument in arguments)])


def write(target: Path, tasks: str = BROKEN, questions: str = SOUND_QUESTIONS) -> None:
    (target / ".dreamwork" / "tasks.md").write_text(tasks, encoding="utf-8")
    (target / ".dreamwork" / "questions.md").write_text(questions, encoding="utf-8")


def test_a_sound_ledger_is_said_to_be_sound(target: Path) -> None:
    result = run()
    assert (result.exit_code, result.output) == (0, "The ledger is sound.\n")


def test_findings_are_lines_with_place_rule_and_message(target: Path) -> None:
    write(target)
    result = run()
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[0].startswith(".dreamwork/tasks.md: tasks/open-count-disagrees by its headings")
    assert lines[1].startswith("    fix: ")
    assert lines[4].startswith(".dreamwork/tasks.md:8: tasks/landing-placeholder the landing of #5")
    assert lines[4].endswith(" (warning)")
    assert lines[-1] == "Found 2 errors and 1 warning."


def test_warnings_alone_are_no_failure_and_advice_is_told_apart(target: Path) -> None:
    write(target, planned("- **#7 stage 1** — title · P2\n- **#5** — blocked on x · P2"))
    result = run()
    assert result.exit_code == 0
    assert result.output.splitlines()[-1] == "Found 1 warning. 1 piece of advice."


def test_the_nearest_target_upwards_is_taken(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(target)
    deep = target / "src" / "deep"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    result = run()
    assert result.exit_code == 1
    place = str(target / ".dreamwork" / "tasks.md") + ":8: tasks/duplicate-id "
    assert place in result.output
    assert place in run("../../.dreamwork/tasks.md").output


@pytest.mark.parametrize("name", [".", ".dreamwork"])
def test_a_target_can_be_named(target: Path, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write(target)
    named = target / name
    monkeypatch.chdir("/")
    assert run("--target", named).exit_code == 1


def test_files_name_their_target_and_limit_what_is_told(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(target, questions=asked("- **P1: x** y"))
    assert "questions.md" not in run(".dreamwork/tasks.md").output
    assert "tasks.md" not in run(".dreamwork/questions.md").output
    both = run(".dreamwork/questions.md", ".dreamwork/tasks.md").output
    assert both == run().output
    assert run("--target", target, "tasks.md").output == run(".dreamwork/tasks.md").output
    assert run("--target", target, ".dreamwork/tasks.md").exit_code == 1


def test_a_question_that_tasks_need_is_read_though_only_tasks_is_named(target: Path) -> None:
    write(target, planned("- **#7** — a · blocked-on: **human** ·"), asked("- **For #7?** x"))
    assert run(".dreamwork/tasks.md").exit_code == 0


def test_files_of_several_targets_are_linted_together(target: Path) -> None:
    other = target / "sub" / ".dreamwork"
    other.mkdir(parents=True)
    (other / "tasks.md").write_text(BROKEN, encoding="utf-8")
    result = run(".dreamwork/tasks.md", "sub/.dreamwork/tasks.md")
    assert result.exit_code == 1
    assert "sub/.dreamwork/tasks.md:8" in result.output
    assert run("--format", "json", ".dreamwork/tasks.md", "sub/.dreamwork/tasks.md").exit_code == 2


def test_a_store_beside_a_notice_is_seen(target: Path) -> None:
    write(target, "<!--dreamwork-migration-notice\nmigration: x\n-->\n")
    assert run().exit_code == 1
    (target / ".dreamwork" / "ledger.sqlite3").write_bytes(b"")
    assert run().exit_code == 0


def failing(*arguments: str | Path) -> str:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return result.output


def test_what_is_no_target_is_refused(target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not a dreamwork target" in failing("--target", tmp_path)
    assert "does not exist" in failing(".dreamwork/tasks.md", "x/questions.md")
    assert "is not a ledger file" in failing("README.md")
    assert "a directory is named with --project" in failing(".dreamwork")
    assert "is not in the ledger of" in failing("--target", target, "x/tasks.md")
    monkeypatch.chdir(tmp_path)
    assert "name a project with --project DIR" in failing()


def test_what_cannot_be_read_is_refused(target: Path) -> None:
    tasks = target / ".dreamwork" / "tasks.md"
    tasks.unlink()
    tasks.mkdir()
    assert "is a directory" in failing()
    tasks.rmdir()
    os.mkfifo(tasks)
    assert "is not a regular file" in failing()
    tasks.unlink()
    tasks.symlink_to(target / "nothing")
    assert "is a link to a file that does not exist" in failing()


def test_a_file_too_large_for_a_ledger_is_refused(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint_files, "MOST_BYTES", 100)
    assert "is larger than" in failing()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read any file")
def test_a_file_without_permission_is_refused(target: Path) -> None:
    (target / ".dreamwork" / "tasks.md").chmod(0)
    assert "cannot be read: permission denied" in failing()


def test_a_missing_file_is_a_finding(target: Path) -> None:
    (target / ".dreamwork" / "tasks.md").unlink()
    result = run()
    assert result.exit_code == 0
    assert ".dreamwork/tasks.md: tasks/missing-file " in result.output


def test_json_has_the_documented_keys(target: Path) -> None:
    write(target)
    result = run("--format", "json")
    assert result.exit_code == 1
    data = json.loads(result.output)
    assert list(data) == ["version", "verdict", "counts", "findings"]
    assert data["version"] == 1
    assert data["verdict"] == "errors"
    assert set(data["counts"]) == {"questions", "tasks"}
    assert set(data["counts"]["tasks"]) == {"open", "landed", "entries", "next_id"}
    for finding in data["findings"]:
        assert list(finding) == ["rule", "severity", "file", "line", "subject", "message", "fix"]
        assert finding["file"] == "tasks.md"


def test_json_of_one_file_still_counts_both(target: Path) -> None:
    write(target, questions=asked("- **P1: x** y"))
    data = json.loads(run("--format", "json", ".dreamwork/tasks.md").output)
    assert {finding["file"] for finding in data["findings"]} == {"tasks.md"}
    assert data["counts"]["questions"]["open"] == 1


def test_workflow_commands_are_escaped(target: Path) -> None:
    write(target)
    lines = run("--format", "github").output.splitlines()
    assert lines[1].startswith("::error file=.dreamwork/tasks.md,line=8,title=tasks/duplicate-id::#5 heads")
    assert lines[0].startswith("::error file=.dreamwork/tasks.md,title=tasks/open-count-disagrees::")
    report = lint_report.Report(
        Path("a:b,c%"),
        {
            "findings": [
                {
                    "rule": "r",
                    "severity": "advice",
                    "file": "f",
                    "line": 1,
                    "subject": None,
                    "message": "5%\nx",
                    "fix": "y",
                }
            ]
        },
    )
    assert lint_report.github([report]) == "::notice file=a%3Ab%2Cc%25/f,line=1,title=r::5%25%0Ax. Fix: y\n"


def test_sarif_is_complete(target: Path) -> None:
    write(target)
    log = json.loads(run("--format", "sarif").output)
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    (log_run,) = log["runs"]
    rules = log_run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules) == 60
    for result in log_run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        location = result["locations"][0]["physicalLocation"]
        assert location["artifactLocation"]["uri"] == ".dreamwork/tasks.md"
        assert location.get("region", {"startLine": 1})["startLine"] >= 1


def test_sarif_of_another_directory_has_absolute_addresses(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(target)
    monkeypatch.chdir(target / ".dreamwork")
    monkeypatch.chdir("/usr")
    log = json.loads(run("--format", "sarif", "--target", target).output)
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("file:///")
    assert "my%20project" in uri


def test_a_rule_is_explained_with_examples() -> None:
    text = run("--explain", "tasks/duplicate-id").output
    assert text.startswith("tasks/duplicate-id (error)\n")
    assert "Bad" in text
    assert "Good" in text
    assert run("--explain", "duplicate-id").output == text


@pytest.mark.parametrize(
    ("name", "hint"),
    [("conflict-marker", "questions/conflict-marker, tasks/conflict-marker"), ("qid", "qid-"), ("zzz", "--rules")],
)
def test_an_unknown_rule_gets_a_hint(name: str, hint: str) -> None:
    assert hint in failing("--explain", name)


def test_all_rules_are_listed_and_explained() -> None:
    names = [line.split()[0] for line in run("--rules").output.splitlines()]
    assert len(names) == 60
    for name in names:
        text = run("--explain", name).output
        assert text.startswith(name)
        assert "{" not in text


def _process(target: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    code = "from dreamwork_hooks.cli.main import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    environment.update(options.pop("env", {}))
    return subprocess.run([sys.executable, "-c", code, "lint", *arguments], cwd=target, env=environment, **options)


def test_output_is_utf_8_whatever_the_locale(target: Path) -> None:
    write(target, questions=asked("- **P1: Grün?** x"))
    for form in ("text", "json", "github", "sarif"):
        result = _process(target, "--format", form, capture_output=True)
        assert result.returncode == 1, result.stderr
        assert "Grün" in result.stdout.decode()


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_a_terminal_gets_colour_unless_it_is_refused(target: Path, no_color: str, coloured: bool) -> None:
    write(target)
    master, slave = pty.openpty()
    result = _process(target, stdout=slave, stderr=slave, env={"NO_COLOR": no_color})
    os.close(slave)
    output = os.read(master, 10_000)
    os.close(master)
    assert result.returncode == 1
    assert (b"\x1b[31m" in output) is coloured
