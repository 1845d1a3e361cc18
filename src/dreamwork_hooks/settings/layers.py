"""The files hooks come from: which they are, and in which order the client merges them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.settings.snapshot import LIMIT, decode

USER = "user"
PROJECT = "project"
LOCAL = "local"
FLAG = "flag"
MANAGED = "managed"
PLUGIN = "plugin"

PRECEDENCE = (PLUGIN, USER, PROJECT, LOCAL, FLAG, MANAGED)
"""Lowest first. Project over user is measured; the place of the others is unverified."""


@dataclass(frozen=True)
class LayerFile:
    """One source of hooks: a settings file, inline settings (`text`), or a plugin's `hooks.json`."""

    layer: str
    path: str
    text: str | None = None
    plugin_root: str | None = None

    def read(self) -> str | None:
        """The text, bytes that are not UTF-8 escaped; None when there is no such file. Raises Unreadable."""
        if self.text is not None:
            return self.text
        try:
            return decode(read_regular(self.path, LIMIT))
        except Unreadable as error:
            if error.absent or not os.path.lexists(self.path):
                return None
            raise


def config_dir(env: Mapping[str, str], home: str, cwd: str) -> str:
    """The client's own directory: a `$CLAUDE_CONFIG_DIR` that is set replaces `~/.claude`.

    It is taken literally, a relative one from the working directory: a blank names a directory, the empty string the
    working directory itself (measured).
    """
    named = env.get("CLAUDE_CONFIG_DIR")
    return os.path.join(home, ".claude") if named is None else os.path.normpath(os.path.join(cwd, named))


def managed_path(platform: str = sys.platform) -> str:
    """Where an administrator's settings are (documented)."""
    if platform == "darwin":
        return "/Library/Application Support/ClaudeCode/managed-settings.json"
    if platform == "win32":
        return r"C:\Program Files\ClaudeCode\managed-settings.json"
    return "/etc/claude-code/managed-settings.json"


def layer_files(
    project: str,
    *,
    env: Mapping[str, str],
    home: str,
    settings: Sequence[str] = (),
    plugins: Sequence[str] = (),
    managed: str | None = None,
) -> list[LayerFile]:
    """The files the client would read for a session started in `project`, lowest precedence first.

    `settings` are what `--settings` takes: paths, or JSON text that begins with `{`; of several the last alone counts
    (measured). `plugins` are directories with `hooks/hooks.json` (or `hooks.json`). A file reached twice is listed
    once, for the lower layer; of a project that is the home directory `settings.local.json` is not read (measured).
    """
    user, own = config_dir(env, home, project), os.path.join(project, ".claude")
    found = [plugin_file(root) for root in plugins]
    found.append(LayerFile(USER, os.path.join(user, "settings.json")))
    found.append(LayerFile(PROJECT, os.path.join(own, "settings.json")))
    if os.path.realpath(user) != os.path.realpath(own):
        found.append(LayerFile(LOCAL, os.path.join(own, "settings.local.json")))
    for text in settings[-1:]:
        inline = text.lstrip().startswith("{")
        found.append(LayerFile(FLAG, "--settings", text) if inline else LayerFile(FLAG, os.path.abspath(text)))
    found.append(LayerFile(MANAGED, managed if managed is not None else managed_path()))
    return once_each(found)


def once_each(files: Sequence[LayerFile]) -> list[LayerFile]:
    """The files without those already listed under another name."""
    found: dict[str, LayerFile] = {}
    for file in files:
        found.setdefault(os.path.realpath(file.path) if file.text is None else f"text:{file.text}", file)
    return list(found.values())


def plugin_file(root: str) -> LayerFile:
    """A plugin's file of hooks, where the client looks for it."""
    root = os.path.abspath(root)
    path = os.path.join(root, "hooks", "hooks.json")
    if not os.path.exists(path):
        path = os.path.join(root, "hooks.json")
    return LayerFile(PLUGIN, path, plugin_root=root)
