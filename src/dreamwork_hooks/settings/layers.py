"""The files hooks come from: which they are, and in which order the client merges them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.settings.snapshot import LIMIT, decode

USER = "user"
PROJECT = "project"
LOCAL = "local"
FLAG = "flag"
MANAGED = "managed"
PLUGIN = "plugin"

SKILL = "skill"
AGENT = "agent"

PRECEDENCE = (USER, PROJECT, LOCAL, FLAG, MANAGED, PLUGIN, SKILL, AGENT)
"""The order of hooks, and of settings whose word counts, the highest last. Measured but for the place of MANAGED."""

Form = Literal["settings", "hooks", "manifest", "front matter"]
"""What a file is: settings, a plugin's file of hooks, its manifest, or a text with hooks in its front matter."""


@dataclass(frozen=True)
class LayerFile:
    """One source of hooks: a settings file, inline settings (`text`), a plugin's file, a skill or an agent."""

    layer: str
    path: str
    text: str | None = None
    plugin_root: str | None = None
    """What `${CLAUDE_PLUGIN_ROOT}` is: a plugin's directory, or a skill's."""
    plugin_data: str | None = None
    form: Form = "settings"
    at: tuple[str | int, ...] = ("hooks",)
    """Where in the file the events stand."""
    source: str = ""
    """Identical hooks of one source run once; the settings are one source together (measured)."""
    names: tuple[str, ...] = ()
    """A skill's or an agent's names: its hooks run after the skill was used, or inside such an agent."""
    fault: str = ""
    """Why nothing of it is read, where that is known before it is."""
    brought: bool = False
    """A project's settings switch this plugin on."""
    switched_off: str = ""
    """The settings of a project that switch off what the person has on."""

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


def settings_files(
    project: str,
    *,
    env: Mapping[str, str],
    home: str,
    settings: Sequence[str] = (),
    managed: str | None = None,
) -> list[LayerFile]:
    """The settings files of a session started in `project`, lowest precedence first; see `sources.layer_files`.

    Of several `settings` the last alone counts (measured). A file reached twice is listed once, for the lower layer; of
    a project that is the home directory `settings.local.json` is not read (measured). Of the managed directory the
    `*.json` are read by name after the managed file, hidden ones and those of directories below not (measured).
    """
    user, own = config_dir(env, home, project), os.path.join(project, ".claude")
    found = [LayerFile(USER, os.path.join(user, "settings.json"))]
    found.append(LayerFile(PROJECT, os.path.join(own, "settings.json")))
    if os.path.realpath(user) != os.path.realpath(own):
        found.append(LayerFile(LOCAL, os.path.join(own, "settings.local.json")))
    for text in settings[-1:]:
        inline = text.lstrip().startswith("{")
        found.append(LayerFile(FLAG, "--settings", text) if inline else LayerFile(FLAG, os.path.abspath(text)))
    base = managed if managed is not None else managed_path()
    found.append(LayerFile(MANAGED, base))
    folder = os.path.join(os.path.dirname(base), "managed-settings.d")
    found += [LayerFile(MANAGED, os.path.join(folder, name)) for name in listed(folder) if name.endswith(".json")]
    return once_each(found)


def listed(directory: str) -> list[str]:
    """The names in a directory in order, without hidden ones; none where it cannot be read."""
    try:
        return sorted(name for name in os.listdir(directory) if name[0] != ".")
    except OSError:
        return []


def once_each(files: Sequence[LayerFile]) -> list[LayerFile]:
    """The files without those already listed under another name."""
    found: dict[object, LayerFile] = {}
    for file in files:
        key = os.path.realpath(file.path) if file.text is None else f"text:{file.text}"
        found.setdefault((key, file.at, file.fault), file)
    return list(found.values())
