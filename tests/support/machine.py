"""A home, a target and the hooks in process: thousands of events in the time that a hundred processes take."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from hypothesis import settings

from dreamwork_hooks import HOOKS, MAX_ANSWER, PLUGIN
from dreamwork_hooks.contract.answer import validate_output
from dreamwork_hooks.event import corelint, focus, ledger_check, postcompact, precompact, sessionstart
from dreamwork_hooks.event import door as entry
from dreamwork_hooks.evidence import gather as evidence
from dreamwork_hooks.memory import facts, focus_log
from dreamwork_hooks.memory.focus_log import AUDIT_LOG, KEPT, LOG, MAX_RECORD_WITH_EVIDENCE, damaged_name
from dreamwork_hooks.memory.ledger_seen import SEEN
from dreamwork_hooks.memory.notes import RESTORED, RUNS
from dreamwork_hooks.memory.state import LOCK, slug
from tests.support.targets import make_target, snapshot

Tree = dict[str, tuple[int, int, bytes]]

# What steers a session; an answer of ours holds none of it.
STEERING = {"decision", "continue", "stopReason", "suppressOutput", "permissionDecision"}
STATE_FILES = {LOCK, LOG, RUNS, SEEN, AUDIT_LOG, RESTORED, *map(damaged_name, (LOG, AUDIT_LOG))}

_SPEAKING = (precompact, sessionstart, postcompact, focus, ledger_check, corelint, facts, focus_log, evidence)
_WORD = re.compile(r"[^\W\d]+")


def _own_words() -> frozenset[str]:
    """Every word in the texts of the modules that speak to the model, the summarizer and the person."""
    trees = [ast.parse(Path(str(module.__file__)).read_text("utf-8")) for module in _SPEAKING]
    found = [node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return frozenset(word for text in found if isinstance(text, str) for word in _WORD.findall(text))


OWN_WORDS = _own_words()


def says_nothing_of_its_own(text: str) -> None:
    """Outside quotation marks stand our own words alone; a commit is the one thing that is not quoted."""
    assert text.count('"') % 2 == 0, text
    for mark in "“”„‟″«»＂〝〞❝❞":
        assert mark not in text, text
    ours = re.sub(r"\bcommit [0-9a-f]{1,12}\b", "commit", " ".join(text.split('"')[::2]))
    assert set(_WORD.findall(ours)) <= OWN_WORDS, (set(_WORD.findall(ours)) - OWN_WORDS, text)


def budget(share: float = 1.0) -> settings:
    """So much of the profile's number of examples."""
    profile = settings.default
    assert profile is not None
    return settings(max_examples=max(1, round(profile.max_examples * share)))


class _Given(entry.Door):
    """The door with its standard input read already."""

    __slots__ = ("data",)

    def __init__(self, word: str, data: bytes) -> None:
        super().__init__(word)
        self.data = data

    def read(self) -> entry.Incoming:
        came = entry.Incoming()
        came.take(self.data)
        return came


