"""From the text of a settings file to the text it should be: installing and uninstalling as pure functions.

One small edit at a time, each on a freshly parsed text, until nothing is left to do. What is found decides what is
done: a copy that is exactly ours needs nothing, a second one goes, one that differs is changed in place (with
`force`), a missing one is appended.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field

from dreamwork_hooks.install.handlers import GROUPS, WantedGroup, Wording, wanted
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
from dreamwork_hooks.settings.jsontext import Document, Node, parse

_STEPS = 1000  # more edits than any settings file needs: a guard against a loop, not a limit


@dataclass
class Plan:
    """The text as it should be, what was done to get there, and what uninstalling must know to go back."""

    text: str
    changes: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)  # what needed `force`
    # Containers that were there and empty before: path ("", "hooks", "hooks/PreCompact") -> text between the brackets.
    emptied: dict[str, str] = field(default_factory=dict)
    document: Document | None = None  # of `text`, once the plan is whole


def install(
    text: str,
    wording: Wording,
    options: frozenset[str],
    emptied: Mapping[str, str] | None = None,
    document: Document | None = None,
) -> Plan:
    """The text with exactly the wanted handlers of ours. Raises JsonSyntaxError or WrongShape.

    `document` is that of the text, where it is parsed already. The plan is the forced one; `differing` is empty when it
    can be carried out without `force`. A handler is replaced whole in one step: a text between two forms might run
    something else, and would not be known as ours any more.
    """
    plan = Plan(text)
    groups = wanted(options)
    before = document = document or parse(text)
    for _ in range(_STEPS):
        check_events(document, {group.event for group in groups})
        found = survey(document)
        check_duplicates(document, found)
        after = _step(document, found, groups, wording, plan, emptied or {})
        if after is None:
            plan.emptied = _filled(before, document)
            plan.document = document
            return plan
        plan.text = after
        document = parse(after)
    raise AssertionError("the edit does not come to an end")


def uninstall(text: str, emptied: Mapping[str, str], was: str | None = None) -> Plan:
    """The text without any handler of ours; `was` is the blank text the file held before we filled it, if it did."""
    plan = Plan(text)
    document = parse(text)
    for _ in range(_STEPS):
        found = survey(document)
        if not found:
            break
        check_events(document, {one.event for one in found})
        check_duplicates(document, found)
        beside = _alone_in_its_group(document, found, found[-1])
        plan.changes += [f"remove {_label(one)}" for one in reversed(beside)]
        plan.text = (
            _take_group_out(document, beside[0], emptied) if beside[1:] else take_out(document, found[-1], emptied)
        )
        document = parse(plan.text)
    if plan.changes and was is not None and document.root is not None and not document.root.members:
        plan.text = was
        document = parse(was)
    plan.document = document
    plan.changes.reverse()
    return plan


def missing(document: Document, wording: Wording, options: frozenset[str]) -> list[str]:
    """Labels of wanted handlers that are not there exactly as wanted."""
    found = survey(document)
    return [
        f"{group.event} {rule or group.matcher or ''}".strip()
        for group in wanted(options)
        for rule, handler in zip(group.rules, group.handlers(wording))
        if not any(_exact(one, group, handler, wording) for one in found)
    ]


def options_in(document: Document) -> frozenset[str]:
    """The options whose handlers are wired, judged by event and role, however they are spelled."""
    present = set()
    for one in survey(document):
        for group in GROUPS:
            same = one.event == group.event and one.role == group.role
            if group.option and same and (group.event != "PostToolUse" or one.matcher == group.matcher):
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


def _exact(one: Found, group: WantedGroup, handler: Mapping[str, object], wording: Wording) -> bool:
    """Is this the handler, whatever form its command has? Keys that only dress it up are left out."""
    if one.event != group.event or one.matcher != group.matcher or one.handler_index is None:
        return False
    if any(key in one.value for key in FOREIGN_KEYS if key != "args") or not wording.names_it(one.value, group.role):
        return False
    return all(
        one.value.get(key) == handler.get(key) and (key in one.value) == (key in handler)
        for key in ("type", "timeout", "if")
    )


def _step(
    document: Document,
    found: list[Found],
    groups: list[WantedGroup],
    wording: Wording,
    plan: Plan,
    emptied: Mapping[str, str],
) -> str | None:
    """The text after the next edit, None when all is as wanted."""
    slots = [(group, handler) for group in groups for handler in group.handlers(wording)]
    open_slots = list(slots)
    strays: list[Found] = []
    for one in found:
        slot = next((s for s in open_slots if _exact(one, *s, wording)), None)
        if slot is not None:
            open_slots.remove(slot)
        elif any(_exact(one, *s, wording) for s in slots):
            plan.changes.append(f"remove a second copy of {_label(one)}")
            return take_out(document, one, emptied)
        else:
            strays.append(one)

    for one in strays:
        if _option_off(one, groups, wording):
            plan.changes.append(f"remove {_label(one)}")
            return take_out(document, one, emptied)
        line, _ = document.position(one.handler.start)
        plan.differing.append(f"{_label(one)}: {' '.join(_words(one))}")
        plan.changes.append(f"bring up to date {_label(one)} (line {line})")
        fitting = [s for s in open_slots if s[0].event == one.event and one.role in (s[0].role, "")]
        slot = next((s for s in fitting if s[1].get("if") == one.value.get("if")), fitting[0] if fitting else None)
        if slot is None or _steers_others(strays, one, slot[0]):
            return take_out(document, one, emptied)  # what is still wanted is added where it belongs
        return _replaced(document, one, *slot, wording)
    return _added(document, found, open_slots, plan) if open_slots else None


def _words(one: Found) -> list[str]:
    args = one.value.get("args")
    return [str(one.value.get("command")), *map(str, args if isinstance(args, list) else [])]


def _option_off(one: Found, groups: list[WantedGroup], wording: Wording) -> bool:
    """Is this a handler as we write it, of an option that is not asked for?"""
    off = [group for group in GROUPS if group not in groups]
    return any(_exact(one, group, handler, wording) for group in off for handler in group.handlers(wording))


def _steers_others(strays: list[Found], one: Found, group: WantedGroup) -> bool:
    """Would a new matcher also steer a handler in the same group that is the person's, or as it should be?"""
    inner = one.group.get("hooks")
    if one.handler_index is None or inner is None or one.matcher == group.matcher:
        return False
    return len([other for other in strays if other.group is one.group]) < len(inner.items)


