"""What Claude Code will make of a settings file, and what in it does not do what its author meant.

Every hook is judged, whoever wrote it. What a malformed entry takes with it is measured: under PreToolUse and
PermissionRequest the whole file, elsewhere that entry alone; no message is shown in either case.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dreamwork_hooks.contract import matcher as matchers
from dreamwork_hooks.contract import permission_rule, tools
from dreamwork_hooks.contract.events import EVENTS, TOOL_EVENTS, VOIDING_EVENTS, nearest
from dreamwork_hooks.settings import doubts as command_faults
from dreamwork_hooks.settings.jsontext import Document, JsonSyntaxError, Node, parse, position
from dreamwork_hooks.settings.shape import group_fault, handler_fault, setting_faults

FILE = "file"
EVENT = "event"
GROUP = "group"
HANDLER = "handler"
NOTHING = ""
LOST = {
    FILE: "Claude Code ignores this whole file: its hooks, env and permissions",
    EVENT: "Claude Code ignores everything under this event",
    GROUP: "Claude Code leaves this group out",
    HANDLER: "this handler never runs",
}
# Longer than any hook is worth waiting for, and what a number of milliseconds looks like.
_LONG = 1000.0


@dataclass(frozen=True)
class Finding:
    """One fault: where it stands, what it is, what it takes with it (a key of `LOST`, or "") and what to do."""

    line: int
    column: int
    where: str
    problem: str
    takes: str
    remedy: str
    harmless: bool = False  # worth knowing, and works as it stands

    def __str__(self) -> str:
        lost = f"; {LOST[self.takes]}" if self.takes else ""
        where = f"{self.where}: " if self.where else ""
        return f"{where}{self.problem}{lost}"


def judge_text(text: str, exists: Callable[[str], bool] = os.path.exists) -> list[Finding]:
    """The findings of a settings text, in the order of the text."""
    try:
        document = parse(text)
    except JsonSyntaxError as error:
        remedy = "put it right there; a syntax error is never reported by Claude Code"
        return [Finding(error.line, error.column, "", f"not valid JSON: {error.problem}", FILE, remedy)]
    return judge(document, exists)


def judge(document: Document, exists: Callable[[str], bool] = os.path.exists) -> list[Finding]:
    """The findings of a parsed settings file, in the order of the text. `exists` looks for programs."""
    judging = _Judging(document, exists)
    judging.file()
    return sorted(judging.found, key=lambda finding: (finding.line, finding.column))


def void_reason(document: Document) -> str:
    """Why Claude Code reads nothing of this file, "" when it reads it."""
    for finding in judge(document, lambda path: True):
        if finding.takes == FILE:
            return f"line {finding.line}: {finding.where + ': ' if finding.where else ''}{finding.problem}"
    return ""


def _plain(document: Document, node: Node, depth: int = 3) -> Any:
    """A node's value, empty containers standing for what lies deeper: a file may be nested without limit."""
    if node.kind == "object":
        return {m.key: _plain(document, m.value, depth - 1) for m in node.members} if depth else {}
    if node.kind == "array":
        return [_plain(document, item, depth - 1) for item in node.items] if depth else []
    if node.kind == "string":
        return node.string
    return json.loads(document.source(node))


def _can_match(matcher: str | None, event: str) -> bool:
    """Does the matcher let anything through that is known to happen?"""
    spec = EVENTS[event]
    if spec.matcher.value is None:
        return True
    field = spec.field(spec.matcher.value)
    values = tuple(tools.TOOLS) if spec.matcher.value == "tool_name" else field.values if field else ()
    read = matchers.read(matcher)
    return read.form != "invalid" and any(read.matches(value) for value in values)


