"""Which files a check is about: a project's, a plugin's, a settings file, or all that lies below a directory."""

from __future__ import annotations

import os
from collections.abc import Iterator

from dreamwork_hooks.settings.layers import LOCAL, PLUGIN, PROJECT, LayerFile, once_each
from dreamwork_hooks.settings.plugins import plugin_files

_NOT_ENTERED = frozenset({"node_modules", "site-packages", "__pycache__", "dist", "build", "target", "vendor"})
# Beside a hooks directory of another client's, whose events have other names.
_FOREIGN = ("gemini-extension.json", ".cursor-plugin", ".codex-plugin")
_DEPTH = 4  # directories below the one named


def of_file(path: str) -> tuple[LayerFile, str]:
    """A settings file or a plugin's file of hooks by its name and place, and the project it belongs to."""
    path = os.path.abspath(path)
    around = os.path.dirname(path)
    if os.path.basename(path) == "hooks.json":
        root = os.path.dirname(around) if os.path.basename(around) == "hooks" else around
        return LayerFile(PLUGIN, path, plugin_root=root, form="hooks", source=root), root
    layer = LOCAL if path.endswith("settings.local.json") else PROJECT
    return LayerFile(layer, path), os.path.dirname(around) if os.path.basename(around) == ".claude" else around


def below(directory: str) -> list[tuple[LayerFile, str]]:
    """The settings and plugins in a directory and below it, each with the project it belongs to."""
    found: list[tuple[LayerFile, str]] = []
    root = os.path.abspath(directory)
    for place in _directories(root):
        names = [os.path.join(place, ".claude", name) for name in ("settings.json", "settings.local.json")]
        found += [of_file(path) for path in names if os.path.lexists(path)]
        found += [(file, place) for file in _plugin(place, place == root)]
    listed = {id(file) for file in once_each([file for file, _ in found])}
    return [(file, project) for file, project in found if id(file) in listed]


def _directories(root: str) -> Iterator[str]:
    for place, names, _ in os.walk(root):
        yield place
        deep = place[len(root) :].count(os.sep) >= _DEPTH
        # Hidden directories are caches and checkouts; .claude is looked into by name.
        names[:] = [] if deep else sorted(name for name in names if name not in _NOT_ENTERED and name[0] != ".")


def _plugin(place: str, named: bool) -> Iterator[LayerFile]:
    if not os.path.lexists(os.path.join(place, ".claude-plugin", "plugin.json")):
        foreign = any(os.path.lexists(os.path.join(place, name)) for name in _FOREIGN)
        if foreign or not (named or os.path.lexists(os.path.join(place, "hooks", "hooks.json"))):
            return
    yield from plugin_files(place)
