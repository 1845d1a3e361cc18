"""`record`: keep the events that hooks get."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile

import click

from dreamwork_hooks.cli.words import note, say, warn
from dreamwork_hooks.errors import UserError
from dreamwork_hooks.host import recording
from dreamwork_hooks.host.recording import RecordingError
from dreamwork_hooks.install import recorded
from dreamwork_hooks.install.places import Places, places, settings_place
from dreamwork_hooks.install.request import own_command


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--to", "directory", metavar="DIR", help="Where events go [recorded/ beside our other state]")
@click.option("--install", "action", flag_value="install", help="Record every command hook of a settings file")
@click.option("--remove", "action", flag_value="remove", help="Give the settings file its original bytes back")
@click.option("--save", "action", flag_value="save", hidden=True)  # what a recorded hook calls with its event
@click.option("--settings", metavar="FILE", help="The settings file, for --install and --remove [the user's]")
@click.option("--force", is_flag=True, help="With --remove: also when the file was edited since")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
def command(
    directory: str | None, action: str | None, settings: str | None, force: bool, words: tuple[str, ...]
) -> None:
    """Wrap a hook and save the events it gets, masked and ready to replay.

    `record -- COMMAND` saves its standard input, then becomes COMMAND with the same input: output, exit status and
    signals are the hook's own, and a failure to save changes nothing. Paths, ids and likely secrets are masked.

    `record --install` records every command hook of a settings file. Each runs as before, from the shell alone: nothing
    that becomes of this file can keep it from running. `record --remove` gives the original bytes back.
    """
    ours = places(os.environ)
    directory = os.path.abspath(directory) if directory else os.path.join(ours.state, "recorded")
    if action == "save":
        _save(sys.stdin.buffer.read(), directory, ours.home)
        return
    if action is None:
        if not words:
            raise UserError("nothing to record: write `record -- COMMAND`, or --install")
        _become(words, directory, ours.home)
    if words:
        named = f"; for a settings file: --{action} --settings {words[0]}" if len(words) == 1 else ""
        raise UserError(f"--{action} takes no command{named}")
    path = settings_place(os.environ, os.getcwd(), settings=settings).path
    if action == "install":
        recorded.start(path, ours, _recorder(ours), directory)
        say(f"{path}: every command hook is recorded to {directory}")
        note(f"to stop:  {own_command(ours.program)('record --remove --settings ' + shlex.quote(path))}")
    else:
        recorded.stop(path, ours, force)
        say(f"{path}: as it was")


def _recorder(ours: Places) -> str:
    """The executable that a recorded hook calls: the file this runs from, else the installed one."""
    running = os.path.abspath(sys.argv[0])
    beside = os.path.join(os.path.dirname(sys.executable), "dreamwork-hooks")
    for path in (running, beside, ours.program):
        if os.path.basename(path).startswith("dreamwork-hooks") and os.access(path, os.X_OK):
            return path
    return running


def _save(raw: bytes, directory: str, home: str) -> None:
    try:
        recording.save_event(raw, directory, home=home, env=os.environ)
    except RecordingError:
        pass  # what the hook prints is all its caller may see


def _become(words: tuple[str, ...], directory: str, home: str) -> None:
    """Save the event, then be the hook. The event waits in a file without a name, so that no process waits here."""
    raw = sys.stdin.buffer.read()
    _save(raw, directory, home)
    with tempfile.TemporaryFile() as file:
        file.write(raw)
        file.flush()
        file.seek(0)
        os.dup2(file.fileno(), 0)
    try:
        os.execvp(words[0], words)
    except OSError as error:
        warn(f"{words[0]}: {error.strerror}")
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)
