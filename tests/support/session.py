"""One scripted print-mode session of the real client, from the first prompt to its exit, in limited time."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.client import client_env
from tests.support.messages_api import MessagesApi, Request, Summarizer, Turn, keeps_what_it_is_told

Json = dict[str, Any]

LIMIT_S = 60.0

PRINT_MODE = ("-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json")

# Not bypassPermissions: the client refuses that for root, and it is not how people work.
ALLOWED = ("--permission-mode", "acceptEdits", "--allowedTools", "Write,Edit,Read,Bash,NotebookEdit")
ASKING = ("--permission-prompt-tool", "stdio")


@dataclass(frozen=True)
class Place:
    """The directories of one user: a home, the client's configuration, and the project a session runs in."""

    home: Path
    config_dir: Path
    project: Path

    @classmethod
    def make(cls, root: Path) -> Place:
        """Make the directories below `root`."""
        place = cls(root / "home", root / "home" / ".claude", root / "home" / "project")
        for directory in (place.config_dir, place.project, place.home / "tmp"):
            directory.mkdir(parents=True)
        return place

    @property
    def settings(self) -> Path:
        """The user's settings file."""
        return self.config_dir / "settings.json"

    def hook(self, **groups: list[Json]) -> None:
        """Write user settings that hold these hooks: event name to its list of matcher groups."""
        self.settings.write_text(json.dumps({"hooks": groups}))


@dataclass(frozen=True)
class ToolResult:
    """One tool call's result as the model got it."""

    is_error: bool
    text: str


@dataclass(frozen=True)
class Ran:
    """What came of a session: exit status, the client's output stream, and what the API was asked."""

    code: int
    stderr: str
    stream: list[Json]
    requests: list[Request]
    unplayed: list[Turn]
    seconds: float

    def of_kind(self, kind: str) -> list[Request]:
        """The requests of one kind: `turn`, `summary`, `aside`."""
        return [request for request in self.requests if request.kind == kind]

    @property
    def session_id(self) -> str:
        """The client's id of the session."""
        return str(next(m["session_id"] for m in self.stream if "session_id" in m))

    def transcript(self, place: Place) -> Path:
        """The session's transcript file."""
        return next((place.config_dir / "projects").glob(f"*/{self.session_id}.jsonl"))

    @property
    def tool_results(self) -> dict[str, ToolResult]:
        """What each tool call gave the model, by the call's id (`toolu_0001_003`: answer 1, fourth call)."""
        contents = [m["message"]["content"] for m in self.stream if m.get("type") == "user"]
        parts = [part for content in contents if isinstance(content, list) for part in content]
        results = [part for part in parts if part.get("type") == "tool_result"]
        return {r["tool_use_id"]: ToolResult(bool(r.get("is_error")), str(r["content"])) for r in results}

    @property
    def tool_errors(self) -> list[str]:
        """The texts of tool results that were errors: a blocked, refused or failed call."""
        return [result.text for result in self.tool_results.values() if result.is_error]

    @property
    def compactions(self) -> list[str]:
        """The triggers of the compactions that took place, in order: `manual`, `auto`."""
        boundaries = [m for m in self.stream if m.get("subtype") == "compact_boundary"]
        return [m["compact_metadata"]["trigger"] for m in boundaries]


class SessionFailed(AssertionError):
    """The client did not get through the script; the message holds what it said."""


