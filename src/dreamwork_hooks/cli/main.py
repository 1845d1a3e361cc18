"""The command group, and the one translator of what goes wrong into words and an exit status."""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from dreamwork_hooks import AUDIENCES, COMMANDS, __version__
from dreamwork_hooks.cli import options, words
from dreamwork_hooks.cli.usage import unknown_word
from dreamwork_hooks.errors import Refused, UserError

OUR_FAULT = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # what shells make of SIGINT


class LazyGroup(click.Group):
    """A group whose commands are imported one at a time, when they are run, and told of from the package's facts."""

    def main(self, args: Any = None, prog_name: str | None = None, *_: Any, **more: Any) -> NoReturn:
        """Run a command and leave with its exit status."""
        words.begin()
        more["standalone_mode"] = False
        status = translated(lambda: super(LazyGroup, self).main(args, prog_name, **more))
        if words.lost() is not None and status == 0:
            words.warn(f"Error: the result could not be written: {options.in_words(words.lost())}")
            status = 1
        _close_standard_output()
        raise SystemExit(status)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            raise UserError(unknown_word(""))
        with _reader_may_go():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        with _reader_may_go():
            return super().invoke(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == "help":
            return help_of
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"dreamwork_hooks.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return options.with_manners(command)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if self.get_command(ctx, args[0]) is None:
            raise UserError(unknown_word(args[0]))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each with its whole sentence, wrapped, grouped by who needs it."""
        for audience, title in AUDIENCES.items():
            with formatter.section(title):
                formatter.write_dl([(name, says) for name, (whose, says) in COMMANDS.items() if whose == audience])


@contextmanager
def _reader_may_go() -> Iterator[None]:
    """Who read our output may have seen enough, which click would take for a failure."""
    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(0) from None


def translated(work: Callable[[], object]) -> int:
    """Do `work`; the exit status, once what went wrong has been said. See docs/commands.md for all of them."""
    try:
        result = work()
    except UserError as error:
        words.warn(f"{error.heading}: {error}" + (f"; {error.hint}" if error.hint else ""))
        if isinstance(error, Refused) and error.diff:
            words.warn(error.diff.rstrip("\n"))
        return error.status
    except click.ClickException as error:
        words.warn(_usage(error))
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        words.warn("Interrupted.")
        return INTERRUPTED
    except OSError as error:
        words.warn(f"Failed: {options.in_words(error)}")
        return 1
    except SystemExit as leaving:
        if leaving.code is None or isinstance(leaving.code, int):
            return leaving.code or 0
        words.warn(str(leaving.code))
        return 1
    except Exception as error:
        if os.environ.get("DREAMWORK_HOOKS_DEBUG"):
            words.warn(traceback.format_exc())
            more = ""
        else:
            more = "; the details are shown with DREAMWORK_HOOKS_DEBUG=1"
        words.warn(f"Error: this is a fault of dreamwork-hooks: {options.in_words(error)}{more}")
        return OUR_FAULT
    return result if isinstance(result, int) else 0


def _usage(error: click.ClickException) -> str:
    lines = []
    ctx = getattr(error, "ctx", None)
    if ctx is not None:
        lines.append(ctx.get_usage())
        lines.append(f"Try '{ctx.command_path} --help' for help.\n")
    return "\n".join([*lines, f"Error: {error.format_message()}"])


def _close_standard_output() -> None:
    """What click has left in the buffer goes out now, or nowhere: at exit it would be told as an ignored exception."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)


def build() -> str:
    """What tells this build from another of its version: the start of the SHA-256 of the archive, without its prefix.

    The installer changes the prefix alone, so it is the same for the built and for the installed file.
    """
    from dreamwork_hooks.files import Unreadable, read_regular

    archive = os.path.abspath(__file__).partition(".pyz" + os.sep)[0] + ".pyz"
    try:
        data = read_regular(archive, 64 << 20)
    except Unreadable:
        return "not from an archive"
    return "build " + hashlib.sha256(data[data.find(b"PK\x03\x04") :]).hexdigest()[:12]


def _version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        words.say(f"dreamwork-hooks {__version__} ({build()})")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False)
@click.option("-V", "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version,
              help="Show the version and the build and exit.")  # fmt: skip
@options.manners
def main() -> None:
    """Claude Code hooks for a dreamwork loop, and the tools around them.

    Claude Code runs this file with an event (precompact, posttooluse, sessionstart, postcompact) as its argument and
    the event's JSON on standard input; a person runs it with one of the commands below.
    """


@click.command("help")
@click.argument("name", metavar="[COMMAND]", required=False)
@click.pass_context
def help_of(ctx: click.Context, name: str | None) -> None:
    """Show the help of a command, or of all."""
    group = ctx.parent
    assert group is not None
    if name is None:
        words.say(group.get_help())
        return
    command = main.get_command(group, name)
    if command is None:
        raise UserError(unknown_word(name))
    with click.Context(command, parent=group, info_name=name) as inner:
        words.say(inner.get_help())
