"""Evidence: the files, commands, failing tests and numbers at the end of a session's transcript.

These are what a summary loses: nearly every decision comes through a compaction, but hardly a tenth of the file paths
and almost no commands or numbers. Opt-in, since it writes down what the session did: `"evidence": true` in config.json.
Everything is one line, bounded, with likely secrets masked, and the newest comes first.
"""

from __future__ import annotations

import os
import time
from typing import Any

from dreamwork_hooks.evidence.failing_tests import MAX_NAME, MOST_OF_A_LINE, failing_tests
from dreamwork_hooks.evidence.numbers import stated_numbers
from dreamwork_hooks.evidence.transcript import blocks_of, newest_messages, text_of
from dreamwork_hooks.files import Unreadable
from dreamwork_hooks.quoting import one_line
from dreamwork_hooks.secrets import MASK, has_known_prefix, masked, shown
from dreamwork_hooks.shapes import Evidence

SECONDS = 0.25  # of the 300 ms; loading this code takes of them too
MAX_FILES = 12
MAX_COMMANDS = 6
MAX_TESTS = 10
MAX_NUMBERS = 12
MAX_DECISIONS = 6
MAX_DECISION = 160
MAX_PATH = 200
MAX_COMMAND = 160
_LOOKED_AT = 4000  # characters of a command that are searched for secrets; more cannot be shown
_STALE = 600  # seconds
_EDITS = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path", "NotebookEdit": "notebook_path"}


