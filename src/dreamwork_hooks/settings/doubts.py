"""What of a well-formed hook does not do what its author meant, as far as it can be told without running it.

One verdict for whoever asks: the reader of settings makes findings of it, the host calls a hook that can never run
broken, and `hooks` lists it beside the hook.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dreamwork_hooks.contract import matcher as matchers
from dreamwork_hooks.contract import permission_rule, tools
from dreamwork_hooks.contract.events import EVENTS, TOOL_EVENTS, can_block
from dreamwork_hooks.settings.shape import COMMAND, Handler
from dreamwork_hooks.settings.shellwords import simple_commands, without_assignments

# What a fault takes with it; the words are for a person.
FILE = "file"
EVENT = "event"
GROUP = "group"
HANDLER = "handler"
NOTHING = "nothing"
LOST = {
    FILE: "Claude Code ignores this whole file: hooks, env and permissions",
    EVENT: "Claude Code ignores everything under this event",
    GROUP: "Claude Code leaves this group out",
    HANDLER: "this handler never runs",
}

# Variables a hook was seen to get, and the prefix of a family of them. Everything else named $CLAUDE_... is empty.
KNOWN_VARIABLES = frozenset(
    {"CLAUDE_PROJECT_DIR", "CLAUDECODE", "CLAUDE_PID", "CLAUDE_EFFORT", "CLAUDE_ENV_FILE", "CLAUDE_CONFIG_DIR"}
    | {"CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"}
)
_FAMILIES = ("CLAUDE_CODE_", "CLAUDE_PLUGIN_OPTION_")
_VARIABLE = re.compile(r"(?<!\\)\$(?:\{([A-Z][A-Z0-9_]*)\}|([A-Z][A-Z0-9_]*))")
# What people expect to be set for a hook, from other programs' hooks or from hearsay; no version set any of it.
_NEVER_SET = re.compile(
    r"CLAUDE_(?:TOOL|FILE|HOOK)_\w+|CLAUDE_(?:FILE|PROMPT|EVENT|EVENT_TYPE|NOTIFICATION|MODIFIED_FILES|EDITED_FILE)"
    r"|TOOL_(?:NAME|INPUT|INPUT_\w+|OUTPUT|RESPONSE|RESULT|ARGS)|HOOK_(?:EVENT|EVENT_NAME|INPUT)"
)
_PLUGIN_WORDS = ("${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_DATA}")
_PYTHON = re.compile(r"(?:.*/)?(?:python|pypy)[0-9.]*")
# Seconds: longer than any hook is worth waiting for, and what a number of milliseconds looks like.
_LONG = 1000.0


@dataclass(frozen=True)
class Doubt:
    """One reason. `rule` is its name in `check/RULES.md`, `key` that of the entry it is about, `takes` a key of `LOST`
    or NOTHING."""

    rule: str
    key: str
    problem: str
    remedy: str
    takes: str = NOTHING
    harmless: bool = False
    """Worth knowing, and works as it stands."""


def never(handler: Handler, *, rules: bool = True) -> str:
    """Why the client never runs this handler, "" when it may. `rules=False` leaves its `if` out of the judgement."""
    found = [*about_matcher(handler.event, handler.matcher), *_about_plugin(handler)]
    if rules:
        found += about_rule(handler.event, handler.matcher, handler.rule)
    return next((f"never runs by its `{doubt.key}`: {doubt.problem}" for doubt in found if doubt.takes != NOTHING), "")


def about(handler: Handler, exists: Callable[[str], bool] = os.path.exists, env: Container[str] = ()) -> list[Doubt]:
    """Everything about one handler but its group's matcher. `exists` looks for programs, `env` is set for it."""
    found = [*_about_timeout(handler.timeout), *about_rule(handler.event, handler.matcher, handler.rule)]
    if handler.type == COMMAND:
        found += _about_plugin(handler) or about_command(handler.event, handler.command, handler.args, exists, env)
    return found


