"""A hook that is recorded: known, given back, and never anything but the person's own, whatever becomes of our file."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamwork_hooks.doctor.status import status
from dreamwork_hooks.errors import Refused
from dreamwork_hooks.install import recorded
from dreamwork_hooks.install.ours import role_of
from dreamwork_hooks.install.places import places
from dreamwork_hooks.install.wrapping import MARK, unwrapped, wrapped
from dreamwork_hooks.settings.jsontext import JsonSyntaxError
from tests.support.bench import Bench

SETTINGS = """{
    "model" : "m",  "hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "echo \\"it's\\" \\u00e9", "timeout": 5},
        {"command": "/bin/echo", "type": "command", "args": ["a b", "$HOME"]},
        {"type": "prompt", "prompt": "echo"}
    ]}], "Nope": [{"hooks": [{"type": "command", "command": "left alone"}]}]},
    "env": {"A": "\\/slash"}
}
"""


def test_only_the_commands_change() -> None:
    new = wrapped(SETTINGS, "/a b/x.pyz", "/rec")
    entries = json.loads(new)["hooks"]["Stop"][0]["hooks"]
    first = shlex.split(entries[0]["command"])
    assert first[4:] == [MARK, "/a b/x.pyz", "/rec", "/bin/sh", "-c", 'echo "it\'s" é']
    assert entries[1]["command"] == "/bin/sh"
    assert entries[1]["args"][2:] == [MARK, "/a b/x.pyz", "/rec", "/bin/echo", "a b", "$HOME"]
    was = json.loads(SETTINGS)["hooks"]["Stop"][0]["hooks"]
    assert [dict(unwrapped(entry)) for entry in entries] == was
    old_lines, new_lines = SETTINGS.splitlines(), new.splitlines()
    assert [at for at, (old, now) in enumerate(zip(old_lines, new_lines)) if old != now] == [2, 3]
    assert len(old_lines) == len(new_lines)
    assert new_lines[2].endswith(', "timeout": 5},')


def test_a_byte_order_mark_stays() -> None:
    assert wrapped("\ufeff" + SETTINGS, "x", "/rec").startswith("\ufeff{")


@pytest.mark.parametrize("text", ["{}", '{"hooks": {}}', '{"hooks": {"Stop": [{"hooks": []}]}}', "[]"])
def test_a_file_without_hooks_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="no command hook"):
        wrapped(text, "x", "/rec")


def test_a_file_that_is_no_json_is_refused() -> None:
    with pytest.raises(JsonSyntaxError):
        wrapped("{,}", "x", "/rec")


def put_a_directory_at(file: Path) -> None:
    file.unlink()
    file.mkdir()


BREAKS: dict[str, Callable[[Path], object]] = {
    "nothing": lambda file: None,
    "gone": lambda file: file.unlink(),
    "moved": lambda file: file.rename(file.with_name("elsewhere")),
    "empty": lambda file: file.write_bytes(b""),
    "cut short": lambda file: file.write_bytes(file.read_bytes()[:20]),
    "not executable": lambda file: file.chmod(0o644),
    "no interpreter": lambda file: file.write_bytes(b"#!/no/such/python\nexit 2\n"),
    "leaves with 2": lambda file: file.write_bytes(b"#!/bin/sh\necho no; echo no >&2; exit 2\n"),
    "hangs": lambda file: file.write_bytes(b"#!/bin/sh\nexec sleep 3\n"),
    "a directory": put_a_directory_at,
}
HOOKS = [("cat; echo err >&2; exit 0", 0), ("cat; echo err >&2; exit 2", 2), ("cat; echo err >&2; kill -TERM $$", -15)]


@pytest.mark.parametrize("shell", ["/bin/dash", "/bin/bash"])
@pytest.mark.parametrize("broken", BREAKS)
def test_whatever_becomes_of_our_file_the_hook_is_the_person_s(shell: str, broken: str, tmp_path: Path) -> None:
    file = tmp_path / "a b.pyz"
    for line, code in HOOKS:
        if file.is_dir():
            file.rmdir()
        file.write_bytes(b"#!/bin/sh\nexit 0\n")
        file.chmod(0o755)
        text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": line}]}]}})
        command = json.loads(wrapped(text, str(file), "/rec"))["hooks"]["Stop"][0]["hooks"][0]["command"]
        BREAKS[broken](file)
        begun = time.monotonic()
        ran = subprocess.run([shell, "-c", command], input=b"the event\n", capture_output=True, timeout=30)
        assert (ran.returncode, ran.stdout, ran.stderr) == (code, b"the event\n", b"err\n")
        assert time.monotonic() - begun < 3


def test_a_program_of_its_own_that_is_missing_leaves_with_127(tmp_path: Path) -> None:
    handler = {"type": "command", "command": "/none/such", "args": ["x"]}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [handler]}]}})
    entry = json.loads(wrapped(text, "/gone", "/rec"))["hooks"]["Stop"][0]["hooks"][0]
    assert subprocess.run([entry["command"], *entry["args"]], stdin=subprocess.DEVNULL).returncode == 127


def test_a_recording_is_known_and_its_end_is_told(bench: Bench) -> None:
    bench.write("{}")
    bench.install()
    before = bench.settings.read_bytes()
    here = places(bench.env)
    recorded.start(str(bench.settings), here, str(bench.program), "/rec", now=lambda: 0.0)
    assert {role_of(handler) for handler in handlers(bench.settings)} == {"precompact", "posttooluse"}
    told = " ".join(status(bench.world(), str(bench.root), managed="/none").sentences)
    assert "being recorded since 1970-01-01T00:00:00Z, into /rec" in told
    assert "record --remove" in told
    assert "Wired" in told
    with pytest.raises(Refused, match="recorded already"):
        recorded.start(str(bench.settings), here, str(bench.program), "/rec")
    assert os.stat(here.state).st_mode & 0o777 == 0o700
    recorded.stop(str(bench.settings), here, force=False)
    assert bench.settings.read_bytes() == before
    assert "recorded" not in " ".join(status(bench.world(), str(bench.root), managed="/none").sentences)


def test_without_an_executable_to_call_nothing_is_recorded(bench: Bench) -> None:
    bench.write(SETTINGS)
    with pytest.raises(Refused, match="chmod"):
        recorded.start(str(bench.settings), places(bench.env), "/none", "/rec")
    assert bench.settings.read_text() == SETTINGS


def handlers(path: Path) -> list[dict[str, object]]:
    hooks = json.loads(path.read_bytes())["hooks"]
    return [handler for groups in hooks.values() for group in groups for handler in group["hooks"]]