def gather(event: dict[str, Any], target: str, now: float) -> tuple[Evidence | None, str | None]:
    """(evidence, note) for the session of `event`; no evidence when its transcript cannot be read.

    The evidence is `{"files": [path], "commands": [{"command", "exit"}], "failing_tests": [name], "numbers": [text],
    "decisions": [sentence]}`, of a command that ran several times `times` too; `decisions` only where there are some.
    A path inside the target is relative to it. `exit` is the status, or a word: `background`, `interrupted`, `failed`
    (with no status told), `unknown` (no result in the transcript).
    """
    until = time.monotonic() + SECONDS
    path = event.get("transcript_path")
    if not isinstance(path, str) or not os.path.isabs(path):
        return None, "the event names no transcript"
    try:
        messages, written = newest_messages(path, until)
    except Unreadable as error:
        return None, "the transcript is " + str(error)
    gathered = Gathered(_spellings(target, event.get("cwd")))
    for entry in messages:
        gathered.take(entry)
    note = None
    if time.monotonic() > until:
        note = "the transcript was not read to its beginning in time"
    elif not gathered.seen:
        note = "the transcript's end holds no messages"
    elif now - written >= _STALE:
        note = "the transcript was last written " + str(int((now - written) // 60)) + " minutes before"
    return gathered.evidence(), note


class Gathered:
    """What has been found so far in messages that are given newest first."""

    __slots__ = (
        "commands",
        "decisions",
        "files",
        "last_words",
        "last_words_id",
        "passed",
        "results",
        "seen",
        "spellings",
        "tests",
    )

    def __init__(self, spellings: list[str]) -> None:
        self.spellings = spellings
        self.seen = False
        self.results: dict[str, tuple[dict[str, Any], Any]] = {}
        self.files: list[str] = []
        self.commands: list[dict[str, Any]] = []
        self.decisions: list[str] = []
        self.tests: list[str] = []
        self.passed: list[str] = []  # commands that have since been run without a failing test
        self.last_words: list[str] = []
        self.last_words_id: Any = None

    def take(self, entry: dict[str, Any]) -> None:
        """Take up one message."""
        self.seen = True
        blocks = blocks_of(entry)
        if not entry.get("isSidechain") and not entry.get("isMeta"):
            self._decide(blocks)
            if entry["type"] == "assistant":
                self._hear(entry, blocks)
        for block in reversed(blocks):
            if block.get("type") == "tool_result":
                self.results[str(block.get("tool_use_id"))] = (block, entry.get("toolUseResult"))
            elif block.get("type") == "tool_use":
                tool_input = block.get("input")
                if isinstance(tool_input, dict):
                    self._use(block.get("name"), tool_input, self.results.pop(str(block.get("id")), None))

    def _hear(self, entry: dict[str, Any], blocks: list[dict[str, Any]]) -> None:
        """Keep the text of the newest message that has any; the client writes one line for each of its blocks."""
        texts = [
            block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)
        ]
        said = "\n".join(texts)
        message = entry["message"]
        if said.strip() and (not self.last_words or (message.get("id") and message["id"] == self.last_words_id)):
            self.last_words.insert(0, said)
            self.last_words_id = message.get("id")

    def _decide(self, blocks: list[dict[str, Any]]) -> None:
        for block in reversed(blocks):
            text = block.get("text")
            if len(self.decisions) < MAX_DECISIONS and block.get("type") == "text" and isinstance(text, str):
                for sentence in reversed(decisions(text)):
                    told = shown(sentence, MAX_DECISION)
                    if told not in self.decisions:
                        self.decisions.append(told)
        del self.decisions[MAX_DECISIONS:]

    def _use(self, name: Any, tool_input: dict[str, Any], result: tuple[dict[str, Any], Any] | None) -> None:
        if isinstance(name, str) and name in _EDITS:
            path = tool_input.get(_EDITS[name])
            if isinstance(path, str) and path and not (result is not None and result[0].get("is_error")):
                self._edited(path)
        elif name == "Bash":
            command = tool_input.get("command")
            if isinstance(command, str) and command.strip():
                self._ran(command, result)

    def _edited(self, path: str) -> None:
        if len(self.files) >= MAX_FILES:
            return
        for spelling in self.spellings:
            if path.startswith(spelling + "/"):
                path = path[len(spelling) + 1 :]
                break
        path = one_line(_plain_path(path), MAX_PATH)
        if path not in self.files:
            self.files.append(path)

    def _ran(self, command: str, result: tuple[dict[str, Any], Any] | None) -> None:
        output = text_of(result[0].get("content")) if result is not None else ""
        status = exit_state(result)
        if not self.tests:
            failing = list(dict.fromkeys(map(_plain_name, failing_tests(output, MAX_TESTS, MOST_OF_A_LINE))))
            if failing:
                self.tests = [] if command in self.passed else failing
            elif status == 0:
                self.passed.append(command)
        text = shown(command, MAX_COMMAND)
        for ran in self.commands:
            if ran["command"] == text:  # the status stays the newest run's
                ran["times"] = ran.get("times", 1) + 1
                return
        if len(self.commands) < MAX_COMMANDS:
            self.commands.append({"command": text, "exit": status})

    def evidence(self) -> Evidence:
        said = "\n".join(self.last_words)
        numbers = [shown(text, 60, random=False) for text in stated_numbers(said, MAX_NUMBERS)]
        numbers.reverse()
        found = {"files": self.files, "commands": self.commands, "failing_tests": self.tests, "numbers": numbers}
        return {**found, "decisions": self.decisions} if self.decisions else found


def exit_state(result: tuple[dict[str, Any], Any] | None) -> int | str:
    """How a Bash call ended, from its result block and what the client keeps beside it."""
    if result is None:
        return "unknown"
    block, details = result
    if isinstance(details, dict):
        if details.get("interrupted") is True:
            return "interrupted"
        if details.get("backgroundTaskId"):
            return "background"
    if not block.get("is_error"):
        return 0
    words = text_of(block.get("content"))[:40].split(None, 3)
    if words[:2] == ["Exit", "code"] and len(words) > 2 and words[2].isdecimal():
        return int(words[2][:9])
    return "failed"


def _plain_path(path: str) -> str:
    """A path with secrets masked; names may well be long and random, so that alone makes none."""
    if len(path) > _LOOKED_AT:
        path = path[:_LOOKED_AT].rpartition("/")[0] + "/…"
    if "://" in path:
        path = masked(path, random=False)
    return "/".join([masked(part, random=False) for part in path.split("/")])


def _plain_name(test: str) -> str:
    """A test's name with secrets masked: its parameters are values of any kind."""
    name, bracket, values = test.partition("[")
    close = "]" if values.endswith("]") else ""
    values = masked(values[: len(values) - len(close)])
    return one_line(MASK if has_known_prefix(name) else name + bracket + values + close, MAX_NAME)


def _spellings(target: str, cwd: Any) -> list[str]:
    """The target's real path, and how the session spells it when that leads over a link."""
    found = [target]
    if isinstance(cwd, str) and os.path.isabs(cwd):
        cwd = os.path.normpath(cwd)
        real = os.path.realpath(cwd)
        below = real[len(target) :]
        if real != cwd and (real == target or real.startswith(target + "/")) and cwd.endswith(below):
            found.append(cwd[: len(cwd) - len(below)])
    return found


# As they stand in a sentence, in lower case, blanks around them.
_DECIDING = (
    " instead of ",
    " rather than ",
    " do not ",
    " don't ",
    " must not ",
    " because ",
    " decided ",
    " rejected ",
    " ruled out ",
    " won't ",
    " we will not ",
)
SHORTEST = 20
LONGEST = 400  # characters of a sentence; a longer one is no decision but an explanation
MOST_CHARACTERS = 20000  # of a text's end that are looked at


def decisions(text: str) -> list[str]:
    """The deciding sentences of a text, in its order. Code, quotations and what a program put in are passed over."""
    text = text[-MOST_CHARACTERS:]
    low = text.lower().replace("’", "'")
    if not any(word.strip() in low for word in _DECIDING):
        return []
    found: list[str] = []
    in_code = False
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("```"):
            in_code = not in_code
        if in_code or line[:1] in ("<", ">", "|", "`"):
            continue
        for sentence in _sentences(line.lstrip("-*#0123456789. ")):
            padded = " " + sentence.lower().replace("’", "'").replace("*", "") + " "
            if SHORTEST <= len(sentence) <= LONGEST and any(word in padded for word in _DECIDING):
                found.append(sentence)
    return found


def _sentences(line: str) -> list[str]:
    """A line cut behind `. `, `! ` and `? `."""
    found = []
    start = 0
    for at in range(1, len(line)):
        if line[at] == " " and line[at - 1] in ".!?":
            found.append(line[start:at].strip())
            start = at
    found.append(line[start:].strip())
    return found
