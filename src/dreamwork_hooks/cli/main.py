"""The command group: loads a command's module only when that command is named."""

from __future__ import annotations

import importlib

import click

from dreamwork_hooks import __version__
from dreamwork_hooks.cli import COMMANDS


class LazyGroup(click.Group):
    """A group whose commands are imported one at a time: `lint` in a pre-commit hook pays for `lint` alone."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"dreamwork_hooks.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each with its whole first sentence, wrapped; click would cut it to one line."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(200)) for name, command in commands if command])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dreamwork-hooks")
def main() -> None:
    """Claude Code hooks for a dreamwork loop, and the tools around them.

    Claude Code runs this file with an event (precompact, posttooluse, sessionstart, postcompact) as its argument and
    the event's JSON on standard input; a person runs it with one of the commands below.
    """
