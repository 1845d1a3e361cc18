"""`skill`: the contract with the loop, out of the one file, put where a core looks for it."""

from __future__ import annotations

import os
import pkgutil
from pathlib import Path

import click

from dreamwork_hooks import PLUGIN
from dreamwork_hooks.cli import words
from dreamwork_hooks.errors import UserError
from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.settings.writing import replace_beside

NAME = "SKILL.md"
_MOST = 1 << 20
# Where harnesses keep their own skills: a plugin of the loop is none of them, and would be loaded twice.
_HARNESSES = (".claude", ".codex", ".cursor", ".gemini", ".opencode", ".agents")


@click.command()
@click.option("--core", metavar="DIR", type=click.Path(exists=True, file_okay=False), help="The loop's core")
@click.option("--to", "to", metavar="DIR", type=click.Path(file_okay=False), help="Another directory to write it in")
def command(core: str | None, to: str | None) -> None:
    """Print this plugin's SKILL.md, or put it where a loop's core finds it.

    A core looks for a plugin that DREAMWORK.md names in DIR/plugins/ud-dreamwork-hooks/. An older one of this plugin is
    replaced there; any other file is left alone.
    """
    data = skill()
    if core is None and to is None:
        words.write(data.decode("utf-8"))
        return
    if core is not None and to is not None:
        raise UserError("give --core or --to, not both")
    directory = os.path.realpath(os.path.join(core, "plugins", PLUGIN) if core is not None else str(to))
    harness = next((part for part in Path(directory).parts if part in _HARNESSES), None)
    if harness is not None:
        raise UserError(
            f"{directory} belongs to a harness ({harness}); the loop's core loads this plugin, not the harness"
        )
    place = os.path.join(directory, NAME)
    try:
        there = read_regular(place, _MOST)
    except Unreadable as error:
        if not error.absent:
            raise UserError(f"{place} is {error}") from None
        there = None
    if there == data:
        words.say(f"{place} is up to date")
        return
    if there is not None and f"name: {PLUGIN}".encode() not in there:
        raise UserError(f"{place} is not this plugin's; it was left alone")
    try:
        os.makedirs(directory, exist_ok=True)
        replace_beside(place, data, mode=0o644)
    except OSError as error:
        raise UserError(f"{place} cannot be written: {error.strerror or error}") from None
    words.say(f"wrote {place}")


def skill() -> bytes:
    """SKILL.md as this file carries it."""
    data = pkgutil.get_data("dreamwork_hooks", NAME)
    assert data is not None
    return data
