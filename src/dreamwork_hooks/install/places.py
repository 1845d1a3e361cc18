"""Where things lie: our own directories, and the settings file each scope means. Nothing is written here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from dreamwork_hooks.errors import Refused
from dreamwork_hooks.files import NoState, own_dir
from dreamwork_hooks.install.ours import PROGRAM
from dreamwork_hooks.settings.layers import config_dir

SCOPES = ("user", "project", "local")


@dataclass(frozen=True)
class Places:
    """Absolute paths of ours. `config` is what `files.own_dir` says."""

    home: str
    config: str

    @property
    def program(self) -> str:
        return os.path.join(self.config, "bin", PROGRAM)

    @property
    def state(self) -> str:
        return os.path.join(self.config, "hooks")

    @property
    def config_file(self) -> str:
        return os.path.join(self.state, "config.json")

    @property
    def backups(self) -> str:
        """Where a backup goes when the directory of the settings cannot take one."""
        return os.path.join(self.state, "backups")


@dataclass(frozen=True)
class SettingsPlace:
    """A settings file by its scope ("user", "project", "local", or "file" for one named by path)."""

    path: str
    scope: str
    target: str | None = None
    note: str = ""


def home_of(env: Mapping[str, str]) -> str:
    """The home directory; raises Refused when there is no absolute one."""
    home = env.get("HOME", "")
    if not home.strip():
        home = os.path.expanduser("~")
    if not os.path.isabs(home):
        raise Refused(f"HOME is {home!r}, not an absolute path: set HOME and run this again")
    return os.path.normpath(home)


def places(env: Mapping[str, str]) -> Places:
    """Ours; raises Refused when the environment names no place for them."""
    home = home_of(env)
    try:
        return Places(home, own_dir({**env, "HOME": home}))
    except NoState as error:
        raise Refused(f"{error}; nothing was changed") from None


def claude_directory(env: Mapping[str, str], cwd: str) -> tuple[str, str]:
    """Claude Code's own directory and a remark about it ("" when there is nothing to say).

    A `CLAUDE_CONFIG_DIR` that is set is taken as the client takes it: literally, from the working directory.
    """
    value = env.get("CLAUDE_CONFIG_DIR")
    directory = config_dir(env, home_of(env), cwd)
    if value is not None and not value.strip():
        return directory, f"CLAUDE_CONFIG_DIR is blank; Claude Code takes it literally and reads {directory}"
    if value is not None and not os.path.isabs(value):
        return directory, f"CLAUDE_CONFIG_DIR is relative ({value}); from this directory it is {directory}"
    return directory, ""


def settings_place(
    env: Mapping[str, str],
    cwd: str,
    *,
    scope: str = "user",
    target: str | None = None,
    settings: str | None = None,
) -> SettingsPlace:
    """The settings file that `--settings`, `--scope` and `--project` name. Raises Refused for what cannot be meant."""
    directory, note = claude_directory(env, cwd)
    user = os.path.join(directory, "settings.json")
    if settings is not None:
        if not settings.strip():
            raise Refused("--settings needs the path of a file")
        path = os.path.normpath(os.path.join(cwd, settings))
        return SettingsPlace(path, "user" if _same(path, user) else "file", note="")
    if scope == "user":
        if target is not None:
            raise Refused(
                "--project goes with --scope project or --scope local; the user's settings belong to no project"
            )
        if not env.get("CLAUDE_CONFIG_DIR", "x").strip():
            raise Refused(f"{note}/settings.json; nothing was changed. Unset it, or set it to a directory")
        return SettingsPlace(user, "user", note=note)
    root = os.path.normpath(os.path.join(cwd, target if target is not None else ""))
    if not os.path.isdir(root):
        raise Refused(f"--project {root}: no such directory")
    name = "settings.json" if scope == "project" else "settings.local.json"
    path = os.path.join(root, ".claude", name)
    if _same(path, user):
        # Started in HOME, the project's file and the user's are one: what is written there is read everywhere.
        return SettingsPlace(user, "user", note=f"{path} is the user's own settings file, so this is user scope")
    if scope == "local" and _same(os.path.join(root, ".claude"), directory):
        raise Refused(
            f"{path} is not read by Claude Code: below the home directory only settings.json is. Use --scope user"
        )
    return SettingsPlace(path, scope, root)


def _same(left: str, right: str) -> bool:
    return os.path.realpath(left) == os.path.realpath(right)