@dataclass
class Machine:
    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def target(self) -> Path:
        return self.root / "project"

    @property
    def hooks(self) -> Path:
        return self.home / ".config" / "dreamwork" / "hooks"

    @property
    def state(self) -> Path:
        return self.hooks / slug(os.path.realpath(self.target))

    def fresh(self) -> None:
        """A sound target with consent, and nothing remembered of it."""
        for path in (self.home, self.target):
            shutil.rmtree(path, ignore_errors=True)
        self.home.mkdir(parents=True)
        make_target(self.target)

    def put(self, name: str, data: bytes) -> None:
        """Write a file of the target."""
        path = self.target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def put_state(self, name: str, data: bytes) -> None:
        """Write a file of our state directory."""
        self.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self.state / name).write_bytes(data)
        (self.state / name).chmod(0o600)

    def play(self, word: str, event: bytes | dict[str, Any]) -> dict[str, Any]:
        """Give an event to a hook as the door does, check all that holds of every answer, and return the answer.

        The door's last resort, the answer that something unexpected happened, is not behind it: what would lead there
        is raised here.
        """
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        written: list[bytes] = []
        environ = {b"HOME": os.fsencode(self.home)}

        def write(fd: int, out: bytes) -> int:
            written.append(out)
            return len(out)

        def leave(status: int) -> None:
            assert status == 2, "a person's misspelt command is the one thing that does not end with 0"
            raise SystemExit(status)

        system = SimpleNamespace(write=write, environ=environ, _exit=leave)
        before = snapshot(self.target)
        with patch.object(entry, "system", system):
            door = _Given(word, data)
            answer, after = entry._answer(door, [word])
            door.say(answer)
            if after is not None:
                after()
        assert snapshot(self.target) == before
        said = check_answer(b"".join(written))
        assert said.get("error") != "no answer could be built"
        self.check_state()
        return said

    def check_state(self) -> None:
        """Nothing is written but our own files, and each can be read."""
        found = [path for path in self.home.rglob("*") if not path.is_dir()]
        for path in found:
            assert path.is_relative_to(self.hooks), path
            assert path.name.removesuffix(".tmp") in {*STATE_FILES, "config.json"}, path
            assert path.name == "config.json" or path.stat().st_mode & 0o077 == 0, path

    def records(self) -> list[dict[str, Any]]:
        """The focus log, each line of which must be a bounded record."""
        path = self.state / LOG
        if not path.exists():
            return []
        data = path.read_bytes()
        assert data.endswith(b"\n") or not data
        lines = data.split(b"\n")[:-1]
        assert len(lines) <= KEPT
        records = [json.loads(line) for line in lines]
        assert all(isinstance(record, dict) for record in records)
        return records


def check_answer(out: bytes) -> dict[str, Any]:
    """The answer in `out`, with all that holds of every answer."""
    assert len(out) <= MAX_ANSWER
    assert out.isascii()
    assert out.count(b"\n") == 1
    assert out.endswith(b"\n")
    answer = json.loads(out)
    assert isinstance(answer, dict)
    assert isinstance(answer["ok"], bool)
    assert answer["plugin"] == PLUGIN
    assert answer["hook"] in {"unknown", *(names[1] for names in HOOKS.values())}
    assert not answer.keys() & STEERING
    assert ("reason" in answer) is ("skipped" in answer)
    assert ("error" in answer) is not answer["ok"]
    for text in texts(answer):
        for line in text.split("\n"):
            assert line.isprintable(), ascii(line)
    if "preserve" in answer:
        assert next(iter(answer)) == "preserve"
        assert "\n" not in answer["preserve"]
        assert len(answer["preserve"]) <= 1500
        says_nothing_of_its_own(answer["preserve"])
    if "systemMessage" in answer:
        assert answer["hook"] in ("compaction-audit", "ledger-lint")
        assert len(answer["systemMessage"]) <= 500
        says_nothing_of_its_own(answer["systemMessage"])
    for event, name, _ in HOOKS.values():
        if answer["hook"] == name:
            reading = validate_output(event, out, b"", 0)
            assert reading.status == "ok", reading
            assert reading.misbehaviour == (), reading
            specific = answer.get("hookSpecificOutput")
            if specific is not None:
                assert event in ("PostToolUse", "SessionStart")
                assert specific.keys() == {"hookEventName", "additionalContext"}
                assert specific["hookEventName"] == event
                assert len(specific["additionalContext"]) <= 2000
                if event == "SessionStart":
                    says_nothing_of_its_own(specific["additionalContext"])
    return answer


def texts(value: object) -> list[str]:
    """Every text in an answer, keys too."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in texts(part)]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return []


def a_record(**fields: Any) -> bytes:
    """A record as the hooks write it."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    record = {"ts": stamp, "event": "PreCompact", "trigger": "auto", "session_id": "s", **fields, "note": None}
    line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
    assert len(line) < MAX_RECORD_WITH_EVIDENCE
    return line
