"""`upgrade`: put this file in the installed one's place."""

from __future__ import annotations

import click

from dreamwork_hooks.cli import options
from dreamwork_hooks.install.request import this_world
from dreamwork_hooks.install.upgrade import upgrade


@click.command()
@click.option("--python", metavar="PATH", help="The interpreter to pin; without it the pinned one stays")
@click.option("--dry-run", is_flag=True, help="Say what would be done and write nothing")
@options.as_json
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **given: object) -> None:
    """Replace the installed file with this one, in one step. Also removes what older
    builds unpacked.

    The settings are not touched. Exit status: 0 done or nothing to do, 1 failed, 2 refused and nothing changed.
    """
    world, request = this_world(), options.request_from(given)
    ctx.exit(options.carry_out("upgrade", lambda: upgrade(world, request), as_json))
