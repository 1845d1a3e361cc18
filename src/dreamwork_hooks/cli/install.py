"""`install`: wire the hooks into Claude Code's settings."""

from __future__ import annotations

import click

from dreamwork_hooks.cli import options
from dreamwork_hooks.install.install import install, show_snippet
from dreamwork_hooks.install.request import this_world


@click.command()
@options.where
@options.opt_in
@click.option("--lint", metavar="PATH", help="The core repo's lint.py, or `embedded`")
@click.option("--python", metavar="PATH", help="The interpreter to pin, instead of looking for one")
@click.option("--force", is_flag=True, help="Replace dreamwork-hooks handlers that differ")
@click.option("--portable", is_flag=True, help="Name the file through $HOME, for settings that several machines share")
@click.option("--print", "show", is_flag=True, help="Print the exact snippet and write nothing")
@click.option("--dry-run", is_flag=True, help="Show the change as a unified diff and write nothing")
@options.as_json
@click.pass_context
def command(ctx: click.Context, /, show: bool, as_json: bool, **given: object) -> None:
    """Install this file and wire its hooks into Claude Code's settings.

    Exit status: 0 done or nothing to do, 1 failed, 2 refused and nothing changed. Where standard output is no terminal
    it gets one JSON object.
    """
    world, request = this_world(), options.request_from(given)
    if show:
        ctx.exit(options.carry_out("print", lambda: show_snippet(world, request), as_json=True))
    ctx.exit(options.carry_out("install", lambda: install(world, request), as_json))
