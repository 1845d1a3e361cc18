"""Finding our handlers in a settings text, and what stands in the way of editing it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from dreamwork_hooks.install.ours import role_of, runs_ours
from dreamwork_hooks.settings.jsontext import Document, Node, position

# Keys with which Claude Code would run a handler in another way than the one we wire.
FOREIGN_KEYS = ("args", "async", "asyncRewake", "once", "shell")


class WrongShape(ValueError):
    """The settings are JSON but not what Claude Code reads there, on the path our handlers take."""

    def __init__(self, document: Document, node_start: int, problem: str) -> None:
        self.line, self.column = position(document.text, node_start)
        self.problem = problem
        super().__init__(f"line {self.line}, column {self.column}: {problem}")


@dataclass(frozen=True)
class Found:
    """One handler of ours. `handler_index` is None for one that lies in the event's list without a group."""

    event: str
    event_list: Node
    group: Node
    group_index: int
    handler: Node
    handler_index: int | None
    role: str
    value: Mapping[str, object]
    matcher: object  # the group's matcher, None when absent


def hooks_object(document: Document) -> Node | None:
    """The `hooks` object, None when the key is absent. Raises WrongShape for every other value."""
    root = document.root
    if root is None:
        return None
    if root.kind != "object":
        raise WrongShape(document, root.start, f"the file holds {_name(document, root)}, not an object")
    found = root.all("hooks")
    if len(found) > 1:
        raise WrongShape(document, found[1].start, 'the key "hooks" stands here a second time')
    if not found:
        return None
    if found[0].value.kind != "object":
        raise WrongShape(document, found[0].value.start, f'"hooks" is {_name(document, found[0].value)}, not an object')
    return found[0].value


def check_events(document: Document, events: Iterable[str]) -> None:
    """Raises WrongShape when one of `events` is there twice or is not a list."""
    hooks = hooks_object(document)
    for event in events:
        found = hooks.all(event) if hooks is not None else []
        if len(found) > 1:
            raise WrongShape(document, found[1].start, f'the event "{event}" stands here a second time')
        if found and found[0].value.kind != "array":
            value = found[0].value
            raise WrongShape(document, value.start, f'the event "{event}" is {_name(document, value)}, not a list')


def check_duplicates(document: Document, found: Iterable[Found]) -> None:
    """Raises WrongShape when a group or handler of ours says one of its keys twice."""
    for one in found:
        for node in (one.group, one.handler):
            seen: set[str] = set()
            for member in node.members:
                if member.key in seen:
                    raise WrongShape(document, member.start, f'the key "{member.key}" stands here a second time')
                seen.add(member.key)


def survey(document: Document) -> list[Found]:
    """Our handlers in the order of the text, under whatever event they lie."""
    return [one for role, one in _handlers(document) if role is not None]


def beside_others(document: Document) -> list[Found]:
    """Handlers of the person's that run our program together with something of their own: never touched."""
    return [one for role, one in _handlers(document) if role is None and runs_ours(one.value)]


def _handlers(document: Document) -> Iterator[tuple[str | None, Found]]:
    """Every handler, whoever wrote it, with its role where it is ours."""
    hooks = hooks_object(document)
    for member in hooks.members if hooks is not None else []:
        if member.value.kind != "array":
            continue
        for group_index, group in enumerate(member.value.items):
            if group.kind != "object":
                continue
            inner = group.get("hooks")
            inside: list[tuple[int | None, Node]] = []
            if inner is None:
                inside = [(None, group)]
            elif inner.kind == "array":
                inside = [(index, handler) for index, handler in enumerate(inner.items) if handler.kind == "object"]
            for index, handler in inside:
                value = _data(document, handler)
                role = role_of(value)
                matcher = _matcher(group) if index is not None else None
                place = (member.key, member.value, group, group_index, handler, index)
                yield role, Found(*place, role or "", value, matcher)


def _matcher(group: Node) -> object:
    """What the group matches: None for everything, which "" and "*" say too; `...` for what is no string."""
    node = group.get("matcher")
    if node is None:
        return None
    if node.kind != "string":
        return ...
    return None if node.string in ("", "*") else node.string


def _data(document: Document, handler: Node) -> Mapping[str, object]:
    """Only what ownership and comparison read: a deep or huge value of the person's is not decoded."""
    data: dict[str, object] = {}
    for member in handler.members:
        node = member.value
        if node.kind in ("object", "array") and member.key != "args":
            data[member.key] = ...
        elif node.kind == "array":
            data[member.key] = [item.string if item.kind == "string" else None for item in node.items]
        elif node.kind == "string":
            data[member.key] = node.string
        else:
            data[member.key] = _scalar(document, node)
    return data


def _scalar(document: Document, node: Node) -> object:
    source = document.source(node)
    if node.kind == "number":
        return float(source)
    return {"true": True, "false": False, "null": None}[source]


def _name(document: Document, node: Node) -> str:
    if node.kind == "constant":
        return document.source(node)
    return {"array": "a list", "object": "an object", "string": "a string", "number": "a number"}[node.kind]
