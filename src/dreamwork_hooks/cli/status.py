"""`status`: wired, or available and not wired."""

from __future__ import annotations

import click

from dreamwork_hooks.cli import options, words
from dreamwork_hooks.doctor.status import status
from dreamwork_hooks.doctor.target import skipped
from dreamwork_hooks.errors import UserError
from dreamwork_hooks.install.request import this_world
from dreamwork_hooks.targets.find import target_of


@click.command()
@options.project("Where a session would start [here]", type=click.Path(exists=True, file_okay=False, resolve_path=True))
@options.as_json
@click.pass_context
def command(ctx: click.Context, /, target: str | None, as_json: bool) -> None:
    """Say whether the hooks are wired, and if not, which command wires them. Changes nothing.

    Also whether this project loads them: without the line in its DREAMWORK.md they skip it.
    """
    world = this_world()
    try:
        outcome = status(world, target)
    except UserError as error:
        if as_json:
            words.say_json(options.answer_of("status", error))
        raise
    found = target_of({"cwd": target or world.cwd}, {})
    reason = skipped(found) if found else None
    outcome.answer.update(target=found, skipped=reason[0] if reason else None)
    if found is None:
        outcome.sentences.append(f"There is no .dreamwork/ in {target or world.cwd} or above it: nothing to do here.")
    elif reason is not None:
        outcome.sentences.append(f"Skipped in {found}: {reason[0]};\n  {reason[1]}")
    if as_json:
        words.say_json(outcome.answer)
    else:
        for sentence in outcome.sentences:
            words.say(sentence)
    ctx.exit(outcome.status)
