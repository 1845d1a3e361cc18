"""What the installer writes into the settings, as data: the one place for events, matchers, `if` and time limits."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

WIRED_OPTIONS = ("restore", "audit", "bash", "mcp")  # those that have handlers
# Those that are a line of config.json, and what is said of them when they change.
SWITCHES = {
    "evidence": "Evidence from the transcript is {}recorded at compactions.",
    "notice": "You are {}told of new errors in the ledger.",
}
OPTIONS = (*WIRED_OPTIONS, *SWITCHES)
LEDGER_RULES = ("Write(**/.dreamwork/*.md)", "Edit(**/.dreamwork/*.md)")


@dataclass(frozen=True)
class Wording:
    """How a command names the installed file.

    `portable`: through `$HOME`, so that another home's settings can hold it. `guarded`: where the file is not there the
    command leaves with 0 and prints nothing, as a project's settings need that go to people without it. Of the forms
    that do, the one written costs least under dash and bash: no further process, no search.
    """

    path: str
    home: str = ""
    portable: bool = False
    guarded: bool = False

    def command(self, role: str) -> str:
        """The command for an argument of our file. Raises ValueError for a path that JSON or the shell cannot hold."""
        name = shell_path(self.path, self.home if self.portable else None)
        return f"[ ! -x {name} ] || exec {name} {role}" if self.guarded else f"{name} {role}"

    def names_it(self, value: Mapping[str, object], role: str) -> bool:
        """Whether a handler runs our file with `role`, in any of the forms a person may choose and keep."""
        command, args = value.get("command"), value.get("args")
        if args is not None:  # no shell: nothing but the path itself
            return command == self.path and args == [role]
        names = self._spellings()
        return command in {
            *(f"{name} {role}" for name in names),
            *(f"[ ! -x {name} ] || exec {name} {role}" for name in names),
        }

    def _spellings(self) -> set[str]:
        plain = self.path == shlex.quote(self.path)
        found = {shell_path(self.path), *([self.path, f'"{self.path}"'] if plain else [])}
        rest = self.path[len(self.home.rstrip("/")) :]
        if self.home and shell_path(self.path, self.home)[:1] == '"':
            found.add(shell_path(self.path, self.home))
            if plain:
                for name in ("$HOME", "${HOME}"):
                    found |= {f"{name}{rest}", f'"{name}"{rest}', f'"{name}{rest}"'}
                found.add(f"~{rest}")
        return found


@dataclass(frozen=True)
class WantedGroup:
    """A matcher group of ours. `option` is the `--with` that asks for it, "" for what is always there."""

    event: str
    matcher: str | None
    role: str
    timeout: int
    rules: tuple[str | None, ...] = (None,)
    option: str = ""

    def handlers(self, wording: Wording) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        for rule in self.rules:
            handler: dict[str, object] = {"type": "command"}
            if rule is not None:
                handler["if"] = rule
            handler["command"] = wording.command(self.role)
            handler["timeout"] = self.timeout
            found.append(handler)
        return found

    def group(self, wording: Wording) -> dict[str, object]:
        matcher: dict[str, object] = {} if self.matcher is None else {"matcher": self.matcher}
        return {**matcher, "hooks": self.handlers(wording)}


# `Write|Edit` has two handlers since an `if` takes one rule. Bash has a group of its own: adding and removing it
# leaves the first group's bytes, and its matcher never widens over a handler of the person's in the same group.
GROUPS = (
    WantedGroup("PreCompact", None, "precompact", 5),
    WantedGroup("PostToolUse", "Write|Edit", "posttooluse", 10, LEDGER_RULES),
    WantedGroup("PostToolUse", "Bash", "posttooluse", 10, option="bash"),
    WantedGroup(
        "PostToolUse", "mcp__.*(write|edit|create|move|update|append|replace).*", "posttooluse", 10, option="mcp"
    ),
    WantedGroup("SessionStart", "compact|resume|fork", "sessionstart", 5, option="restore"),
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


def snippet(wording: Wording, options: frozenset[str]) -> dict[str, object]:
    """The `hooks` object as a fresh settings file would hold it."""
    hooks: dict[str, list[object]] = {}
    for group in wanted(options):
        hooks.setdefault(group.event, []).append(group.group(wording))
    return {"hooks": hooks}
