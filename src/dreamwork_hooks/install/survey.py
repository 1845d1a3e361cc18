"""Finding our handlers in a settings text, and what stands in the way of editing it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from dreamwork_hooks.errors import Refused
from dreamwork_hooks.install.ours import role_of, runs_ours
from dreamwork_hooks.settings.jsontext import Document, JsonSyntaxError, Node
from dreamwork_hooks.settings.reading import Entry, entries

# Keys with which Claude Code would run a handler in another way than the one we wire.
FOREIGN_KEYS = ("args", "async", "asyncRewake", "once", "shell")


class WrongShape(ValueError):
    """The settings are JSON but not what Claude Code reads there, on the path our handlers take."""

    def __init__(self, document: Document, node_start: int, problem: str) -> None:
        self.line, self.column = document.position(node_start)
        self.problem = problem
        super().__init__(f"line {self.line}, column {self.column}: {problem}")


@contextlib.contextmanager
def located(path: str, by_hand: str) -> Iterator[None]:
    """Turn what is wrong with the text into a refusal with file, line and column; `by_hand` is the other way out."""
    try:
        yield
    except JsonSyntaxError as error:
        raise Refused(
            f"{path}:{error.line}:{error.column}: not valid JSON: {error.problem}; nothing was changed.\n"
            f"  Claude Code ignores the whole file while it is like this. Put it right and run this again,\n"
            f"  or {by_hand}"
        ) from None
    except WrongShape as error:
        raise Refused(
            f"{path}:{error.line}:{error.column}: {error.problem}; nothing was changed.\n"
            f"  Put it right and run this again, or {by_hand}"
        ) from None


@dataclass(frozen=True)
class Found(Entry):
    """One handler of ours, and the word its command gives our program."""

    role: str = ""

    @property
    def matcher(self) -> object:
        """What the group matches: None for everything, which "" and "*" say too; `...` for what is no string."""
        node = self.group.get("matcher") if self.handler_index is not None else None
        if node is None:
            return None
        if node.kind != "string":
            return ...
        return None if node.string in ("", "*") else node.string


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


@lru_cache(maxsize=2)
def _handlers(document: Document) -> list[tuple[str | None, Found]]:
    """Every handler, whoever wrote it, with its role where it is ours."""
    hooks = hooks_object(document)
    found: list[tuple[str | None, Found]] = []
    for member in hooks.members if hooks is not None else []:
        for entry in entries(member.key, member.value, document):
            role = role_of(entry.value)
            found.append((role, Found(**vars(entry), role=role or "")))
    return found


def _name(document: Document, node: Node) -> str:
    if node.kind == "constant":
        return document.source(node)
    return {"array": "a list", "object": "an object", "string": "a string", "number": "a number"}[node.kind]
