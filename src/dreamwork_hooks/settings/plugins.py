"""Plugins, skills and agents: which of their files hold hooks, as the client finds them (measured on 2.1.332).

A plugin's hooks stand in its `hooks/hooks.json` and in its manifest. Installed plugins are those that `enabledPlugins`
switches on: of a marketplace that is a directory they are read there, of others where `installed_plugins.json` says.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.settings.found import Layer
from dreamwork_hooks.settings.layers import AGENT, LOCAL, PLUGIN, PROJECT, SKILL, LayerFile, listed
from dreamwork_hooks.settings.snapshot import LIMIT, decode

Json = Mapping[str, Any]

_MANIFEST = (".claude-plugin", "plugin.json")
_THEIRS = (PROJECT, LOCAL)
_TEXT_MOST = 4 << 20  # bytes of one of them
_FILES_MOST = 500  # skills, commands or agents of one directory


@dataclass(frozen=True)
class _Plugin:
    """Where a plugin is, and how it came to be here."""

    root: str
    market: str = "inline"
    name: str = ""
    entry: LayerFile | None = None
    """The hooks of its marketplace's entry, which take the place of its own file (measured)."""
    brought: bool = False
    switched_off: str = ""


def plugin_files(root: str, config: str = "") -> list[LayerFile]:
    """The files of hooks of the plugin in a directory; `config` is the client's own directory."""
    return list(_files_of(_Plugin(os.path.abspath(root)), config))


def inline_plugins(roots: Sequence[str], config: str) -> list[LayerFile]:
    """The files of hooks of the plugins that `--plugin-dir` names; of two of one name the first counts (measured)."""
    found: dict[str, list[LayerFile]] = {}
    for root in map(os.path.abspath, roots):
        found.setdefault(plugin_name(root), plugin_files(root, config))
    return [file for files in found.values() for file in files]


def plugin_name(root: str) -> str:
    """What a plugin is called: by its manifest, without one by its directory."""
    manifest = _json(os.path.join(root, *_MANIFEST))
    name = manifest.get("name") if isinstance(manifest, dict) else None
    return name if isinstance(name, str) else os.path.basename(root)


def installed_plugins(
    layers: Sequence[Layer], config: str, project: str, inline: Sequence[str] = ()
) -> list[LayerFile]:
    """The files of hooks of the plugins that the settings switch on, or a project's settings off.

    Of two of one name, or of the name of an `inline` one, the first counts (measured).
    """
    taken = {plugin_name(os.path.abspath(root)) for root in inline}
    switched = _switched(layers)
    if not switched:
        return []
    places = _marketplaces(layers, config, project)
    records = _records(os.path.join(config, "plugins", "installed_plugins.json"))
    found: list[LayerFile] = []
    for label, (brought, off) in switched.items():
        plugin = _installed(label, places, records, project)
        if isinstance(plugin, _Plugin) and not off:
            called = plugin_name(plugin.root)
            if called in taken:
                continue
            taken.add(called)
        if isinstance(plugin, str):
            if not off:
                path = os.path.join(config, "plugins", "installed_plugins.json")
                why = f"{label} is not loaded: {plugin}"
                found.append(LayerFile(PLUGIN, path, form="hooks", source=label, fault=why))
        else:
            found += _files_of(replace(plugin, brought=brought, switched_off=off), config)
    return found


def skills_and_agents(project: str, config: str) -> list[LayerFile]:
    """The skills, commands and agents of the person and the project whose front matter may hold hooks."""
    found: list[LayerFile] = []
    for own in dict.fromkeys([config, os.path.join(project, ".claude")]):
        found += _skills(os.path.join(own, "skills"))
        found += _texts(os.path.join(own, "commands"), SKILL)
    for own in dict.fromkeys([config, os.path.join(project, ".claude")]):
        found += _texts(os.path.join(own, "agents"), AGENT)
    return found


