"""The options of the commands that load a hook host, and loading it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from dreamwork_hooks.cli import tables
from dreamwork_hooks.cli.usage import usage as usage  # the commands of the host find it here
from dreamwork_hooks.contract.event import EventError
from dreamwork_hooks.host import HookHost, Policies, PolicyError, TrustError, TrustStore, Verdict
from dreamwork_hooks.host.replaying import NoEvents
from dreamwork_hooks.settings.doubts import NOTHING

F = TypeVar("F", bound=Callable[..., Any])


def sources(function: F) -> F:
    """Add the options that say which configuration is meant."""
    for option in (
        click.option("--managed", metavar="FILE", help="Managed settings, instead of the system's own"),
        click.option("--plugin", "plugins", multiple=True, metavar="DIR", help="A plugin's directory, with hooks.json"),
        click.option("--settings", multiple=True, metavar="FILE", help="More settings: a file, or JSON"),
        click.option("--project", type=click.Path(exists=True, file_okay=False), help="The project [here]"),
    ):
        function = option(function)
    return function


def running(function: F) -> F:
    """Add the options that say how hooks are run."""
    for option in (
        click.option("--allow-http", is_flag=True, help="Let http hooks call other machines too"),
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

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Wanted:
        """From the options of a command."""
        for text in given["settings"]:
            if not text.lstrip().startswith("{") and not os.path.isfile(text):
                raise usage(f"--settings {text}: no such file")
        return cls(
            settings=given["settings"],
            plugins=given["plugins"],
            managed=given["managed"],
            serial=given.get("serial", False),
            policies=Policies(fail_closed=given.get("fail_closed", "never"), allow_http=given.get("allow_http", False)),
            asks="serial" in given,
        )

    def host(self, project: str) -> HookHost:
        """The host of a project, with this machine's trust store; asks on a terminal when hooks would be run."""
        home = os.environ.get("HOME") or os.path.expanduser("~")
        return HookHost.load(
            project,
            settings=self.settings,
            plugins=self.plugins,
            managed=self.managed,
            policies=self.policies,
            serial=self.serial,
            trust=TrustStore.default(os.environ, home),
            ask=ask if self.asks and sys.stdin.isatty() and sys.stderr.isatty() else None,
        )


def ask(verdict: Verdict) -> bool | None:
    """Show what a repository wants to run and ask the person: yes, never, or (None) not this time."""
    why = "have changed since they were trusted" if verdict.state == "changed" else "come with this repository"
    tables.warn(f"{verdict.project}: these hooks {why}:")
    for handler in verdict.handlers:
        tables.warn(f"  {handler.event}: {tables.printable(handler.shown())}")
    for path in verdict.fingerprint.scripts:
        tables.warn(f"  script: {tables.printable(path)}")
    answer = click.prompt(
        "Run them, and trust them as they are now? (yes, no: not this time, never)",
        type=click.Choice(["yes", "no", "never"]),
        default="no",
        show_choices=False,
        err=True,
    )
    return {"yes": True, "never": False}.get(answer)


@contextmanager
def reported() -> Iterator[None]:
    """What a person can put right, as words and exit status 2."""
    try:
        yield
    except (EventError, NoEvents, PolicyError, TrustError) as error:
        hint = "; `events EVENT` shows what an event holds" if isinstance(error, EventError) and error.field else ""
        raise usage(str(error) + hint) from None


def warn_of_problems(host: HookHost) -> None:
    """What Claude Code leaves out of the configuration, to standard error."""
    for problem in host.configuration.problems:
        if problem.takes != NOTHING:
            tables.warn(f"warning: {tables.printable(str(problem))}")