def _replaced(document: Document, one: Found, group: WantedGroup, handler: dict[str, object], wording: Wording) -> str:
    """The text with this handler as the slot wants it, in its place, and with the keys that only dress it up."""
    if one.handler_index is None:
        return textedit.replace(document, one.handler, {**group.group(wording), "hooks": [handler]})
    text = document.text
    if one.matcher != group.matcher:
        text = _set(document, one.group, "matcher", group.matcher)
    changed = {key: None for key in FOREIGN_KEYS if key in one.value}
    wanted_keys = ("type", "if", "command", "timeout")
    for key, value in {**changed, **{key: handler.get(key) for key in wanted_keys}}.items():
        # Found again by its place: half changed it may be nothing that is known as ours.
        document = parse(text) if text is not document.text else document
        hooks = hooks_object(document)
        events = hooks.get(one.event) if hooks is not None else None
        inner = events.items[one.group_index].get("hooks") if events is not None else None
        assert inner is not None
        node = inner.items[one.handler_index]
        member = node.get(key)
        if value is None and member is None:
            continue
        if member is None or value is None or one.value.get(key) != value:
            text = _set(document, node, key, value)
    return text


def _set(document: Document, obj: Node, key: str, value: object) -> str:
    """Set, add or (None) remove one member."""
    for index, member in enumerate(obj.members):
        if member.key == key:
            if value is None:
                return textedit.remove(document, obj, index)
            return textedit.replace(document, member.value, value)
    return textedit.append(document, [(obj, [(key, value)])])


def _added(
    document: Document, found: list[Found], slots: list[tuple[WantedGroup, dict[str, object]]], plan: Plan
) -> str:
    """The text with handlers for all open slots, each at the end of the innermost container that is there for it."""
    hooks = hooks_object(document)
    lacking: dict[WantedGroup, list[dict[str, object]]] = {}
    for group, handler in slots:
        lacking.setdefault(group, []).append(handler)
    plan.changes += [_addition(group) for group in lacking]
    additions: dict[Node, list[tuple[str, object]]] = {}
    new: dict[str, list[object]] = {}  # events that are not there yet
    for group, handlers in lacking.items():
        beside = next((one for one in found if one.event == group.event and one.matcher == group.matcher), None)
        inner = beside.group.get("hooks") if beside is not None else None
        event_list = hooks.get(group.event) if hooks is not None else None
        if inner is not None:
            additions.setdefault(inner, []).extend(("", handler) for handler in handlers)
            continue
        matcher = {} if group.matcher is None else {"matcher": group.matcher}
        value = {**matcher, "hooks": handlers}
        if event_list is not None:
            additions.setdefault(event_list, []).append(("", value))
        else:
            new.setdefault(group.event, []).append(value)
    if document.root is None:
        return textedit.fresh(document, {"hooks": new})
    if hooks is None:
        additions[document.root] = [("hooks", new)]
    elif new:
        additions[hooks] = list(new.items())
    return textedit.append(document, list(additions.items()))


def _addition(group: WantedGroup) -> str:
    return f"add {group.event}" + (f" ({group.matcher})" if group.matcher else "")


def _alone_in_its_group(document: Document, found: list[Found], one: Found) -> list[Found]:
    """The handlers of the group that `one` is in, when all of it is ours and goes at once; else `one` alone."""
    inner = one.group.get("hooks")
    ours = [other for other in found if other.group is one.group]
    if one.handler_index is None or inner is None or len(ours) < len(inner.items):
        return [one]
    keys = {member.key for member in one.group.members} - {"matcher", "hooks"}
    return [one] if keys or document.comments_between(one.group.start, one.group.end) else ours


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
    return _take_group_out(document, one, emptied)


def _take_group_out(document: Document, one: Found, emptied: Mapping[str, str]) -> str:
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
