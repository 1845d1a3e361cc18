"""`upgrade`: put this file in the installed one's place."""

from __future__ import annotations

import click

from dreamwork_hooks.cli.wiring_options import request_from
from dreamwork_hooks.install.face import tell, this_world
from dreamwork_hooks.install.request import guarded
from dreamwork_hooks.install.upgrade import upgrade


@click.command()
@click.option("--python", metavar="PATH", help="The interpreter to pin; without it the pinned one stays")
@click.option("--dry-run", is_flag=True, help="Say what would be done and write nothing")
@click.pass_context
def command(ctx: click.Context, /, **given: object) -> None:
    """Replace the installed file by this one, in one step, and remove what older builds unpacked.

    The settings are not touched. Exit status: 0 done or nothing to do, 1 failed, 2 refused and nothing changed.
    """
    world, request = this_world(), request_from(given)
    ctx.exit(tell(guarded("upgrade", lambda: upgrade(world, request))))
