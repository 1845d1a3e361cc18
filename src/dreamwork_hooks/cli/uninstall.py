"""`uninstall`: take our handlers and the installed file out again."""

from __future__ import annotations

import click

from dreamwork_hooks.cli import options
from dreamwork_hooks.install.request import this_world
from dreamwork_hooks.install.uninstall import uninstall


@click.command()
@options.where
@click.option("--purge", is_flag=True, help="Also remove our state and logs")
@click.option("--dry-run", is_flag=True, help="Show the change as a unified diff and write nothing")
@options.as_json
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **given: object) -> None:
    """Remove our handlers from every settings file we wired, and the installed file.

    With --scope or --settings only out of that one; the file stays while another still names it. Exit status: 0 done
    or nothing to do, 1 failed, 2 refused and nothing changed.
    """
    world, request = this_world(), options.request_from(given)
    ctx.exit(options.carry_out("uninstall", lambda: uninstall(world, request), as_json))
