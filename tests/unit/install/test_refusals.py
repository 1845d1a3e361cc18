"""What is refused has changed nothing: the whole home, before and after, for the run and for its rehearsal."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamwork_hooks.install import preflight
from dreamwork_hooks.install.install import install
from dreamwork_hooks.install.request import Request, World
from dreamwork_hooks.settings import editing
from dreamwork_hooks.settings.editing import Changed
from tests.support.bench import Bench

ANOTHER = 12345  # a user id nobody has here
OLD = '{"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "/h/dreamwork-hooks.pyz precompact"}]}]}}'


def everything(root: Path) -> dict[str, tuple[int, int, bytes | Path | None, int | None]]:
    """Every name below `root`, with its kind, mode, owner, content and time of change."""
    found: dict[str, tuple[int, int, bytes | Path | None, int | None]] = {}
    for path in [root, *sorted(root.rglob("*"))]:
        info = path.lstat()
        held = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
        when = None if path.is_dir() else info.st_mtime_ns  # a temporary file may come and go
        found[str(path.relative_to(root))] = (info.st_mode, info.st_uid, held, when)
    return found


def a_file_at(*parts: str) -> Callable[[Bench], None]:
    def make(bench: Bench) -> None:
        path = bench.home.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")

    return make


def a_directory_at(*parts: str) -> Callable[[Bench], None]:
    return lambda bench: bench.home.joinpath(*parts).mkdir(parents=True)


def read_only(bench: Bench) -> None:
    bench.write("{}").chmod(0o444)


def in_a_store(bench: Bench) -> None:
    bench.settings.parent.mkdir(parents=True)
    bench.settings.symlink_to(bench.home / "store" / "hooks.json")
    (bench.home / "store").mkdir()
    (bench.home / "store" / "hooks.json").write_text("{}")
    (bench.home / "store" / "hooks.json").chmod(0o444)


def dangling(bench: Bench) -> None:
    bench.settings.parent.mkdir(parents=True)
    bench.settings.symlink_to("/no/such/place/settings.json")


def no_program(bench: Bench) -> None:
    (bench.checkout / "dist" / "dreamwork-hooks.pyz").unlink()


def empty_program(bench: Bench) -> None:
    (bench.checkout / "dist" / "dreamwork-hooks.pyz").write_bytes(b"")


def unpinnable_program(bench: Bench) -> None:
    (bench.checkout / "dist" / "dreamwork-hooks.pyz").write_bytes(b"#!/bin/sh\nexit 0\n")


def another_s_home(bench: Bench) -> None:
    os.chown(bench.home, ANOTHER, ANOTHER)


REFUSALS: dict[str, tuple[Callable[[Bench], object], dict[str, object]]] = {
    "not JSON": (lambda bench: bench.write("{,}"), {}),
    "cut short": (lambda bench: bench.write('{"model": "o'), {}),
    "hooks is a list": (lambda bench: bench.write('{"hooks": []}'), {}),
    "ours, but otherwise": (lambda bench: bench.write(OLD), {}),
    "a directory in place of the settings": (a_directory_at(".claude", "settings.json"), {}),
    "a file in place of the client's directory": (a_file_at(".claude"), {}),
    "settings that are read-only": (read_only, {}),
    "settings in a store": (in_a_store, {}),
    "settings linked to nowhere": (dangling, {}),
    "a file in place of bin": (a_file_at(".config", "dreamwork", "bin"), {}),
    "a file in place of our state": (a_file_at(".config", "dreamwork", "hooks"), {}),
    "a file in place of our directory": (a_file_at(".config", "dreamwork"), {}),
    "a directory in place of the program": (a_directory_at(".config", "dreamwork", "bin", "dreamwork-hooks.pyz"), {}),
    "no program to install": (no_program, {}),
    "an empty program": (empty_program, {}),
    "a program that cannot be pinned": (unpinnable_program, {}),
    "a lint that is not there": (lambda bench: None, {"lint": "/none"}),
    "a Python that is none": (lambda bench: None, {"python": "/bin/true"}),
    "a project that is not there": (lambda bench: None, {"scope": "project", "target": "/none"}),
}


@pytest.mark.parametrize("dry_run", [False, True], ids=["run", "rehearsal"])
@pytest.mark.parametrize("kind", REFUSALS)
def test_a_refusal_leaves_the_whole_home_as_it_was(kind: str, dry_run: bool, bench: Bench) -> None:
    prepare, request = REFUSALS[kind]
    prepare(bench)
    before = everything(bench.home)
    refused = bench.install(dry_run=dry_run, **request)
    assert (refused.status, refused.answer["ok"]) == (2, False), refused
    assert everything(bench.home) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a home away, and only root is refused in it")
@pytest.mark.parametrize("dry_run", [False, True])
def test_root_in_somebody_s_home_is_refused_with_the_right_command(bench: Bench, dry_run: bool) -> None:
    another_s_home(bench)
    before = everything(bench.home)
    refused = bench.install(dry_run=dry_run)
    assert refused.status == 2
    assert "sudo -u" in str(refused.answer["error"])
    assert everything(bench.home) == before


@pytest.mark.parametrize("dry_run", [False, True])
def test_without_room_nothing_is_begun(bench: Bench, dry_run: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight, "_SPARE", 1 << 60)
    before = everything(bench.home)
    refused = bench.install(dry_run=dry_run)
    assert refused.status == 2
    assert "free some space" in str(refused.answer["error"]).lower()
    assert everything(bench.home) == before


@pytest.mark.parametrize("installed", [False, True])
def test_a_file_that_another_program_keeps_writing_is_refused_and_all_is_as_it_was(
    bench: Bench, installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if installed:
        bench.install()
        new = (bench.checkout / "dist" / "dreamwork-hooks.pyz").read_bytes().replace(b"stand-in", b"newer...")
        (bench.checkout / "dist" / "dreamwork-hooks.pyz").write_bytes(new)
    bench.write('{"model": "opus"}')

    def changed(*given: object) -> str:
        raise Changed

    monkeypatch.setattr(editing, "write", changed)
    before = [held[:3] for held in everything(bench.home).values()]
    refused = bench.install()
    assert refused.status == 2
    assert "nothing was changed" in str(refused.answer["error"])
    assert [held[:3] for held in everything(bench.home).values()] == before  # the program was there and went again


@pytest.mark.parametrize("caught", ["", '{"model": "op'])
def test_a_file_caught_while_another_program_writes_it_is_waited_for(bench: Bench, caught: str) -> None:
    whole = '{"model": "opus", "permissions": {"allow": ["Bash(ls)"]}}'
    bench.write(caught)

    def finish() -> None:
        time.sleep(0.3)
        bench.settings.write_text(whole)

    writer = threading.Thread(target=finish)
    writer.start()
    world = World(bench.env, str(bench.root), patience=20.0, checkout=str(bench.checkout))
    done = install(world, Request())
    writer.join()
    settings = json.loads(bench.settings.read_text())
    assert settings["permissions"] == {"allow": ["Bash(ls)"]}
    assert "PreCompact" in settings["hooks"]
    assert [path.read_text() for path in bench.backups()] == [whole]
    assert done.status == 0


@pytest.mark.parametrize("kind", ["settings that are read-only", "not JSON"])
def test_uninstalling_is_refused_before_anything_is_taken_away(bench: Bench, kind: str) -> None:
    bench.install()
    if kind == "not JSON":
        bench.settings.write_text(bench.settings.read_text() + ",")
    bench.settings.chmod(0o444)
    before = everything(bench.home)
    assert bench.uninstall().status == 2
    assert bench.uninstall(purge=True, dry_run=True).status == 2
    assert everything(bench.home) == before
