"""Events with types: what a hook is told, with the parts a host needs pulled out by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dreamwork_hooks.contract.spec import EventSpec


@dataclass(frozen=True)
class Event:
    """Any event. `raw` is all of it, as it goes to the hook."""

    spec: EventSpec
    raw: Mapping[str, object]
    kind: str
    """The host-neutral word: `shell.pre`, `write.post`, `session.start`, `stop`, ..."""
    session_id: str
    transcript_path: str
    cwd: str
    subject: str | None
    """What a matcher is tested against; None when the event takes no matcher."""
    agent_id: str | None
    """Set inside a subagent, and for events about one."""
    agent_type: str | None

    @property
    def name(self) -> str:
        """The client's name of the event."""
        return self.spec.name


@dataclass(frozen=True)
class ToolEvent(Event):
    """An event about one tool call."""

    tool_name: str
    tool_input: Mapping[str, object]
    tool_use_id: str | None
    tool_response: object


@dataclass(frozen=True)
class ShellEvent(ToolEvent):
    """A tool event of a shell."""

    command: str


@dataclass(frozen=True)
class WriteEvent(ToolEvent):
    """A tool event of a tool that writes files. Paths as the event has them, and absolute."""

    targets: tuple[str, ...]
    absolute_targets: tuple[str, ...]


@dataclass(frozen=True)
class PromptEvent(Event):
    """The person's prompt, before it reaches the model."""

    prompt: str


@dataclass(frozen=True)
class StopEvent(Event):
    """The agent, or a subagent, is about to stop."""

    stop_hook_active: bool
    """Whether a hook already kept it from stopping in this turn."""
    last_assistant_message: str | None


@dataclass(frozen=True)
class SessionEvent(Event):
    """A session begins or ends; `source` is the source or the reason."""

    source: str


@dataclass(frozen=True)
class CompactEvent(Event):
    """Before or after a compaction."""

    trigger: str
    custom_instructions: str | None
    compact_summary: str | None
