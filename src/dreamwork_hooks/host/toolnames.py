"""Tool and argument names of another agent, in the client's words and back.

With such a table hooks written for the client run in an agent that calls its tools otherwise, and the
reverse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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
