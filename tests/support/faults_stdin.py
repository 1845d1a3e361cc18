"""Faults of standard input: what the event is made of, and how it comes."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import subprocess
import termios
import time
from collections.abc import Callable

from tests.support.faults import Row, Scene, both

MIB = 1 << 20


def _bytes(make: bytes | Callable[[Scene], bytes]) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        scene.stdin = make if isinstance(make, bytes) else make(scene)

    return prepare


def _event(scene: Scene) -> bytes:
    return json.dumps(scene.event).encode()


def _with(**fields: object) -> Callable[[Scene], None]:
    """The event with other fields; a value of `...` takes the field away."""

    def prepare(scene: Scene) -> None:
        for name, value in fields.items():
            if value is ...:
                scene.event.pop(name)
            else:
                scene.event[name] = value

    return prepare


def _padded(size: int) -> Callable[[Scene], bytes]:
    return lambda scene: json.dumps({**scene.event, "padding": "x" * size}).encode()


def _in_text(old: bytes, new: bytes) -> Callable[[Scene], bytes]:
    def make(scene: Scene) -> bytes:
        data = _event(scene)
        assert old in data
        return data.replace(old, new, 1)

    return make


NOT_JSON = "not one JSON event"
NOT_AN_EVENT = "not an event"

CONTENT = [
    Row("stdin is empty", _bytes(b""), both(False), NOT_JSON),
    Row("stdin is blank", _bytes(b" \n\t\r\n "), both(False), NOT_JSON),
    Row("stdin is garbage", _bytes(b"\x00\xff{]}garbage"), both(False), NOT_JSON),
    Row("stdin is NUL bytes", _bytes(b"\0" * 5000), both(False), NOT_JSON),
    Row("stdin is cut off", _bytes(lambda scene: _event(scene)[:-20]), both(False), NOT_JSON),
    Row("stdin is cut off inside a string", _bytes(lambda scene: _event(scene)[:60]), both(False), NOT_JSON),
    Row("stdin is UTF-16", _bytes(lambda scene: _event(scene).decode().encode("utf-16")), both(False), NOT_JSON),
    Row("stdin begins with a byte order mark", _bytes(lambda scene: b"\xef\xbb\xbf" + _event(scene)), both(True)),
    Row("stdin holds two documents", _bytes(lambda scene: _event(scene) + b"\n" + _event(scene)), both(False), "more"),
    Row("stdin is an array", _bytes(lambda scene: b"[" + _event(scene) + b"]"), both(False), NOT_AN_EVENT),
    Row("stdin is a string", _bytes(b'"PreCompact"'), both(False), NOT_AN_EVENT),
    Row("stdin is a number", _bytes(b"42"), both(False), NOT_AN_EVENT),
    Row("stdin is null", _bytes(b"null"), both(False), NOT_AN_EVENT),
    Row("stdin is an empty object", _bytes(b"{}"), both(precompact=False, posttooluse=True)),
    Row("stdin is nested 100,000 deep in arrays", _bytes(b"[" * 100_000), both(False), NOT_AN_EVENT),
    Row("stdin is nested 100,000 deep in objects", _bytes(b'{"a":' * 100_000), both(False), NOT_AN_EVENT),
    Row(
        "stdin holds a value nested 100,000 deep",
        _bytes(_in_text(b"{", b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b",")),
        both(False),
        NOT_AN_EVENT,
    ),
    Row("stdin holds NaN", _bytes(_in_text(b"{", b'{"a":NaN,')), both(False), "NaN is not JSON"),
    Row("stdin holds -Infinity", _bytes(_in_text(b"{", b'{"a":-Infinity,')), both(False), "Infinity is not JSON"),
    Row("stdin holds a number beyond a float", _bytes(_in_text(b"{", b'{"a":1e999999,')), both(True)),
    Row(
        "stdin holds a number of 3,000,000 digits",
        _bytes(_in_text(b"{", b'{"a":' + b"9" * 3_000_000 + b",")),
        both(True),
    ),
    Row("stdin names a key twice", _bytes(_in_text(b"{", b'{"cwd":"/nowhere","tool_input":7,')), both(True)),
    Row("stdin holds a lone surrogate", _bytes(_in_text(b"{", b'{"session_id":"x","a":"\\ud800",')), both(True)),
    Row(
        "stdin holds a byte that is not UTF-8",
        _bytes(_in_text(b'"transcript', b'"a":"\xff\xfe","transcript')),
        both(True),
    ),
    Row(
        "stdin holds a raw newline in a string", _bytes(_in_text(b'"transcript', b'"a":"x\ny","transcript')), both(True)
    ),
    Row("the event is 2 MB", _bytes(_padded(2 * MIB)), both(True)),
    Row("the event is 16 MB", _bytes(_padded(16 * MIB)), both(True)),
    Row("the event is 70 MB", _bytes(_padded(70 * MIB)), both(False), "larger than 32 MiB"),
]

FIELDS = [
    Row("the event is of another hook", _with(hook_event_name="Stop"), both(False), "with a Stop event"),
    Row("the event's name is a list", _with(hook_event_name=["PreCompact"]), both(False), "called as"),
    Row("the event's name is 1 MB", _with(hook_event_name="x" * MIB), both(False), "called as"),
    Row("the event has no name", _with(hook_event_name=...), both(True)),
    Row("cwd is missing", _with(cwd=...), both(precompact=False, posttooluse=True)),
    Row("cwd is null", _with(cwd=None), both(precompact=False, posttooluse=True)),
    Row("cwd is a number", _with(cwd=7), both(precompact=False, posttooluse=True)),
    Row("cwd is empty", _with(cwd=""), both(precompact=False, posttooluse=True)),
    Row("cwd is relative", _with(cwd="project"), both(precompact=False, posttooluse=True)),
    Row("cwd is not there", _with(cwd="/nonexistent/at/all"), both(precompact=False, posttooluse=True)),
    Row("cwd holds a NUL", _with(cwd="/tmp/\0x"), both(precompact=False, posttooluse=True)),
    Row("cwd is a lone surrogate", _with(cwd="/\ud800"), both(precompact=False, posttooluse=True)),
    Row("cwd is 1 MB", _with(cwd="/" + "x" * MIB), both(precompact=False, posttooluse=True)),
    Row("cwd is 100,000 directories deep", _with(cwd="/x" * 100_000), both(precompact=False, posttooluse=True)),
    Row("the session's name is missing", _with(session_id=...), both(True)),
    Row("the session's name is an object", _with(session_id={"a": 1}), both(True)),
    Row("the session's name is a path out of here", _with(session_id="../../../../tmp/x"), both(True)),
    Row("the session's name is 1 MB of control characters", _with(session_id="\x1b" * MIB), both(True)),
    Row("the trigger is a list", _with(trigger=["auto"]), both(precompact=True)),
    Row("the instructions are 100 KB", _with(custom_instructions="keep " * 20_000), both(precompact=True)),
    Row("the transcript's path is empty", _with(transcript_path=""), both(True)),
    Row("the transcript's path is a directory", _with(transcript_path="/tmp"), both(True)),
    *[
        Row(f"tool_response is {name}", _with(tool_response=value), both(posttooluse=True))
        for name, value in (("missing", ...), ("null", None), ("a string", "done"), ("a list", [1]))
    ],
    *[
        Row(f"tool_input is {name}", _with(tool_input=value), both(posttooluse=True), "not a ledger file")
        for name, value in (("missing", ...), ("null", None), ("a string", "tasks.md"), ("a list", [1]), ("empty", {}))
    ],
    *[
        Row(f"file_path is {name}", _with(tool_input={"file_path": value}), both(posttooluse=True), "skipped")
        for name, value in (
            ("null", None),
            ("a number", 7),
            ("empty", ""),
            ("a NUL and more", "/tmp/\0/.dreamwork/tasks.md"),
            ("a lone surrogate", "/tmp/\ud800/.dreamwork/tasks.md"),
            ("1 MB long", "/tmp/" + "x" * MIB + "/.dreamwork/tasks.md"),
            ("100,000 directories up", "/tmp/" + "../" * 100_000 + ".dreamwork/tasks.md"),
            ("of a target that is not there", "/nonexistent/.dreamwork/tasks.md"),
        )
    ],
    Row("the tool's name is missing", _with(tool_name=...), both(posttooluse=True)),
    Row("the tool's name is an object", _with(tool_name={}), both(posttooluse=True)),
]


def _pipe(scene: Scene) -> tuple[int, int]:
    """A pipe to the hook's stdin; both ends stay open on our side until the row is over."""
    read, write = os.pipe()
    scene.keep_open(read)
    scene.stdin = read
    return read, write


