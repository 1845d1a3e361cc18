"""The smallest event of each name that passes `parse_event`: for trying a hook without a recording."""

from __future__ import annotations

from dreamwork_hooks.contract.events import EVENTS

_BY_TYPE: dict[str, object] = {
    "string": "",
    "number": 0,
    "boolean": False,
    "object": {},
    "array": [],
    "null": None,
}
_INPUTS: dict[str, dict[str, object]] = {
    "Bash": {"command": "true"},
    "Write": {"file_path": "/tmp/sample.txt", "content": "text\n"},
    "Edit": {"file_path": "/tmp/sample.txt", "old_string": "a", "new_string": "b", "replace_all": False},
    "Read": {"file_path": "/tmp/sample.txt"},
    "NotebookEdit": {"notebook_path": "/tmp/sample.ipynb", "new_source": "1"},
    "Agent": {"description": "a task", "prompt": "do it"},
}


def sample_event(name: str, cwd: str, tool: str = "Bash", **changes: object) -> dict[str, object]:
    """An event with every required field, `changes` laid over it. Raises KeyError for an unknown event."""
    event: dict[str, object] = {}
    for field in EVENTS[name].fields:
        if field.required:
            event[field.name] = field.values[0] if field.values else _BY_TYPE[field.types[0]]
    event["hook_event_name"] = name
    event["session_id"] = "11111111-1111-4111-8111-111111111111"
    event["cwd"] = cwd
    if "tool_name" in event:
        event["tool_name"] = tool
        event["tool_input"] = dict(_INPUTS.get(tool, {}))
    event.update(changes)
    return event