def run_session(
    client: Path,
    place: Place,
    *,
    prompts: Sequence[str],
    turns: Sequence[Turn] = (),
    summarizer: Summarizer = keeps_what_it_is_told,
    agents: Mapping[str, Sequence[Turn]] = {},
    cwd: Path | None = None,
    arguments: Sequence[str] = ALLOWED,
    path: str = os.defpath,
    env: Mapping[str, str] = {},
    grant: Json | None = None,
    user: int | None = None,
    limit_s: float = LIMIT_S,
) -> Ran:
    """Run the client on `prompts` in order (`/compact WORDS` may be one), the model playing `turns`.

    `cwd` is the project unless given; `path` is the client's and so the hooks' PATH; `env` adds to the
    environment. With `grant` nothing is allowed beforehand: each call is allowed when the client asks, and
    `grant` is the permission update the person gives with it.
    `agents` are the turns of subagents, by their prompt. `user` is the id to run as (root may choose;
    `place` must be that user's). Raises SessionFailed when the client has not answered every prompt and left
    within `limit_s` seconds. No process of the session outlives the call.
    """
    mark = uuid.uuid4().hex
    started = time.monotonic()
    with MessagesApi(turns, summarizer, agents) as api:
        environment = {**client_env(api.url, place.home, place.config_dir, path), _MARK: mark, **env}
        process = subprocess.Popen(
            [str(client), *PRINT_MODE, *(arguments if grant is None else ASKING)],
            cwd=cwd or place.project,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
        talk = _Talk(process, started + limit_s, grant)
        try:
            for prompt in prompts:
                talk.say(prompt)
            code = talk.leave()
        finally:
            _end(process, mark)
            talk.close()
        return Ran(code, talk.stderr, talk.stream, api.requests, api.unplayed, time.monotonic() - started)


class _Talk:
    """The conversation with a running client: prompts in, its stream out, no wait beyond the deadline."""

    def __init__(self, process: subprocess.Popen[bytes], deadline: float, grant: Json | None) -> None:
        self.stream: list[Json] = []
        self._process = process
        self._deadline = deadline
        self._grant = grant
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._errors: list[bytes] = []
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._readers = [threading.Thread(target=read) for read in (self._read_stdout, self._read_stderr)]
        for reader in self._readers:
            reader.start()

    @property
    def stderr(self) -> str:
        return b"".join(self._errors).decode(errors="replace")

    def say(self, prompt: str) -> None:
        """Send a prompt and read until its result."""
        try:
            self._send({"type": "user", "message": {"role": "user", "content": prompt}})
            while (message := self._next(prompt)).get("type") != "result":
                if message.get("type") == "control_request":
                    self._allow(message)
        except BrokenPipeError:
            raise self._failed(f"the client left before it took the prompt {prompt!r}") from None

    def leave(self) -> int:
        """Close the client's input and wait for its exit status."""
        self._stdin.close()
        try:
            code = self._process.wait(max(0.1, self._deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise self._failed("the client did not leave after its last prompt") from None
        while (line := self._lines.get(timeout=5)) != b"":
            self.stream.append(json.loads(line))
        return code

    def close(self) -> None:
        for reader in self._readers:
            reader.join(5)
        for pipe in (self._stdin, self._stdout, self._stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass

    def _send(self, message: Json) -> None:
        self._stdin.write(json.dumps(message).encode() + b"\n")
        self._stdin.flush()

    def _allow(self, asked: Json) -> None:
        answer = {"behavior": "allow", "updatedInput": asked["request"]["input"]}
        if self._grant:
            answer["updatedPermissions"] = [self._grant]
        response = {"subtype": "success", "request_id": asked["request_id"], "response": answer}
        self._send({"type": "control_response", "response": response})

    def _next(self, prompt: str) -> Json:
        try:
            line = self._lines.get(timeout=max(0.1, self._deadline - time.monotonic()))
        except queue.Empty:
            raise self._failed(f"no result in time for the prompt {prompt!r}") from None
        if line == b"":
            raise self._failed(f"the client left while answering the prompt {prompt!r}")
        message: Json = json.loads(line)
        self.stream.append(message)
        return message

    def _failed(self, what: str) -> SessionFailed:
        said = "\n".join(json.dumps(message)[:400] for message in self.stream[-8:])
        return SessionFailed(f"{what}\nstderr: {self.stderr}\nlast of its stream:\n{said}")

    def _read_stdout(self) -> None:
        for line in self._stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _read_stderr(self) -> None:
        for line in self._stderr:
            self._errors.append(line)


_MARK = "SCRIPTED_SESSION"


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End the client and all it started, hooks in sessions of their own included."""
    if process.poll() is None:
        process.terminate()  # the client ends its hooks when it is asked to leave
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)
    while left := _marked(mark):
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)


def _marked(mark: str) -> list[int]:
    """Processes that carry this session's mark in their environment, where the system shows environments."""
    wanted = f"{_MARK}={mark}".encode()
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (directory / "environ").read_bytes().split(b"\0"):
                found.append(int(directory.name))
        except OSError:
            continue
    return found
