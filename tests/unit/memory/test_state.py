"""The state directory: its name, its privacy, and what may stand in its way."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamwork_hooks.files import NoState, own_dir
from dreamwork_hooks.memory.state import LOCK, Locked, StateDir, slug

SAFE = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
NAMES = [
    "project",
    "my project",
    'o\'ne "two"',
    "..",
    ".",
    "",
    "a\nb",
    "é",
    "§§§",
    "-rf",
    "$(x)",
    "x" * 300,
    "\udcff",
    "家",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_slug_is_one_safe_component(name: str) -> None:
    made = slug("/somewhere/" + name)
    assert set(made) <= SAFE
    assert made not in (".", "..")
    assert len(made) <= 80
    assert len(made.rpartition("-")[2]) == 12


def test_a_slug_is_readable() -> None:
    assert slug("/home/u/my project").startswith("my-project-")


def test_targets_of_one_name_do_not_share_a_slug() -> None:
    places = [f"/{parent}/{name}" for parent in ("a", "b", "a/b", "a-b") for name in NAMES]
    assert len({slug(place) for place in places}) == len(set(places))


@given(st.text(min_size=1), st.text(min_size=1))
def test_no_two_paths_share_a_slug(one: str, other: str) -> None:
    try:
        os.fsencode(one), os.fsencode(other)
    except UnicodeEncodeError:  # a lone surrogate that stands for no byte is no path
        return
    assert (slug("/" + one) == slug("/" + other)) is (one == other)


def env(home: Path) -> dict[str, str]:
    return {"HOME": str(home)}


@pytest.mark.parametrize("umask", [0, 0o022, 0o277, 0o400, 0o777])
def test_the_directories_and_files_are_private_and_our_own(home: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        state = StateDir(env(home), "/t")
        state.lock(0.1)
        state.replace("file", b"x")
        state.close()
    finally:
        assert os.umask(before) == umask
    for path in (state.path, home / ".config", home / ".config/dreamwork", home / ".config/dreamwork/hooks"):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o700
    assert {stat.S_IMODE(os.stat(os.path.join(state.path, name)).st_mode) for name in ("file", LOCK)} == {0o600}


def test_what_was_open_to_others_is_closed(home: Path) -> None:
    state = StateDir(env(home), "/t")
    os.chmod(state.path, 0o777)
    Path(state.path, "file").write_text("x")
    Path(state.path, "file").chmod(0o666)
    state.close()
    state = StateDir(env(home), "/t")
    assert state.read("file", 10) == b"x"
    assert stat.S_IMODE(os.stat(state.path).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(os.path.join(state.path, "file")).st_mode) == 0o600
    state.close()


def test_a_directory_that_is_not_there_is_made_only_on_request(home: Path) -> None:
    with pytest.raises(NoState):
        StateDir(env(home), "/t", create=False)
    assert not (home / ".config").exists()


def test_a_home_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(NoState, match="HOME is not a directory"):
        StateDir(env(tmp_path / "nobody"), "/t")
    assert not (tmp_path / "nobody").exists()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"DREAMWORK_HOOKS_CONFIG": "/c"}, "/c"),
        ({"DREAMWORK_HOOKS_CONFIG": " /c ", "HOME": "/"}, "/c"),
        ({"DREAMWORK_HOOKS_CONFIG": "  ", "HOME": "/"}, "/.config/dreamwork"),
        ({"HOME": "/"}, "/.config/dreamwork"),
        ({"DREAMWORK_HOOKS_CONFIG": "c", "HOME": "/"}, None),
        ({"HOME": "home"}, None),
        ({"HOME": ""}, None),
        ({}, None),
    ],
)
def test_where_the_configuration_lies(given: dict[str, str], expected: str | None) -> None:
    if expected is None:
        with pytest.raises(NoState):
            own_dir(given)
    else:
        assert own_dir(given) == expected


def test_a_link_in_place_of_a_file_is_not_followed(home: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    state = StateDir(env(home), "/t")
    os.symlink(precious, os.path.join(state.path, "file"))
    with pytest.raises(OSError):
        state.read("file", 10)
    with pytest.raises(OSError):
        state.open("file", os.O_WRONLY | os.O_CREAT)
    state.replace("file", b"ours")
    assert precious.read_text() == "mine"
    assert Path(state.path, "file").read_text() == "ours"
    state.close()


def test_a_failed_replacement_leaves_the_file_and_nothing_beside_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = StateDir(env(home), "/t")
    state.replace("file", b"old")

    def full(fd: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            state.replace("file", b"new")
    assert os.listdir(state.path) == ["file"]
    assert state.read("file", 10) == b"old"
    state.close()


def test_a_lock_is_waited_for_only_so_long_and_is_free_after_close(home: Path) -> None:
    one, other = StateDir(env(home), "/t"), StateDir(env(home), "/t")
    one.lock(0.1)
    with pytest.raises(Locked):
        other.lock(0.02)
    one.close()
    other.lock(0.02)
    other.close()


def test_a_directory_renamed_meanwhile_is_still_the_one_written_to(home: Path, tmp_path: Path) -> None:
    state = StateDir(env(home), "/t")
    moved = tmp_path / "moved"
    os.rename(state.path, moved)
    os.mkdir(state.path)
    state.replace("file", b"x")
    assert (moved / "file").read_bytes() == b"x"
    assert os.listdir(state.path) == []
    state.close()