class _Judging:
    def __init__(self, document: Document, exists: Callable[[str], bool]) -> None:
        self.document = document
        self.exists = exists
        self.found: list[Finding] = []

    def say(self, offset: int, where: str, problem: str, takes: str, remedy: str, harmless: bool = False) -> None:
        line, column = position(self.document.text, offset)
        self.found.append(Finding(line, column, where, problem, takes, remedy, harmless))

    def file(self) -> None:
        document, root = self.document, self.document.root
        if document.comments:
            self.say(document.comments[0][0], "", "a comment", FILE, "remove the comments")
        if root is None:
            self.say(len(document.text), "", "the file is empty", FILE, "write {} into it, or remove it")
            return
        if root.kind != "object":
            self.say(root.start, "", f"{self.named(root)} where an object belongs", FILE, "write an object")
            return
        self.duplicates(root, "", ("hooks", "permissions", "env", "disableAllHooks"))
        for keys, wrong in setting_faults(_plain(document, root)):
            node = root
            for key in keys:
                node = node.get(key) or node
            self.say(node.start, ".".join(keys), wrong, FILE, "put it right there, or remove it")
        hooks = root.get("hooks")
        if hooks is None or hooks.kind != "object":
            return
        self.duplicates(hooks, "hooks", None)
        for member in hooks.members:
            self.event(member.key, member.start, member.value)

    def duplicates(self, node: Node, where: str, only: tuple[str, ...] | None) -> None:
        seen: set[str] = set()
        for member in node.members:
            if member.key in seen and (only is None or member.key in only):
                problem = f'"{member.key}" stands here a second time; only this one counts'
                self.say(member.start, where, problem, NOTHING, "merge the two")
            seen.add(member.key)

    def event(self, event: str, offset: int, groups: Node) -> None:
        where = f"hooks.{event}"
        if event not in EVENTS:
            close = nearest(event)
            hint = f"did you mean {close}?" if close else "remove it, or look the name up"
            self.say(offset, where, "Claude Code has no such event, so nothing of it runs", NOTHING, hint)
            return
        if groups.kind == "constant" and self.document.source(groups) == "null":
            self.say(groups.start, where, "is null, so nothing of it runs", NOTHING, "write a list, or remove it")
            return
        if groups.kind != "array":
            problem = f"must be a list of groups, is {self.named(groups)}"
            takes = FILE if event in VOIDING_EVENTS else EVENT
            self.say(groups.start, where, problem, takes, 'write [{"hooks": [...]}]')
            return
        for number, group in enumerate(groups.items):
            self.group(event, f"{where}[{number}]", group)

    def group(self, event: str, where: str, group: Node) -> None:
        fault = group_fault(_plain(self.document, group))
        if fault is not None:
            self.malformed(event, where, group, fault, GROUP, "put it right there, or remove it")
            return
        self.duplicates(group, where, None)
        matcher, inner = group.get("matcher"), group.get("hooks")
        assert inner is not None
        pattern = matcher.string if matcher is not None else None
        if matcher is not None:
            works = _can_match(pattern, event)
            for doubt in matchers.doubts(pattern, event):
                self.say(matcher.start, f"{where}.matcher", doubt, NOTHING, "change the matcher", works)
        for number, handler in enumerate(inner.items):
            self.handler(event, pattern, f"{where}.hooks[{number}]", handler)

    def malformed(
        self, event: str, where: str, entry: Node, fault: tuple[str | None, str], takes: str, remedy: str
    ) -> None:
        """Say what voids a group or handler (`takes`), or with it the whole file."""
        key, problem = fault
        node = (entry.get(key) if key else None) or entry
        takes = FILE if event in VOIDING_EVENTS else takes
        self.say(node.start, f"{where}.{key}" if key else where, problem, takes, remedy)

    def handler(self, event: str, matcher: str | None, where: str, handler: Node) -> None:
        fault = handler_fault(_plain(self.document, handler))
        if fault is not None:
            self.malformed(event, where, handler, fault, HANDLER, "put it right there")
            return
        self.duplicates(handler, where, None)
        timeout = handler.get("timeout")
        if timeout is not None and float(self.document.source(timeout)) >= _LONG:
            seconds = float(self.document.source(timeout))
            problem = f"{seconds:g} seconds is {seconds / 60:.0f} minutes: the unit is seconds, not milliseconds"
            remedy = f"did you mean {seconds / 1000:g}?"
            self.say(timeout.start, f"{where}.timeout", problem, NOTHING, remedy)
        rule = handler.get("if")
        if rule is not None and rule.string:
            self.rule(event, matcher, f"{where}.if", rule)
        command = handler.get("command")
        kind = handler.get("type")
        if kind is not None and kind.string == "command" and command is not None:
            args = handler.get("args")
            words = None if args is None else [item.string for item in args.items]
            for doubt in command_faults.faults(event, command.string, words, self.exists):
                self.say(command.start, f"{where}.command", doubt.problem, NOTHING, doubt.remedy)

    def rule(self, event: str, matcher: str | None, where: str, rule: Node) -> None:
        def never(problem: str, remedy: str) -> None:
            self.say(rule.start, where, problem, HANDLER, remedy)

        try:
            read = permission_rule.parse(rule.string)
        except permission_rule.InvalidRule as error:
            never(str(error), "write one rule: Tool or Tool(pattern)")
            return
        if read is None:
            return
        if event not in TOOL_EVENTS:
            never(f"{event} is no event about a tool, so an `if` never holds there", "leave the `if` out")
        elif not matchers.matches(matcher, read.tool):
            never(f"the matcher lets no {read.tool} through, so this never holds", f"add {read.tool} to the matcher")
        elif read.subject == "path" and read.pattern is not None:
            if read.pattern.startswith("!"):
                never("a pattern that begins with ! matches nothing", "name what is meant instead")
            elif "{" in read.pattern and "}" in read.pattern:
                never("{a,b} is not understood in a pattern", "give each its own handler")

    def named(self, node: Node) -> str:
        if node.kind in ("constant", "number", "string"):
            source = self.document.source(node)
            return source if len(source) <= 40 else source[:37] + "..."
        return {"array": "a list", "object": "an object"}[node.kind]
