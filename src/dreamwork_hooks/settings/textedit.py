"""Edits of JSON text that touch only the span they are about, in the file's own style.

Every function takes a parsed document and returns the whole new text. `append` and `remove` are inverses: a value
appended to a container that held something, and then removed, leaves the bytes as they were. A container that was
empty needs its former inside back (`remove(..., inside=...)`), since `{}` and an empty pair of lines look the same
once they are filled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dreamwork_hooks.settings.jsontext import Document, Node, walk

Json = object  # dict, list, str, int, bool or None, as `json.dumps` takes them


@dataclass(frozen=True)
class Style:
    """How the file is laid out. `unit` is one step of indentation; None means that the file is one line."""

    newline: str
    unit: str | None
    colon: str
    comma: str


def style_of(document: Document) -> Style:
    """Read the style off the text; two spaces and one value a line where there is nothing to read it from."""
    text = document.text
    crlf = text.count("\r\n")
    newline = "\r\n" if crlf and crlf * 2 >= text.count("\n") else "\n"
    root = document.root
    if root is None or not children(root):
        return Style(newline, "  ", ": ", ", ")
    first = children(root)[0][0]
    own = own_line_indent(text, first)
    unit: str | None = None
    if own is not None:
        base = line_indent(text, root.start)
        unit = own[len(base) :] if own.startswith(base) else own
    colon = ": "
    if root.members:
        between = text[root.members[0].key_end : root.members[0].value.start]
        if not between.strip(" \t:") and between.count(":") == 1:
            colon = between
    return Style(newline, unit, colon, _comma(document, ", " if colon.endswith((" ", "\t")) else ","))


def _comma(document: Document, default: str) -> str:
    assert document.root is not None
    for node in walk(document.root):
        spans = children(node)
        for (_, end), (start, _) in zip(spans, spans[1:]):
            between = document.text[end:start]
            if not between.strip(" \t,"):
                return between.lstrip(" \t")
    return default


def children(node: Node) -> list[tuple[int, int]]:
    """The spans of a container's members or items."""
    if node.kind == "object":
        return [(member.start, member.end) for member in node.members]
    return [(item.start, item.end) for item in node.items]


def own_line_indent(text: str, offset: int) -> str | None:
    """The white space before `offset` when nothing else stands before it on its line, else None."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    if start == 0:
        return None
    before = text[start:offset]
    return before if not before.strip(" \t") else None


def line_indent(text: str, offset: int) -> str:
    """The white space that begins the line on which `offset` lies."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    line = text[start:offset].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def render(value: Json, style: Style, indent: str | None) -> str:
    """JSON text of `value`; `indent` is that of the line it begins on, or None for one line."""
    if isinstance(value, Mapping):
        parts = [f"{quoted(key)}{style.colon}{_inner(item, style, indent)}" for key, item in value.items()]
        return _bracketed("{", parts, "}", style, indent)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _bracketed("[", [_inner(item, style, indent) for item in value], "]", style, indent)
    return quoted(value)


def quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _inner(value: Json, style: Style, indent: str | None) -> str:
    return render(value, style, None if indent is None else indent + (style.unit or ""))


def _bracketed(opening: str, parts: list[str], closing: str, style: Style, indent: str | None) -> str:
    if not parts:
        return opening + closing
    if indent is None:
        return opening + style.comma.join(parts) + closing
    step = style.newline + indent + (style.unit or "")
    return opening + step + ("," + step).join(parts) + style.newline + indent + closing


def append(document: Document, additions: Sequence[tuple[Node, Sequence[tuple[str, Json]]]]) -> str:
    """Add values at the end of containers, each container named once: keys with values to objects, "" to arrays."""
    text, style = document.text, style_of(document)
    pieces: list[str] = []
    at = 0
    for start, end, new in sorted(_appended(document, style, node, values) for node, values in additions):
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


