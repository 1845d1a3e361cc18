"""A file cut short, at every byte of its shell prefix and at places beyond, in every shell there is.

It must never leave with 2, which blocks a tool call, and never run what it is given on standard input.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.spawn import clean_env, run_hook
from tests.support.targets import precompact_event

pytestmark = pytest.mark.once

SHELLS = {
    "dash": ["dash"],
    "bash as sh": ["bash", "--posix"],
    "busybox": ["busybox", "sh"],
    "ksh": ["ksh"],
    "mksh": ["mksh"],
    "zsh as sh": ["zsh", "--emulate", "sh"],
}
OPTIONAL = {"ksh", "mksh", "zsh as sh", "busybox"}
PARTS = 4  # so that two workers share them

FIRST_LINES = b"#!/bin/sh\n! trap exit\\ 0 0\n"
# A lone `!` is a syntax error in these shells before anything of ours can be heeded: these two lengths leave with 2,
# which is why the line is as short as it can be. Inside the rest of it they leave with 1, which blocks nothing.
LONE_BANG = {len(b"#!/bin/sh\n!"), len(b"#!/bin/sh\n! ")}
STUMBLING = {"dash", "busybox"}

# Runs in a shell and in Python alike, if either took standard input for its program.
TRAP = b"open('ran', 'w') ; exit(2)\nexit 2\n"


def shell(name: str) -> list[str]:
    command = SHELLS[name]
    if shutil.which(command[0]) is None:
        assert name in OPTIONAL, f"{name} is needed here"
        pytest.skip(f"no {command[0]} on this machine")
    return command


def prefix_length(pyz: Path) -> int:
    return pyz.read_bytes().index(b"PK\x03\x04")


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", list(SHELLS))
def test_cut_anywhere_in_the_prefix_it_neither_blocks_nor_runs_its_input(
    name: str, part: int, pyz: Path, tmp_path: Path
) -> None:
    command = shell(name)
    data = pyz.read_bytes()
    length = prefix_length(pyz)
    cut = tmp_path / "cut.pyz"
    stdin = tmp_path / "stdin"
    stdin.write_bytes(TRAP)
    env = clean_env(tmp_path)
    codes = {}
    for at in range(part, length + 1, PARTS):
        cut.write_bytes(data[:at])
        with stdin.open("rb") as file:
            codes[at] = subprocess.call(
                [*command, cut, "precompact"],
                stdin=file,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=env,
                cwd=tmp_path,
            )
        assert not (tmp_path / "ran").exists(), at
    assert data.startswith(FIRST_LINES)
    known = LONE_BANG if name in STUMBLING else set()
    blocking = {at for at, code in codes.items() if code == 2}
    assert blocking <= known
    assert {at for at, code in codes.items() if code != 0 and at >= len(FIRST_LINES) - 1} == set()


@pytest.mark.parametrize("name", list(SHELLS))
def test_the_whole_file_answers_in_every_shell(name: str, pyz: Path, target: Path, home: Path) -> None:
    command = shell(name)
    event = json.dumps(precompact_event(target)).encode()
    ran = run_hook([*command, pyz, "precompact"], event, env=clean_env(home))
    assert ran.code == 0
    assert ran.answer()["wrote"] is True


def places(size: int, length: int) -> list[int]:
    return [length, length + 1, length + 30, *range(length + 100, size, (size - length) // 40), size - 30, size - 1]


def test_cut_anywhere_behind_the_prefix_it_says_that_it_could_not_be_loaded(
    pyz: Path, target: Path, tmp_path: Path, home: Path
) -> None:
    data = pyz.read_bytes()
    event = json.dumps(precompact_event(target)).encode()
    cut = tmp_path / "cut.pyz"
    for at in places(len(data), prefix_length(pyz)):
        cut.write_bytes(data[:at])
        cut.chmod(0o755)
        ran = run_hook([cut, "precompact"], event, env=clean_env(home))
        assert ran.code == 0, (at, ran)
        assert ran.answer()["ok"] is False, (at, ran)
        assert "could not be loaded" in ran.answer()["error"], (at, ran)


def test_with_something_appended_it_still_works(pyz: Path, target: Path, tmp_path: Path, home: Path) -> None:
    """As an editor or a transfer adds a newline: the bytecode is not where it is looked for, and the zip is read."""
    longer = tmp_path / "longer.pyz"
    longer.write_bytes(pyz.read_bytes() + b"\n")
    longer.chmod(0o755)
    ran = run_hook([longer, "precompact"], json.dumps(precompact_event(target)).encode(), env=clean_env(home))
    assert ran.code == 0
    assert isinstance(ran.answer()["ok"], bool)


@pytest.mark.parametrize("mode", [0o000, 0o644], ids=["no right", "not executable"])
def test_a_file_that_may_not_be_run_lets_the_tool_call_pass(mode: int, pyz: Path, tmp_path: Path, home: Path) -> None:
    """The shell that Claude Code starts says 126, 127 or the file itself 0; never 2."""
    from tests.support.faults import without_override

    copy = tmp_path / "hooks.pyz"
    shutil.copy(pyz, copy)
    copy.chmod(mode)
    ran = run_hook(["/bin/sh", "-c", f"'{copy}' precompact"], b"{}", env=clean_env(home), preexec_fn=without_override)
    assert ran.code in (0, 126, 127), ran


def test_a_file_that_is_gone_or_empty_lets_the_tool_call_pass(tmp_path: Path, home: Path) -> None:
    missing = tmp_path / "missing.pyz"
    ran = run_hook(["/bin/sh", "-c", f"'{missing}' precompact"], b"{}", env=clean_env(home))
    assert ran.code == 127
    empty = tmp_path / "empty.pyz"
    empty.touch(0o755)
    ran = run_hook(["/bin/sh", "-c", f"'{empty}' precompact"], b"{}", env=clean_env(home))
    assert ran.code == 0


def test_the_prefix_reads_nothing_that_the_shell_would_read_at_start(tmp_path: Path, pyz: Path, home: Path) -> None:
    """No profile, and no variable that names one, has a part in it."""
    marker = tmp_path / "ran"
    profile = tmp_path / "profile"
    profile.write_text(f": >'{marker}'\necho chatty\n")
    (home / ".profile").write_text(profile.read_text())
    ran = run_hook([pyz, "precompact"], b"{}", env=clean_env(home, ENV=str(profile), BASH_ENV=str(profile)))
    ran.answer()
    assert not marker.exists()
    assert os.path.exists(profile)