def _files_of(plugin: _Plugin, config: str) -> Iterator[LayerFile]:
    """The files of hooks of one plugin, in the client's order: its file, its manifest, its skills."""
    manifest_path = os.path.join(plugin.root, *_MANIFEST)
    manifest, fault = _manifest(manifest_path)
    name = str(manifest.get("name") or plugin.name or os.path.basename(plugin.root))
    data = re.sub(r"[^A-Za-z0-9_-]", "-", f"{name}-{plugin.market}")
    like = LayerFile(
        PLUGIN,
        manifest_path,
        plugin_root=plugin.root,
        plugin_data=os.path.join(config, "plugins", "data", data) if config else None,
        form="manifest",
        source=f"{name}@{plugin.market}",
        brought=plugin.brought,
        switched_off=plugin.switched_off,
    )
    if fault:
        yield replace(like, fault=fault)
        return
    own = os.path.join(plugin.root, "hooks", "hooks.json")
    if plugin.entry is not None:
        yield replace(like, path=plugin.entry.path, at=plugin.entry.at)
    elif os.path.lexists(own):
        yield replace(like, path=own, form="hooks")
    elif os.path.lexists(os.path.join(plugin.root, "hooks.json")):
        said = "a hooks.json at a plugin's root is not read; put it into hooks/"
        yield replace(like, path=os.path.join(plugin.root, "hooks.json"), form="hooks", fault=said)
    declared = manifest.get("hooks")
    for number, each in enumerate(declared if isinstance(declared, list) else [declared]):
        at: tuple[str | int, ...] = ("hooks", number) if isinstance(declared, list) else ("hooks",)
        if isinstance(each, dict):
            yield replace(like, at=at)
        elif isinstance(each, str):
            path = os.path.normpath(os.path.join(plugin.root, each))
            if path != own:
                missing = "" if os.path.lexists(path) else "is named in the manifest and is not there"
                yield replace(like, path=path, form="hooks", fault=missing)
    for skill in _skills(os.path.join(plugin.root, "skills"), prefix=f"{name}:"):
        yield replace(skill, plugin_root=plugin.root, brought=plugin.brought, switched_off=plugin.switched_off)


def _manifest(path: str) -> tuple[Json, str]:
    """A manifest, and why the client does not load its plugin, in the words of what it says (measured)."""
    if not os.path.lexists(path):
        return {}, ""
    data = _json(path)
    if not isinstance(data, dict):
        return {}, "the manifest is not a JSON object, so the plugin is not loaded"
    name, hooks = data.get("name"), data.get("hooks")
    paths = [each for each in (hooks if isinstance(hooks, list) else [hooks]) if not isinstance(each, dict)]
    wrong = ""
    if not isinstance(name, str) or not name:
        wrong = "the manifest has no `name`"
    elif " " in name:
        wrong = "the manifest's `name` has a blank in it"
    elif "version" in data and not isinstance(data["version"], str):
        wrong = "the manifest's `version` is no string"
    elif "hooks" in data and not all(isinstance(each, str) for each in paths):
        wrong = "the manifest's `hooks` must be events, a path or a list of them"
    elif "hooks" in data and not all(each.startswith("./") for each in paths):
        wrong = "a path under the manifest's `hooks` must begin with ./"
    return (data, f"{wrong}, so the plugin is not loaded") if wrong else (data, "")


def _skills(directory: str, prefix: str = "") -> Iterator[LayerFile]:
    """`NAME/SKILL.md`, one level down (measured)."""
    for name in listed(directory)[:_FILES_MOST]:
        path = os.path.join(directory, name, "SKILL.md")
        if _has_hooks(path):
            root = os.path.dirname(path)
            names = (SKILL, f"{prefix}{name}")
            yield LayerFile(SKILL, path, plugin_root=root, form="front matter", source=path, names=names)


def _has_hooks(path: str) -> bool:
    try:
        return b"\nhooks" in read_regular(path, _TEXT_MOST)
    except Unreadable:
        return False


def _texts(directory: str, layer: str) -> Iterator[LayerFile]:
    """The `*.md` of a directory and below: commands, which are called `sub:name` there, and agents."""
    found = 0
    for place, folders, names in os.walk(directory):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(place, name)
            if name.endswith(".md") and found < _FILES_MOST and _has_hooks(path):
                found += 1
                called = os.path.relpath(path, directory)[:-3].replace(os.sep, ":")
                yield LayerFile(layer, path, form="front matter", source=path, names=(layer, called))


