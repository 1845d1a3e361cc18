"""From the text of a settings file to the text it should be: installing and uninstalling as pure functions.

One small edit at a time, each on a freshly parsed text, until nothing is left to do. What is found decides what is
done: a copy that is exactly ours needs nothing, a second one goes, one that differs is changed in place (with
`force`), a missing one is appended.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field

from dreamwork_hooks.install.handlers import GROUPS, WantedGroup, wanted
from dreamwork_hooks.install.ours import EVENTS
from dreamwork_hooks.install.survey import (
    FOREIGN_KEYS,
    Found,
    check_duplicates,
    check_events,
    hooks_object,
    survey,
)
from dreamwork_hooks.settings import textedit
from dreamwork_hooks.settings.jsontext import Document, Node, parse, position

_STEPS = 2000  # more edits than any settings file needs: a guard against a loop, not a limit


@dataclass
class Plan:
    """The text as it should be, what was done to get there, and what uninstalling must know to go back."""

    text: str
    changes: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)  # what needed `force`
    # Containers that were there and empty before: path ("", "hooks", "hooks/PreCompact") -> text between the brackets.
    emptied: dict[str, str] = field(default_factory=dict)


def install(
    text: str,
    program: str,
    options: frozenset[str],
    emptied: Mapping[str, str] | None = None,
) -> Plan:
    """The text with exactly the wanted handlers of ours. Raises JsonSyntaxError or WrongShape.

    The plan is the forced one; `differing` is empty when it can be carried out without `force`.
    """
    plan = Plan(text)
    groups = wanted(options)
    before = parse(text)
    for _ in range(_STEPS):
        document = parse(plan.text)
        check_events(document, {group.event for group in groups})
        found = survey(document)
        check_duplicates(document, found)
        after = _step(document, found, groups, program, plan, emptied or {})
        if after is None:
            plan.emptied = _filled(before, document)
            return plan
        plan.text = after
    raise AssertionError("the edit does not come to an end")


def uninstall(text: str, emptied: Mapping[str, str], was: str | None = None) -> Plan:
    """The text without any handler of ours; `was` is the blank text the file held before we filled it, if it did."""
    plan = Plan(text)
    for _ in range(_STEPS):
        document = parse(plan.text)
        found = survey(document)
        if not found:
            break
        check_events(document, {one.event for one in found})
        check_duplicates(document, found)
        plan.changes.append(f"remove {_label(found[-1])}")
        plan.text = take_out(document, found[-1], emptied)
    document = parse(plan.text)
    if plan.changes and was is not None and document.root is not None and not document.root.members:
        plan.text = was
    plan.changes.reverse()
    return plan


def missing(document: Document, program: str, options: frozenset[str]) -> list[str]:
    """Labels of wanted handlers that are not there exactly as wanted."""
    found = survey(document)
    return [
        f"{group.event} {rule or group.matcher or ''}".strip()
        for group in wanted(options)
        for rule, handler in zip(group.rules, group.handlers(program))
        if not any(_exact(one, group, handler) for one in found)
    ]


def options_in(document: Document) -> frozenset[str]:
    """The options whose handlers are wired, judged by event and role, however they are spelled."""
    present = set()
    for one in survey(document):
        for group in GROUPS:
            same = one.event == group.event and one.role == group.role
            if group.option and same and (group.option != "bash" or one.matcher == group.matcher):
                present.add(group.option)
    return frozenset(present)


def unified(before: str, after: str, name: str) -> str:
    """The change as a unified diff, with the usual note where a last line has no newline."""
    lines: list[str] = []
    for line in difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"{name} (now)", f"{name} (then)"
    ):
        lines.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(lines)


def _exact(one: Found, group: WantedGroup, handler: Mapping[str, object]) -> bool:
    return one.event == group.event and one.matcher == group.matcher and one.has(handler)


def _step(
    document: Document,
    found: list[Found],
    groups: list[WantedGroup],
    program: str,
    plan: Plan,
    emptied: Mapping[str, str],
) -> str | None:
    """The text after the next edit, None when all is as wanted."""
    open_slots = [(group, handler) for group in groups for handler in group.handlers(program)]
    strays: list[Found] = []
    for one in found:
        slot = next((s for s in open_slots if _exact(one, *s)), None)
        if slot is not None:
            open_slots.remove(slot)
        elif any(_exact(one, group, handler) for group in groups for handler in group.handlers(program)):
            plan.changes.append(f"remove a second copy of {_label(one)}")
            return take_out(document, one, emptied)
        else:
            strays.append(one)

    for one in strays:
        if _option_off(one, groups, program):
            plan.changes.append(f"remove {_label(one)}")
            return take_out(document, one, emptied)
        line, _ = position(document.text, one.handler.start)
        label = f"{_label(one)}: {one.value.get('command')}"
        # Once its command is right, what is left to do on a handler that was named already is no other handler.
        ours = any(one.value.get("command") == handler["command"] for _, handler in open_slots)
        named = ours and any(told.startswith(f"{_label(one)}: ") for told in plan.differing)
        if label not in plan.differing and not named:
            plan.differing.append(label)
            plan.changes.append(f"bring up to date {_label(one)} (line {line})")
        slots = [s for s in open_slots if s[0].event == one.event and one.role in (s[0].role, "")]
        slot = next((s for s in slots if s[1].get("if") == one.value.get("if")), slots[0] if slots else None)
        if slot is None:
            return take_out(document, one, emptied)
        return _update(document, found, one, slot, program, emptied)

    if not open_slots:
        return None
    group = open_slots[0][0]
    handlers = [handler for owner, handler in open_slots if owner is group]
    plan.changes.append(f"add {group.event}" + (f" ({group.matcher})" if group.matcher else ""))
    return _insert(document, found, group, handlers)


def _option_off(one: Found, groups: list[WantedGroup], program: str) -> bool:
    """Is this a handler as we write it, of an option that is not asked for?"""
    off = [group for group in GROUPS if group not in groups]
    return any(_exact(one, group, handler) for group in off for handler in group.handlers(program))


def _update(
    document: Document,
    found: list[Found],
    one: Found,
    slot: tuple[WantedGroup, Mapping[str, object]],
    program: str,
    emptied: Mapping[str, str],
) -> str:
    """One step that brings `one` nearer to what the slot wants."""
    group, handler = slot
    if one.handler_index is None:
        wrapped = {**group.group(program), "hooks": [dict(handler)]}
        return textedit.replace(document, one.handler, wrapped)
    if one.matcher != group.matcher:
        inner = one.group.get("hooks")
        assert inner is not None
        ours = [other for other in found if other.group is one.group]
        if len(ours) < len(inner.items):
            # The matcher also steers a handler of the person's: ours moves out instead.
            return take_out(document, one, emptied)
        return _set(document, one.group, "matcher", group.matcher)
    for key in FOREIGN_KEYS:
        if key in one.value:
            return _set(document, one.handler, key, None)
    for key in ("type", "if", "command", "timeout"):
        if one.value.get(key) != handler.get(key) or (key in one.value) != (key in handler):
            return _set(document, one.handler, key, handler.get(key))
    raise AssertionError("a handler that differs in nothing")


def _set(document: Document, obj: Node, key: str, value: object) -> str:
    """Set, add or (None) remove one member."""
    for index, member in enumerate(obj.members):
        if member.key == key:
            if value is None:
                return textedit.remove(document, obj, index)
            return textedit.replace(document, member.value, value)
    return textedit.append_member(document, obj, key, value)


def _insert(document: Document, found: list[Found], group: WantedGroup, handlers: list[dict[str, object]]) -> str:
    for one in found:
        inner = one.group.get("hooks")
        if one.event == group.event and one.matcher == group.matcher and inner is not None:
            return textedit.append_item(document, inner, handlers[0])
    matcher = {} if group.matcher is None else {"matcher": group.matcher}
    value = {**matcher, "hooks": handlers}
    if document.root is None:
        return textedit.fresh(document, {"hooks": {group.event: [value]}})
    hooks = hooks_object(document)
    if hooks is None:
        return textedit.append_member(document, document.root, "hooks", {group.event: [value]})
    event_list = hooks.get(group.event)
    if event_list is None:
        return textedit.append_member(document, hooks, group.event, [value])
    return textedit.append_item(document, event_list, value)


def take_out(document: Document, one: Found, emptied: Mapping[str, str]) -> str:
    """Remove one handler and what was there only for it: its group, its event, `hooks`.

    A container that the receipt knows as empty before us, or that holds a comment, stays. So does a group with keys
    beside `matcher` and `hooks`.
    """
    inner = one.group.get("hooks")
    if one.handler_index is not None and inner is not None:
        others = {member.key for member in one.group.members} - {"matcher", "hooks"}
        if len(inner.items) > 1 or others or _commented(document, inner, one.handler):
            return textedit.remove(document, inner, one.handler_index)
    root, hooks = document.root, hooks_object(document)
    assert root is not None
    assert hooks is not None
    path = f"hooks/{one.event}"
    if len(one.event_list.items) > 1 or path in emptied or _commented(document, one.event_list, one.group):
        return textedit.remove(document, one.event_list, one.group_index, inside=emptied.get(path, ""))
    index = next(i for i, member in enumerate(hooks.members) if member.value is one.event_list)
    if len(hooks.members) > 1 or "hooks" in emptied or _commented(document, hooks, one.event_list):
        return textedit.remove(document, hooks, index, inside=emptied.get("hooks", ""))
    index = next(i for i, member in enumerate(root.members) if member.value is hooks)
    return textedit.remove(document, root, index, inside=emptied.get("", ""))


def _commented(document: Document, container: Node, element: Node) -> bool:
    before = document.comments_between(container.start, element.start)
    return bool(before or document.comments_between(element.end, container.end))


def _filled(before: Document, after: Document) -> dict[str, str]:
    """The containers on our path that were there and empty, and are not any more."""
    return {
        path: textedit.inside_of(before, node)
        for path, node in _containers(before).items()
        if not textedit.children(node) and textedit.children(_containers(after)[path])
    }


def _containers(document: Document) -> dict[str, Node]:
    hooks = hooks_object(document)
    found = {} if document.root is None else {"": document.root}
    if hooks is not None:
        found["hooks"] = hooks
        for event in EVENTS.values():
            value = hooks.get(event)
            if value is not None and value.kind == "array":
                found[f"hooks/{event}"] = value
    return found


def _label(one: Found) -> str:
    rule = one.value.get("if") or (one.matcher if isinstance(one.matcher, str) else None)
    return f"{one.event} {one.role or '(no argument)'}" + (f" [{rule}]" if rule else "")