def _appended(
    document: Document, style: Style, container: Node, values: Sequence[tuple[str, Json]]
) -> tuple[int, int, str]:
    """The span of the text that makes way, and what comes there."""
    text = document.text
    spans = children(container)
    inside = container.end - 1

    def written(indent: str | None, gap: str) -> str:
        return ("," + gap).join(
            (f"{quoted(key)}{style.colon}" if key else "") + render(value, style, indent) for key, value in values
        )

    after = spans[-1][1] if spans else container.start + 1
    comments = document.comments_between(after, inside)
    at = comments[-1][1] if comments else after
    line_comment = bool(comments) and text.startswith("//", comments[-1][0])
    gap = style.comma[1:]

    if spans:
        indent = own_line_indent(text, spans[-1][0])
        if indent is None and line_comment:
            indent = line_indent(text, spans[-1][0]) + (style.unit or "")
        if indent is not None:
            gap = style.newline + indent
        return after, at, "," + text[after:at] + gap + written(indent, gap)

    if style.unit is None and not line_comment:
        return at, at, written(None, gap)
    base = line_indent(text, container.start)
    indent = base + (style.unit or "")
    gap = style.newline + indent
    return at, inside, gap + written(indent, gap) + style.newline + base


def inside_of(document: Document, container: Node) -> str:
    """What stands between the brackets."""
    return document.text[container.start + 1 : container.end - 1]


def remove(document: Document, container: Node, index: int, *, inside: str = "") -> str:
    """Take out the member or item at `index`, with the comma and the line it no longer needs.

    `inside` is what to leave between the brackets when it was the only one; comments that are there now win over it.
    """
    text = document.text
    spans = children(container)
    start, end = spans[index]
    edge = spans[index - 1][1] if index else container.start + 1
    comments = document.comments_between(edge, start)

    if len(spans) == 1:
        after = document.comments_between(end, container.end - 1)
        kept = [text[a:b] for a, b in comments + after]
        if all(comment in inside for comment in kept):
            return text[: container.start + 1] + inside + text[container.end - 1 :]
        back = comments[-1][1] if comments else edge
        return text[:back] + text[end:]
    if index == len(spans) - 1:
        comma = _comma_after(document, edge)
        back = comments[-1][1] if comments else edge
        if back <= comma:
            return text[:edge] + text[edge:comma].rstrip(" \t\r\n") + text[end:]
        return text[:comma] + text[comma + 1 : back] + text[end:]
    comma = _comma_after(document, end)
    if own_line_indent(text, start) is not None and _line_is_over(text, comma + 1):
        back = len(text[:start].rstrip(" \t\r\n"))
        return text[:back] + text[end:comma] + text[comma + 1 :]
    rest = comma + 1
    while text[rest : rest + 1] in (" ", "\t"):
        rest += 1
    return text[:start] + text[end:comma] + text[rest:]


def _line_is_over(text: str, offset: int) -> bool:
    return text[offset:].lstrip(" \t").startswith(("\n", "\r"))


def _comma_after(document: Document, offset: int) -> int:
    """Where the comma stands that follows the value ending at `offset`."""
    at = offset
    while True:
        at = document.text.index(",", at)
        covering = [b for a, b in document.comments if a <= at < b]
        if not covering:
            return at
        at = covering[0]


def replace(document: Document, node: Node, value: Json) -> str:
    """Put `value` where `node` stands."""
    text, style = document.text, style_of(document)
    indent = line_indent(text, node.start) if "\n" in document.source(node) else None
    if indent is None and style.unit is not None and not isinstance(value, (str, int, float, bool, type(None))):
        indent = line_indent(text, node.start)
    return text[: node.start] + render(value, style, indent) + text[node.end :]


def fresh(document: Document, value: Json) -> str:
    """The text for a file that holds nothing yet but white space, comments or a byte order mark."""
    style = style_of(document)
    before = document.text
    if not document.comments:
        before = before[: document.body_start]
    elif not before.endswith(("\n", "\r")):
        before += style.newline
    return before + render(value, style, "") + style.newline
