"""A broken installation costs its user the hook and nothing else: no tool call, no compaction is ever blocked."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.installed import TASKS, Installed, install, make_target
from tests.support.messages_api import FULL, say, use
from tests.support.session import Place, Ran, run_session

pytestmark = pytest.mark.usefixtures("built")

NOBODY = 65534


def replaced_by(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def fault(program: Path) -> None:
        program.unlink()
        make(program)

    return fault


def cut_to(size: Callable[[bytes], int]) -> Callable[[Path], object]:
    def fault(program: Path) -> None:
        whole = program.read_bytes()
        program.write_bytes(whole[: size(whole)])

    return fault


def archive_starts(whole: bytes) -> int:
    return whole.index(b"PK\x03\x04")


def scramble(program: Path) -> None:
    whole = program.read_bytes()
    start = archive_starts(whole)
    program.write_bytes(whole[:start] + bytes(len(whole) - start))


FAULTS: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "a dangling link": replaced_by(lambda program: program.symlink_to("gone")),
    "a directory": replaced_by(Path.mkdir),
    "its directory gone": lambda program: shutil.rmtree(program.parent),
    "without any permission": lambda program: program.chmod(0),
    "not executable": lambda program: program.chmod(0o644),
    "empty": cut_to(lambda whole: 0),
    "cut in the first line": cut_to(lambda whole: 5),
    "cut in the second line": cut_to(lambda whole: whole.index(b"\n") + 8),
    "cut inside the prefix": cut_to(lambda whole: archive_starts(whole) // 2),
    "cut before the archive": cut_to(archive_starts),
    "cut just into the archive": cut_to(lambda whole: archive_starts(whole) + 100),
    "cut in half": cut_to(lambda whole: len(whole) // 2),
    "one byte short": cut_to(lambda whole: len(whole) - 1),
    "an archive of zeros": scramble,
}


def work_and_compact(client: Path, installed: Installed, **how: object) -> Ran:
    """Write and edit a ledger file, then compact by command and automatically."""
    place = installed.place
    ledger = str(place.project / ".dreamwork/tasks.md")
    turns = [
        use("Read", file_path=ledger),
        use("Write", file_path=ledger, content=TASKS),
        use("Edit", file_path=ledger, old_string="**8**", new_string="**9**"),
        say("1"),
        say("2"),
        say("3"),
        say("4", context_tokens=FULL),
        say("5"),
    ]
    prompts = ("one", "two", "/compact", "three", "four", "five")
    return run_session(client, place, prompts=prompts, turns=turns, **how)  # type: ignore[arg-type]


def assert_nothing_was_blocked(ran: Ran, place: Place) -> None:
    assert ran.tool_errors == []
    assert ran.compactions == ["manual", "auto"]
    assert ran.unplayed == []
    assert ran.code == 0
    assert "Next id: **9**" in (place.project / ".dreamwork/tasks.md").read_text()


def assert_the_summarizer_heard_at_most_a_failure(ran: Ran) -> None:
    for request in ran.of_kind("summary"):
        told = request.additional_instructions
        assert told == "" or json.loads(told)["ok"] is False


@pytest.mark.parametrize("fault", FAULTS)
def test_no_state_of_the_file_blocks_a_tool_call_or_a_compaction(client: Path, tmp_path: Path, fault: str) -> None:
    place = Place.make(tmp_path)
    make_target(place.project)
    installed = install(place)
    FAULTS[fault](installed.program)
    ran = work_and_compact(client, installed)
    assert_nothing_was_blocked(ran, place)
    assert_the_summarizer_heard_at_most_a_failure(ran)


@pytest.fixture
def others_place() -> Iterator[Place]:
    """A place of a user who is not root: root may read everything, so it cannot show what unreadable means."""
    root = Path(tempfile.mkdtemp(prefix="dreamwork-"))
    try:
        root.chmod(0o755)
        yield Place.make(root)
    finally:
        shutil.rmtree(root)


@pytest.mark.xfail(
    reason="the plain file is registered, so that its absence gives 127; an unreadable one is for the doctor to flag"
)
def test_a_file_that_may_be_run_but_not_read_blocks_nothing(client: Path, others_place: Place) -> None:
    """`sh` cannot open it then, and dash and busybox sh leave with 2 for that: the status that blocks."""
    place = others_place
    make_target(place.project)
    installed = install(place)
    installed.program.chmod(0o111)
    user = None
    if os.geteuid() == 0:
        user = NOBODY
        client = within_reach(client, place.home.parent)
        for path in (place.home, *place.home.rglob("*")):
            os.chown(path, user, user)
    ran = work_and_compact(client, installed, user=user)
    assert_nothing_was_blocked(ran, place)


def within_reach(client: Path, directory: Path) -> Path:
    """The client where another user may run it: the cache may lie below a home that is closed to others."""
    reachable = directory / "claude"
    try:
        os.link(client, reachable)
    except OSError:
        shutil.copy(client, reachable)
    return reachable


STUB = '#!/bin/sh\necho "Python was not found; install it from the store"\nexit 49\n'


@pytest.mark.parametrize("python", [None, STUB], ids=["absent", "a stub that exits 49"])
def test_a_machine_without_python3_blocks_nothing(client: Path, tmp_path: Path, python: str | None) -> None:
    place = Place.make(tmp_path)
    make_target(place.project)
    installed = install(place)
    unpin(installed.program)
    tools = tmp_path / "tools"
    tools.mkdir()
    if python is not None:
        (tools / "python3").write_text(python)
        (tools / "python3").chmod(0o755)
    ran = work_and_compact(client, installed, path=str(tools))
    assert_nothing_was_blocked(ran, place)


def unpin(program: Path) -> None:
    """Let the file name an interpreter that has since been removed."""
    whole = program.read_bytes()
    line = next(line for line in whole.splitlines() if line.startswith(b"python="))
    program.write_bytes(whole.replace(line, b"python='/gone/bin/python3'", 1))
