"""The files hooks come from: which they are, and in which order the client merges them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dreamwork_hooks.settings.managed import managed_path

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

    def read(self) -> bytes | None:
        """The bytes, or None when there is no such file. Raises OSError when it is there and cannot be
        read."""
        if self.text is not None:
            return self.text.encode("utf-8", "surrogatepass")
        try:
            return Path(self.path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None


def config_dir(env: Mapping[str, str], home: str) -> str:
    """The client's own directory: `$CLAUDE_CONFIG_DIR` replaces `~/.claude` (measured); blank counts as
    unset."""
    named = env.get("CLAUDE_CONFIG_DIR", "").strip()
    return os.path.abspath(named) if named else os.path.join(home, ".claude")


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

    `settings` are what `--settings` takes: paths, or JSON text that begins with `{`. `plugins` are
    directories with `hooks/hooks.json` (or `hooks.json`). A file reached twice, as with a project that is
    the home directory, is listed once, for the lower layer.
    """
    found = [_plugin_file(root) for root in plugins]
    found.append(LayerFile(USER, os.path.join(config_dir(env, home), "settings.json")))
    found.append(LayerFile(PROJECT, os.path.join(project, ".claude", "settings.json")))
    found.append(LayerFile(LOCAL, os.path.join(project, ".claude", "settings.local.json")))
    for text in settings:
        if text.lstrip().startswith("{"):
            found.append(LayerFile(FLAG, "--settings", text=text))
        else:
            found.append(LayerFile(FLAG, os.path.abspath(text)))
    found.append(LayerFile(MANAGED, managed if managed is not None else managed_path()))
    return once_each(found)


def once_each(files: Sequence[LayerFile]) -> list[LayerFile]:
    """The files without those already listed under another name."""
    seen: set[str] = set()
    kept: list[LayerFile] = []
    for file in files:
        real = os.path.realpath(file.path) if file.text is None else f"text:{file.text}"
        if real not in seen:
            seen.add(real)
            kept.append(file)
    return kept


def _plugin_file(root: str) -> LayerFile:
    root = os.path.abspath(root)
    path = os.path.join(root, "hooks", "hooks.json")
    if not os.path.exists(path):
        path = os.path.join(root, "hooks.json")
    return LayerFile(PLUGIN, path, plugin_root=root)
