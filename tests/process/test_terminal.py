"""An event's words typed at a terminal: a person who meant a command is told so, and is not left waiting."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.spawn import clean_env, fed, run_hook
from tests.support.targets import precompact_event

pty = pytest.importorskip("pty", reason="no terminals on this system")


@pytest.mark.parametrize(
    ("words", "said"), [(["lnit"], "there is no command 'lnit'; did you mean lint?"), ([], "commands: init, install")]
)
def test_a_person_is_told_the_commands(pyz: Path, home: Path, words: list[str], said: str) -> None:
    master, slave = pty.openpty()
    ran = run_hook([pyz, *words], slave, env=clean_env(home))
    os.close(slave)
    os.close(master)
    assert ran.code == 2
    assert ran.out == b""
    assert said in ran.err.decode()
    assert "lint" in ran.err.decode()


def test_the_list_of_commands_has_whole_sentences(pyz: Path, home: Path) -> None:
    told = run_hook([pyz, "--help"], b"", env=clean_env(home)).out.decode()
    assert "..." not in told.partition("For a dreamwork loop:")[2]
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


@pytest.mark.parametrize("stdin", [b"", b"  \n", b"[1]", b"text", b"\x00\xff"])
@pytest.mark.parametrize(
    ("words", "said"),
    [(["lnit", "--format", "github"], "did you mean lint?"), (["zzz"], "commands: "), ([], "usage: ")],
)
def test_a_word_without_an_event_is_usage(pyz: Path, home: Path, words: list[str], said: str, stdin: bytes) -> None:
    ran = run_hook([pyz, *words], stdin, env=clean_env(home))
    assert (ran.code, ran.out) == (2, b"")
    assert said in ran.err.decode()


@pytest.mark.parametrize("stdin", [b"{}", b'\xef\xbb\xbf \n{"a": 1}', b'{"cut off', b'{"hook_event_name": "Stop"}'])
@pytest.mark.parametrize("words", [["lnit"], ["--verbose"], []])
def test_a_word_with_an_event_is_answered_and_blocks_nothing(
    pyz: Path, home: Path, words: list[str], stdin: bytes
) -> None:
    ran = run_hook([pyz, *words], stdin, env=clean_env(home))
    assert (ran.code, ran.answer()["ok"]) == (0, False)


@pytest.mark.parametrize("words", [["lint", "--rules"], ["--help"], ["events", "--json"], ["help", "lint"]])
def test_a_reader_that_goes_away_is_no_error(pyz: Path, home: Path, words: list[str]) -> None:
    out, into = os.pipe()
    os.close(out)
    ran = subprocess.run([pyz, *words], stdout=into, stderr=subprocess.PIPE, env=clean_env(home), timeout=60)
    os.close(into)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("words", [["lint", "--rules"], ["--help"], ["events", "--json"], ["help", "lint"]])
def test_a_result_that_cannot_be_written_is_an_error(pyz: Path, home: Path, words: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        ran = subprocess.run([pyz, *words], stdout=full, stderr=subprocess.PIPE, env=clean_env(home), timeout=60)
    assert ran.returncode == 1
    assert b"No space left on device" in ran.stderr
    assert b"Traceback" not in ran.stderr


@pytest.mark.parametrize("first", ["-V", "--version", "help", "-q", "--color=always", "--color", "--quiet"])
def test_a_first_word_that_is_an_option_reaches_the_commands(pyz: Path, home: Path, first: str) -> None:
    more = {
        "-q": ["lint", "--rules"],
        "--quiet": ["events"],
        "--color=always": ["events"],
        "--color": ["never", "events"],
    }
    for start in ([pyz], [sys.executable, pyz]):
        ran = run_hook([*start, first, *more.get(first, [])], b"", env=clean_env(home))
        assert ran.code == 0, ran.err
        assert ran.out
