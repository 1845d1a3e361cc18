"""What is common to all commands: help, version, exit statuses, colour, quiet, and what becomes of an error."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from dreamwork_hooks import AUDIENCES, COMMANDS, HOOKS, __version__
from dreamwork_hooks.cli import status, words
from dreamwork_hooks.cli.main import main
from dreamwork_hooks.cli.usage import unknown_word
from dreamwork_hooks.contract.asdata import VERSION
from dreamwork_hooks.errors import Failed, Refused, UserError
from tests.conftest import ROOT

Run = Callable[..., Result]
PAGE = ROOT / "docs" / "commands.md"


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(project)
    for name in ("NO_COLOR", "FORCE_COLOR", "DREAMWORK_HOOKS_DEBUG"):
        monkeypatch.delenv(name, raising=False)

    def invoke(*args: str, **more: Any) -> Result:
        return CliRunner(mix_stderr=False).invoke(main, list(args), **more)

    return invoke


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Makes the command `status` raise."""

    def arrange(error: BaseException) -> None:
        def work(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(status.command, "callback", work)

    return arrange


# -- help


def test_help_imports_no_commands_body() -> None:
    program = (
        "import sys\n"
        "from dreamwork_hooks.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(*[name for name in sys.modules if name.startswith('dreamwork_hooks')], file=sys.stderr)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    ran = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert all(name in ran.stdout for name in COMMANDS)
    assert set(ran.stderr.split()) == {
        "dreamwork_hooks",
        "dreamwork_hooks.cli",
        "dreamwork_hooks.errors",
        *(f"dreamwork_hooks.cli.{name}" for name in ("main", "options", "usage", "words")),
    }


def test_help_has_every_command_below_who_needs_it(run: Run) -> None:
    told = run("--help").stdout
    for whose, title in AUDIENCES.items():
        section = told.partition(f"{title}:\n")[2].partition("\n\n")[0]
        names = re.findall(r"^  (\w+)  ", section, re.M)
        assert names == [name for name, (audience, _) in COMMANDS.items() if audience == whose]


@pytest.mark.parametrize("name", list(COMMANDS))
def test_a_commands_own_help_begins_with_the_same_sentence(run: Run, name: str) -> None:
    for words_of_help in ([name, "--help"], ["help", name], [name, "-h"]):
        ran = run(*words_of_help)
        assert ran.exit_code == 0
        assert COMMANDS[name][1] in " ".join(ran.stdout.split())


def test_help_without_a_command_is_the_help_of_all(run: Run) -> None:
    assert run("help").stdout == run("--help").stdout == run("-h").stdout


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_the_version_names_the_build(run: Run, option: str) -> None:
    assert run(option).stdout == f"dreamwork-hooks {__version__} (not from an archive)\n"


# -- a wrong word


@pytest.mark.parametrize(
    ("word", "meant"),
    [("lnit", "lint"), ("Install", "install"), ("precompat", "precompact"), ("--versoin", "--version")],
)
def test_a_misspelt_word_is_answered_with_the_right_one(word: str, meant: str) -> None:
    assert f"{word!r}; did you mean {meant}?" in unknown_word(word)
    assert meant in {*COMMANDS, *HOOKS, "--version"}


def test_a_misspelt_command_is_usage(run: Run) -> None:
    for args in (["lnit"], ["help", "lnit"]):
        ran = run(*args)
        assert (ran.exit_code, ran.stdout) == (2, "")
        assert "did you mean lint?" in ran.stderr


def test_no_word_is_usage(run: Run) -> None:
    ran = run()
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "usage: dreamwork-hooks.pyz COMMAND" in ran.stderr


def test_a_word_of_control_characters_is_told_without_them() -> None:
    assert "\x1b" not in unknown_word("\x1b[2J")
    assert len(unknown_word("x" * 100_000)) < 400


# -- exit statuses


def statuses() -> dict[int, str]:
    """Exit status -> what the page says of it."""
    table = PAGE.read_text("utf-8").partition("## Exit statuses")[2].partition("\n\n`record")[0]
    rows = re.findall(r"^\| ([\d, ]+) \| (.*?) \|", table, re.M)
    return {int(one): said for numbers, said in rows for one in numbers.split(", ")}


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UserError("nothing there"), 2, "Error: nothing there\n"),
        (Refused("in the way", diff="+ a\n"), 2, "Refused: in the way\n+ a\n"),
        (Failed("half done"), 1, "Failed: half done\n"),
        (click.UsageError("no such thing"), 2, "Error: no such thing\n"),
        (PermissionError(13, "Permission denied", "/x"), 1, "Failed: /x: Permission denied\n"),
        (BrokenPipeError(), 0, ""),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
    ],
)
def test_an_error_is_a_sentence_and_a_status_of_the_page(
    run: Run, raising: Callable[[BaseException], None], error: BaseException, code: int, said: str
) -> None:
    raising(error)
    ran = run("status")
    assert ran.exit_code == code
    assert ran.stderr.lstrip().endswith(said)
    assert code in statuses()


class _Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("no")


