"""Which registered handlers are ours: decided by the program a handler runs, never by a name somewhere in its text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dreamwork_hooks import HOOKS
from dreamwork_hooks.install.wrapping import unwrapped
from dreamwork_hooks.settings.shellwords import PYTHON, SHELL, simple_commands, without_assignments

PROGRAM = "dreamwork-hooks.pyz"
EVENTS = {word: facts[0] for word, facts in HOOKS.items()}  # argument -> Claude Code's event
# The scripts of an earlier installation, and the event each of them answered. Never shorten this list.
OLD_SCRIPTS = {"precompact_focus.py": "precompact", "posttooluse_ledger_lint.py": "posttooluse"}
_OLD_HOME = ("ud-dreamwork-hooks", "hooks")
_DEPTH = 5  # `sh -c "sh -c ..."`: further down than this nobody looks

# Commands of a line that do nothing of the user's: a guard or an ending around our program.
_GUARDS = ("[", "[[", "test", "true", ":", "false", "exit", "cd", "export", "unset", "set", "then", "fi", "if")
# What runs the program that follows it, and the word that some of them take for that.
_LAUNCHERS = ("exec", "command", "nohup", "setsid", "time", "nice", "ionice", "chronic", "stdbuf", "env", "timeout",
              "gtimeout", "sudo", "doas", "arch", "uv", "pyenv", "poetry", "pdm", "hatch", "mise", "rye")  # fmt: skip
_VERBS = ("run", "exec")
# What may stand between a launcher and the program: an option's value, which is no script of its own, or a duration.
_VALUE = re.compile(r"(?!.*\.(?:py|pyz|sh)$)[A-Za-z0-9_.:,%+-]+")
_NUMBER = re.compile(r"[0-9.]+[smhd]?")
_UNQUOTED = str.maketrans("", "", "'\"\\\n")


def role_of(handler: Mapping[str, object]) -> str | None:
    """The event argument this handler of ours answers (a key of `EVENTS`, "" when it names none), or None: not ours.

    A handler that runs one of the person's own programs as well is theirs, and so is one that runs our file with a
    command (`lint`, `focus`): the installer never wrote such a one.
    """
    handler = unwrapped(handler)
    command, args = handler.get("command"), handler.get("args")
    if handler.get("type", "command") != "command" or not isinstance(command, str):
        return None
    text = f"{command} {args}".translate(_UNQUOTED)
    if PROGRAM not in text and not any(script in text for script in OLD_SCRIPTS):
        return None  # the shell takes quotes away and adds nothing
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
    """The role of one simple command: our file with one of our words, with nothing but launchers before it."""
    rest = list(without_assignments(words))
    while rest and rest[0] in ("then", "do", "else", "!", "{"):
        rest = rest[1:]
    if depth > _DEPTH or rest[:2] == ["command", "-v"]:
        return None
    launcher = ""
    for index, word in enumerate(rest):
        name, behind = basename(word), rest[index + 1 :]
        if _is_our_file(word):
            return _role_with(name, behind)
        if PYTHON.fullmatch(name) or SHELL.fullmatch(name) or name in _LAUNCHERS:
            launcher = name
        elif launcher and word[:1] in ("-", "+"):
            if SHELL.fullmatch(launcher) and "c" in word[1:] and not word.startswith("--"):
                return _role_of_line(behind[0], depth + 1) if behind else None
            if launcher == "env" and word.startswith(("-S", "--split-string")):
                first = [word[2:]] if word.startswith("-S") and word != "-S" else []
                return _role_of_line(" ".join(first + behind), depth + 1)
            if PYTHON.fullmatch(launcher) and word in ("-c", "-m"):
                return None
        elif not launcher or not _may_stand_between(word, rest[index - 1]):
            return None
    return None


def _may_stand_between(word: str, before: str) -> bool:
    of_an_option = before[:1] in ("-", "+") and before != "--" and _VALUE.fullmatch(word)
    return bool(of_an_option or word in _VERBS or _NUMBER.fullmatch(word) or not without_assignments([word]))


def basename(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def _is_our_file(word: str) -> bool:
    parts = re.split(r"[/\\]", word)
    return parts[-1] == PROGRAM or (parts[-1] in OLD_SCRIPTS and tuple(parts[-3:-1]) == _OLD_HOME)


def _role_with(name: str, arguments: Sequence[str]) -> str | None:
    if name in OLD_SCRIPTS:
        return OLD_SCRIPTS[name]
    if not arguments:
        return ""
    return arguments[0] if arguments[0] in EVENTS else None
