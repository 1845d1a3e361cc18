"""The answer to a first word that is neither a command nor an event. Without click: events may give it too."""

from __future__ import annotations

from dreamwork_hooks import COMMANDS, HOOKS


def unknown_word(word: str) -> str:
    """What to tell a person who typed `word`, or no word at all."""
    if not word:
        said = "there is no command; usage: dreamwork-hooks.pyz COMMAND [OPTION]..."
    else:
        from difflib import get_close_matches

        near = get_close_matches(word.lower()[:40], [*COMMANDS, *HOOKS, "--help", "--version"], 1, 0.6)
        kind = "option" if word.startswith("-") else "command"
        said = f"there is no {kind} {word[:40]!r}" + (f"; did you mean {near[0]}?" if near else "")
    return f"{said}\ncommands: {', '.join(COMMANDS)}\nmore: dreamwork-hooks.pyz --help"
