"""Transcripts as Claude Code writes them: one JSON line a content block, results beside their tool calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class Transcript:
    """Lines of a transcript, oldest first."""

    def __init__(self) -> None:
        self.lines: list[Json] = []
        self._calls = 0

    def _add(self, kind: str, content: Any, **more: Any) -> None:
        message = {"role": kind, "content": content}
        if kind == "assistant":
            message["id"] = more.pop("message_id", f"msg_{len(self.lines)}")
        self.lines.append({"parentUuid": "x", "isSidechain": False, "type": kind, "message": message, **more})

    def say(self, text: str, **more: Any) -> Transcript:
        self._add("assistant", [{"type": "text", "text": text}], **more)
        return self

    def prompt(self, text: str) -> Transcript:
        self._add("user", text)
        return self

    def call(
        self, tool: str, tool_input: Json, result: Any = "done", *, error: bool = False, **details: Any
    ) -> Transcript:
        """A tool call and its result; `result=None` leaves the call without one."""
        self._calls += 1
        name = f"toolu_{self._calls:04}"
        self._add("assistant", [{"type": "tool_use", "id": name, "name": tool, "input": tool_input}])
        if result is not None:
            block = {"type": "tool_result", "content": result, "is_error": error, "tool_use_id": name}
            self._add("user", [block], toolUseResult=details or result)
        return self

    def write(self, path: Path | str, *, error: bool = False) -> Transcript:
        return self.call("Write", {"file_path": str(path), "content": "x"}, error=error)

    def bash(self, command: str, output: str | None = "", status: int = 0, **details: Any) -> Transcript:
        if output is None:
            return self.call("Bash", {"command": command}, None)
        text = f"Exit code {status}\n{output}" if status else output
        return self.call("Bash", {"command": command}, text, error=status != 0, **details)

    def encoded(self) -> bytes:
        return b"".join(json.dumps(line).encode() + b"\n" for line in self.lines)

    def save(self, path: Path) -> Path:
        path.write_bytes(self.encoded())
        return path
