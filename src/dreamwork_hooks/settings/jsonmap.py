"""Where the values of a JSON document stand: the place of every value by its path, for messages and small
edits."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from dreamwork_hooks.contract.event import no_constant

JsonPath = tuple[object, ...]
Span = tuple[int, int]

_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^\s,\]}]+")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


class NotJson(ValueError):
    """The text is not strict JSON. `line` and `column` count from 1."""

    def __init__(self, problem: str, line: int, column: int) -> None:
        self.problem = problem
        self.line = line
        self.column = column
        super().__init__(f"line {line}, column {column}: {problem}")


@dataclass(frozen=True)
class Document:
    """A parsed document. `spans` has the first and past-the-last offset of every value, by its path of
    keys."""

    text: str
    value: object
    spans: Mapping[JsonPath, Span]

    def line(self, path: JsonPath) -> int:
        """The line (from 1) on which the value at `path`, or the nearest thing around it, begins."""
        while path not in self.spans and path:
            path = path[:-1]
        start = self.spans.get(path, (0, 0))[0]
        return self.text.count("\n", 0, start) + 1


def parse(data: bytes | str) -> Document:
    """Parse strict JSON (a byte order mark is dropped, as the client does). Raises NotJson.

    Of a duplicate key the last one counts, for its value and for its place.
    """
    text = data.decode("utf-8", errors="replace") if isinstance(data, bytes) else data
    bare = text.lstrip("\ufeff")
    try:
        value = json.loads(bare, parse_constant=no_constant)
    except json.JSONDecodeError as error:
        raise NotJson(_problem(bare, error), error.lineno, error.colno) from None
    except RecursionError:
        raise NotJson("nested too deep", 1, 1) from None
    except ValueError as error:
        raise NotJson(str(error), 1, 1) from None
    spans: dict[JsonPath, Span] = {}
    try:
        _walk(bare, _skip(bare, 0), (), spans)
    except RecursionError:
        spans.clear()
    return Document(bare, value, spans)


def _problem(text: str, error: json.JSONDecodeError) -> str:
    """What a person would call it: the client drops the whole file for each of these."""
    if not text.strip():
        return "the file is empty"
    if text.startswith(("//", "/*"), error.pos):
        return "comments are not JSON"
    # Newer Pythons point at the comma, older ones at what follows it.
    comma = error.pos if text.startswith(",", error.pos) else len(text[: error.pos].rstrip()) - 1
    if text[comma : comma + 1] == "," and _closes(text, comma + 1):
        return "a trailing comma"
    if error.pos >= len(text.rstrip()):
        return "the file ends too early"
    return error.msg


def _closes(text: str, at: int) -> bool:
    return text[_skip(text, at) :][:1] in ("}", "]")


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _walk(text: str, at: int, path: JsonPath, spans: dict[JsonPath, Span]) -> int:
    """Note the span of the value at `at` and of all in it; the text is known to be valid. Returns its end."""
    start = at
    if path in spans:  # a duplicate key: the earlier value does not count, nor do the places inside it
        for stale in [known for known in spans if known[: len(path)] == path]:
            del spans[stale]
    if text[at] == "{":
        at = _skip(text, at + 1)
        while text[at] != "}":
            quoted = _STRING.match(text, at)
            assert quoted is not None
            key = json.loads(quoted[0], strict=False)
            at = _skip(text, _skip(text, quoted.end()) + 1)
            at = _skip(text, _walk(text, at, (*path, key), spans))
            if text[at] == ",":
                at = _skip(text, at + 1)
        end = at + 1
    elif text[at] == "[":
        at = _skip(text, at + 1)
        index = 0
        while text[at] != "]":
            at = _skip(text, _walk(text, at, (*path, index), spans))
            index += 1
            if text[at] == ",":
                at = _skip(text, at + 1)
        end = at + 1
    else:
        match = (_STRING if text[at] == '"' else _SCALAR).match(text, at)
        assert match is not None
        end = match.end()
    spans[path] = (start, end)
    return end
