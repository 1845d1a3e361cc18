"""`install`: wire the hooks into Claude Code's settings."""

from __future__ import annotations

import click

from dreamwork_hooks.cli.wiring_options import opt_in, request_from, where
from dreamwork_hooks.install.face import tell, this_world
from dreamwork_hooks.install.install import install, show_snippet
from dreamwork_hooks.install.request import guarded


@click.command()
@where
@opt_in
@click.option("--lint", metavar="PATH", help="The core repo's lint.py, or `embedded`")
@click.option("--python", metavar="PATH", help="The interpreter to pin, instead of looking for one")
@click.option("--force", is_flag=True, help="Bring differing handlers of ours up to date")
@click.option("--print", "show", is_flag=True, help="Print the exact snippet and write nothing")
@click.option("--dry-run", is_flag=True, help="Show the change as a unified diff and write nothing")
@click.pass_context
def command(ctx: click.Context, /, show: bool, **given: object) -> None:
    """Install this file and wire its hooks into Claude Code's settings.

    Answers with one JSON object on standard output. Exit status: 0 done or nothing to do, 1 failed, 2 refused and
    nothing changed.
    """
    world, request = this_world(), request_from(given)
    if show:
        ctx.exit(tell(guarded("print", lambda: show_snippet(world, request))))
    ctx.exit(tell(guarded("install", lambda: install(world, request))))
