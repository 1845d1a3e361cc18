"""`record`: keep the events that hooks get."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
import tempfile
import zipfile
from typing import Protocol

import click

from dreamwork_hooks.cli import host_options, tables
from dreamwork_hooks.errors import Failed, Refused
from dreamwork_hooks.host import recording
from dreamwork_hooks.host.own_files import replace_private
from dreamwork_hooks.host.recording import RecordingError
from dreamwork_hooks.install.places import places, settings_place
from dreamwork_hooks.settings import editing as settings_file
from dreamwork_hooks.settings.jsontext import JsonSyntaxError


class Snapshot(Protocol):
    """The settings file at one moment, as far as it matters here; `data` is None when there is no file."""

    @property
    def data(self) -> bytes | None: ...


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--to", "directory", metavar="DIR", help="Where events go [recorded/ beside our other state]")
@click.option("--install", "action", flag_value="install", help="Record every command hook of a settings file")
@click.option("--remove", "action", flag_value="remove", help="Give the settings file its original bytes back")
@click.option("--settings", metavar="FILE", help="The settings file, for --install and --remove [the user's]")
@click.option("--force", is_flag=True, help="With --remove: also when the file was edited since")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
def command(
    directory: str | None, action: str | None, settings: str | None, force: bool, words: tuple[str, ...]
) -> None:
    """Wrap a hook and save the events it gets, masked and ready to replay.

    `record -- COMMAND` saves its standard input, then becomes COMMAND with the same input: output, exit status and
    signals are the hook's own, and a failure to save changes nothing. Paths, ids and likely secrets are masked.

    `record --install` does so for every command hook of a settings file, `record --remove` gives the original bytes
    back.
    """
    try:
        ours = places(os.environ)
        directory = os.path.abspath(directory) if directory else os.path.join(ours.state, "recorded")
        if action is None:
            if not words:
                raise host_options.usage("nothing to record: write `record -- COMMAND`, or --install")
            _become(words, directory, ours.home)
        if words:
            named = f"; for a settings file: --{action} --settings {words[0]}" if len(words) == 1 else ""
            raise host_options.usage(f"--{action} takes no command{named}")
        path = settings_place(os.environ, os.getcwd(), settings=settings).path
        kept = os.path.join(ours.state, "recording", _key(path) + ".json")
        if action == "install":
            install(path, kept, directory, ours.backups)
            tables.say(f"{path}: every command hook is recorded to {directory}")
            tables.warn("to stop:  " + " ".join([*own_command()[:2], "record", "--remove", "--settings", path]))
        else:
            remove(path, kept, ours.backups, force)
            tables.say(f"{path}: as it was")
    except (Refused, RecordingError) as error:
        raise host_options.usage(str(error)) from None
    except Failed as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}; nothing was changed") from None


def install(path: str, kept: str, directory: str, backups: str) -> None:
    """Wrap the hooks of a settings file, after keeping its bytes. Raises Refused, RecordingError and Failed."""
    if os.path.exists(kept):
        raise RecordingError(f"{path}: is recorded already; record --remove first")

    def change(snapshot: Snapshot) -> bytes:
        if snapshot.data is None:
            raise RecordingError(f"{path}: no such file, so there is no hook to record")
        try:
            text = snapshot.data.decode("utf-8", "surrogateescape")
            new = recording.wrapped(text, own_command(), directory)
        except JsonSyntaxError as error:
            raise RecordingError(f"{path}: {error}; Claude Code ignores such a file, nothing was changed") from None
        return new.encode("utf-8", "surrogateescape")

    wrote: list[bytes] = []

    def keep_first(snapshot: Snapshot) -> bytes:
        if snapshot.data is not None and snapshot.data in wrote:
            return snapshot.data  # asked again about our own work: the bytes kept are those before it
        new = change(snapshot)
        note = {
            "path": path,
            "original": base64.b64encode(snapshot.data or b"").decode(),
            "written": hashlib.sha256(new).hexdigest(),
        }
        replace_private(kept, json.dumps(note).encode())
        wrote.append(new)
        return new

    try:
        settings_file.edit(path, keep_first, spare_backups=backups)
    except BaseException:
        if os.path.exists(kept):
            os.unlink(kept)
        raise


def remove(path: str, kept: str, backups: str, force: bool) -> None:
    """Give a settings file its bytes back. Raises Refused, RecordingError and Failed."""
    try:
        with open(kept, encoding="utf-8") as file:
            note = json.load(file)
        original = base64.b64decode(note["original"])
    except FileNotFoundError:
        raise RecordingError(f"{path}: is not recorded, nothing was changed") from None
    except (OSError, ValueError, KeyError) as error:
        raise RecordingError(f"{kept}: cannot be read ({error}); nothing was changed") from None

    def change(snapshot: Snapshot) -> bytes:
        now = hashlib.sha256(snapshot.data or b"").hexdigest()
        if snapshot.data not in (None, original) and now != note.get("written") and not force:
            raise RecordingError(
                f"{path}: was edited since recording began, so its old bytes would undo that edit\n"
                "  to give them back all the same:  record --remove --force"
            )
        return original

    settings_file.edit(path, change, spare_backups=backups)
    os.unlink(kept)


def own_command() -> list[str]:
    """The words that start this program: the archive it runs from, or the package."""
    archive = os.path.abspath(sys.argv[0])
    if zipfile.is_zipfile(archive):
        return [sys.executable, archive]
    return [sys.executable, "-c", "from dreamwork_hooks.cli.main import main; main()"]


def _become(words: tuple[str, ...], directory: str, home: str) -> None:
    """Save the event, then be the hook. The event waits in a file without a name, so that no process waits here."""
    raw = sys.stdin.buffer.read()
    try:
        recording.save_event(raw, directory, home=home, env=os.environ)
    except RecordingError:
        pass  # what the hook prints is all its caller may see
    with tempfile.TemporaryFile() as file:
        file.write(raw)
        file.flush()
        file.seek(0)
        os.dup2(file.fileno(), 0)
    try:
        os.execvp(words[0], words)
    except OSError as error:
        tables.warn(f"{words[0]}: {error.strerror}")
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


def _key(path: str) -> str:
    return hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:16]
