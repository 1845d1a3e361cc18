"""Every finding about a configuration in one list: those of the reader, and those that need more than its text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dreamwork_hooks.check import scripts, shelltext, syntax
from dreamwork_hooks.check.rules import read_rules
from dreamwork_hooks.check.scripts import Looked
from dreamwork_hooks.check.shelltext import Remark
from dreamwork_hooks.contract.events import can_block
from dreamwork_hooks.quoting import one_line
from dreamwork_hooks.settings import reading
from dreamwork_hooks.settings.configuration import merge
from dreamwork_hooks.settings.found import Finding as Problem
from dreamwork_hooks.settings.found import Layer
from dreamwork_hooks.settings.layers import PLUGIN
from dreamwork_hooks.settings.shape import COMMAND, Handler

_GUARDS = ("PreToolUse", "UserPromptSubmit")
"""Events whose hooks `onFailure` was seen to let fail closed, and that are asked before something happens."""


@dataclass(frozen=True)
class Finding:
    """One fault by its rule; `line` counts from 1."""

    rule: str
    severity: str
    path: str
    line: int
    message: str
    fix: str


def findings(layers: Sequence[Layer], project: str, env: Mapping[str, str]) -> list[Finding]:
    """All findings about the sources, in their order: of a file its own, line by line, then those of its scripts.

    Nothing of the configuration is run; shells are asked whether they could read it.
    """
    found: list[Finding] = []
    for layer in layers:
        found += [_of(problem) for problem in layer.problems]
    found += beyond(layers, project, env)
    order = {layer.file.path: number for number, layer in enumerate(layers)}
    found.sort(key=lambda each: (order.get(each.path, len(order)), each.path, each.line))
    return _once(found)


def _once(found: Iterable[Finding]) -> list[Finding]:
    """Each finding once; that a program is missing once for all commands of a file."""
    kept: dict[object, Finding] = {}
    for each in found:
        kept.setdefault((each.path, each.message) if each.rule == "command/program-missing" else each, each)
    return list(kept.values())


def beyond(layers: Sequence[Layer], project: str, env: Mapping[str, str]) -> list[Finding]:
    """What the reader of one file cannot tell: the shell's text, scripts and programs, and the sources together."""
    found: list[Finding] = []
    places = {handler: place for layer in layers for handler, place in _command_lines(layer)}
    for handler, remarks in about_handlers(list(places), project, env).items():
        for path, remark in remarks:
            line = remark.line if path else places[handler]
            found.append(_finding(remark.rule, path or handler.path, line, remark.problem, remark.remedy))
    found += _duplicates(places, project, env)
    found += _sources(layers)
    return list(dict.fromkeys(found))


def about_handlers(
    handlers: Sequence[Handler], project: str, env: Mapping[str, str]
) -> dict[Handler, list[tuple[str, Remark]]]:
    """What is wrong with each command beyond its settings: the script it is about ("": the command), and the remark."""
    home = env.get("HOME") or os.path.expanduser("~")
    found: dict[Handler, list[tuple[str, Remark]]] = {}
    looked: dict[Handler, Looked] = {}
    seen: dict[object, Looked] = {}
    for handler in handlers:
        found[handler] = []
        if handler.type != COMMAND or handler.shell == "powershell":
            continue
        about = [*_about_command(handler), *scripts.about_programs(handler, env)]
        script = scripts.script_of(handler, project, home)
        if script is not None:
            key = (script, can_block(handler.event))
            if key not in seen:
                seen[key] = scripts.look(script, handler.event)
            looked[handler] = seen[key]
            found[handler] += [(script.path if each.line else "", each) for each in seen[key].remarks]
        found[handler] += [("", each) for each in (*about, *_fails_open(handler, looked.get(handler)))]
    _add_syntax(found, looked, env)
    return found


def _about_command(handler: Handler) -> Iterator[Remark]:
    text = handler.command
    if handler.args is not None:
        if any(word in each for each in (text, *handler.args) for word in ("$CLAUDE_PROJECT_DIR", "$HOME")):
            said = 'with "args" no shell expands $NAME; only ${CLAUDE_PROJECT_DIR} is filled in'
            yield Remark("command/not-expanded", 1, said, "write ${CLAUDE_PROJECT_DIR}, or the path")
        return
    yield from shelltext.paths(text)
    yield from shelltext.dangers(text)
    yield from shelltext.bashisms(text)
    yield from shelltext.log_before_answer(text)
    if can_block(handler.event):
        yield from shelltext.skipped_guard(text)


def _fails_open(handler: Handler, looked: Looked | None) -> Iterator[Remark]:
    text = looked.text if looked is not None else handler.command
    if handler.event in _GUARDS and not handler.fails_closed and shelltext.denies(text):
        said = "can deny, and whatever it guards passes when it fails or takes too long"
        yield Remark("guard/fails-open", 1, said, 'add "onFailure": "block" where that must not be')


