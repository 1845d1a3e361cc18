"""Any repository whose hooks nobody trusts: the host's commands read it, print it, and run nothing of it."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dreamwork_hooks.cli.main import main
from dreamwork_hooks.contract.event import sample_event
from dreamwork_hooks.contract.events import EVENTS
from dreamwork_hooks.host import HookHost, Policies, TrustError
from tests.support.shapes import NASTY

SECONDS = 20.0
"""Of the processor's time."""

ODD = [*NASTY, "\x9b2J", "a\u202eb", "\ufeff", "(", "((a+)+)+$", "*", "**", "re:(", "re:(a+)+$", "Bash(", "\ud800"]
PIECES = [
    *(
        "cd ",
        "$(",
        ")",
        "`",
        '"',
        "'",
        "\\",
        "\n",
        "|",
        "&&",
        ";",
        "<<E\n",
        "> ",
        "< ",
        "$X",
        "${X:-.}",
        "$PWD",
        "{a,b}",
        "*",
    ),
    *("./x.sh ", "sh ", "python3 -m x ", "make ", "env -C .. ", "find . -exec sh {} \\; ", "for f in *; do ", "done "),
    *(
        "case x in ",
        "esac ",
        "/dev/zero ",
        "/proc/self/pagemap ",
        "fifo ",
        "loop/loop/x ",
        "~",
        "~root/",
        "../" * 40,
        "x=y ",
    ),
]
KEYS = ("if", "timeout", "shell", "async", "asyncRewake", "once", "fail_closed", "args", "statusMessage", "type", "url")
COMMANDS: list[tuple[str, ...]] = [
    ("hooks",),
    ("hooks", "--json"),
    ("trust",),
    ("trust", "--show", "--json"),
    ("explain", "event.json"),
    ("explain", "--json", "event.json"),
    ("replay", "event.json"),
    ("replay", "--json", "--strict", "event.json"),
    ("replay", "--fail-closed", "always", "event.json"),
]


