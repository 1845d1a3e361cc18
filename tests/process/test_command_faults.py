"""What a command does when a file it reads is something else: it ends, names the file, and says what is wrong."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamwork_hooks.memory.focus_log import LOG
from dreamwork_hooks.memory.notes import RUNS
from dreamwork_hooks.memory.state import slug
from tests.support.spawn import clean_env
from tests.support.targets import make_target

LIMIT = 15.0  # seconds; nothing here comes near on a quiet machine


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 10 << 30)


# What stands in a file's place, how it is put there, and the words any of which say so.
FAULTS: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "a FIFO": (os.mkfifo, ("not a regular file",)),
    "a device": (lambda path: path.symlink_to("/dev/zero"), ("not a regular file", "symbolic links")),
    "a directory": (lambda path: path.mkdir(), ("a directory", "this directory", "not a regular file")),
    "10 GB": (_huge, ("larger than",)),
}
TEXTS = {
    "not UTF-8": b'{"a": "\xff\xfe"',
    "a number of 5,000 digits": b'{"n": ' + b"9" * 5000 + b"}",
    "nested 100,000 deep": b"[" * 100_000,
}


class Place:
    """A home, a target in it, and the files the commands read."""

    def __init__(self, root: Path, home: Path, pyz: Path) -> None:
        self.pyz, self.env = pyz, clean_env(home)
        self.target = make_target(root / "project")
        self.hooks = home / ".config" / "dreamwork" / "hooks"
        state = self.hooks / slug(os.path.realpath(self.target))
        state.mkdir(parents=True, mode=0o700)
        (self.target / ".claude").mkdir()
        self.files = {
            "the project's settings": self.target / ".claude" / "settings.json",
            "questions.md": self.target / ".dreamwork" / "questions.md",
            "last-runs.json": state / RUNS,
            "trust.json": self.hooks / "trust.json",
            "config.json": self.hooks / "config.json",
            "the focus log": state / LOG,
            "the event": root / "event.json",
        }

    def run(self, *words: str) -> tuple[int, str]:
        """Exit status and all that was said; a command that does not end fails the test."""
        ran = subprocess.run(
            [self.pyz, *words],
            env=self.env,
            cwd=self.target,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMIT,
            check=False,
        )
        said = ran.stdout.decode("utf-8", "replace")
        assert "Traceback" not in said, said
        assert ran.returncode in (0, 1, 2), (ran.returncode, said)
        return ran.returncode, " ".join(said.split())


@pytest.fixture
def place(tmp_path: Path, home: Path, pyz: Path) -> Place:
    return Place(tmp_path, home, pyz)


# The file, the command that reads it, and whether the command has to name it.
READ = [
    ("the project's settings", ("doctor",)),
    ("the project's settings", ("hooks",)),
    ("the project's settings", ("install", "--dry-run", "--scope", "project", "--target", ".")),
    ("the project's settings", ("record", "--install", "--settings", ".claude/settings.json")),
    ("questions.md", ("lint",)),
    ("questions.md", ("doctor",)),
    ("last-runs.json", ("doctor",)),
    ("trust.json", ("trust", "--show")),
    ("trust.json", ("hooks",)),
    ("config.json", ("status",)),
    ("config.json", ("doctor",)),
    ("the focus log", ("focus",)),
    ("the event", ("replay", "../event.json")),
    ("the event", ("explain", "../event.json")),
]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("file", "words"), READ, ids=[f"{words[0]} {file}" for file, words in READ])
def test_a_command_names_the_file_it_cannot_read(file: str, words: tuple[str, ...], fault: str, place: Place) -> None:
    if (file, fault) == ("the focus log", "10 GB"):
        pytest.skip("only the end of a log is read, whatever its size")
    make, says = FAULTS[fault]
    path = place.files[file]
    path.unlink(missing_ok=True)
    make(path)
    _, said = place.run(*words)
    assert path.name in said
    assert any(word in said for word in says), said


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(("file", "words"), READ, ids=[f"{words[0]} {file}" for file, words in READ])
def test_a_command_ends_whatever_the_file_holds(file: str, words: tuple[str, ...], text: str, place: Place) -> None:
    place.files[file].write_bytes(TEXTS[text])
    place.run(*words)


@pytest.mark.parametrize(
    "words", [("trust", "--allow"), ("doctor",), ("status",), ("install", "--dry-run"), ("focus",)]
)
def test_a_relative_directory_of_ours_is_refused_in_words(words: tuple[str, ...], place: Place) -> None:
    """It would mean another directory to every process, a repository perhaps."""
    hook = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}
    place.files["the project's settings"].write_text(json.dumps(hook))
    place.env["DREAMWORK_HOOKS_CONFIG"] = "conf"
    status, said = place.run(*words)
    assert status != 0
    assert "DREAMWORK_HOOKS_CONFIG is not an absolute path" in said
    assert not (place.target / "conf").exists()


def test_a_blank_directory_of_ours_is_as_unset(place: Place) -> None:
    place.env["DREAMWORK_HOOKS_CONFIG"] = " "
    hook = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}
    place.files["the project's settings"].write_text(json.dumps(hook))
    assert place.run("trust", "--allow")[0] == 0
    assert place.files["trust.json"].exists()
