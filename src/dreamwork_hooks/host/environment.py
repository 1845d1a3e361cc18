"""What a hook finds around it: its environment, and the placeholders in its command."""

from __future__ import annotations

import os
from collections.abc import Mapping

from dreamwork_hooks.contract.event import Event
from dreamwork_hooks.host.policies import Policies
from dreamwork_hooks.settings.handler import Handler

ALLOWED = frozenset(
    {
        "COLORTERM",
        "HOME",
        "LANG",
        "LANGUAGE",
        "LOGNAME",
        "PATH",
        "PYTHONDONTWRITEBYTECODE",
        "SHELL",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
        "TEMP",
        "TERM",
        "TMP",
        "TMPDIR",
        "TZ",
        "USER",
        "VIRTUAL_ENV",
    }
)
"""Names a hook gets from the host; with them `LC_*`, `XDG_*`, `CLAUDE_*` and `DREAMWORK_*`."""

_PREFIXES = ("LC_", "XDG_", "CLAUDE_", "DREAMWORK_")


def base_environment(env: Mapping[str, str], policies: Policies) -> dict[str, str]:
    """The part of the host's own environment that every hook gets."""
    if policies.inherit_env:
        return dict(env)
    wanted = ALLOWED.union(policies.pass_env)
    return {key: value for key, value in env.items() if key in wanted or key.startswith(_PREFIXES)}


def hook_environment(
    base: Mapping[str, str],
    event: Event,
    handler: Handler,
    *,
    project: str,
    env_file: str | None = None,
) -> dict[str, str]:
    """`base` with the variables the client sets (measured), and the plugin's root where there is one."""
    env = dict(base)
    env["CLAUDE_PROJECT_DIR"] = project
    env["CLAUDECODE"] = "1"
    env["CLAUDE_CODE_SESSION_ID"] = event.session_id
    env["CLAUDE_PID"] = str(os.getpid())
    env.setdefault("CLAUDE_CODE_ENTRYPOINT", "dreamwork-hooks")
    env["PWD"] = event.cwd
    if "CLAUDE_EFFORT" in event.spec.exported:
        effort = event.raw.get("effort")
        if isinstance(effort, Mapping) and isinstance(effort.get("level"), str):
            env["CLAUDE_EFFORT"] = str(effort["level"])
    env.pop("CLAUDE_ENV_FILE", None)
    if env_file is not None and "CLAUDE_ENV_FILE" in event.spec.exported:
        env["CLAUDE_ENV_FILE"] = env_file
    if handler.plugin_root is not None:
        env["CLAUDE_PLUGIN_ROOT"] = handler.plugin_root
    return env


def filled_in(text: str, *, project: str | None, plugin_root: str | None) -> str:
    """A command or argument with `${CLAUDE_PROJECT_DIR}` and `${CLAUDE_PLUGIN_ROOT}` replaced where they are given;
    nothing else is."""
    if project is not None:
        text = text.replace("${CLAUDE_PROJECT_DIR}", project)
    if plugin_root is not None:
        text = text.replace("${CLAUDE_PLUGIN_ROOT}", plugin_root)
    return text
