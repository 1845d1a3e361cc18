"""The hook runs in transcripts, as data. What each shape of a line means was measured; see tests/data/transcripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from dreamwork_hooks.evidence.transcript import blocks_of, text_of
from dreamwork_hooks.history.transcripts import Entry, Passed, entries

Ended = Literal["succeeded", "blocked", "failed", "timed out", "cancelled"]

# What the client puts before the standard error of a hook that failed, and stands for none.
_BEFORE_STDERR = "Failed with non-blocking status code: "
_NO_STDERR = "No stderr output"
_HOOK_ERROR = " hook error: "
_PROMPT_BLOCKED = " operation blocked by hook:\n"
_ORIGINAL_PROMPT = "\n\nOriginal prompt: "
_MOST_DIRECTORIES = 1000
_MOST_KNOWN = 500_000  # lines: a forked session begins with a copy of the lines before it


@dataclass(frozen=True)
class Run:
    """One run of a hook, as far as the client wrote it down.

    Attributes:
        event: the event's name, e.g. `PreToolUse`.
        command: the command as it stood in the settings; empty where the client does not say which hook it was.
        ended: a hook that ended with 2, or said block or deny, has `blocked`.
        exit: the exit status, None where it is not written down.
        milliseconds: how long it ran, None where that is not written down.
        stderr: its standard error, or what it gave as its reason.
        session: the session's id.
        at: when it ended, in UTC as `2026-03-04T05:06:07.890Z`; empty where the line has no time.
    """

    event: str
    command: str
    ended: Ended
    exit: int | None
    milliseconds: float | None
    stderr: str
    session: str
    at: str


@dataclass(frozen=True)
class Compaction:
    """One compaction of a session: when, by whom (`manual`, `auto`), and whether it was a subagent's."""

    session: str
    at: str
    trigger: str
    subagent: bool


def seconds(stamp: str) -> float | None:
    """A transcript's time as seconds since 1970."""
    try:
        return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError):
        return None


