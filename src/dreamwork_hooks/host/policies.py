"""What a host may do differently from the client. Everything is off by default: the default host is the
client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dreamwork_hooks.errors import UserError

GUARDS = frozenset({"PreToolUse", "PermissionRequest", "UserPromptSubmit"})
"""Events whose hooks guard something: where `fail_closed` can deny."""


class PolicyError(UserError, ValueError):
    """A policy has a value it cannot have; the message names it."""


@dataclass(frozen=True)
class Policies:
    """Switches for a host that is not the client. Times are seconds, sizes bytes."""

    fail_closed: Literal["never", "marked", "always"] = "never"
    """On a guard event, a hook that crashes, runs out of time or is broken denies: never, for handlers that
    carry `"fail_closed": true` (`marked`), or always."""
    strict: bool = False
    """Refuse a repository's trusted hooks where trust does not cover all they run: `make`, `-m`, the network."""
    full_match: bool = False
    """Matchers that are regular expressions must match the whole name."""
    command_regex: bool = False
    """An `if` written `re:PATTERN` is searched in the shell command."""
    honour_once: bool = False
    """`once` handlers run once a session; in the client's settings files the key has no effect (measured)."""
    default_timeout: float | None = None
    """For handlers without `timeout`, instead of the event's own default."""
    output_cap: int = 4 << 20
    """How much of each output stream is kept; the rest is read and thrown away."""
    grace: float = 2.0
    """Between SIGTERM and SIGKILL."""
    kill_leftovers: bool = False
    """Kill what a hook left running in its process group, also when it ended normally; the client lets it
    live."""
    stop_limit: int | None = None
    """After so many continuations in a row (1 to 10) a stopping agent stops; None for the client's own limit."""
    context_order: Literal["configuration", "finish"] = "configuration"
    """Join contexts in configuration order, or in the order the hooks finish, as the client does."""
    recheck_input: bool = False
    """Run the handlers that hold for a rewritten input but did not for the original one."""
    allow_http: bool = False
    """Let `http` handlers call other machines, not only this one."""
    inherit_env: bool = False
    """Give hooks all of the host's environment, as the client does, instead of the allow-list."""
    pass_env: tuple[str, ...] = ()
    """Names added to the allow-list."""
    tool_names: ToolNames | None = field(default=None)
    """How the agent's tools and arguments are called in the client's words, and back."""

    def __post_init__(self) -> None:
        if self.fail_closed not in ("never", "marked", "always"):
            raise PolicyError(f"fail_closed must be never, marked or always, is {self.fail_closed!r}")
        if self.stop_limit is not None and not 1 <= self.stop_limit <= 10:
            raise PolicyError(f"stop_limit must be 1 to 10, is {self.stop_limit}")
        if self.context_order not in ("configuration", "finish"):
            raise PolicyError(f"context_order must be configuration or finish, is {self.context_order!r}")
        if self.default_timeout is not None and self.default_timeout <= 0:
            raise PolicyError(f"default_timeout must be above 0, is {self.default_timeout}")
        if self.output_cap < 1024:
            raise PolicyError(f"output_cap must be at least 1024 bytes, is {self.output_cap}")


@dataclass(frozen=True)
class ToolNames:
    """`tools` maps the agent's tool to the hook's; `arguments` maps, for an agent's tool, its argument to
    the hook's."""

    tools: Mapping[str, str]
    arguments: Mapping[str, Mapping[str, str]]

    def to_hook(self, event: Mapping[str, object]) -> dict[str, object]:
        """The event with the hook's names; what is not in the table stays as it is."""
        renamed = dict(event)
        name = event.get("tool_name")
        if not isinstance(name, str) or name not in self.tools:
            return renamed
        renamed["tool_name"] = self.tools[name]
        tool_input = event.get("tool_input")
        if isinstance(tool_input, Mapping):
            renamed["tool_input"] = _renamed(tool_input, self.arguments.get(name, {}))
        return renamed

    def input_from_hook(self, agent_tool: str, updated: Mapping[str, object]) -> dict[str, object]:
        """An updated input with the agent's argument names, for the agent's tool."""
        back = {hook: agent for agent, hook in self.arguments.get(agent_tool, {}).items()}
        return _renamed(updated, back)

    def reversed(self) -> ToolNames:
        """The table for hooks written for that agent, run where the client's names are spoken."""
        return ToolNames(
            {hook: agent for agent, hook in self.tools.items()},
            {
                self.tools[tool]: {hook: agent for agent, hook in names.items()}
                for tool, names in self.arguments.items()
                if tool in self.tools
            },
        )


def _renamed(values: Mapping[str, object], names: Mapping[str, str]) -> dict[str, object]:
    return {names.get(key, key): value for key, value in values.items()}


SNAKE_CASE = ToolNames(
    tools={"bash_command": "Bash", "write_file": "Write", "edit_file": "Edit", "read_file": "Read"},
    arguments={
        "bash_command": {},
        "write_file": {"path": "file_path"},
        "edit_file": {"path": "file_path", "old_str": "old_string", "new_str": "new_string"},
        "read_file": {"path": "file_path"},
    },
)
"""Agents that say `bash_command`, `write_file`, `edit_file` with `path`, `old_str`, `new_str`."""
