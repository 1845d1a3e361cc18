"""One settings file, read as Claude Code reads it: its hooks, and what is wrong in it.

One walk over the text gives every entry where a handler belongs, the handlers that the well-formed ones are, and the
findings, each with its line. What a malformed entry takes with it is measured: under some events the whole file,
elsewhere that entry alone; Claude Code shows no message in either case.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass

from dreamwork_hooks.contract.events import EVENTS, VOIDING_EVENTS, nearest, unverified
from dreamwork_hooks.files import Unreadable
from dreamwork_hooks.settings import doubts
from dreamwork_hooks.settings.doubts import EVENT, FILE, GROUP, HANDLER, NOTHING
from dreamwork_hooks.settings.found import Finding, Layer, Unread
from dreamwork_hooks.settings.frontmatter import as_json
from dreamwork_hooks.settings.jsontext import Document, JsonSyntaxError, Node, parse
from dreamwork_hooks.settings.layers import AGENT, USER, LayerFile
from dreamwork_hooks.settings.shape import (
    COMMAND,
    GROUP_KEYS,
    Handler,
    group_fault,
    handler_fault,
    handler_of,
    keys_of,
    marked,
    misplaced,
    setting_faults,
    shown,
)

_NAMELESS = LayerFile(USER, "")
_FIX = "fix it on this line, or remove it"


@dataclass(frozen=True)
class Entry:
    """An object where a handler belongs, well formed or not, with what it lies in.

    `handler_index` is None for one that lies in the event's list without a group. `value` is its data two levels deep.
    """

    event: str
    event_list: Node
    group: Node
    group_index: int
    handler: Node
    handler_index: int | None
    value: Mapping[str, object]


def read_layer(file: LayerFile, exists: Callable[[str], bool] = os.path.exists) -> Layer:
    """Read a file by the measured rules. Never raises: what is wrong is in `problems`."""
    if file.fault:
        remedy = "put that right; Claude Code shows no message"
        return Layer(
            file, problems=(Finding("plugin/not-loaded", file.path, 1, 1, "", file.fault, FILE, remedy),), void=True
        )
    try:
        text = file.read()
    except Unreadable as error:
        problem = Finding(
            "settings/unreadable", file.path, 1, 1, "", f"cannot be read: {error}", FILE, "", False, unverified
        )
        return Layer(file, problems=(problem,), void=True)
    return Layer(file, present=False) if text is None else read_text(text, file, exists)


def read_text(text: str, file: LayerFile = _NAMELESS, exists: Callable[[str], bool] = os.path.exists) -> Layer:
    """Read the text of `file`. `exists` looks for the programs that commands name."""
    what = "JSON"
    try:
        if file.form == "hooks" and text.startswith("\ufeff"):
            raise JsonSyntaxError("a byte order mark, which a plugin's file must not have", text, 0)
        if file.form == "front matter":
            what = "front matter"
            text = as_json(text) or "{}"
        document = parse(text)
    except JsonSyntaxError as error:
        remedy = "fix it on this line; Claude Code never reports a syntax error"
        message = f"not valid {what}: {error.problem}"
        return Layer(
            file,
            problems=(Finding("settings/syntax", file.path, error.line, error.column, "", message, FILE, remedy),),
            void=True,
        )
    return read_document(document, file, exists)


def read_document(
    document: Document, file: LayerFile = _NAMELESS, exists: Callable[[str], bool] = os.path.exists
) -> Layer:
    """Read a parsed text; see `read_text`."""
    return _Reader(document, file, exists).layer()


def entries(event: str, groups: Node, document: Document) -> Iterator[Entry]:
    """Every entry under an event, whatever else is wrong there."""
    for number, group in enumerate(groups.items):
        if group.kind != "object":
            continue
        inner = group.get("hooks")
        inside: list[tuple[int | None, Node]] = [(None, group)]
        if inner is not None:
            inside = [(index, item) for index, item in enumerate(inner.items) if item.kind == "object"]
        for index, node in inside:
            yield Entry(event, groups, group, number, node, index, _data(document, node))


def commands(document: Document) -> list[Node]:
    """The entries that are well-formed command handlers of known events, with something to run."""
    hooks = document.root.get("hooks") if document.root is not None else None
    found: list[Node] = []
    for event, groups in {member.key: member.value for member in hooks.members}.items() if hooks is not None else ():
        if event in EVENTS:
            for entry in entries(event, groups, document):
                faultless = handler_fault(entry.value) is None and group_fault(document.value(entry.group, 1)) is None
                if faultless and entry.value["type"] == COMMAND and str(entry.value["command"]).strip():
                    found.append(entry.handler)
    return found


def _data(document: Document, node: Node) -> Mapping[str, object]:
    data = document.value(node, 2)
    assert isinstance(data, dict)
    return data


class _Reader:
    def __init__(self, document: Document, file: LayerFile, exists: Callable[[str], bool]) -> None:
        self.document = document
        self.file = file
        self.exists = exists
        self.found: list[Finding] = []
        self.handlers: list[Handler] = []
        self.unread: list[Unread] = []
        self.env: Container[str] = ()
        self.names = file.names

    def say(
        self, rule: str, offset: int, where: str, message: str, takes: str, remedy: str, harmless: bool = False
    ) -> None:
        place = self.document.position(offset)
        self.found.append(Finding(rule, self.file.path, *place, where, message, takes, remedy, harmless))

    def layer(self) -> Layer:
        document, root = self.document, self.document.root
        for start, _ in document.comments[:1]:
            self.say("settings/comment", start, "", "a comment, which JSON does not have", FILE, "remove the comments")
        settings: Mapping[str, object] = {}
        if root is None:
            self.say(
                "settings/type", len(document.text), "", "the file is empty", FILE, "write {} into it, or remove it"
            )
        elif root.kind != "object":
            message = f"{self.named(root)} where an object belongs"
            self.say("settings/type", root.start, "", message, FILE, "write an object")
        else:
            value = document.value(root, 2)
            assert isinstance(value, dict)
            if self.file.form == "settings":
                settings = value
                self.settings(root, settings)
            else:
                self.brought(root)
        problems = tuple(sorted(self.found, key=lambda finding: (finding.line, finding.column)))
        if any(finding.takes == FILE for finding in problems):
            lost, unread = tuple(self.handlers), tuple(self.unread)
            # A switch that keeps other people's hooks off holds whatever is wrong beside it (measured).
            only = self.file.form == "settings" and settings.get("allowManagedHooksOnly", False) is not False
            return Layer(
                self.file, lost=lost, unread=unread, managed_only=only, problems=problems, void=True, document=document
            )
        disable, env = settings.get("disableAllHooks"), settings.get("env")
        return Layer(
            self.file,
            handlers=tuple(self.handlers),
            unread=tuple(self.unread),
            env={key: _word(item) for key, item in env.items() if not isinstance(item, (dict, list))}
            if isinstance(env, dict)
            else {},
            disable_all_hooks=disable if isinstance(disable, bool) else None,
            managed_only=settings.get("allowManagedHooksOnly") is True,
            problems=problems,
            document=document,
        )

    def settings(self, root: Node, settings: Mapping[str, object]) -> None:
        self.duplicates(root, "", ("hooks", "permissions", "env", "disableAllHooks"))
        for keys, wrong in setting_faults(settings):
            node = root
            for key in keys:
                node = node.get(key) or node
            self.say("settings/type", node.start, ".".join(keys), wrong, FILE, _FIX)
        env = settings.get("env")
        self.env = env if isinstance(env, dict) else ()
        hooks = root.get("hooks")
        if hooks is None:
            self.without_wrapper(root)
        if hooks is not None and hooks.kind == "object":
            self.events(hooks)

    def brought(self, root: Node) -> None:
        """What a plugin, a skill or an agent brings: its hooks alone count, not its `env` or `disableAllHooks`."""
        hooks: Node | None = root
        for step in self.file.at:
            assert hooks is not None
            hooks = hooks.items[step] if isinstance(step, int) else hooks.get(step)
            if hooks is None:
                break
        modules = root.get("modules") if self.file.form == "hooks" else None
        if modules is not None:
            self.say("plugin/modules", modules.start, "modules", "function hooks are not read here", NOTHING, "")
        if self.file.form == "front matter":
            called = root.get("name")
            self.names = (*self.file.names, *([called.string] if called is not None and called.string else []))
        if hooks is not None and hooks.kind == "object":
            self.events(hooks)
        elif hooks is not None:
            self.say("settings/type", hooks.start, "hooks", f"must be an object, is {self.named(hooks)}", FILE, _FIX)
        elif self.file.form == "hooks" and modules is None:
            said = "has no `hooks`, so nothing of it is read"
            self.say("settings/no-wrapper", root.start, "", said, FILE, 'write {"hooks": {...}} around the events')

    def events(self, hooks: Node) -> None:
        self.duplicates(hooks, "hooks", None)
        last = {member.key: member for member in hooks.members}
        for member in hooks.members:
            if last[member.key] is member:
                self.event(member.key, member.start, member.value)

    def duplicates(self, node: Node, where: str, only: tuple[str, ...] | None) -> None:
        seen: set[str] = set()
        for member in node.members:
            if member.key in seen and (only is None or member.key in only):
                message = f'duplicate key "{member.key}"; the last one wins'
                self.say("settings/duplicate-key", member.start, where, message, NOTHING, "merge the two")
            seen.add(member.key)

    def without_wrapper(self, root: Node) -> None:
        """Events outside `hooks`, which nobody reads."""
        bare = [member for member in root.members if member.key in EVENTS]
        if bare:
            message = f"{bare[0].key} stands outside `hooks`, so nothing of it is read"
            self.say(
                "settings/no-wrapper", bare[0].start, "", message, EVENT, 'write {"hooks": {...}} around the events'
            )

    def unread_keys(self, node: Node, where: str, known: tuple[str, ...], what: str) -> None:
        """Keys that are not read here and look as if somebody counts on them."""
        for member in node.members:
            if member.key not in known:
                meant = misplaced(member.key, known)
                if meant:
                    message = f"`{member.key}` is no key of {what}, so it is not read"
                    self.say("settings/unknown-key", member.start, where, message, NOTHING, meant)

    def event(self, event: str, offset: int, groups: Node) -> None:
        where = f"hooks.{event}"
        voiding = event in VOIDING_EVENTS
        if event not in EVENTS:
            close = nearest(event)
            hint = f"; did you mean `{close}`?" if close else ""
            guards = groups.kind == "object" and any(member.key in VOIDING_EVENTS for member in groups.members)
            # Nested once too often, guards void the file from here as well.
            remedy = "put its events directly into hooks" if guards else "rename it, or remove it"
            self.say(
                "settings/unknown-event",
                offset,
                where,
                f"unknown event `{event}`{hint}",
                FILE if guards else EVENT,
                remedy,
            )
        elif groups.kind == "constant" and self.document.source(groups) == "null":
            self.say("settings/malformed-event", groups.start, where, "is null", EVENT, "write a list, or remove it")
        elif groups.kind != "array":
            message = f"must be a list of groups, is {self.named(groups)}"
            self.say(
                "settings/malformed-event",
                groups.start,
                where,
                message,
                FILE if voiding else EVENT,
                'write [{"hooks": [...]}]',
            )
        else:
            for number, group in enumerate(groups.items):
                self.group(event, number, group)

    def group(self, event: str, number: int, group: Node) -> None:
        where = f"hooks.{event}[{number}]"
        fault = group_fault(self.document.value(group, 1))
        if fault is not None:
            self.malformed("settings/malformed-group", event, where, group, fault, GROUP)
            self.not_understood(event, where, fault[1], self.document.value(group, 4))
            return
        self.duplicates(group, where, None)
        self.unread_keys(group, where, GROUP_KEYS, "a group")
        matcher, inner = group.get("matcher"), group.get("hooks")
        assert inner is not None
        pattern = matcher.string if matcher is not None else None
        if matcher is not None:
            for doubt in doubts.about_matcher(event, pattern):
                self.doubt(where, matcher.start, doubt)
        for index, node in enumerate(inner.items):
            self.handler(event, pattern, number, index, f"{where}.hooks[{index}]", node)

    def handler(self, event: str, matcher: str | None, group: int, index: int, where: str, node: Node) -> None:
        value = self.document.value(node, 2)
        fault = handler_fault(value)
        if fault is not None:
            self.malformed("settings/malformed-handler", event, where, node, fault, HANDLER)
            self.not_understood(event, where, fault[1], {"matcher": matcher, "hooks": [value]})
            return
        assert isinstance(value, dict)
        self.duplicates(node, where, None)
        self.unread_keys(node, where, keys_of(str(value["type"])), "a handler")
        handler = handler_of(
            value,
            event="SubagentStop" if (self.file.layer, event) == (AGENT, "Stop") else event,
            matcher=matcher,
            group=group,
            index=index,
            layer=self.file.layer,
            path=self.file.path,
            line=self.document.position(node.start)[0],
            plugin_root=self.file.plugin_root,
            plugin_data=self.file.plugin_data,
            source=self.file.source,
            scope=self.names,
            brought=self.file.brought,
        )
        for doubt in doubts.about(handler, self.exists, self.env):
            self.doubt(where, (node.get(doubt.key) or node).start, doubt)
        if handler.type != COMMAND or handler.command.strip():
            self.handlers.append(handler)
        else:
            self.not_understood(event, where, "its command is empty", {"matcher": matcher, "hooks": [value]})

    def not_understood(self, event: str, where: str, why: str, group: object) -> None:
        """Keep what is known of a group that does not run."""
        given = group if isinstance(group, dict) else {}
        matcher, entries = given.get("matcher"), given.get("hooks")
        found = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
        fail_closed = any(marked(entry) for entry in (given, *found))
        self.unread.append(Unread(event, matcher if isinstance(matcher, str) else None, f"{where}: {why}", fail_closed))

    def doubt(self, where: str, offset: int, doubt: doubts.Doubt) -> None:
        where = f"{where}.{doubt.key}"
        self.say(doubt.rule, offset, where, doubt.problem, doubt.takes, doubt.remedy, doubt.harmless)

    def malformed(
        self, rule: str, event: str, where: str, entry: Node, fault: tuple[str | None, str], takes: str
    ) -> None:
        """Say what voids a group or handler (`takes`), or with it the whole file."""
        key, message = fault
        node = (entry.get(key) if key else None) or entry
        takes = FILE if event in VOIDING_EVENTS else takes
        self.say(rule, node.start, f"{where}.{key}" if key else where, message, takes, _FIX)

    def named(self, node: Node) -> str:
        return shown(self.document.value(node, 0))


def _word(value: object) -> str:
    """The text of an `env` value: numbers, true and null become their words (measured)."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        value = int(value)
    return value if isinstance(value, str) else shown(value)
