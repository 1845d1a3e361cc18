"""`uninstall`: take our handlers and the installed file out again."""

from __future__ import annotations

import click

from dreamwork_hooks.cli.wiring_options import request_from, where
from dreamwork_hooks.install.face import tell, this_world
from dreamwork_hooks.install.request import guarded
from dreamwork_hooks.install.uninstall import uninstall


@click.command()
@where
@click.option("--purge", is_flag=True, help="Remove our state and logs too")
@click.option("--dry-run", is_flag=True, help="Show the change as a unified diff and write nothing")
@click.pass_context
def command(ctx: click.Context, /, **given: object) -> None:
    """Take our handlers out of every settings file we wired, and remove the installed file.

    With --scope or --settings only out of that one; the file stays while another still names it. Exit status: 0 done
    or nothing to do, 1 failed, 2 refused and nothing changed.
    """
    world, request = this_world(), request_from(given)
    ctx.exit(tell(guarded("uninstall", lambda: uninstall(world, request))))