def _add_syntax(
    found: dict[Handler, list[tuple[str, Remark]]], looked: Mapping[Handler, Looked], env: Mapping[str, str]
) -> None:
    asked: dict[Handler, list[tuple[str, str, str]]] = {}  # (script, shell, text)
    for handler in found:
        if handler.type == COMMAND and handler.args is None and handler.shell != "powershell":
            asked.setdefault(handler, []).append(("", "sh", handler.command))
        one = looked.get(handler)
        if one is not None and one.parsed_by:
            asked.setdefault(handler, []).append((one.script.path, one.parsed_by, one.text))
    faults = syntax.faults([(shell, text) for each in asked.values() for _, shell, text in each], env)
    for handler, texts in asked.items():
        for path, shell, text in texts:
            if (shell, text) in faults:
                line, said = faults[shell, text]
                rule = "script/shell-syntax" if path else "command/shell-syntax"
                blocks = ", exits with 2 and so blocks" if shell != "bash" and can_block(handler.event) else ""
                problem = f"{shell} cannot read it{blocks}: {one_line(said, 120)}"
                remedy = "fix it on this line" if path else "fix it, or put it into a script that names its shell"
                # The shell's own word on the same text says more than a guess about dash.
                found[handler] = [
                    (where, each) for where, each in found[handler] if (where, each.rule) != (path, "command/bashism")
                ]
                found[handler].append((path, Remark(rule, line, problem, remedy)))


def _duplicates(handlers: Iterable[Handler], project: str, env: Mapping[str, str]) -> Iterator[Finding]:
    """Handlers that stand twice: the same text runs once, the same program in other words twice."""
    home = env.get("HOME") or os.path.expanduser("~")
    same: dict[object, Handler] = {}
    alike: dict[object, Handler] = {}
    for handler in handlers:
        first = same.setdefault((handler.identity, handler.matcher or ""), handler)
        if first is not handler:
            said = f"the same hook stands at {first.place}; it runs once"
            yield _finding("settings/duplicate-hook", handler.path, handler.line, said, "remove one of the two")
            continue
        read = scripts.program_words(handler) if handler.type == COMMAND else None
        script = scripts.script_of(handler, project, home) if read else None
        if read is None or script is None:
            continue
        at = os.path.realpath(script.path)
        words = tuple(
            at if word == script.written else scripts.filled(word, handler, project, home) for word in read[0]
        )
        first = alike.setdefault((handler.event, handler.matcher or "", handler.rule, words), handler)
        if first is not handler:
            said = f"runs what {first.place} runs, in other words, so it runs twice"
            yield _finding("settings/runs-twice", handler.path, handler.line, said, "remove one, or write both alike")


def _sources(layers: Sequence[Layer]) -> Iterator[Finding]:
    for reason in dict.fromkeys(merge(layers).off.values()):
        key, _, path = reason.partition(" is true in ")
        document = next((layer.document for layer in layers if layer.file.path == path), None)
        node = document.root.get(key) if document is not None and document.root is not None else None
        line = document.position(node.start)[0] if document is not None and node is not None else 1
        yield _finding("settings/switched-off", path, line, f"{key} is true, so hooks do not run", "remove it")
    for layer in layers:
        if layer.file.layer == PLUGIN and layer.present and not (layer.handlers or layer.problems):
            said = "a plugin's file of hooks without a hook"
            yield _finding("settings/no-hooks", layer.file.path, 1, said, 'write {"hooks": {EVENT: [...]}}')


def _command_lines(layer: Layer) -> Iterator[tuple[Handler, int]]:
    """Each handler with the line its command stands on."""
    lines: dict[tuple[str, int, int], int] = {}
    document = layer.document
    hooks = document.root.get("hooks") if document is not None and document.root is not None else None
    if document is not None and hooks is not None:
        for member in hooks.members:
            for entry in reading.entries(member.key, member.value, document):
                node = entry.handler.get("command")
                if node is not None and entry.handler_index is not None:
                    lines[member.key, entry.group_index, entry.handler_index] = document.position(node.start)[0]
    for handler in layer.handlers or layer.lost:
        yield handler, lines.get((handler.event, handler.group, handler.index), handler.line)


def _of(problem: Problem) -> Finding:
    return _finding(problem.rule, problem.path, problem.line, problem.said, problem.remedy)


def _finding(rule: str, path: str, line: int, message: str, fix: str) -> Finding:
    row = read_rules()[rule]
    return Finding(rule, row.severity, path, line, one_line(message, 300), one_line(fix or row.fix, 200))