@lru_cache(maxsize=1024)
def about_matcher(event: str, matcher: str | None) -> tuple[Doubt, ...]:
    """About a group's matcher."""
    if event not in EVENTS:
        return ()
    looked_at = EVENTS[event].matcher.value is not None
    broken = looked_at and event != "FileChanged" and matchers.read(matcher).form == "invalid"
    works = _can_match(matcher, event)
    found = []
    for doubt in matchers.doubts(matcher, event):
        rule = "matcher/unknown"
        if broken:
            rule = "matcher/invalid"
        elif not looked_at:
            rule = "matcher/ignored"
        elif works:
            rule = "matcher/partly-unknown"
        elif "exact name" in doubt or _near_miss(doubt):
            rule = "matcher/misspelt"
        found.append(Doubt(rule, "matcher", doubt, "change the matcher", GROUP if broken else NOTHING, works))
    return tuple(found)


def _near_miss(doubt: str) -> bool:
    """Whether the name that is meant instead differs by a letter or by its case: others may be newer than our table."""
    names = re.findall(r"`([^`]+)`", doubt)
    return len(names) > 1 and difflib.SequenceMatcher(None, names[0].lower(), names[1].lower()).ratio() > 0.85


def _can_match(matcher: str | None, event: str) -> bool:
    """Does the matcher let anything through that is known to happen?"""
    spec = EVENTS[event]
    if spec.matcher.value is None:
        return True
    field = spec.field(spec.matcher.value)
    values = tuple(tools.TOOLS) if spec.matcher.value == "tool_name" else field.values if field else ()
    read = matchers.read(matcher)
    return read.form != "invalid" and any(read.matches(value) for value in values)


@lru_cache(maxsize=1024)
def about_rule(event: str, matcher: str | None, rule: str) -> tuple[Doubt, ...]:
    """About an `if`: why it can never hold."""

    def never_holds(problem: str, remedy: str, rule: str = "if/never-holds") -> tuple[Doubt, ...]:
        return (Doubt(rule, "if", problem, remedy, HANDLER),)

    try:
        read = permission_rule.parse(rule)
    except permission_rule.InvalidRule as error:
        return never_holds(str(error), "write one rule: Tool or Tool(pattern)", "if/invalid")
    if read is None:
        return ()
    if event not in TOOL_EVENTS:
        return never_holds(f"{event} is not a tool event, so an `if` never holds there", "leave the `if` out")
    if not matchers.matches(matcher, read.tool):
        return never_holds(
            f"the matcher lets no {read.tool} through, so this never holds", f"add {read.tool} to the matcher"
        )
    if read.pattern is not None and (read.tool in ("Agent", "WebFetch") or tools.is_mcp(read.tool)):
        return never_holds(f"a rule about {read.tool} holds without a pattern only", f"write {read.tool}")
    if read.subject == "path" and read.pattern is not None:
        if read.pattern.startswith("!"):
            return never_holds("a pattern that begins with ! matches nothing", "name what is meant instead")
        if "{" in read.pattern and "}" in read.pattern:
            return never_holds("{a,b} is not understood in a pattern", "give each its own handler")
    return ()


def _about_timeout(timeout: float | None) -> list[Doubt]:
    if timeout is None or timeout < _LONG:
        return []
    problem = f"{timeout:g} seconds is {timeout / 60:.0f} minutes: the unit is seconds, not milliseconds"
    return [Doubt("handler/timeout-unit", "timeout", problem, f"did you mean {timeout / 1000:g}?")]


def _about_plugin(handler: Handler) -> list[Doubt]:
    if handler.plugin_root is not None or not any(word in handler.shown() for word in _PLUGIN_WORDS):
        return []
    problem = "names ${CLAUDE_PLUGIN_...} but comes with no plugin, so Claude Code does not start it"
    return [Doubt("command/plugin-variable", "command", problem, "write the path out", HANDLER)]


