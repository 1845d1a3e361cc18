"""JSON text as a tree of spans: what stands where, so that an edit can leave everything else as it is.

The grammar is RFC 8259 with comments (`//` and `/* */`) allowed where white space is. Nothing is normalised:
a node keeps the offsets of its text, and only strings are decoded. The parser does not recurse, so depth is not a
limit.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_CONSTANTS = {"true": True, "false": False, "null": None}
_EXACT = 15  # digits that a float, the client's only number, holds exactly


class JsonSyntaxError(ValueError):
    """The text is not JSON; `line` and `column` count characters from 1."""

    def __init__(self, problem: str, text: str, offset: int) -> None:
        self.problem = problem
        self.line, self.column = position(text, offset)
        super().__init__(f"line {self.line}, column {self.column}: {problem}")


class Node:
    """A value of the text between `start` and `end`. `kind`: object, array, string, number, constant.

    `string` is decoded; `members` are those of an object, `items` those of an array.
    """

    __slots__ = ("end", "items", "kind", "members", "start", "string")

    def __init__(
        self,
        kind: str,
        start: int,
        end: int,
        string: str = "",
        members: Sequence[Member] = (),
        items: Sequence[Node] = (),
    ) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.string = string
        self.members = members
        self.items = items

    def all(self, key: str) -> list[Member]:
        return [member for member in self.members if member.key == key]

    def get(self, key: str) -> Node | None:
        """The value Claude Code sees under `key`: the last one, as `JSON.parse` has it."""
        for member in reversed(self.members):
            if member.key == key:
                return member.value
        return None


class Member:
    """One `"key": value` of an object; `key` is decoded, `start` is where the key's quote stands."""

    __slots__ = ("key", "key_end", "start", "value")

    def __init__(self, key: str, start: int, key_end: int, value: Node) -> None:
        self.key = key
        self.start = start
        self.key_end = key_end
        self.value = value

    @property
    def end(self) -> int:
        return self.value.end


class Document:
    """A parsed text. `root` is None when there is nothing but white space and comments."""

    def __init__(self, text: str, root: Node | None, comments: list[tuple[int, int]]) -> None:
        self.text = text
        self.root = root
        self.comments = comments

    @property
    def body_start(self) -> int:
        return 1 if self.text.startswith("\ufeff") else 0

    def source(self, node: Node) -> str:
        return self.text[node.start : node.end]

    def comments_between(self, start: int, end: int) -> list[tuple[int, int]]:
        first = bisect_left(self.comments, (start, start))
        return [(a, b) for a, b in self.comments[first : bisect_left(self.comments, (end, end))] if b <= end]

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of `offset`, from 1; a byte order mark takes no column."""
        line = bisect_right(self._lines, offset)
        return line, offset - max(self._lines[line - 1], self.body_start if line == 1 else 0) + 1

    def value(self, node: Node, depth: int = 4) -> object:
        """A node's data; what lies `depth` containers down stands as an empty one, for depth has no limit here.

        A number is what JavaScript makes of it: of 5,000 digits, infinite.
        """
        if node.kind == "object":
            return {m.key: self.value(m.value, depth - 1) for m in node.members} if depth else {}
        if node.kind == "array":
            return [self.value(item, depth - 1) for item in node.items] if depth else []
        if node.kind == "string":
            return node.string
        source = self.source(node)
        if node.kind == "constant":
            return _CONSTANTS[source]
        return int(source) if len(source) <= _EXACT and source.lstrip("-").isdigit() else float(source)


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of `offset`, from 1; a byte order mark takes no column."""
    before = text[:offset]
    line = before.count("\n") + 1
    start = before.rfind("\n") + 1
    column = offset - start + 1
    if line == 1 and text.startswith("\ufeff"):
        column -= 1
    return line, column


class _Open:
    """A container whose closing bracket has not been read yet, and the key whose value comes next."""

    __slots__ = ("is_object", "items", "key", "key_end", "key_start", "members", "start")

    def __init__(self, is_object: bool, start: int) -> None:
        self.is_object = is_object
        self.start = start
        self.members: list[Member] = []
        self.items: list[Node] = []
        self.key = ""
        self.key_start = self.key_end = 0


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

    def skip(self) -> str:
        """Move past white space and comments, and return the character there, "" at the end."""
        while True:
            found = _SPACE.match(self.text, self.at)
            assert found is not None  # the pattern matches nothing too
            self.at = found.end()
            char = self.text[self.at : self.at + 1]
            if char != "/":
                return char
            if self.text.startswith("//", self.at):
                ends = [e for e in (self.text.find("\n", self.at), self.text.find("\r", self.at)) if e >= 0]
                end = min(ends, default=len(self.text))
            elif self.text.startswith("/*", self.at):
                close = self.text.find("*/", self.at + 2)
                if close < 0:
                    raise self.fail("a comment that is never closed")
                end = close + 2
            else:
                return char
            self.comments.append((self.at, end))
            self.at = end

    def document(self) -> Document:
        if not self.skip():
            return Document(self.text, None, self.comments)
        root = self.value()
        if self.skip():
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
        text, start = self.text, self.at
        char = text[start : start + 1]
        if char == '"':
            string = self.string()
            return Node("string", start, self.at, string)
        if char == "{" or char == "[":
            self.at += 1
            if self.skip() == ("}" if char == "{" else "]"):
                self.at += 1
                return Node("object" if char == "{" else "array", start, self.at)
            stack.append(_Open(char == "{", start))
            if char == "{":
                self.member_key(stack[-1])
            return None
        number = _NUMBER.match(text, start)
        if number is not None:
            self.at = number.end()
            return Node("number", start, self.at)
        word = _WORD.match(text, start)
        if word is not None and word.group() in _CONSTANTS:
            self.at = word.end()
            return Node("constant", start, self.at)
        raise self.fail(self.unexpected())

    def place(self, node: Node, stack: list[_Open]) -> Node | None:
        """Put `node` into the innermost container; returns the container when its bracket follows."""
        top = stack[-1]
        if top.is_object:
            top.members.append(Member(top.key, top.key_start, top.key_end, node))
            close = "}"
        else:
            top.items.append(node)
            close = "]"
        char = self.skip()
        if char == ",":
            comma = self.at
            self.at += 1
            if self.skip() == close:
                raise self.fail(f"a trailing comma before {close}", comma)
            if top.is_object:
                self.member_key(top)
            return None
        if char != close:
            raise self.fail(f"expected a comma or {close}, found {self.here()}")
        self.at += 1
        stack.pop()
        return Node("object" if top.is_object else "array", top.start, self.at, "", top.members, top.items)

    def member_key(self, top: _Open) -> None:
        top.key_start = self.at
        if self.text[self.at : self.at + 1] != '"':
            raise self.fail(f"expected a key in double quotes, found {self.here()}")
        top.key = self.string()
        top.key_end = self.at
        if self.skip() != ":":
            raise self.fail(f"expected a colon after the key, found {self.here()}")
        self.at += 1
        self.skip()

    def string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            raise self.fail("a string that is not closed, or holds a control character or a wrong escape")
        quoted = found.group()
        self.at = found.end()
        if "\\" not in quoted:
            return quoted[1:-1]
        decoded: str = json.loads(quoted)
        return decoded

    def here(self) -> str:
        char = self.text[self.at : self.at + 1]
        return ascii(char) if char else "the end of the file"

    def unexpected(self) -> str:
        char = self.text[self.at : self.at + 1]
        if char == "'":
            return "a string in single quotes; JSON knows double quotes only"
        if char.isdigit() or char == "-":
            return "not a JSON number"
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
