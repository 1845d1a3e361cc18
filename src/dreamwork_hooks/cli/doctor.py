"""`doctor`: do the hooks really run here, and what is wrong with any hook in the settings."""

from __future__ import annotations

import os
import shutil
import textwrap
from dataclasses import asdict

import click

from dreamwork_hooks.cli import options, words
from dreamwork_hooks.cli.words import style
from dreamwork_hooks.doctor import program as doctor_program
from dreamwork_hooks.doctor import settings as doctor_settings
from dreamwork_hooks.doctor.checks import FAIL, NOTE, OK, WARN, Check, needs_a_person
from dreamwork_hooks.doctor.firing import check_firing
from dreamwork_hooks.doctor.target import check_target, last_runs, skipped
from dreamwork_hooks.errors import Refused
from dreamwork_hooks.install import receipts
from dreamwork_hooks.install.places import claude_directory, places
from dreamwork_hooks.install.request import World, own_command, this_world
from dreamwork_hooks.targets.find import target_of

_MARKS = {OK: ("ok", "green"), NOTE: ("note", "blue"), WARN: ("WARN", "yellow"), FAIL: ("FAIL", "red")}
_TITLES = {
    "settings": "Settings that apply here",
    "wiring": "Our wiring",
    "hooks": "Every hook in these settings",
    "program": "The installed file",
    "command": "The registered commands, run as Claude Code runs them",
    "python": "The interpreter",
    "lint": "The lint",
    "state": "Our state",
    "compaction": "Compaction",
    "runs": "Last runs",
}


def examine(world: World, directory: str, managed: str | None = None) -> list[Check]:
    """Every check for a session started in `directory`. Runs our own registered commands and nothing else."""
    here = places(world.env)
    config = receipts.read(here.config_file)
    found = doctor_settings.layers(world.env, directory, managed)
    own = own_command(here.program, world.checkout)
    target = target_of({"cwd": directory}, {})
    wanted = bool(config.receipts) or target is not None or os.path.lexists(here.program)
    checks = doctor_settings.check_settings(world.env, directory, here, found, config, own, wanted)
    if doctor_settings.active(found) or config.receipts or os.path.lexists(here.program):
        checks += doctor_program.check_program(here, config, own)
    checks += doctor_program.check_commands(world.env, here, found, own, directory)
    checks += doctor_program.check_python(world.env, here, own)
    checks += check_target(world.env, config.data, here, target, own)
    files = [layer.path for layer, _ in doctor_settings.active(found)]
    if files and target is not None and skipped(target) is None:
        client, _ = claude_directory(world.env, directory)
        checks += check_firing(client, target, files, config, last_runs(here, target), world.now())
    checks += doctor_program.check_state(here)
    return sorted(checks, key=lambda check: list(_TITLES).index(check.about))


@click.command()
@options.project("Where a session would start [here]", type=click.Path(exists=True, file_okay=False, resolve_path=True))
@options.as_json
@click.pass_context
def command(ctx: click.Context, /, target: str | None, as_json: bool) -> None:
    """Prove that the hooks fire: run what is registered, and judge every hook in the settings.

    Exit status: 0 no problem found, 1 something needs your attention.
    """
    world = this_world()
    try:
        checks = examine(world, target or world.cwd)
    except Refused as error:
        checks = [Check("settings", FAIL, str(error))]
    bad = needs_a_person(checks)
    if as_json:
        answer = {"ok": not bad, "checks": [asdict(check) for check in checks]}
        words.say_json(answer)
    else:
        if words.quiet():
            checks = [check for check in checks if check.state in (WARN, FAIL)]
        words.write(shown(checks, min(shutil.get_terminal_size().columns, 100)))
    ctx.exit(1 if bad else 0)


def shown(checks: list[Check], width: int) -> str:
    """The checks as text of at most `width` columns, grouped, the remedy below what it is for."""
    out: list[str] = []
    about = ""
    for check in checks:
        if check.about != about:
            about = check.about
            out.append(("\n" if out else "") + style(_TITLES[about], bold=True))
        word, colour = _MARKS[check.state]
        for number, line in enumerate(check.line.splitlines()):
            lines = _wrapped(line, width - 7)
            for inner, text in enumerate(lines):
                first = number == 0 and inner == 0
                mark = style(f"{word:>4}", colour=colour, bold=check.state in (WARN, FAIL)) if first else "    "
                out.append(f"{mark}   {text}")
        if check.remedy:
            out += [f"       {text}" for text in _wrapped(f"-> {check.remedy}", width - 7)]
        if check.command:  # on a line of its own and never broken: it is there to be pasted
            out.append("       " + style(check.command, colour="cyan"))
    bad = sum(check.state in (WARN, FAIL) for check in checks)
    return "\n".join([*out, "", _verdict(bad, sum(check.state == NOTE for check in checks))]) + "\n"


def _verdict(bad: int, notes: int) -> str:
    if bad:
        said = f"{bad} {'problem needs' if bad == 1 else 'problems need'} your attention."
        return style(said, colour="red", bold=True)
    # A note may say that something was not looked at, so what was found is all that can be told.
    rest = f" {notes} {'note' if notes == 1 else 'notes'} above." if notes else ""
    return style("No problem found.", colour="green") + rest


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, 20), break_long_words=False, break_on_hyphens=False) or [""]
