"""The init check: are the hooks wired here, and if not, which command is the human to be handed."""

from __future__ import annotations

import os
import shlex

from dreamwork_hooks.doctor import settings as doctor_settings
from dreamwork_hooks.install import receipts
from dreamwork_hooks.install.places import places
from dreamwork_hooks.install.recorded import told_of
from dreamwork_hooks.install.request import Outcome, World, own_command
from dreamwork_hooks.install.wrapping import MARK


def status(world: World, directory: str | None = None, managed: str | None = None) -> Outcome:
    """Look, and change nothing. `directory` is where a session would start; the working directory without it."""
    here = places(world.env)
    found = doctor_settings.layers(world.env, directory or world.cwd, managed)
    events = doctor_settings.wired_events(found)
    lacking = doctor_settings.missing_events(found)
    command = own_command(here.program, world.checkout)(doctor_settings.install_words(found))
    off = next((layer for layer in reversed(found) if layer.disable_all_hooks is not None), None)
    disabled = off is not None and off.disable_all_hooks is True
    state = "wired" if not lacking else "partly wired" if events else "available, not wired"
    present = os.path.exists(here.program)
    answer: dict[str, object] = {
        "ok": True,
        "state": state,
        "wired": not lacking and present and not disabled,
        "events": events,
        "missing": lacking,
        "program": here.program,
        "installed": present,
        "settings": [
            {
                "scope": layer.scope,
                "path": layer.path,
                "events": list(dict.fromkeys(one.event for one in layer.ours)),
                "ignored": layer.void,
            }
            for layer in found
            if layer.present
        ],
        "command": command,
    }
    if not lacking and present and not disabled:
        sentences = [f"Wired: {', '.join(events)}."]
    else:
        lines = {"wired": "Wired.", "partly wired": f"Partly wired; missing: {', '.join(lacking)}."}
        sentences = [lines.get(state, "Available, but not wired.")]
        if not present and events:
            sentences.append(f"{here.program} is not there, so nothing runs.")
        if disabled and off is not None:
            sentences.append(f"disableAllHooks is true in {off.path}, so nothing runs.")
        sentences.append(f"To wire them, run:\n  {command}")
    for layer in found:
        if layer.document is not None and MARK in layer.document.text:
            end = own_command(here.program, world.checkout)(f"record --remove --settings {shlex.quote(layer.path)}")
            sentences.append(
                f"The hooks of {layer.path} are being recorded{told_of(layer.path, here)}; to end it:\n  {end}"
            )
    damaged = receipts.read(here.config_file).damaged
    if damaged:
        sentences.append(f"Note: {damaged}.")
    return Outcome(answer, sentences)