def waiting(read: int) -> None:
    """Wait until all that was written has been read: the hook is up, and waits for more."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        (unread,) = struct.unpack("i", fcntl.ioctl(read, termios.FIONREAD, b"\0\0\0\0"))
        if not unread:
            return
        time.sleep(0.002)


def never_closes(cut: int | None) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        data = _event(scene)
        _, write = _pipe(scene)
        os.write(write, data[:cut])
        scene.keep_open(write)

    return prepare


def _in_pieces(size: int, pause: float, padding: int) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        data = _padded(padding)(scene)
        _, write = _pipe(scene)

        def feed(process: subprocess.Popen[bytes]) -> None:
            try:
                for at in range(0, len(data), size):
                    os.write(write, data[at : at + size])
                    time.sleep(pause)
            finally:
                os.close(write)

        scene.during = feed

    return prepare


def _unblocking(scene: Scene) -> None:
    _in_pieces(200, 0.005, 0)(scene)
    assert isinstance(scene.stdin, int)
    os.set_blocking(scene.stdin, False)


def _open(path: str, flags: int = os.O_RDONLY) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        scene.stdin = scene.keep_open(os.open(path, flags))

    return prepare


def _from_file(scene: Scene) -> None:
    path = scene.root / "event.json"
    path.write_bytes(_event(scene))
    _open(str(path))(scene)


def _from_socket(scene: Scene) -> None:
    ours, its = socket.socketpair()
    scene.closers += [ours.close, its.close]
    ours.sendall(_event(scene))
    ours.shutdown(socket.SHUT_WR)
    scene.stdin = its.fileno()


def _closed(scene: Scene) -> None:
    # As `<&-` leaves it: not there at all.
    scene.command = ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *scene.command]


COMING = [
    Row("stdin never closes after a whole event", never_closes(None), both(True)),
    Row("stdin never closes and nothing comes", never_closes(0), both(False), NOT_JSON),
    Row("stdin stalls half-way", never_closes(70), both(False), NOT_JSON),
    Row("stdin comes in 4 KB pieces with pauses", _in_pieces(4096, 0.002, 300_000), both(True)),
    Row("stdin does not block", _unblocking, both(True)),
    Row("stdin never ends", _open("/dev/zero"), both(False), "larger than"),
    Row("stdin is /dev/null", _open("/dev/null"), both(False), NOT_JSON),
    Row("stdin is a directory", _open("/"), both(False), NOT_JSON),
    Row("stdin cannot be read", _open("/dev/null", os.O_WRONLY), both(False), NOT_JSON),
    Row("stdin is a file", _from_file, both(True)),
    Row("stdin is a socket", _from_socket, both(True)),
    Row("stdin is closed", _closed, both(False), NOT_JSON),
]

ROWS = [*CONTENT, *FIELDS, *COMING]
