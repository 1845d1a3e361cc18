"""What the installer writes into the settings, as data: the one place for events, matchers, `if` and time limits."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

OPTIONS = ("restore", "audit", "bash", "evidence")
WIRED_OPTIONS = ("restore", "audit", "bash")  # those that have handlers; evidence is a line of config.json
LEDGER_RULES = ("Write(**/.dreamwork/*.md)", "Edit(**/.dreamwork/*.md)")


@dataclass(frozen=True)
class WantedGroup:
    """A matcher group of ours. `option` is the `--with` that asks for it, "" for what is always there."""

    event: str
    matcher: str | None
    role: str
    timeout: int
    rules: tuple[str | None, ...] = (None,)
    option: str = ""

    def handlers(self, program: str) -> list[dict[str, object]]:
        """The handlers, `program` being the file's path as the shell is to read it."""
        found: list[dict[str, object]] = []
        for rule in self.rules:
            handler: dict[str, object] = {"type": "command"}
            if rule is not None:
                handler["if"] = rule
            handler["command"] = f"{program} {self.role}"
            handler["timeout"] = self.timeout
            found.append(handler)
        return found

    def group(self, program: str) -> dict[str, object]:
        matcher: dict[str, object] = {} if self.matcher is None else {"matcher": self.matcher}
        return {**matcher, "hooks": self.handlers(program)}


# `Write|Edit` has two handlers since an `if` takes one rule. Bash has a group of its own: adding and removing it
# leaves the first group's bytes, and its matcher never widens over a handler of the person's in the same group.
GROUPS = (
    WantedGroup("PreCompact", None, "precompact", 5),
    WantedGroup("PostToolUse", "Write|Edit", "posttooluse", 10, LEDGER_RULES),
    WantedGroup("PostToolUse", "Bash", "posttooluse", 10, option="bash"),
    WantedGroup("SessionStart", "compact|resume", "sessionstart", 5, option="restore"),
    WantedGroup("PostCompact", None, "postcompact", 5, option="audit"),
)


def wanted(options: frozenset[str]) -> list[WantedGroup]:
    return [group for group in GROUPS if not group.option or group.option in options]


def shell_path(path: str, home: str | None = None) -> str:
    """`path` as one word of `sh`; below `home`, when given, written through `$HOME` so that others can share it.

    Raises ValueError for a path that JSON or the shell cannot hold.
    """
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"the path {path!a} is not UTF-8, which a settings file has to be") from None
    if home and path.startswith(home.rstrip("/") + "/"):
        rest = path[len(home.rstrip("/")) :]
        return '"$HOME"' + (rest if rest == shlex.quote(rest) else shlex.quote(rest))
    return "'" + path.replace("'", "'\"'\"'") + "'"


def snippet(program: str, options: frozenset[str]) -> dict[str, object]:
    """The `hooks` object as a fresh settings file would hold it."""
    hooks: dict[str, list[object]] = {}
    for group in wanted(options):
        hooks.setdefault(group.event, []).append(group.group(program))
    return {"hooks": hooks}
