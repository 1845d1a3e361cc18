"""The front matter of a skill, a command or an agent: the part of YAML that hooks are written in, as JSON.

The JSON has every key and value on the line it has in the file, so that what is read from it has its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NoReturn, Union

from dreamwork_hooks.settings.jsontext import JsonSyntaxError

_DEPTH = 50
_KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s'"#\[\]{},&*!|>%@`-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+|$)""")
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$")
_WORDS = {"true": "true", "false": "false", "null": "null", "~": "null", "": "null"}

# A scalar is its JSON; a mapping has the line of each key. Each stands with its line, from 1.
Node = tuple[int, Union[str, "list[Node]", "dict[str, tuple[int, Node]]"]]


def as_json(text: str, keys: tuple[str, ...] = ("name", "hooks")) -> str | None:
    """Those keys of a file's front matter as one JSON object; None without front matter. Raises JsonSyntaxError."""
    rows = text.removeprefix("\ufeff").split("\n")
    if rows[0].rstrip() != "---":
        return None
    end = next((number for number, row in enumerate(rows[1:], 1) if row.rstrip() == "---"), None)
    if end is None:
        return None
    found: dict[str, tuple[int, Node]] = {}
    for first, last in _entries(rows, end):
        match = _KEY.match(rows[first])
        if match and _key(match[1]) in keys:
            _, block = _Parser(rows[first:last], first + 1).document()
            assert isinstance(block, dict)
            found.update(block)
    return "".join(_Writer().pieces((1, found)))


def _entries(rows: list[str], end: int) -> Iterator[tuple[int, int]]:
    """Where each key of the outermost mapping begins, and where it ends."""
    starts = [n for n in range(1, end) if rows[n][:1] not in ("", " ", "\t", "#", "-", "\r")]
    yield from zip(starts, [*starts[1:], end])


def _key(text: str) -> str:
    return str(json.loads(_scalar(text)[0])) if text[:1] in "\"'" else text.strip()


class _Parser:
    def __init__(self, rows: list[str], first: int) -> None:
        self.rows = [row.rstrip("\r") for row in rows]
        self.first = first
        self.at = 0

    def document(self) -> Node:
        return self.block(0, 0)

    def wrong(self, problem: str) -> NoReturn:
        line = self.first + min(self.at, len(self.rows) - 1)
        raise JsonSyntaxError(problem, "\n" * (line - 1), line - 1)

    def skip(self) -> int:
        """Go to the next line that says something; its indent, -1 at the end."""
        while self.at < len(self.rows):
            said = self.rows[self.at].lstrip(" ")
            if said and not said.startswith("#"):
                if said.startswith("\t"):
                    self.wrong("a tab where YAML wants blanks")
                return len(self.rows[self.at]) - len(said)
            self.at += 1
        return -1

    def block(self, indent: int, depth: int) -> Node:
        """The list or mapping whose lines are indented by `indent`."""
        if depth > _DEPTH:
            self.wrong("nested too deeply")
        line = self.first + self.at
        items: list[Node] = []
        members: dict[str, tuple[int, Node]] = {}
        while self.skip() == indent:
            row = self.rows[self.at][indent:]
            here = self.first + self.at
            if row == "-" or row.startswith("- "):
                inner = row[1:].lstrip(" ")
                at = indent + len(row) - len(inner)
                if not inner or inner.startswith("#"):
                    self.at += 1
                    below = self.skip()
                    items.append(self.block(below, depth + 1) if below > indent else (here, "null"))
                elif _KEY.match(inner) or inner.startswith("- "):
                    self.rows[self.at] = " " * at + inner
                    items.append(self.block(at, depth + 1))
                else:
                    items.append(self.value(inner, indent))
                continue
            match = _KEY.match(row)
            if not (match or items or members):
                return self.value(row, indent - 1)
            if match is None or items:
                break
            members[_key(match[1])] = here, self.after_key(row[match.end() :], indent, depth)
        if self.skip() > indent or not (items or members):
            self.wrong("no YAML that is understood here")
        return line, items or members

    def after_key(self, rest: str, indent: int, depth: int) -> Node:
        here = self.first + self.at
        if rest and not rest.startswith("#"):
            return self.value(rest, indent)
        self.at += 1
        below = self.skip()
        listed = below == indent and self.rows[self.at][indent : indent + 2] in ("-", "- ")
        return self.block(below, depth + 1) if below > indent or listed else (here, "null")

    def value(self, rest: str, indent: int) -> Node:
        """A value that begins on this line; more of it may follow, indented deeper."""
        here = self.first + self.at
        if rest[0] in "|>":
            return here, json.dumps(self.literal(rest, indent))
        if rest[0] in "&*!%@`":
            self.wrong(f"{rest[0]} of YAML is not understood here")
        self.at += 1
        while True:
            if rest[0] in "{[":
                found = _Flow(rest, here).read()
            else:
                found = _quoted_or_plain(rest, here)
            if found is not None:
                node, left = found
                if left.strip() and not left.lstrip().startswith("#"):
                    self.at -= 1
                    self.wrong("text after a value")
                if rest[0] in "{[\"'" or self.skip() <= indent:
                    return node
            if self.at >= len(self.rows) or (rest[0] not in "{[\"'" and self.skip() <= indent):
                self.wrong("a value that does not end")
            rest = rest.split(" #")[0].rstrip() + " " + self.rows[self.at].strip()
            self.at += 1

    def literal(self, head: str, indent: int) -> str:
        self.at += 1
        rows: list[str] = []
        while self.at < len(self.rows):
            row = self.rows[self.at]
            if row.strip() and len(row) - len(row.lstrip(" ")) <= indent:
                break
            rows.append(row)
            self.at += 1
        margin = min((len(row) - len(row.lstrip(" ")) for row in rows if row.strip()), default=0)
        text = "\n".join(row[margin:] for row in rows).rstrip("\n")
        if head[0] == ">":
            text = re.sub(r"(?<!\n)\n(?!\n)", " ", text)
        return text if "-" in head.split("#")[0] else text + "\n"


