"""JSON text as a tree of spans: what stands where, so that an edit can leave everything else as it is.

The grammar is RFC 8259 with comments (`//` and `/* */`) allowed where white space is. Nothing is normalised:
a node keeps the offsets of its text, and only strings are decoded. The parser does not recurse, so depth is not a
limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_CONSTANTS = ("true", "false", "null")


class JsonSyntaxError(ValueError):
    """The text is not JSON; `line` and `column` count characters from 1."""

    def __init__(self, problem: str, text: str, offset: int) -> None:
        self.problem = problem
        self.line, self.column = position(text, offset)
        super().__init__(f"line {self.line}, column {self.column}: {problem}")


@dataclass(frozen=True)
class Member:
    """One `"key": value` of an object; `key` is decoded, `start` is where the key's quote stands."""

    key: str
    start: int
    key_end: int
    value: Node

    @property
    def end(self) -> int:
        return self.value.end


@dataclass(frozen=True)
class Node:
    """A value of the text between `start` and `end`. `kind`: object, array, string, number, constant."""

    kind: str
    start: int
    end: int
    string: str = ""  # decoded, for kind "string"
    members: list[Member] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)

    def all(self, key: str) -> list[Member]:
        return [member for member in self.members if member.key == key]

    def get(self, key: str) -> Node | None:
        """The value Claude Code sees under `key`: the last one, as `JSON.parse` has it."""
        found = self.all(key)
        return found[-1].value if found else None


@dataclass(frozen=True)
class Document:
    """A parsed text. `root` is None when there is nothing but white space and comments."""

    text: str
    root: Node | None
    comments: list[tuple[int, int]]

    @property
    def body_start(self) -> int:
        return 1 if self.text.startswith("\ufeff") else 0

    def source(self, node: Node) -> str:
        return self.text[node.start : node.end]

    def comments_between(self, start: int, end: int) -> list[tuple[int, int]]:
        return [(a, b) for a, b in self.comments if start <= a and b <= end]


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of `offset`, from 1; a byte order mark takes no column."""
    before = text[:offset]
    line = before.count("\n") + 1
    start = before.rfind("\n") + 1
    column = offset - start + 1
    if line == 1 and text.startswith("\ufeff"):
        column -= 1
    return line, column


@dataclass
class _Open:
    """A container whose closing bracket has not been read yet."""

    node_kind: str
    start: int
    members: list[Member] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)
    key: str = ""
    key_start: int = 0
    key_end: int = 0


def parse(text: str) -> Document:
    """Parse `text`; raises `JsonSyntaxError` at the first character that cannot stand where it stands."""
    if text.startswith(("\udcff\udcfe", "\udcfe\udcff")) or "\x00" in text[:4]:
        raise JsonSyntaxError("the file is UTF-16 or binary; Claude Code reads UTF-8", text, 0)
    return _Parser(text).document()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 1 if text.startswith("\ufeff") else 0
        self.comments: list[tuple[int, int]] = []

    def fail(self, problem: str, offset: int | None = None) -> JsonSyntaxError:
        return JsonSyntaxError(problem, self.text, self.at if offset is None else offset)

    def skip(self) -> None:
        """Move past white space and comments."""
        while True:
            found = _SPACE.match(self.text, self.at)
            assert found is not None  # the pattern matches nothing too
            self.at = found.end()
            if self.text.startswith("//", self.at):
                ends = [e for e in (self.text.find("\n", self.at), self.text.find("\r", self.at)) if e >= 0]
                end = min(ends, default=len(self.text))
            elif self.text.startswith("/*", self.at):
                close = self.text.find("*/", self.at + 2)
                if close < 0:
                    raise self.fail("a comment that is never closed")
                end = close + 2
            else:
                return
            self.comments.append((self.at, end))
            self.at = end

    def document(self) -> Document:
        self.skip()
        if self.at == len(self.text):
            return Document(self.text, None, self.comments)
        root = self.value()
        self.skip()
        if self.at != len(self.text):
            raise self.fail("text after the end of the JSON")
        return Document(self.text, root, self.comments)

    def value(self) -> Node:
        stack: list[_Open] = []
        while True:
            node = self.scalar_or_open(stack)
            # A finished value goes into its container; a container that closes is itself a finished value.
            while node is not None:
                if not stack:
                    return node
                node = self.place(node, stack)

    def scalar_or_open(self, stack: list[_Open]) -> Node | None:
        """Read one scalar or empty container, or open a container that holds something (and return None)."""
        char = self.text[self.at : self.at + 1]
        start = self.at
        if char in ("{", "["):
            self.at += 1
            self.skip()
            if self.text[self.at : self.at + 1] == ("}" if char == "{" else "]"):
                self.at += 1
                return Node("object" if char == "{" else "array", start, self.at)
            stack.append(_Open("object" if char == "{" else "array", start))
            if char == "{":
                self.member_key(stack[-1])
            return None
        if char == '"':
            string = self.string()
            return Node("string", start, self.at, string=string)
        number = _NUMBER.match(self.text, self.at)
        if number is not None:
            self.at = number.end()
            if re.match(r"[0-9A-Za-z_.+-]", self.text[self.at : self.at + 1]):
                raise self.fail("not a JSON number", start)
            return Node("number", start, self.at)
        word = _WORD.match(self.text, self.at)
        if word is not None and word.group() in _CONSTANTS:
            self.at = word.end()
            return Node("constant", start, self.at)
        raise self.fail(self.unexpected())

    def place(self, node: Node, stack: list[_Open]) -> Node | None:
        """Put `node` into the innermost container; returns the container when its bracket follows."""
        top = stack[-1]
        if top.node_kind == "object":
            top.members.append(Member(top.key, top.key_start, top.key_end, node))
        else:
            top.items.append(node)
        self.skip()
        close = "}" if top.node_kind == "object" else "]"
        char = self.text[self.at : self.at + 1]
        if char == close:
            self.at += 1
            stack.pop()
            return Node(top.node_kind, top.start, self.at, members=top.members, items=top.items)
        if char != ",":
            raise self.fail(f"expected a comma or {close}, found {self.here()}")
        comma = self.at
        self.at += 1
        self.skip()
        if self.text[self.at : self.at + 1] == close:
            raise self.fail(f"a trailing comma before {close}", comma)
        if top.node_kind == "object":
            self.member_key(top)
        return None

    def member_key(self, top: _Open) -> None:
        top.key_start = self.at
        if self.text[self.at : self.at + 1] != '"':
            raise self.fail(f"expected a key in double quotes, found {self.here()}")
        top.key = self.string()
        top.key_end = self.at
        self.skip()
        if self.text[self.at : self.at + 1] != ":":
            raise self.fail(f"expected a colon after the key, found {self.here()}")
        self.at += 1
        self.skip()

    def string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            raise self.fail("a string that is not closed, or holds a control character or a wrong escape")
        self.at = found.end()
        decoded: str = json.loads(found.group())
        return decoded

    def here(self) -> str:
        char = self.text[self.at : self.at + 1]
        return ascii(char) if char else "the end of the file"

    def unexpected(self) -> str:
        char = self.text[self.at : self.at + 1]
        if char == "'":
            return "a string in single quotes; JSON knows double quotes only"
        word = _WORD.match(self.text, self.at)
        if word is not None:
            return f"{word.group()[:40]} is not a JSON value"
        return f"expected a value, found {self.here()}"


def walk(node: Node) -> Iterator[Node]:
    """The node and everything in it, in the order of the text."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(member.value for member in reversed(current.members))
        pending.extend(reversed(current.items))
