"""The core lint: which one is run, how long it may take, and which of its rows are told."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest
from pytest_subprocess import FakeProcess

from dreamwork_hooks.event.corelint import (
    LIMIT,
    MAX_CHARS,
    MAX_LINES,
    CannotRun,
    LintRun,
    chosen_lint,
    is_said,
    rows_about,
    run,
    tail_of,
    time_limit,
    why_no_verdict,
)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1", 1.0),
        ("0.1", 0.1),
        ("4", 4.0),
        (" 2.5 ", 2.5),
        ("", LIMIT),
        ("0", LIMIT),
        ("0.09", LIMIT),
        ("4.01", LIMIT),
        ("-1", LIMIT),
        ("nan", LIMIT),
        ("inf", LIMIT),
        ("-inf", LIMIT),
        ("1e-9", LIMIT),
        ("soon", LIMIT),
        ("0x1", LIMIT),
        ("9" * 5000, LIMIT),
    ],
)
def test_the_time_limit_is_a_number_of_seconds_within_bounds(value: str, seconds: float) -> None:
    assert time_limit({"DREAMWORK_LINT_TIMEOUT": value}) == seconds
    assert time_limit({}) == LIMIT


@pytest.fixture
def lint(tmp_path: Path) -> Path:
    path = tmp_path / "lint.py"
    path.write_text("print('OK')\n")
    return path


def test_the_environment_goes_before_the_recorded_path(lint: Path, target: Path) -> None:
    asked = {"DREAMWORK_LINT": str(lint)}
    assert chosen_lint(asked, {"lint": "/nonexistent"}, str(target)) == str(lint)
    assert chosen_lint({}, {"lint": str(lint)}, str(target)) == str(lint)
    assert chosen_lint({"DREAMWORK_LINT": "embedded"}, {"lint": str(lint)}, str(target)) is None
    assert chosen_lint({}, {}, str(target)) is None


@pytest.mark.parametrize("recorded", [None, 7, [], {}, True, ""])
def test_a_recorded_path_that_is_none_is_the_embedded_lint(recorded: object, target: Path) -> None:
    assert chosen_lint({}, {"lint": recorded}, str(target)) is None


@pytest.mark.parametrize("path", ["lint.py", "./lint.py", "~/lint.py", "/nonexistent/lint.py", "/", "/\0", "/\ud800"])
def test_a_path_that_cannot_be_a_lint_is_refused(path: str, target: Path) -> None:
    with pytest.raises(CannotRun):
        chosen_lint({"DREAMWORK_LINT": path}, {}, str(target))


def test_a_lint_in_the_target_is_run_only_when_the_installer_recorded_it(target: Path, tmp_path: Path) -> None:
    inside = target / "lint.py"
    inside.write_text("")
    link = tmp_path / "link.py"
    link.symlink_to(inside)
    (tmp_path / "beside").symlink_to(target)
    for path in (inside, link, tmp_path / "beside" / "lint.py", target / "x" / ".." / "lint.py"):
        with pytest.raises(CannotRun, match="inside the target"):
            chosen_lint({"DREAMWORK_LINT": str(path)}, {}, str(target))
        with pytest.raises(CannotRun, match="inside the target"):
            chosen_lint({"DREAMWORK_LINT": str(path)}, {"lint": str(target / "other.py")}, str(target))
        assert chosen_lint({"DREAMWORK_LINT": str(path)}, {"lint": str(inside)}, str(target)) == str(inside)


def test_a_lint_beside_a_target_of_the_same_beginning_is_not_in_it(target: Path) -> None:
    other = target.with_name(target.name + "-two")
    other.mkdir()
    (other / "lint.py").write_text("")
    assert chosen_lint({"DREAMWORK_LINT": str(other / "lint.py")}, {}, str(target)) is not None


def test_it_runs_in_the_target_with_the_target_as_its_argument_and_little_environment(
    lint: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lint.write_text("import os, sys\nprint(os.getcwd(), *sys.argv[1:], sys.stdin.read(), sorted(os.environ))\n")
    monkeypatch.setenv("SECRET", "x")
    monkeypatch.setenv("PYTHONPATH", "/x")
    ran = run(str(lint), str(target), 4)
    assert ran.status == 0
    assert ran.rows[0].startswith(f"{target} --target {target} ")
    assert "SECRET" not in ran.rows[0]
    assert "PYTHONPATH" not in ran.rows[0]
    assert not list(lint.parent.glob("__pycache__"))


def test_an_executable_that_is_no_python_file_runs_by_itself(tmp_path: Path, target: Path) -> None:
    wrapper = tmp_path / "lint"
    wrapper.write_text('#!/bin/sh\necho "WARN questions.md in $2"\n')
    wrapper.chmod(0o755)
    ran = run(str(wrapper), str(target), 4.0)
    assert (ran.status, ran.rows) == (0, [f"WARN questions.md in {target}"])


def test_a_run_that_finished_is_reported_as_finished_though_a_grandchild_holds_the_pipe(
    lint: Path, target: Path
) -> None:
    lint.write_text(
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid)\nsys.exit(3)\n"
    )
    ran = run(str(lint), str(target), 4)
    assert ran.status == 3
    assert gone(int(ran.rows[0]))


def test_at_the_deadline_the_whole_group_is_killed_and_what_was_printed_is_kept(lint: Path, target: Path) -> None:
    lint.write_text(
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True)\ntime.sleep(60)\n"
    )
    ran = run(str(lint), str(target), 0.5)
    assert ran.status is None
    assert gone(int(ran.rows[0]))


def gone(pid: int) -> bool:
    """Whether a process ends within a moment; one that nobody has waited for counts."""
    until = time.monotonic() + 2
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.01)
    return False


def test_a_lint_that_cannot_be_started_says_so(lint: Path, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python3")
    with pytest.raises(CannotRun, match="cannot be started"):
        run(str(lint), str(target), 4)


def test_an_error_about_a_ledger_is_never_cut_off() -> None:
    rows = [f"WARN briefs/{n}.md: of no concern " + "x" * 200 for n in range(500)]
    rows[300] = "ERROR .dreamwork/tasks.md:7: two entries claim #5"
    rows[10] = "WARN .dreamwork/questions.md:3: no date"
    told = tail_of(rows).split("\n")
    assert told[0] == rows[300]
    assert told[1] == rows[10]
    assert len(told) <= MAX_LINES
    assert len("\n".join(told)) <= MAX_CHARS
    assert told[-1] == rows[-1]


def test_of_more_errors_than_fit_the_first_are_told() -> None:
    rows = [f"ERROR .dreamwork/tasks.md:{n}: " + "y" * 150 for n in range(100)]
    told = tail_of(rows)
    assert told.startswith(rows[0])
    assert len(told) <= MAX_CHARS
    assert len(told.split("\n")) <= MAX_LINES


@pytest.mark.parametrize("rows", [[], ["one"], ["ERROR tasks.md " + "z" * 280] * 30])
def test_the_told_rows_stay_in_bounds(rows: list[str]) -> None:
    assert len(tail_of(rows)) <= MAX_CHARS
    assert bool(tail_of(rows)) is bool(rows)


def test_nothing_of_ours_is_left_running() -> None:
    from dreamwork_hooks.event import corelint

    assert corelint._running == []
    assert os.path.exists(sys.executable)


# The core repo's lint: its command line, its statuses, and what each of them means ----------------------------------

STUB = """\
import argparse, os, sys
parser = argparse.ArgumentParser(prog="lint.py")
parser.add_argument("--target", required=True)
parser.add_argument("--fail", action="store_true")
options = parser.parse_args()
sys.stdout.write(open(os.path.join(os.path.dirname(__file__), "rows")).read())
sys.exit(int(open(os.path.join(os.path.dirname(__file__), "status")).read()))
"""
RECORDED = {
    "clean": (0, "OK    questions.md: 4 entries\nOK    tasks.md: 9 entries\n12 checks, 0 errors\n", ""),
    "warnings": (0, "OK    tasks.md: 9 entries\nWARN  .dreamwork/questions.md:3: no recorded response\n", ""),
    "errors": (1, "ERROR .dreamwork/tasks.md:9: two entries claim #2\n", ""),
    "usage": (2, "usage: lint.py [-h] --target TARGET\nlint.py: error: unrecognized arguments: /x\n", "status 2"),
    "usage, status hidden": (0, "usage: lint.py [-h] --target TARGET\n", "printed its usage"),
    "another status": (3, "", "status 3"),
    "crash": (1, "Traceback (most recent call last):\n  File ...\nUnicodeDecodeError: bad\n", 'crashed: "Unicode'),
    "syntax": (1, '  File "lint.py", line 1\n    def\nSyntaxError: invalid syntax\n', "named no error"),
    "nothing": (1, "", "named no error"),
    "not started": (127, "env: python9: No such file or directory\n", "status 127"),
}


@pytest.fixture
def stub(tmp_path: Path) -> Path:
    """A lint with the command line of the real one; `rows` and `status` beside it say what it does."""
    directory = tmp_path / "core"
    directory.mkdir()
    (directory / "lint.py").write_text(STUB)
    return directory / "lint.py"


def answers(stub: Path, status: int, rows: str) -> Path:
    stub.with_name("rows").write_text(rows)
    stub.with_name("status").write_text(str(status))
    return stub


@pytest.mark.parametrize("name", RECORDED)
def test_the_statuses_0_and_1_are_verdicts_and_all_else_could_not_run(name: str, stub: Path, target: Path) -> None:
    status, rows, why = RECORDED[name]
    ran = run(str(answers(stub, status, rows)), str(target), 4)
    assert ran.status == status
    assert len(ran.rows) == rows.count("\n")
    assert why in why_no_verdict(ran, 4)
    assert bool(why_no_verdict(ran, 4)) is bool(why)


def test_a_signal_and_a_time_out_are_no_verdict() -> None:
    assert "status -11" in why_no_verdict(LintRun(-11, []), 4)
    assert "did not finish in 4 s" in why_no_verdict(LintRun(None, ["ERROR tasks.md: x"]), 4)


@pytest.mark.parametrize(("name", "words"), [("lint.py", [sys.executable, "-B"]), ("lint", [])])
def test_the_argument_list_is_that_of_the_plugin_contract(
    name: str, words: list[str], tmp_path: Path, target: Path, fp: FakeProcess
) -> None:
    program = tmp_path / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    command = [*words, str(program), "--target", str(target)]
    fp.pass_command(command)
    run(str(program), str(target), 4)
    assert [list(call) for call in fp.calls] == [command]


def test_of_a_verdict_the_rows_of_the_file_are_taken_errors_first_none_twice() -> None:
    rows = ["OK tasks.md", "WARN tasks.md:3: b", "ERROR tasks.md:9: a", "ERROR briefs/7.md: c", "ERROR tasks.md:9: a"]
    assert rows_about(LintRun(1, rows), "tasks.md") == [("error", rows[2]), ("warning", rows[1])]
    assert rows_about(LintRun(0, rows), "tasks.md") == [("warning", rows[1])]
    assert rows_about(LintRun(1, ["tasks.md:9: two entries"]), "tasks.md") == [("error", "tasks.md:9: two entries")]


def test_a_row_that_the_embedded_lint_said_is_known_by_its_line_or_its_words() -> None:
    said: list[dict[str, object]] = [
        {"line": 9, "subject": "#2", "message": "#2 heads a second entry here; the first is on line 7"},
        {"line": None, "subject": None, "message": "no line `Next id: **N**` at column 0"},
    ]
    assert is_said("ERROR tasks.md:9: two entries claim #2", "tasks.md", said)
    assert is_said("ERROR tasks.md: no line `Next id: **N**` at column 0", "tasks.md", said)
    assert not is_said("ERROR tasks.md:12: two entries claim #5", "tasks.md", said)
    assert not is_said("ERROR tasks.md: the store disagrees", "tasks.md", said)
