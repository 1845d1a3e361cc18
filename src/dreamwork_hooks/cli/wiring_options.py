"""The options that `install` and `uninstall` share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from dreamwork_hooks.install.handlers import OPTIONS
from dreamwork_hooks.install.places import SCOPES
from dreamwork_hooks.install.request import Request

F = TypeVar("F", bound=Callable[..., Any])


def where(function: F) -> F:
    """Add the options that say which settings file is meant."""
    for option in (
        click.option("--settings", metavar="FILE", help="This settings file instead"),
        click.option("--target", metavar="DIR", help="The project, for --scope project and local"),
        click.option("--scope", type=click.Choice(SCOPES), default="user", show_default=True, help="Whose settings"),
    ):
        function = option(function)
    return function


def opt_in(function: F) -> F:
    """Add `--with` and `--without`."""
    for option in (
        click.option("--without", "drop", multiple=True, type=click.Choice(OPTIONS), help="Remove it again"),
        click.option("--with", "add", multiple=True, type=click.Choice(OPTIONS), help="Add an opt-in part"),
    ):
        function = option(function)
    return function


def request_from(given: Mapping[str, object]) -> Request:
    """The request that a command's options make; what a command does not offer has its default."""
    values = dict(given)
    for name in ("add", "drop"):
        chosen = values.get(name, ())
        assert isinstance(chosen, tuple)
        values[name] = frozenset(chosen)
    return Request(**values)  # type: ignore[arg-type]
