"""The command of a hook that is being recorded: it hands a copy of its event to our file, and runs as ever.

The hook itself runs from the shell alone, so that nothing that becomes of our file can keep it from running or end it
with another status. The copy goes to our file in the background; it costs the hook three short processes.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from dreamwork_hooks.errors import Refused
from dreamwork_hooks.settings import textedit
from dreamwork_hooks.settings.jsontext import parse
from dreamwork_hooks.settings.reading import commands

MARK = "dreamwork-hooks-record"  # what the shell that runs a recorded hook is called: its $0
# $1 our file, $2 where events go, then the hook. What cannot be copied is not recorded; what the copy lost on the way
# (a full disk) is no event, so the hook is not run and leaves with 127, which blocks nothing.
_SCRIPT = (
    "r=$1 d=$2; shift 2; "
    '[ -x "$r" ] && f=$(mktemp 2>/dev/null) || exec "$@"; '
    'cat >"$f" || { rm -f "$f"; exit 127; }; '
    'exec 3<"$f" 4<"$f"; rm -f "$f"; '
    '"$r" record --save --to "$d" <&4 3<&- 4<&- >/dev/null 2>&1 & '
    'exec "$@" <&3 3<&- 4<&-'
)
_SHELL = ["/bin/sh", "-c"]
_BEFORE = len([*_SHELL, _SCRIPT, MARK, "program", "directory"])


def wrapped(text: str, program: str, directory: str) -> str:
    """The settings with every command hook recorded by `program` into `directory`; nothing else of the text changes.

    Raises JsonSyntaxError for what is not JSON, and Refused when no hook is there.
    """
    document = parse(text)
    before = [*_SHELL, _SCRIPT, MARK, program, directory]
    changes: list[tuple[int, int, str]] = []
    for node in commands(document):
        command, args = node.get("command"), node.get("args")
        assert command is not None
        if args is None:
            line = "exec " + shlex.join([*before, *_SHELL, command.string])
            changes.append((command.start, command.end, textedit.quoted(line)))
        else:
            changes.append((command.start, command.end, textedit.quoted(before[0])))
            words = [*before[1:], command.string, *(item.string for item in args.items)]
            changes.append((args.start, args.end, textedit.quoted(words)))
    if not changes:
        raise Refused("no command hook is configured here; nothing was changed")
    pieces: list[str] = []
    at = 0
    for start, end, piece in sorted(changes):
        pieces += [text[at:start], piece]
        at = end
    return "".join([*pieces, text[at:]])


def unwrapped(handler: Mapping[str, object]) -> Mapping[str, object]:
    """The handler that a recorded one runs; any other as it is."""
    command, args = handler.get("command"), handler.get("args")
    if not isinstance(command, str) or MARK not in f"{command}{args}":
        return handler
    if isinstance(args, list):
        words = [command, *map(str, args)]
    else:
        try:
            words = shlex.split(command.removeprefix("exec "))
        except ValueError:
            return handler
    if words[: _BEFORE - 2] != [*_SHELL, _SCRIPT, MARK] or len(words) <= _BEFORE:
        return handler
    inner = words[_BEFORE:]
    if isinstance(args, list):
        return {**handler, "command": inner[0], "args": inner[1:]}
    return {**handler, "command": inner[-1]}