def _quoted_or_plain(text: str, line: int) -> tuple[Node, str] | None:
    """The scalar at the beginning and what is left; None when its quote does not end."""
    if text[0] == '"':
        match = re.match(r'"((?:[^"\\]|\\.)*)"', text)
    elif text[0] == "'":
        match = re.match(r"'((?:[^']|'')*)'", text)
    else:
        plain = text.split(" #")[0].rstrip()
        return None if ": " in plain or plain.endswith(":") else ((line, _scalar(plain)[0]), "")
    return ((line, _scalar(match[0])[0]), text[match.end() :]) if match else None


_ESCAPES = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b"}


def _scalar(text: str) -> tuple[str]:
    """The JSON of a scalar."""
    if text[:1] == "'":
        return (json.dumps(text[1:-1].replace("''", "'")),)
    if text[:1] == '"':

        def escape(found: re.Match[str]) -> str:
            code = found[1] or found[2] or found[3]
            return chr(int(code, 16)) if code else _ESCAPES.get(found[4], found[4])

        said = re.sub(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", escape, text[1:-1])
        return (json.dumps(said),)
    if text.lower() in _WORDS and text in (text.lower(), text.title(), text.upper()):
        return (_WORDS[text.lower()],)
    return (text.lstrip("+") if _NUMBER.match(text) else json.dumps(text),)


class _Flow:
    """`{a: b}` and `[a, b]`, as in JSON or without the quotes."""

    def __init__(self, text: str, line: int) -> None:
        self.text = text
        self.line = line
        self.at = 0

    def read(self) -> tuple[Node, str] | None:
        """The value and what is left; None when it does not end here."""
        try:
            node = self.node(0)
        except (IndexError, RecursionError):
            return None
        return node, self.text[self.at :]

    def blank(self) -> str:
        while self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at]

    def node(self, depth: int) -> Node:
        if depth > _DEPTH:
            raise IndexError
        first = self.blank()
        if first in "\"'":
            match = re.match(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'""", self.text[self.at :])
            if match is None:
                raise IndexError
            self.at += match.end()
            return self.line, _scalar(match[0])[0]
        if first not in "{[":
            begin = self.at
            while self.text[self.at] not in ",]}" and self.text[self.at : self.at + 2] != ": ":
                self.at += 1
            return self.line, _scalar(self.text[begin : self.at].strip())[0]
        self.at += 1
        items: list[Node] = []
        members: dict[str, tuple[int, Node]] = {}
        while self.blank() not in "}]":
            node = self.node(depth + 1)
            if first == "{":
                if self.blank() != ":":
                    raise IndexError
                self.at += 1
                key = json.loads(str(node[1]))
                members[key if isinstance(key, str) else str(node[1])] = self.line, self.node(depth + 1)
            else:
                items.append(node)
            if self.blank() == ",":
                self.at += 1
        self.at += 1
        return (self.line, items) if first == "[" else (self.line, members)


class _Writer:
    """JSON whose lines are those of the YAML."""

    def __init__(self) -> None:
        self.line = 1

    def pieces(self, node: Node) -> Iterator[str]:
        line, value = node
        yield self.down_to(line)
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield "{"
            for number, (key, (at, inner)) in enumerate(value.items()):
                yield ("," if number else "") + self.down_to(at) + json.dumps(key) + ":"
                yield from self.pieces(inner)
            yield "}"
        else:
            yield "["
            for number, item in enumerate(value):
                yield "," if number else ""
                yield from self.pieces(item)
            yield "]"

    def down_to(self, line: int) -> str:
        missing = max(0, line - self.line)
        self.line += missing
        return "\n" * missing
