"""`init`: from nothing to a project that a dreamwork loop, and its hooks, can work in."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from dreamwork_hooks.cli import options, words
from dreamwork_hooks.errors import UserError
from dreamwork_hooks.settings.writing import create, fill
from dreamwork_hooks.targets.consent import LINE, refusal
from dreamwork_hooks.targets.find import MARKER

QUESTIONS = """\
# Questions for the human

## Open

## Answered
"""

TASKS = """\
# Task ledger

Next id: **2**

## Open

- **#1** — write down what this project is for · P1 · origin: **human** ·

## Recently landed
"""

STATUS = """\
{
  "task": "#1 — write down what this project is for",
  "current_task_ids": [1],
  "goal": "",
  "awaiting_human": []
}
"""

PLUGINS = f"## Plugins\n\n{LINE}\n"

LEDGER = {f"{MARKER}/questions.md": QUESTIONS, f"{MARKER}/tasks.md": TASKS, f"{MARKER}/status.json": STATUS}


@click.command()
@options.project("The project [here]", type=click.Path(exists=True, file_okay=False, resolve_path=True))
@click.option("--yes", is_flag=True, help="Ask nothing: write what is shown")
@click.option("--consent/--no-consent", default=None, help="Write the line that lets the hooks work here")
def command(target: str | None, yes: bool, consent: bool | None) -> None:
    """Make a project ready for a dreamwork loop.

    Shows what it will write: `.dreamwork/` with questions.md, tasks.md and status.json and, on your word, the line in
    DREAMWORK.md without which the hooks do nothing here. A file that is there already is never changed.
    """
    project = Path(target or os.getcwd())
    asks = sys.stdin.isatty() and not yes
    wanted = {name: text for name, text in LEDGER.items() if not os.path.lexists(project / name)}
    loads = refusal(str(project)) is None
    for name in LEDGER:
        words.say(f"{'new ' if name in wanted else 'kept'}  {name}")
    for name, text in wanted.items():
        words.say(f"\n{name}:\n" + "".join(f"  {line}\n" for line in text.splitlines()).rstrip())
    if wanted and not yes and not (asks and click.confirm("\nWrite these?", default=True)):
        raise UserError("nothing was written" if asks else "nothing was written: --yes writes what is shown here")
    write(project, wanted)
    if not loads:
        _consent(project, consent, asks)
    words.say("\nNext: `lint` checks the ledger, `install` wires the hooks into Claude Code.")


def write(project: Path, wanted: Mapping[str, str]) -> None:
    """Write files that are not there. Raises UserError when one cannot be made; those before it stay."""
    for name, text in wanted.items():
        path = project / name
        try:
            path.parent.mkdir(exist_ok=True)
            fill(create(str(path), 0o666), text.encode("utf-8"), None)  # as the person's umask has it: a project's file
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror or error}") from None


def _consent(project: Path, consent: bool | None, asks: bool) -> None:
    """Write the consent line, on the person's word, where there is no DREAMWORK.md yet; else say what to write."""
    path = project / "DREAMWORK.md"
    if os.path.lexists(path):
        words.say(f"\nThe hooks do nothing here yet: {refusal(str(project))}.\nIt is yours to write:\n\n{PLUGINS}")
        return
    if consent is None and asks:
        consent = click.confirm(f"\nLet the hooks work here, by this line in DREAMWORK.md?\n  {LINE}\n", default=False)
    if consent:
        write(project, {"DREAMWORK.md": f"# {project.name}\n\n{PLUGINS}"})
        words.say("new   DREAMWORK.md, with the line that lets the hooks work here")
    else:
        words.say("\nThe hooks do nothing here until DREAMWORK.md holds these lines; `init --consent` writes them:")
        words.say(f"\n{PLUGINS}")
