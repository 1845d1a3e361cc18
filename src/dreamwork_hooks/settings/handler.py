"""One configured hook, with the place it was read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dreamwork_hooks.settings.shape import COMMAND, HTTP

RUNNABLE = (COMMAND, HTTP)


@dataclass(frozen=True)
class Handler:
    """A handler as its settings file has it. Times are seconds."""

    event: str
    layer: str
    path: str
    line: int
    group: int
    index: int
    type: str = COMMAND
    matcher: str | None = None
    command: str = ""
    args: tuple[str, ...] | None = None
    """Set for the exec form (no shell); an empty list counts as one (measured)."""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)
    allowed_env: tuple[str, ...] = ()
    rule: str = ""
    """The `if`."""
    timeout: float | None = None
    shell: str | None = None
    background: bool = False
    """`async: true`."""
    rewake: bool = False
    """`asyncRewake: true`."""
    once: bool = False
    status_message: str = ""
    fail_closed: bool = False
    """An addition of this host, behind a policy: the client ignores the key."""
    plugin_root: str | None = None

    @property
    def label(self) -> str:
        """A short name that is unique within a configuration: `user PreToolUse[0].hooks[1]`."""
        return f"{self.layer} {self.event}[{self.group}].hooks[{self.index}]"

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.path}:{self.line}"

    @property
    def identity(self) -> tuple[object, ...]:
        """Two handlers with one identity run once (measured).

        `if` is part of it; timeout, statusMessage, async, shell, matcher and file are not. For two plugins
        with the same text the root counts, since the commands differ once it is filled in.
        """
        target = self.url if self.type == HTTP else self.command
        root = self.plugin_root if "CLAUDE_PLUGIN_ROOT" in target + " ".join(self.args or ()) else None
        return (self.event, self.type, target, self.args, self.rule, root)

    def shown(self) -> str:
        """What it runs, on one line."""
        if self.type == HTTP:
            return self.url
        if self.type != COMMAND:
            return self.type
        return " ".join([self.command, *self.args]) if self.args is not None else self.command
