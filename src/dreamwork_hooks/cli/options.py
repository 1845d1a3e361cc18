"""The options that several commands share, and what they make of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dreamwork_hooks.cli import words
from dreamwork_hooks.errors import Refused, UserError

if TYPE_CHECKING:  # `--help` pays for none of them, and `install` not for the host
    from dreamwork_hooks.host import HookHost, Policies, Verdict
    from dreamwork_hooks.install.request import Outcome, Request

F = TypeVar("F", bound=Callable[..., Any])


class _Aliased(click.Option):
    """An option with older names that still work and are not shown."""

    def __init__(self, *names: Any, aliases: tuple[str, ...] = (), **more: Any) -> None:
        super().__init__(*names, **more)
        self.aliases = aliases

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        super().add_to_parser(parser, ctx)
        shown, self.opts = self.opts, list(self.aliases)
        try:
            super().add_to_parser(parser, ctx)
        finally:
            self.opts = shown


def project(help: str, name: str = "target", **more: Any) -> Callable[[F], F]:
    """`--project DIR`, formerly `--target`; the value is called `name`."""
    return click.option("--project", name, cls=_Aliased, aliases=("--target",), metavar="DIR", help=help, **more)


def as_json(function: F) -> F:
    """`--json`; the value is called `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON")(function)


def _set_colour(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        words.set_colour(value)


def _set_quiet(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        words.set_quiet()


def manners(function: F) -> F:
    """Add `--color` and `-q`, which are heeded wherever they are given."""
    for option in (
        click.option("-q", "--quiet", is_flag=True, expose_value=False, callback=_set_quiet, is_eager=True,
                     help="Print the result and errors alone"),
        click.option("--color", type=click.Choice(["auto", "always", "never"]), expose_value=False, is_eager=True,
                     callback=_set_colour, help="When to use colour [auto]"),
    ):  # fmt: skip
        function = option(function)
    return function


def with_manners(command: click.Command) -> click.Command:
    """The command with `--color` and `-q` among its options."""
    if not any(parameter.name == "quiet" for parameter in command.params):
        holder = click.command()(manners(lambda: None))
        command.params += holder.params
    return command


# ---- of the commands that change settings


def where(function: F) -> F:
    """Add the options that say which settings file is meant."""
    from dreamwork_hooks.install.places import SCOPES

    for option in (
        click.option("--settings", metavar="FILE", help="This settings file instead"),
        project("The project, for --scope project and local"),
        click.option("--scope", type=click.Choice(SCOPES), default="user", show_default=True, help="Whose settings"),
    ):
        function = option(function)
    return function


def opt_in(function: F) -> F:
    """Add `--with` and `--without`."""
    from dreamwork_hooks.install.handlers import OPTIONS

    for option in (
        click.option("--without", "drop", multiple=True, type=click.Choice(OPTIONS), help="Remove an opt-in part"),
        click.option("--with", "add", multiple=True, type=click.Choice(OPTIONS), help="Add an opt-in part"),
    ):
        function = option(function)
    return function


def request_from(given: Mapping[str, object]) -> Request:
    """The request that a command's options make; what a command does not offer has its default."""
    from dreamwork_hooks.install.request import Request

    values = dict(given)
    for name in ("add", "drop"):
        chosen = values.get(name, ())
        assert isinstance(chosen, tuple)
        values[name] = frozenset(chosen)
    return Request(**values)  # type: ignore[arg-type]


def carry_out(action: str, work: Callable[[], Outcome], as_json: bool) -> int:
    """Change settings, or refuse to, and tell what came of it; returns the exit status.

    Sentences go to standard error; JSON goes to standard output where it was asked for, or where that is no terminal.
    """
    from dreamwork_hooks.contract.asdata import VERSION  # before the work: `uninstall` may remove the file it is in

    as_json = as_json or not words.on_terminal()
    # A snippet is for a settings file, and in `upgrade` the key has a meaning of its own.
    version = {} if action in ("print", "upgrade") else {"version": VERSION}
    try:
        outcome = work()
    except Exception as error:
        if as_json:
            words.say_document({**version, **answer_of(action, error)})
        raise
    for sentence in outcome.sentences:
        words.note(sentence.rstrip("\n"))
    if as_json:
        words.say_document({**version, **outcome.answer})
    return outcome.status


def answer_of(action: str, error: Exception) -> dict[str, object]:
    """The JSON of a change that was refused or failed."""
    answer: dict[str, object] = {"ok": False, "action": action}
    if isinstance(error, Refused):
        answer["refused"] = True
    answer["error"] = in_words(error)
    if isinstance(error, Refused) and error.diff:
        answer["diff"] = error.diff
    return answer


def in_words(error: BaseException | None) -> str:
    """An exception in a few words; also one that cannot even be turned into text."""
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror}" if error.filename else error.strerror
    try:
        text = str(error)
    except Exception:
        text = "it cannot be shown"
    return f"unexpected {type(error).__name__}: {text}"[:500]


# ---- of the commands that load a hook host


def sources(function: F) -> F:
    """Add the options that say which configuration is meant."""
    for option in (
        click.option("--managed", metavar="FILE", help="Managed settings, instead of the system's own"),
        click.option("--plugin", "plugins", multiple=True, metavar="DIR", help="A plugin's directory, as --plugin-dir"),
        click.option("--settings", multiple=True, metavar="FILE", help="More settings: a file, or JSON"),
        project("The project [here]", "project", type=click.Path(exists=True, file_okay=False)),
    ):
        function = option(function)
    return function


def running(function: F) -> F:
    """Add the options that say how hooks are run."""
    for option in (
        click.option("--allow-http", is_flag=True, help="Let http hooks call other machines too"),
        click.option(
            "--strict", is_flag=True, help="Refuse a repository's hooks where trust does not cover all they run"
        ),
        click.option("--serial", is_flag=True, help="One hook after the other"),
        click.option(
            "--fail-closed",
            type=click.Choice(["never", "marked", "always"]),
            default="marked",
            show_default=True,
            help="Guards whose failure denies: those with `fail_closed`, or all",
        ),
    ):
        function = option(function)
    return function


@dataclass(frozen=True)
class Wanted:
    """Which configuration, and how to run it."""

    settings: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    managed: str | None = None
    serial: bool = False
    policies: Policies | None = None
    asks: bool = False
    trust_all: bool = False
    """Run the project's own hooks without asking, and without remembering it."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Wanted:
        """From the options of a command."""
        for text in given["settings"]:
            if not text.lstrip().startswith("{") and not os.path.isfile(text):
                raise UserError(f"--settings {text}: no such file")
        from dreamwork_hooks.host import Policies

        return cls(
            settings=given["settings"],
            plugins=given["plugins"],
            managed=given["managed"],
            serial=given.get("serial", False),
            policies=Policies(
                fail_closed=given.get("fail_closed", "never"),
                allow_http=given.get("allow_http", False),
                strict=given.get("strict", False),
            ),
            asks="serial" in given,
            trust_all=given.get("trust_all", False),
        )

    def host(self, project: str) -> HookHost:
        """The host of a project, with this machine's trust store; asks on a terminal when hooks would be run."""
        from dreamwork_hooks.host import HookHost, TrustStore

        home = os.environ.get("HOME") or os.path.expanduser("~")
        return HookHost.load(
            project,
            settings=self.settings,
            plugins=self.plugins,
            managed=self.managed,
            policies=self.policies,
            serial=self.serial,
            trust="all" if self.trust_all else TrustStore.default(os.environ, home),
            ask=ask if self.asks and sys.stdin.isatty() and sys.stderr.isatty() else None,
        )


def ask(verdict: Verdict) -> bool | None:
    """Show what a repository wants to run and ask the person: yes, never, or (None) not this time."""
    from dreamwork_hooks.host.reports import trust_lines

    why = "have changed since they were trusted" if verdict.state == "changed" else "come with this repository"
    words.warn(f"{verdict.project}: these hooks {why}:")
    for line in trust_lines(verdict):
        words.warn(line)
    answer = click.prompt(
        "Run them, and trust them as they are now? (yes, no: not this time, never)",
        type=click.Choice(["yes", "no", "never"]),
        default="no",
        show_choices=False,
        err=True,
    )
    return {"yes": True, "never": False}.get(answer)


def warn_of_problems(host: HookHost) -> None:
    """What Claude Code leaves out of the configuration, to standard error."""
    from dreamwork_hooks.settings.doubts import NOTHING

    for problem in host.configuration.problems:
        if problem.takes != NOTHING:
            words.note(f"warning: {problem}")