def _switched(layers: Sequence[Layer]) -> dict[str, tuple[bool, str]]:
    """What `enabledPlugins` of all settings comes to: whether a project has it on, and what file of one has it off."""
    values: dict[str, tuple[bool, Layer]] = {}
    persons: dict[str, bool] = {}
    for layer in layers:
        for label, value in _setting(layer, "enabledPlugins").items():
            values[label] = (value is True, layer)
            if layer.file.layer not in _THEIRS:
                persons[label] = value is True
    found: dict[str, tuple[bool, str]] = {}
    for label, (on, layer) in values.items():
        theirs = layer.file.layer in _THEIRS
        if on:
            found[label] = (theirs and not persons.get(label, False), "")
        elif theirs and persons.get(label):
            found[label] = (False, layer.file.path)
    return found


def _setting(layer: Layer, key: str) -> Json:
    if layer.void or layer.document is None or layer.document.root is None:
        return {}
    node = layer.document.root.get(key)
    value = layer.document.value(node, 6) if node is not None else None
    return value if isinstance(value, dict) else {}


def _marketplaces(layers: Sequence[Layer], config: str, project: str) -> dict[str, tuple[bool, str]]:
    """The marketplaces known here: whether each is a directory that is read as it stands, and where it is."""
    found: dict[str, tuple[bool, str]] = {}
    for layer in layers:
        for name, value in _setting(layer, "extraKnownMarketplaces").items():
            source = value.get("source") if isinstance(value, dict) else None
            if isinstance(source, dict) and source.get("source") == "directory" and isinstance(source.get("path"), str):
                found[name] = (True, os.path.join(project, source["path"]))
    known = _json(os.path.join(config, "plugins", "known_marketplaces.json"))
    for name, value in known.items() if isinstance(known, dict) else ():
        if isinstance(value, dict) and isinstance(value.get("installLocation"), str):
            source = value.get("source")
            directory = isinstance(source, dict) and source.get("source") == "directory"
            found.setdefault(name, (directory, value["installLocation"]))
    return found


def _installed(label: str, places: Mapping[str, tuple[bool, str]], records: Json, project: str) -> _Plugin | str:
    """Where a plugin `NAME@MARKETPLACE` is, or why it is nowhere."""
    name, _, market = label.rpartition("@")
    if market not in places:
        return f"the marketplace {market} is not known here"
    directory, place = places[market]
    path = os.path.join(place, ".claude-plugin", "marketplace.json")
    data = _json(path)
    offered = data.get("plugins") if isinstance(data, dict) else None
    rows = offered if isinstance(offered, list) else []
    number = next((n for n, row in enumerate(rows) if isinstance(row, dict) and row.get("name") == name), None)
    if number is None:
        return f"{path} has no plugin of that name"
    source, hooks = rows[number].get("source"), rows[number].get("hooks")
    at = ("plugins", number, "hooks")
    entry = LayerFile(PLUGIN, path, form="manifest", at=at) if isinstance(hooks, dict) else None
    if directory and isinstance(source, str):
        return _Plugin(os.path.normpath(os.path.join(place, source)), market, name, entry)
    given = records.get(label)
    for record in given if isinstance(given, list) else [given]:
        if isinstance(record, dict) and record.get("projectPath", project) == project:
            root = record.get("installPath")
            if isinstance(root, str) and os.path.isdir(root):
                return _Plugin(root, market, name, entry)
    return "it is not installed here"


def _records(path: str) -> Json:
    data = _json(path)
    plugins = data.get("plugins") if isinstance(data, dict) else None
    return plugins if isinstance(plugins, dict) else {}


def _json(path: str) -> object:
    """The data of a file that is JSON; a byte order mark does no harm here (measured)."""
    try:
        return json.loads(decode(read_regular(path, LIMIT)).removeprefix("\ufeff"))
    except (Unreadable, ValueError, RecursionError):
        return None