class Reader:
    """Reads runs and compactions out of transcripts, each line once although forked sessions repeat them.

    Attributes:
        passed: what was read and passed over so far.
        directories: the working directories of what was read, in the order first seen.

    Args:
        known: the commands that are configured now, for the one shape of a line that does not say where a command ends.
        since: seconds since 1970; what was before is left out.
    """

    def __init__(self, known: frozenset[str] = frozenset(), since: float | None = None) -> None:
        self.passed = Passed()
        self._known = known
        self._since = since
        self._seen: set[int] = set()
        self.directories: dict[str, None] = {}

    def read(self, path: Path) -> Iterator[Run | Compaction]:
        """What one transcript holds, in its order."""
        self._told: set[tuple[str, str]] = set()
        for entry in entries(path, _looks_right, self.passed):
            if self._is_old(entry) or self._is_repeated(entry):
                continue
            if len(self.directories) < _MOST_DIRECTORIES:
                self.directories.setdefault(_text(entry.get("cwd")))
            read = _READERS.get(str(entry.get("type")))
            if read is not None:
                yield from read(self, entry)

    def _is_old(self, entry: Entry) -> bool:
        if self._since is None:
            return False
        at = seconds(str(entry.get("timestamp")))
        return at is not None and at < self._since

    def _is_repeated(self, entry: Entry) -> bool:
        uuid = entry.get("uuid")
        if not isinstance(uuid, str) or len(self._seen) >= _MOST_KNOWN:
            return False
        mark = hash(uuid)
        if mark in self._seen:
            return True
        self._seen.add(mark)
        return False

    def _attachment(self, entry: Entry) -> Iterator[Run]:
        told = entry.get("attachment")
        if not isinstance(told, dict):
            return
        kind = told.get("type")
        if kind == "hook_blocking_error":
            said = told.get("blockingError")
            said = said if isinstance(said, dict) else {}
            command = _text(said.get("command"))
            reason = _text(said.get("blockingError")).removeprefix(f"[{command}]: ")
            yield self._run(entry, told, command, "blocked", None, reason)
        elif kind == "hook_success":
            yield self._run(entry, told, _text(told.get("command")), "succeeded", 0, _text(told.get("stderr")))
        elif kind == "hook_non_blocking_error":
            stderr = _text(told.get("stderr")).removeprefix(_BEFORE_STDERR)
            stderr = "" if stderr.strip() == _NO_STDERR else stderr
            yield self._run(entry, told, _text(told.get("command")), "failed", None, stderr)
        elif kind == "hook_cancelled":
            # 2.1.110 does not say whether it was the time limit; nearly always it is.
            ended: Ended = "cancelled" if told.get("timedOut") is False else "timed out"
            yield self._run(entry, told, _text(told.get("command")), ended, None, "")
        elif kind == "async_hook_response":  # which of the event's hooks it was is not written down
            code = told.get("exitCode")
            yield self._run(entry, told, "", "succeeded" if code == 0 else "failed", None, _text(told.get("stderr")))

    def _system(self, entry: Entry) -> Iterator[Run | Compaction]:
        kind = entry.get("subtype")
        if kind == "compact_boundary":
            said = entry.get("compactMetadata")
            trigger = _text(said.get("trigger")) if isinstance(said, dict) else ""
            subagent = entry.get("isSidechain") is True
            yield Compaction(_text(entry.get("sessionId")), _text(entry.get("timestamp")), trigger, subagent)
        elif kind == "stop_hook_summary":
            # All Stop hooks of a turn's end. Those that printed or failed were told before; one that blocked is told by
            # its reason alone, and of what then remains every one was a silent success.
            reasons = dict(self._parted(error[1:]) for error in _texts(entry.get("hookErrors")) if error[:1] == "[")
            infos = entry.get("hookInfos")
            for info in infos if isinstance(infos, list) else []:
                command = _text(info.get("command")) if isinstance(info, dict) else ""
                if command and (_text(entry.get("toolUseID")), command) not in self._told:
                    ended: Ended = "blocked" if command in reasons else "succeeded"
                    status = None if ended == "blocked" else 0
                    yield self._run(
                        entry, {**info, "hookEvent": "Stop"}, command, ended, status, reasons.get(command, "")
                    )
        elif kind == "informational":
            event, sign, said = _text(entry.get("content")).partition(_PROMPT_BLOCKED)
            if sign and event.isalnum():
                yield self._blocked(entry, {"hookEvent": event}, said.partition(_ORIGINAL_PROMPT)[0])

    def _user(self, entry: Entry) -> Iterator[Run]:
        """A PreToolUse hook that blocks is told only as the tool's error: `PreToolUse:Bash hook error: [COMMAND]: why`;
        without its command where it did so by an answer."""
        for block in blocks_of(entry):
            text = text_of(block.get("content")) if block.get("type") == "tool_result" and block.get("is_error") else ""
            name, sign, rest = text.partition(_HOOK_ERROR)
            event = name.partition(":")[0]
            if sign and event.isalnum() and " " not in name:
                yield self._blocked(entry, {"hookEvent": event, "toolUseID": block.get("tool_use_id")}, rest)

    def _blocked(self, entry: Entry, told: Entry, said: str) -> Run:
        command, reason = self._parted(said[1:]) if said[:1] == "[" else ("", said)
        return self._run(entry, told, command, "blocked", None, reason)

    def _parted(self, text: str) -> tuple[str, str]:
        """(command, reason) of `COMMAND]: reason`, in which the command may hold `]: ` as well."""
        first: tuple[str, str] | None = None
        at = text.find("]: ")
        while at >= 0:
            if text[:at] in self._known:
                return text[:at], text[at + 3 :]
            first = first or (text[:at], text[at + 3 :])
            at = text.find("]: ", at + 1)
        return first or ("", text)

    def _run(self, entry: Entry, told: Entry, command: str, ended: Ended, status: int | None, stderr: str) -> Run:
        self._told.add((_text(told.get("toolUseID")), command))
        spent = told.get("durationMs")
        code = told.get("exitCode")
        return Run(
            event=_text(told.get("hookEvent")),
            command=command,
            ended=ended,
            exit=code if isinstance(code, int) and not isinstance(code, bool) else status,
            milliseconds=spent if isinstance(spent, (int, float)) and not isinstance(spent, bool) else None,
            stderr=stderr,
            session=_text(entry.get("sessionId")),
            at=_text(entry.get("timestamp")),
        )


_READERS: dict[str, Callable[[Reader, Entry], Iterator[Run | Compaction]]] = {
    "attachment": Reader._attachment,
    "system": Reader._system,
    "user": Reader._user,
}

# In a text of the conversation the quotation marks are escaped, so these stand only in lines of the client's own.
_SIGNS = (
    b'"type":"hook_',
    b'"async_hook_response"',
    b'"stop_hook_summary"',
    b'"compact_boundary"',
    _HOOK_ERROR.encode(),
    b" operation blocked by hook:",
)


def _looks_right(line: bytes) -> bool:
    return (b"hook" in line or b"compact_b" in line) and any(sign in line for sign in _SIGNS)


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