@pytest.mark.parametrize(
    "error", [KeyError("x"), RecursionError("deep"), MemoryError(), _Unspeakable(), UnicodeError()]
)
def test_a_fault_of_ours_is_one_sentence_without_a_traceback(
    run: Run, raising: Callable[[BaseException], None], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    raising(error)
    ran = run("status")
    assert ran.exit_code == 70
    assert 70 in statuses()
    assert ran.stderr.startswith(f"Error: this is a fault of dreamwork-hooks: unexpected {type(error).__name__}")
    assert ran.stderr.count("\n") == 1
    assert "DREAMWORK_HOOKS_DEBUG=1" in ran.stderr
    monkeypatch.setenv("DREAMWORK_HOOKS_DEBUG", "1")
    assert "Traceback" in run("status").stderr


def test_the_statuses_of_the_page_are_those_there_are(run: Run, project: Path) -> None:
    seen = {run("status").exit_code, run("lint").exit_code}
    (project / ".dreamwork").mkdir()
    (project / ".dreamwork" / "tasks.md").write_text("nothing as it should be\n")
    seen.add(run("lint").exit_code)
    for command, code in (("/nonexistent/hook", 127), (str(project), 126)):
        words_of_record = ["record", "--to", str(project / "recorded"), "--", command]
        program = f"from dreamwork_hooks.cli.main import main; main({words_of_record!r})"
        env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        ran = subprocess.run([sys.executable, "-c", program], env=env, input=b"{}", capture_output=True)
        assert ran.returncode == code
        seen.add(code)
    assert seen | {70, 128 + signal.SIGINT} == set(statuses())


def test_every_variable_of_the_page_is_read_and_every_one_of_ours_is_on_it() -> None:
    table = PAGE.read_text("utf-8").partition("## Environment variables")[2]
    told = set(re.findall(r"^\| `(\w+)` \|", table, re.M))
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert all(f'"{name}"' in source for name in told)
    assert set(re.findall(r'"(DREAMWORK_\w+)"', source)) <= told


def test_a_refused_change_is_told_in_json_too(run: Run, home: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{,}")
    ran = run("install", "--json")
    answer = json.loads(ran.stdout)
    assert ran.exit_code == 2
    assert (answer["ok"], answer["action"], answer["refused"]) == (False, "install", True)
    assert answer["version"] == VERSION
    assert ran.stderr.startswith("Refused: ")


@pytest.mark.parametrize("command", ["uninstall --dry-run", "status", "doctor", "lint", "focus"])
def test_the_json_of_a_command_has_a_version_and_documented_keys(run: Run, project: Path, command: str) -> None:
    (project / ".dreamwork").mkdir()
    answer = json.loads(run(*command.split(), "--json").stdout)
    assert answer["version"] == VERSION
    assert answer.get("ok") is not False or command == "doctor", "what is looked at is no refusal"
    page = PAGE.with_name("json.md").read_text("utf-8")
    section = next(part for part in page.split("\n## ") if f"`{command.split()[0]} --json`" in part.split("\n")[0])
    documented = {*re.findall(r"`(\w+)`", section), "version"}
    assert set(answer) <= documented


def test_a_snippet_for_a_settings_file_has_no_key_of_ours(run: Run) -> None:
    assert list(json.loads(run("install", "--print").stdout)) == ["hooks"]


def test_a_project_that_a_user_scope_cannot_have_is_told_in_the_words_of_the_help(run: Run, project: Path) -> None:
    ran = run("install", "--project", str(project))
    assert ran.exit_code == 2
    assert ran.stderr.startswith("Refused: --project goes with --scope project or --scope local")


# -- manners


@pytest.mark.parametrize(
    ("env", "args", "coloured"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "0"}, [], False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
        ({"FORCE_COLOR": "1"}, ["--color", "auto"], True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, [], True),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_colour_is_used_where_it_is_wanted(
    run: Run, env: dict[str, str], args: list[str], coloured: bool, first: bool
) -> None:
    ran = run(*([*args, "events"] if first else ["events", *args]), env=env)
    assert ("\x1b[" in ran.stdout) is coloured


@pytest.mark.parametrize(("term", "coloured"), [("xterm", True), ("dumb", False)])
def test_a_terminal_has_colour_unless_it_is_dumb(monkeypatch: pytest.MonkeyPatch, term: str, coloured: bool) -> None:
    words.begin()
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(words, "on_terminal", lambda: True)
    assert words.coloured() is coloured


def test_quiet_leaves_out_notes(run: Run, home: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{,}")
    assert run("hooks").stderr.startswith("warning: ")
    for args in (["-q", "hooks"], ["hooks", "-q"], ["hooks", "--quiet"]):
        assert run(*args).stderr == ""
    assert run("-q", "lint").stderr.startswith("Error: ")


@pytest.mark.parametrize(
    "name", ["lint", "focus", "status", "doctor", "install", "hooks", "explain", "replay", "trust"]
)
def test_a_project_is_named_by_one_word_and_the_older_one_is_not_shown(run: Run, name: str) -> None:
    shown = run(name, "--help").stdout
    assert "--project" in shown
    assert "--target" not in shown


def test_the_older_word_for_a_project_means_the_same(run: Run, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    told = [run("hooks", option, str(other), "--json").stdout for option in ("--project", "--target")]
    assert told[0] == told[1]
    assert json.loads(told[0])["project"] == str(other)


def test_what_could_move_the_cursor_reaches_no_terminal() -> None:
    assert words.printable("a\x1b[2Jb\rc\x07\u202ed\x9b") == "a [2Jb c  d "
    assert words.printable("\x1b[31mred\x1b[0m\n\tx") == " [31mred [0m\n\tx"
    words.begin()
    words.set_colour("always")
    assert words.printable(words.style("\x1b[5mred", words.BAD, bold=True)) == "\x1b[31;1m [5mred\x1b[0m"
    words.begin()


def test_a_name_that_is_not_utf_8_stays_readable(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    words.say("caf\udce9")
    assert capsysbinary.readouterr().out == b"caf\\udce9\n"
