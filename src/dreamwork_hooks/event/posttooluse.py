"""PostToolUse: when a ledger file was touched, lint it and tell the model at once. Never blocks.

This module decides whether there is anything to do, and nearly every edit loads no more; the work is in `ledger_check`.
"""

from __future__ import annotations

from typing import Any

from dreamwork_hooks import HOOKS
from dreamwork_hooks.event import skip
from dreamwork_hooks.shapes import After, Answer

HOOK = HOOKS["posttooluse"][1]


def answer(event: dict[str, Any], env: dict[str, str], deadline: float) -> tuple[Answer, After | None]:
    """The answer to one PostToolUse event, and the bookkeeping that may follow it.

    A Write or Edit names the file it touched, and so do the file writers of MCP servers, as `path` or `file_path`.
    After a Bash command (wired on request) the ledger of the event's target is compared with what was last seen of it.
    """
    if event.get("tool_name") == "Bash":
        from dreamwork_hooks.targets.find import target_of

        target = target_of(event, env)
        name = None
        if target is None:
            return skip(HOOK, "not in a dreamwork target"), None
    else:
        tool_input = event.get("tool_input")
        path = tool_input.get("file_path") or tool_input.get("path") if isinstance(tool_input, dict) else None
        if not isinstance(path, str) or not path.endswith(("questions.md", "tasks.md", "/")):
            return skip(HOOK, "not a ledger file"), None  # before anything more is imported
        from dreamwork_hooks.targets.find import is_target, ledger_file, linked_ledger_file

        touched = ledger_file(path, event.get("cwd")) or linked_ledger_file(path, event, env)
        if touched is None:
            return skip(HOOK, "not a ledger file"), None
        target, name = touched
        if not is_target(target):
            return skip(HOOK, "not in a dreamwork target"), None
    from dreamwork_hooks.targets.consent import refusal

    why_not = refusal(target)
    if why_not is not None:
        return skip(HOOK, why_not), None
    from dreamwork_hooks.event.ledger_check import check

    return check(target, name, env, deadline, event)
