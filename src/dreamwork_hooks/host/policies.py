"""What a host may do differently from the client. Everything is off by default: the default host is the
client."""

from __future__ import annotations

from dataclasses import dataclass, field

from dreamwork_hooks.host.toolnames import ToolNames

NEVER = "never"
MARKED = "marked"
ALWAYS = "always"

CONFIGURATION = "configuration"
FINISH = "finish"

GUARDS = frozenset({"PreToolUse", "PermissionRequest", "UserPromptSubmit"})
"""Events whose hooks guard something: where `fail_closed` can deny."""


class PolicyError(ValueError):
    """A policy has a value it cannot have; the message names it."""


@dataclass(frozen=True)
class Policies:
    """Switches for a host that is not the client. Times are seconds, sizes bytes."""

    fail_closed: str = NEVER
    """On a guard event, a hook that crashes, runs out of time or is broken denies: NEVER, for handlers that
    carry `"fail_closed": true` (MARKED), or ALWAYS."""
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
    context_order: str = CONFIGURATION
    """Join contexts in CONFIGURATION order, or in the order the hooks FINISH, as the client does."""
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
        if self.fail_closed not in (NEVER, MARKED, ALWAYS):
            raise PolicyError(f"fail_closed must be never, marked or always, is {self.fail_closed!r}")
        if self.stop_limit is not None and not 1 <= self.stop_limit <= 10:
            raise PolicyError(f"stop_limit must be 1 to 10, is {self.stop_limit}")
        if self.context_order not in (CONFIGURATION, FINISH):
            raise PolicyError(f"context_order must be configuration or finish, is {self.context_order!r}")
        if self.default_timeout is not None and self.default_timeout <= 0:
            raise PolicyError(f"default_timeout must be above 0, is {self.default_timeout}")
        if self.output_cap < 1024:
            raise PolicyError(f"output_cap must be at least 1024 bytes, is {self.output_cap}")
