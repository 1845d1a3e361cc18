"""Whether a handler's `if` holds for an event.

Read by `contract.permission_rule`; path patterns are gitignore patterns (`pathspec`), anchored as measured.
Links are not resolved; letter case is ignored inside the project and counts elsewhere.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dreamwork_hooks.contract import permission_rule, shell, tools
from dreamwork_hooks.contract.event import Event, ToolEvent
from dreamwork_hooks.contract.permission_rule import InvalidRule, PathPattern

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@dataclass(frozen=True)
class Held:
    """Whether a rule holds, and a sentence that says why."""

    holds: bool
    why: str


def holds(text: str, event: Event, *, home: str) -> Held:
    """Hold an `if` against an event. Directories are absolute."""
    try:
        rule = permission_rule.parse(text)
    except InvalidRule as error:
        return Held(False, f"`if` never holds: {error}")
    if rule is None:
        return Held(True, "no `if`")
    if not isinstance(event, ToolEvent):
        return Held(False, f"`if` holds only for tool events; {event.name} is not one (unverified)")
    if not rule.names(event.tool_name):
        return Held(False, f"`if` names {rule.tool}, the tool is {event.tool_name}")
    if rule.pattern is None:
        return Held(True, f"`if` holds for every {rule.tool}")
    if rule.subject == "command":
        return _command(rule.pattern, str(event.tool_input.get("command", "")))
    if rule.subject == "path":
        return _path(rule.tool, rule.pattern, event, home)
    return _other(rule.pattern, event)


def _command(pattern: str, command: str) -> Held:
    verdict = shell.holds(pattern, command)
    if verdict is None:
        return Held(True, f"the command cannot be parsed, so `{pattern}` runs to be sure")
    return Held(verdict, f"`{pattern}` {'matches' if verdict else 'does not match'} the command")


def _path(tool: str, pattern: str, event: ToolEvent, home: str) -> Held:
    key = tools.TOOLS[tool].path
    given = event.tool_input.get(key) if key else None
    if not isinstance(given, str):
        return Held(False, f"tool_input.{key} is missing, so `if` cannot hold (unverified)")
    path = _absolute(given, event.cwd, home)
    spec = permission_rule.path_pattern(pattern)
    matched = matches_path(spec, path, cwd=event.cwd, home=home)
    where = {"anywhere": "anywhere", "cwd": f"below {event.cwd}", "home": f"below {home}"}.get(
        spec.base, "from the root"
    )
    return Held(matched, f"`{pattern}` ({where}) {'matches' if matched else 'does not match'} {path}")


def matches_path(spec: PathPattern, path: str, *, cwd: str, home: str) -> bool:
    """Whether an anchored pattern matches an absolute, normalised path."""
    if spec.literal is not None and spec.literal == path:
        return True
    if spec.base == "anywhere" and permission_rule.matches_stars(spec.pattern, path, any_letter="?"):
        return True
    base = {"anywhere": cwd, "cwd": cwd, "home": home}.get(spec.base, "/")
    relative = _below(path, base)
    if relative is None:
        return False
    if _too_costly(spec.pattern, relative):
        return True
    compiled = _gitignore(spec.pattern.lower())
    return compiled is not None and compiled.match_file(relative.lower())


def _too_costly(pattern: str, path: str) -> bool:
    """Whether `pathspec`'s regular expression could try more than some ten million ways: then the rule holds to be
    sure. A star stays within one part of a path; `**` goes across them."""
    parts = pattern.split("/")
    across = sum(1 for part in parts if part == "**") + 1
    within = max(len(re.findall(r"\*+", part)) for part in parts)
    names = path.split("/")
    return across * math.log10(len(names) + 1) + within * math.log10(max(map(len, names)) + 1) > 7


@lru_cache(maxsize=256)
def _gitignore(pattern: str) -> GitIgnoreSpec | None:
    from pathspec import GitIgnoreSpec  # most configurations have no path rule

    if pattern.startswith(("!", "#", " ")):
        return None
    pattern = re.sub(r"/{2,}", "/", pattern)
    # The client's classes have no negation: `[!a]` is a `!` or an `a`.
    pattern = re.sub(r"\[([!^])([^\]]+)\]", r"[\2\1]", pattern)
    try:
        return GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        return None


def _absolute(path: str, cwd: str, home: str) -> str:
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    return "/" + os.path.normpath(os.path.join(cwd, path)).lstrip("/")


def _below(path: str, base: str) -> str | None:
    base = base.rstrip("/")
    if path.startswith(base + "/"):
        return path[len(base) + 1 :]
    return None


def _other(pattern: str, event: ToolEvent) -> Held:
    if event.tool_name == "WebFetch" and pattern.startswith("domain:"):
        host = urlsplit(str(event.tool_input.get("url", ""))).hostname or ""
        matched = permission_rule.matches_stars(pattern[len("domain:") :].lower(), host.lower())
        return Held(matched, f"`{pattern}` {'matches' if matched else 'does not match'} {host} (unverified)")
    if event.tool_name == "Agent":
        kind = str(event.tool_input.get("subagent_type", ""))
        return Held(pattern == kind, f"the agent's type is {kind!r} (unverified)")
    return Held(True, f"what `{pattern}` means for {event.tool_name} is unverified, so it runs to be sure")
