"""Which registered handlers are ours: decided by the program a handler runs, never by a name somewhere in its text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dreamwork_hooks import HOOKS
from dreamwork_hooks.install.wrapping import unwrapped
from dreamwork_hooks.settings.shellwords import simple_commands, without_assignments

PROGRAM = "dreamwork-hooks.pyz"
EVENTS = {word: facts[0] for word, facts in HOOKS.items()}  # argument -> Claude Code's event
# The scripts of an earlier installation, and the event each of them answered. Never shorten this list.
OLD_SCRIPTS = {"precompact_focus.py": "precompact", "posttooluse_ledger_lint.py": "posttooluse"}
_OLD_HOME = ("ud-dreamwork-hooks", "hooks")
_DEPTH = 5  # `sh -c "sh -c ..."`: further down than this nobody looks

_PYTHON = re.compile(r"(?:python|pythonw|pypy)[0-9.]*(?:\.exe)?|py(?:\.exe)?")
_SHELL = re.compile(r"(?:sh|bash|dash|zsh|ksh|ash|busybox)(?:\.exe)?")
# Commands of a line that do nothing of the user's: a guard or an ending around our program.
_GUARDS = (
    "[",
    "[[",
    "test",
    "true",
    ":",
    "false",
    "exit",
    "cd",
    "export",
    "unset",
    "set",
    "then",
    "fi",
    "if",
)
# Launchers: name -> options that take a value of their own. What follows the options is the program.
_LAUNCHERS: Mapping[str, tuple[str, ...]] = {
    "exec": ("-a",),
    "command": (),
    "nohup": (),
    "setsid": (),
    "time": ("-f", "-o", "--format", "--output"),
    "nice": ("-n", "--adjustment"),
    "ionice": ("-c", "-n", "--class", "--classdata"),
    "chronic": (),
    "stdbuf": ("-i", "-o", "-e", "--input", "--output", "--error"),
    "env": ("-u", "-C", "--unset", "--chdir"),
    "timeout": ("-k", "-s", "--kill-after", "--signal"),
    "gtimeout": ("-k", "-s", "--kill-after", "--signal"),
    "sudo": ("-u", "-g", "-C", "-D", "--user", "--group"),
    "doas": ("-u", "-C"),
    "arch": ("-d", "-e"),
}
_RUNNERS: Mapping[str, str] = {
    "uv": "run",
    "pyenv": "exec",
    "poetry": "run",
    "pdm": "run",
    "hatch": "run",
    "mise": "exec",
    "rye": "run",
}
_RUNNER_VALUES = ("-p", "--python", "--with", "--project", "--directory", "--extra", "--group", "--env-file")


def role_of(handler: Mapping[str, object]) -> str | None:
    """The event argument this handler of ours answers (a key of `EVENTS`, "" when it names none), or None: not ours.

    A handler that runs one of the person's own programs as well is theirs, and so is one that runs our file with a
    command (`lint`, `focus`): the installer never wrote such a one.
    """
    handler = unwrapped(handler)
    command, args = handler.get("command"), handler.get("args")
    if handler.get("type", "command") != "command" or not isinstance(command, str):
        return None
    if args is not None:
        if not isinstance(args, list) or not all(isinstance(word, str) for word in args):
            return None
        return _role_of_words([command, *args], 0) or _role_of_line(command, 0)
    return _role_of_line(command, 0)


def runs_ours(handler: Mapping[str, object]) -> bool:
    """Does any part of the command line run our program, also beside something of the person's own?"""
    if role_of(handler) is not None:
        return True
    handler = unwrapped(handler)
    command = handler.get("command")
    if not isinstance(command, str):
        return False
    try:
        lines = simple_commands(command)
    except ValueError:
        return False
    return any(_role_of_words(words, 0) is not None for words in lines)


def _role_of_line(line: str, depth: int) -> str | None:
    if depth > _DEPTH:
        return None
    try:
        commands = simple_commands(line)
    except ValueError:
        return None
    found: list[str] = []
    for words in commands:
        role = _role_of_words(words, depth)
        if role is not None:
            found.append(role)
        elif not _is_guard(words):
            return None
    return found[0] if len(set(found)) == 1 else None


def _is_guard(words: Sequence[str]) -> bool:
    rest = without_assignments(words)
    return not rest or rest[0] in _GUARDS or list(rest[:2]) == ["command", "-v"]


def _role_of_words(words: Sequence[str], depth: int) -> str | None:
    """The role of one simple command: step through interpreters and launchers to the program that is run."""
    rest = list(without_assignments(words))
    while rest and rest[0] in ("then", "do", "else", "!", "{"):
        rest = rest[1:]
    if not rest or depth > _DEPTH:
        return None
    program, arguments = rest[0], rest[1:]
    name = basename(program)
    direct = _direct_role(program, arguments)
    if direct is not None:
        return direct
    if _PYTHON.fullmatch(name):
        return _role_behind_python(arguments)
    if _SHELL.fullmatch(name):
        return _role_behind_shell(arguments, depth)
    if name in _LAUNCHERS:
        return _role_behind_launcher(name, arguments, depth)
    if name in _RUNNERS and arguments[:1] == [_RUNNERS[name]]:
        behind = _skip_options(arguments[1:], _RUNNER_VALUES)
        return _role_of_words(behind, depth + 1)
    return None


def basename(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def _direct_role(program: str, arguments: Sequence[str]) -> str | None:
    parts = re.split(r"[/\\]", program)
    if parts[-1] in OLD_SCRIPTS and tuple(parts[-3:-1]) == _OLD_HOME:
        return OLD_SCRIPTS[parts[-1]]
    if parts[-1] != PROGRAM:
        return None
    if not arguments:
        return ""
    return arguments[0] if arguments[0] in EVENTS else None


def _role_behind_python(arguments: Sequence[str]) -> str | None:
    rest = _skip_options(arguments, ("-W", "-X", "--check-hash-based-pycs"), stop=("-c", "-m"))
    return _direct_role(rest[0], rest[1:]) if rest else None


def _role_behind_shell(arguments: Sequence[str], depth: int) -> str | None:
    rest = list(arguments)
    if rest[:1] in (["sh"], ["ash"]):  # busybox sh
        rest = rest[1:]
    while rest and rest[0].startswith(("-", "+")):
        option = rest.pop(0)
        if option in ("-o", "+o", "--rcfile", "--init-file") and rest:
            rest.pop(0)
        elif not option.startswith("--") and "c" in option[1:]:
            return _role_of_line(rest[0], depth + 1) if rest else None
    return _direct_role(rest[0], rest[1:]) if rest else None


def _role_behind_launcher(name: str, arguments: Sequence[str], depth: int) -> str | None:
    rest = list(arguments)
    if name == "env" and rest[:1] and (rest[0] in ("-S", "--split-string") or rest[0].startswith("-S")):
        line = " ".join(([rest[0][2:]] if rest[0] not in ("-S", "--split-string") else []) + rest[1:])
        return _role_of_line(line, depth + 1)
    rest = _skip_options(rest, _LAUNCHERS[name])
    if name in ("timeout", "gtimeout"):
        rest = rest[1:]
    return _role_of_words(rest, depth + 1)


def _skip_options(words: Sequence[str], with_value: Sequence[str], stop: Sequence[str] = ()) -> list[str]:
    """The words after the options; nothing when one of `stop` is among them."""
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        option = rest.pop(0)
        if option == "--":
            break
        if option in stop:
            return []
        if option in with_value and rest:
            rest.pop(0)
    return rest
