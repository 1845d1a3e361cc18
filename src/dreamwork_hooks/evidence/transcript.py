"""The tail of a session's transcript: read in limited time, never waited for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from dreamwork_hooks.files import Unreadable, read_tail
from dreamwork_hooks.jsonlite import loads

MAX_BYTES = 512 * 1024


def newest_messages(path: str, until: float) -> tuple[Iterator[dict[str, Any]], float]:
    """The messages of the user's and the model's side in the last 512 KB, and the file's mtime.

    Args:
        until: on `time.monotonic`'s clock; at that moment what is left goes unread.

    Returns:
        The messages come newest first; a line that is cut off is none.

    Raises:
        Unreadable: at once, when the file cannot be read, is no regular file, or does not answer in time.
    """
    data, cut, mtime = _read_in_time(path, until)
    lines = data.split(b"\n")
    del lines[-1]  # what follows the last newline is still being written
    if cut:
        del lines[:1]
    return _messages(lines, until), mtime


def _messages(lines: list[bytes], until: float) -> Iterator[dict[str, Any]]:
    for line in reversed(lines):
        if time.monotonic() > until:
            return
        # The client also writes down its requests, with the whole system prompt: not parsed.
        if b'"message"' not in line or line.startswith((b'{"type":"api-', b'{"type":"queue')):
            continue
        try:
            entry = loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and entry.get("type") in ("user", "assistant"):
            yield entry


def blocks_of(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The content blocks of a message; a message of plain text is one text block."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]


def text_of(content: Any) -> str:
    """The text of a tool result's content."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") for part in content if isinstance(part, dict)]
    return "\n".join([part for part in parts if isinstance(part, str)])


def _read_in_time(path: str, until: float) -> tuple[bytes, bool, float]:
    """`read_tail` in a thread of its own: no alarm interrupts a read from a file system that has stopped answering."""
    import _thread

    came: list[Any] = []
    done = _thread.allocate_lock()
    done.acquire()

    def read() -> None:
        try:
            came.append(read_tail(path, MAX_BYTES))
        except BaseException as error:
            came.append(error)
        done.release()

    try:
        _thread.start_new_thread(read, ())
    except RuntimeError:
        raise Unreadable("not read: no thread could be started") from None
    if not done.acquire(True, max(0.0, until - time.monotonic())):
        raise Unreadable("not answering")
    found = came[0]
    if isinstance(found, Unreadable):
        raise found
    if isinstance(found, BaseException):
        raise Unreadable("unreadable: " + type(found).__name__)
    data, cut, mtime = found
    return data, cut, mtime