def about_command(
    event: str,
    command: str,
    args: Sequence[str] | None,
    exists: Callable[[str], bool] = os.path.exists,
    env: Container[str] = (),
) -> list[Doubt]:
    """About the command of one handler; `args` is None for the form that goes through the shell."""
    found: list[Doubt] = []
    if not command.strip():
        return [Doubt("command/empty", "command", "is empty, so nothing runs", "remove the handler", HANDLER)]
    found += about_variables(command, env)
    if args is not None:
        return found + _exec_form(command, args, exists)
    if "pipefail" in command:
        found.append(
            _command(
                "command/bashism",
                "runs under /bin/sh; where that is dash, `set -o pipefail` exits with 2" + _blocks(event),
                "leave it out, or run bash -c '...'",
            )
        )
    return found + _shell_form(event, command, exists)


def about_variables(text: str, env: Container[str] = ()) -> list[Doubt]:
    """About the variables that a command or script of the shell counts on: `env` and the text itself may set some."""
    found = []
    for name in dict.fromkeys(match[1] or match[2] for match in _VARIABLE.finditer(text)):
        never = _NEVER_SET.fullmatch(name) is not None
        if name in KNOWN_VARIABLES or name in env or name.startswith(_FAMILIES):
            continue
        # Named without a dollar it is assigned, read into, or looked for there.
        if (never or name.startswith("CLAUDE_")) and not re.search(rf"(?<![$\w{{]){name}\b|\{{{name}[^}}\w]", text):
            rule = "command/variable-never-set" if never else "command/variable-unknown"
            remedy = "the event's JSON on standard input has what is needed"
            found.append(_command(rule, f"${name} is not set for hooks", remedy))
    return found


def _exec_form(command: str, args: Sequence[str], exists: Callable[[str], bool]) -> list[Doubt]:
    if " " in command.strip() and not exists(command):
        return [
            _command(
                "command/exec-form",
                'with "args" the whole "command" is one program name, and there is none of that name',
                'put the arguments into "args", or leave "args" out',
            )
        ]
    if command.startswith("~") or any(word.startswith("~/") for word in args):
        return [_command("command/exec-form", 'with "args" no shell expands ~', "write the path out")]
    return []


def _shell_form(event: str, command: str, exists: Callable[[str], bool]) -> list[Doubt]:
    try:
        commands = simple_commands(command)
    except ValueError as error:
        return [_command("command/shell-syntax", f"the shell cannot read it: {error}", "close it")]
    if len(commands) != 1:  # a guard or a chain: what it comes to is the person's business
        return []
    words = without_assignments(commands[0])
    if not words:
        return []
    if _PYTHON.fullmatch(words[0]):
        script = next((word for word in words[1:] if not word.startswith("-")), None)
        if not any(word in ("-c", "-m") for word in words) and script and _gone(script, exists):
            return [
                _command(
                    "script/missing",
                    f"{script} is not there, and Python then exits with 2" + _blocks(event),
                    "put the script back, or run it directly so that its absence gives 127",
                )
            ]
        return []
    if _gone(words[0], exists):
        return [
            _command(
                "script/missing",
                f"{words[0]} is not there, so nothing runs (exit 127)",
                "put it back, or remove the handler",
            )
        ]
    return []


def _gone(path: str, exists: Callable[[str], bool]) -> bool:
    expanded = path
    for home in ("~/", "$HOME/", "${HOME}/"):
        if path.startswith(home):
            expanded = os.path.join(os.path.expanduser("~"), path[len(home) :])
    return os.path.isabs(expanded) and "$" not in expanded and "`" not in expanded and not exists(expanded)


def _blocks(event: str) -> str:
    return ", which blocks" if can_block(event) else ""


def _command(rule: str, problem: str, remedy: str) -> Doubt:
    return Doubt(rule, "command", problem, remedy)
