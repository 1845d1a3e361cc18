"""What a run of the installer is given, and what comes of it."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dreamwork_hooks.install.places import SettingsPlace, settings_place

OwnCommand = Callable[[str], str]
"""From `install --force` to the command line a person can paste for it."""


@dataclass(frozen=True)
class World:
    """What a run is given from outside: the environment, the directory it was started in, the clock."""

    env: Mapping[str, str]
    cwd: str
    now: Callable[[], float] = time.time
    patience: float = 1.0  # seconds for another program to finish writing a settings file that is empty or cut short
    checkout: str | None = None  # the directory of install.py, where dist/ is looked for


@dataclass(frozen=True)
class Request:
    """What the person asked for."""

    scope: str = "user"
    target: str | None = None
    settings: str | None = None
    add: frozenset[str] = frozenset()
    drop: frozenset[str] = frozenset()
    force: bool = False
    lint: str | None = None
    python: str | None = None
    dry_run: bool = False
    purge: bool = False
    portable: bool = False


@dataclass
class Outcome:
    """What came of it: `answer` goes to stdout as JSON, `sentences` are for the person."""

    answer: dict[str, object]
    sentences: list[str] = field(default_factory=list)
    status: int = 0


def place_of(world: World, request: Request) -> SettingsPlace:
    """The settings file the request means. Raises Refused."""
    return settings_place(world.env, world.cwd, scope=request.scope, target=request.target, settings=request.settings)


def this_world(checkout: str | None = None) -> World:
    """The world of this process. A working directory that is gone counts as the root."""
    try:
        cwd = os.getcwd()
    except OSError:
        cwd = os.sep
    return World(os.environ, cwd, checkout=checkout)


_FLAGS = {"install": "--apply", "uninstall": "--uninstall"}


def own_command(program: str, checkout: str | None = None) -> OwnCommand:
    """A function from `"install --force"` to the whole command line.

    The running .pyz when we run from one, else `install.py` of the checkout, else the installed file.
    """
    running = os.path.abspath(sys.argv[0]) if sys.argv and sys.argv[0] else ""

    def words(arguments: str) -> str:
        name, _, rest = arguments.partition(" ")
        if running.endswith(".pyz"):
            return f"python3 {shlex.quote(running)} {arguments}"
        if checkout is not None and name in _FLAGS:
            line = f"python3 {shlex.quote(os.path.join(checkout, 'install.py'))} {_FLAGS[name]}"
            return f"{line} {rest}".rstrip()
        if os.path.exists(program):
            return f"{shlex.quote(program)} {arguments}"
        return f"dreamwork-hooks {arguments}"

    return words