class Repositories:
    """Random repositories, the same ones for the same seed. Whatever they run writes the file `ran`."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.project = root / "project\x1b[2K\u202e"
        self.ran = root / "ran"
        self.random = random.Random(seed)

    def text(self) -> str:
        pick = self.random.random()
        if pick < 0.5:
            return self.random.choice(ODD)
        pieces = self.random.choices(PIECES + ODD, k=self.random.randrange(1, 9))
        return "".join(pieces)[:3000]

    def value(self, depth: int = 2) -> object:
        kinds: list[Callable[[], object]] = [
            self.text,
            lambda: self.random.choice([None, True, False, 0, -1, 1e308, 10**400, 5]),
        ]
        if depth:
            kinds += [
                lambda: [self.value(depth - 1) for _ in range(self.random.randrange(3))],
                lambda: {self.text(): self.value(depth - 1) for _ in range(self.random.randrange(3))},
            ]
        return self.random.choice(kinds)()

    def often(self, good: Callable[[], object]) -> object:
        return good() if self.random.random() < 0.93 else self.value()

    def handler(self) -> object:
        entry: dict[str, object] = {
            "type": self.random.choice(["command"] * 8 + ["http", "prompt"]),
            "command": f"touch {self.ran}; " + self.text() if self.random.random() < 0.9 else self.value(),
        }
        if entry["type"] == "http":
            entry["url"] = self.often(lambda: "http://127.0.0.1:1/" + self.text())
        for key in self.random.sample(KEYS, self.random.randrange(3)):
            entry[key] = self.value()
        if self.random.random() < 0.3:
            entry["if"] = "Bash(" + self.text() + ")"
        return entry

    def group(self) -> object:
        group: dict[str, object] = {"hooks": [self.often(self.handler) for _ in range(self.random.randrange(1, 3))]}
        if self.random.random() < 0.5:
            group["matcher"] = self.often(self.text)
        return group

    def settings(self) -> bytes:
        names = self.random.choices(["PreToolUse"] * 6 + sorted(EVENTS) + ODD, k=self.random.randrange(1, 4))
        whole: dict[str, object] = {"hooks": {name: self.often(lambda: [self.often(self.group)]) for name in names}}
        if self.random.random() < 0.4:
            whole["env"] = {self.text(): self.often(self.text) for _ in range(self.random.randrange(1, 4))}
        if self.random.random() < 0.2:
            whole["disableAllHooks"] = self.value()
        data = json.dumps(self.often(lambda: whole)).encode()
        if self.random.random() < 0.05:
            at = self.random.randrange(len(data) + 1)
            data = data[:at] + self.random.choice([b"\xff", b"\x00", b"{", b"", b"\xef\xbb\xbf"]) + data[at + 1 :]
        return data

    def next(self) -> bytes:
        """Make one, and return its settings."""
        if not self.project.exists():
            (self.project / ".claude").mkdir(parents=True)
            (self.project / "x.sh").write_text(f"touch {self.ran}\n")
            os.mkfifo(self.project / "fifo")
            os.mkfifo(self.project / ".claude" / "fifo")
            (self.project / ".claude" / "zero").symlink_to("/dev/zero")
            (self.project / ".claude" / "loop").symlink_to(".")
            (self.project / "loop").symlink_to(".")
            (self.project / ".claude" / "a\x1b]0;x\x07\udcff").write_text("")
        path = self.project / ".claude" / self.random.choice(["settings.json", "settings.local.json"])
        for old in ("settings.json", "settings.local.json"):
            (self.project / ".claude" / old).unlink(missing_ok=True)
        data = self.settings()
        kind = self.random.random()
        if kind < 0.01:
            os.mkfifo(path)
        elif kind < 0.02:
            path.symlink_to("/dev/zero")
        elif kind < 0.03:
            path.symlink_to(path)
        else:
            path.write_bytes(data)
        event = sample_event("PreToolUse", str(self.project), "Bash", tool_input={"command": self.text()})
        (self.project / "event.json").write_text(json.dumps(event))
        return data


@pytest.fixture
def repositories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repositories:
    made = Repositories(tmp_path, 20)
    made.next()
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(made.project)
    return made


def is_printable(text: str) -> bool:
    return all(char.isprintable() or char in "\n\t" for char in text)


@pytest.mark.timeout(600)
def test_any_repository_is_listed_and_explained_and_nothing_of_it_runs(repositories: Repositories) -> None:
    began = time.process_time()
    tried = 0
    while time.process_time() - began < SECONDS * 0.6:
        data = repositories.next()
        command = COMMANDS[tried % len(COMMANDS)]
        result = CliRunner(mix_stderr=False).invoke(main, list(command))
        said = result.stdout + result.stderr
        assert result.exit_code in (0, 1, 2), (command, data, said)
        assert result.exception is None or isinstance(result.exception, SystemExit), (command, data, result.exception)
        assert "Traceback" not in said, (command, data, said)
        assert "fault of dreamwork-hooks" not in said, (command, data, said)
        assert is_printable(said), (command, data, said)
        if "--json" in command and result.exit_code != 2:
            json.loads(result.stdout)
        assert not repositories.ran.exists(), (command, data)
        tried += 1
    assert tried > 100


@pytest.mark.timeout(600)
def test_any_repository_is_loaded_and_dispatched_to_and_nothing_of_it_runs(repositories: Repositories) -> None:
    began = time.process_time()
    tried = 0
    event: dict[str, Any]
    while time.process_time() - began < SECONDS * 0.4:
        data = repositories.next()
        event = json.loads((repositories.project / "event.json").read_text())
        policies = Policies(fail_closed="marked", command_regex=tried % 2 == 0, strict=tried % 3 == 0)
        try:
            with HookHost.load(repositories.project, policies=policies) as host:
                assert host.verdict is not None
                outcome = host.dispatch(event)
                host.explain(event)
                assert outcome.runs == (), data
        except TrustError as error:
            raise AssertionError(data) from error
        assert not repositories.ran.exists(), data
        tried += 1
    assert tried > 200
