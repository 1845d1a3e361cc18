"""Every file that hooks of a session come from: settings, plugins, skills, commands and agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dreamwork_hooks.settings.layers import LayerFile, config_dir, once_each, settings_files
from dreamwork_hooks.settings.plugins import inline_plugins, installed_plugins, skills_and_agents
from dreamwork_hooks.settings.reading import read_layer


def layer_files(
    project: str,
    *,
    env: Mapping[str, str],
    home: str,
    settings: Sequence[str] = (),
    plugins: Sequence[str] = (),
    managed: str | None = None,
) -> list[LayerFile]:
    """The files the client would read for a session started in `project`, in the order of their hooks.

    `settings` are what `--settings` takes: paths, or JSON text that begins with `{`. `plugins` are directories, as
    `--plugin-dir` takes them. Installed plugins, skills and agents are found as the client finds them.
    """
    own = settings_files(project, env=env, home=home, settings=settings, managed=managed)
    config = config_dir(env, home, project)
    read = [read_layer(file, exists=lambda path: True) for file in own]
    found = [*own, *inline_plugins(plugins, config), *installed_plugins(read, config, project, plugins)]
    return once_each([*found, *skills_and_agents(project, config)])
