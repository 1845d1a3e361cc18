"""An event's words typed at a terminal: a person who meant a command is told so, and is not left waiting."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support.spawn import clean_env, fed, run_hook
from tests.support.targets import precompact_event

pty = pytest.importorskip("pty", reason="no terminals on this system")


@pytest.mark.parametrize(("words", "said"), [(["lnit"], "there is no command 'lnit'"), ([], "commands: init, install")])
def test_a_person_is_told_the_commands(pyz: Path, home: Path, words: list[str], said: str) -> None:
    master, slave = pty.openpty()
    ran = run_hook([pyz, *words], slave, env=clean_env(home))
    os.close(slave)
    os.close(master)
    assert ran.code == 1
    assert ran.out == b""
    assert said in ran.err.decode()
    assert "lint" in ran.err.decode()


def test_the_list_of_commands_has_whole_sentences(pyz: Path, home: Path) -> None:
    told = run_hook([pyz, "--help"], b"", env=clean_env(home)).out.decode()
    assert "..." not in told.partition("Commands:")[2]
    assert all(len(line) <= 80 for line in told.splitlines())


def test_an_event_typed_at_a_terminal_is_read_until_its_share_of_the_time_is_over(pyz: Path, home: Path) -> None:
    def attempt(number: int) -> None:
        master, slave = pty.openpty()
        os.write(master, json.dumps({"cwd": "/"}).encode())
        ran = run_hook([pyz, "precompact"], slave, env=clean_env(home))
        os.close(slave)
        os.close(master)
        assert ran.code == 0
        assert ran.answer()["ok"] is False
        ran.check_budget("precompact")

    fed(attempt)


@pytest.mark.parametrize("extra", [["--flag"], ["x\x1b[31m", "y"], ["a" * 500]])
def test_arguments_after_the_event_are_ignored_and_named(pyz: Path, home: Path, target: Path, extra: list[str]) -> None:
    event = json.dumps(precompact_event(target)).encode()
    answer = run_hook([pyz, "precompact", *extra], event, env=clean_env(home)).answer()
    assert answer["wrote"] is True
    assert "ignored argument " + extra[0][:1] in answer["note"]
    assert answer["note"].isprintable()
