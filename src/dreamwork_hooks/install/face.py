"""The arguments of `install.py`, and how an outcome is told: JSON to stdout, sentences to stderr."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from dreamwork_hooks.install.handlers import OPTIONS
from dreamwork_hooks.install.install import install, show_snippet
from dreamwork_hooks.install.places import SCOPES
from dreamwork_hooks.install.request import Outcome, Request, World, guarded
from dreamwork_hooks.install.uninstall import uninstall


def run(argv: Sequence[str], checkout: str | None = None) -> int:
    """Do what `argv` asks and return the exit status."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.purge and not arguments.uninstall:
        parser.error("--purge goes with --uninstall")
    if arguments.uninstall and (arguments.add or arguments.drop):
        parser.error("--uninstall takes all of it out; one part alone:  install.py --apply --without PART")
    world = this_world(checkout)
    request = Request(
        scope=arguments.scope,
        target=arguments.target,
        settings=arguments.settings,
        add=frozenset(arguments.add),
        drop=frozenset(arguments.drop),
        force=arguments.force,
        lint=arguments.lint,
        python=arguments.python,
        dry_run=arguments.dry_run,
        purge=arguments.purge,
    )
    if arguments.uninstall:
        return tell(guarded("uninstall", lambda: uninstall(world, request)))
    if arguments.apply or arguments.dry_run:
        return tell(guarded("install", lambda: install(world, request)))
    return tell(guarded("print", lambda: show_snippet(world, request)))


def this_world(checkout: str | None = None) -> World:
    """The world of this process. A working directory that is gone counts as the root."""
    try:
        cwd = os.getcwd()
    except OSError:
        cwd = os.sep
    return World(os.environ, cwd, checkout=checkout)


def tell(outcome: Outcome) -> int:
    """Print an outcome; what the terminal's encoding cannot hold is escaped."""
    for sentence in outcome.sentences:
        line = sentence if sentence.endswith("\n") else sentence + "\n"
        _put(sys.stderr, line)
    _put(sys.stdout, json.dumps(outcome.answer, indent=2, ensure_ascii=True) + "\n")
    return outcome.status


def _put(stream: TextIO | None, text: str) -> None:
    """Write past the stream's own buffer: what cannot be written now must not fail again when the process ends."""
    if stream is None:  # closed before we started
        return
    try:
        fd = stream.fileno()
    except (OSError, ValueError):  # not a file: a test or a caller that collects
        stream.write(text)
        return
    data = text.encode("utf-8", "backslashreplace")
    try:
        while data:
            data = data[os.write(fd, data) :]
    except OSError:
        pass  # nobody reads: the exit status still tells


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="install.py",
        description="Wire dreamwork-hooks into Claude Code's settings. Without --apply nothing is written.",
        epilog="Exit status: 0 done or nothing to do, 1 failed, 2 refused and nothing changed.",
    )
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--print", action="store_true", help="print the exact snippet and write nothing (the default)")
    action.add_argument("--apply", action="store_true", help="install the file and wire the hooks")
    action.add_argument("--uninstall", action="store_true", help="take our handlers and the file out again")
    parser.add_argument("--dry-run", action="store_true", help="show the change as a unified diff and write nothing")
    parser.add_argument("--force", action="store_true", help="bring differing handlers of ours up to date")
    parser.add_argument("--scope", choices=SCOPES, default="user", help="whose settings (default: user)")
    parser.add_argument("--target", metavar="DIR", help="the project, for --scope project and local")
    parser.add_argument("--settings", metavar="FILE", help="edit this settings file instead")
    parser.add_argument("--with", dest="add", action="append", choices=OPTIONS, default=[], help="add an opt-in part")
    parser.add_argument("--without", dest="drop", action="append", choices=OPTIONS, default=[], help="remove it again")
    parser.add_argument("--lint", metavar="PATH", help="the core repo's lint.py, or `embedded`")
    parser.add_argument("--python", metavar="PATH", help="the interpreter to pin, instead of looking for one")
    parser.add_argument("--purge", action="store_true", help="with --uninstall: remove our state and logs too")
    return parser
