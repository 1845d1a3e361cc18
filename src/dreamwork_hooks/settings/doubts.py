"""What is wrong with a hook's command as far as it can be told without running it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dreamwork_hooks.contract.events import can_block
from dreamwork_hooks.settings.shellwords import simple_commands, without_assignments

# Variables a hook was seen to get, and the prefix of a family of them. Everything else named $CLAUDE_... is empty.
KNOWN_VARIABLES = frozenset(
    {"CLAUDE_PROJECT_DIR", "CLAUDECODE", "CLAUDE_PID", "CLAUDE_EFFORT", "CLAUDE_ENV_FILE", "CLAUDE_CONFIG_DIR"}
    | {"CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"}
)
_FAMILY = "CLAUDE_CODE_"
_VARIABLE = re.compile(r"\$\{?(CLAUDE[A-Z0-9_]*)")
_PYTHON = re.compile(r"(?:.*/)?(?:python|pypy)[0-9.]*")


@dataclass(frozen=True)
class Fault:
    problem: str
    remedy: str


def faults(
    event: str, command: str, args: Sequence[str] | None, exists: Callable[[str], bool] = os.path.exists
) -> list[Fault]:
    """The faults of one command handler; `args` is None for the form that goes through the shell."""
    found: list[Fault] = []
    if not command.strip():
        return [Fault("is empty, so nothing runs", "remove the handler")]
    for name in dict.fromkeys(_VARIABLE.findall(command)):
        if name not in KNOWN_VARIABLES and not name.startswith(_FAMILY):
            found.append(
                Fault(f"${name} is not set for hooks", "the event's JSON on standard input has what is needed")
            )
    if args is not None:
        return found + _exec_form(command, args, exists)
    if "pipefail" in command:
        found.append(
            Fault(
                "runs under /bin/sh; where that is dash, `set -o pipefail` exits with 2" + _blocks(event),
                "leave it out, or run bash -c '...'",
            )
        )
    return found + _shell_form(event, command, exists)


def _exec_form(command: str, args: Sequence[str], exists: Callable[[str], bool]) -> list[Fault]:
    if " " in command.strip() and not exists(command):
        return [
            Fault(
                'with "args" the whole "command" is one program name, and there is none of that name',
                'put the arguments into "args", or leave "args" out',
            )
        ]
    if command.startswith("~") or any(word.startswith("~/") for word in args):
        return [Fault('with "args" no shell expands ~', "write the path out")]
    return []


def _shell_form(event: str, command: str, exists: Callable[[str], bool]) -> list[Fault]:
    try:
        commands = simple_commands(command)
    except ValueError as error:
        return [Fault(f"the shell cannot read it: {error}", "close it")]
    if len(commands) != 1:  # a guard or a chain: what it comes to is the person's business
        return []
    words = without_assignments(commands[0])
    if not words:
        return []
    if _PYTHON.fullmatch(words[0]):
        script = next((word for word in words[1:] if not word.startswith("-")), None)
        if not any(word in ("-c", "-m") for word in words) and script and _gone(script, exists):
            return [
                Fault(
                    f"{script} is not there, and Python then exits with 2" + _blocks(event),
                    "put the script back, or run it directly so that its absence gives 127",
                )
            ]
        return []
    if _gone(words[0], exists):
        return [Fault(f"{words[0]} is not there, so nothing runs (exit 127)", "put it back, or remove the handler")]
    return []


def _gone(path: str, exists: Callable[[str], bool]) -> bool:
    expanded = path
    for home in ("~/", "$HOME/", "${HOME}/"):
        if path.startswith(home):
            expanded = os.path.join(os.path.expanduser("~"), path[len(home) :])
    return os.path.isabs(expanded) and "$" not in expanded and "`" not in expanded and not exists(expanded)


def _blocks(event: str) -> str:
    return ", which blocks" if can_block(event) else ""
