"""The client's tools: their names, the arguments that matter to a hook, and what is known about each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dreamwork_hooks.contract.events import Evidence, measured, unverified

Kind = Literal["shell", "write", "tool"]


@dataclass(frozen=True)
class ToolSpec:
    """One tool. `path` is the argument that names its file."""

    name: str
    kind: Kind = "tool"
    path: str | None = None
    required: tuple[str, ...] = ()
    evidence: Evidence = unverified


_BY_NAME = """
Artifact AskUserQuestion BashOutput CronCreate CronList EnterPlanMode ExitPlanMode ExitWorktree KillShell
ListMcpResourcesTool LSP Monitor ReadMcpResourceTool SendMessage Skill SlashCommand TaskCreate TaskGet TaskList
TaskOutput TaskStop TaskUpdate TodoWrite Workflow
"""

TOOLS: Mapping[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        ToolSpec("Agent", required=("description", "prompt"), evidence=measured),
        ToolSpec("Bash", "shell", required=("command",), evidence=measured),
        ToolSpec("Edit", "write", "file_path", ("file_path", "old_string", "new_string"), measured),
        ToolSpec("EnterWorktree", evidence=measured),
        ToolSpec("NotebookEdit", "write", "notebook_path", ("notebook_path", "new_source"), measured),
        ToolSpec("Read", "tool", "file_path", ("file_path",), measured),
        ToolSpec("ToolSearch", required=("query",), evidence=measured),
        ToolSpec("Write", "write", "file_path", ("file_path", "content"), measured),
        ToolSpec("Glob", "tool", "path", ("pattern",)),
        ToolSpec("Grep", "tool", "path", ("pattern",)),
        ToolSpec("PowerShell", "shell", required=("command",)),
        ToolSpec("WebFetch", required=("url",)),
        ToolSpec("WebSearch", required=("query",)),
        *(ToolSpec(name) for name in _BY_NAME.split()),
    )
}
"""Built-in tools by name. Unverified ones never appeared in a recording."""

ALIASES: Mapping[str, str] = {"Task": "Agent"}
"""Older names a matcher may still use (measured); the event carries the new one."""


def kind_of(name: str) -> Kind:
    """What kind of tool; unknown ones are `tool`."""
    spec = TOOLS.get(name)
    return spec.kind if spec else "tool"


def is_mcp(name: str) -> bool:
    """Whether the name is of a server's tool: `mcp__SERVER__TOOL`."""
    return name.startswith("mcp__")


def missing_arguments(name: str, tool_input: Mapping[str, object]) -> tuple[str, ...]:
    """The required arguments a tool input lacks; none for a tool whose arguments are not known."""
    spec = TOOLS.get(name)
    return tuple(key for key in spec.required if key not in tool_input) if spec else ()
