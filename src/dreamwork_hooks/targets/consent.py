"""Consent: the `Load:` line for this plugin in the target's DREAMWORK.md, by the grammar of the loop's own resolver.

The grammar is line by line and strict: where the resolver would fail, no plugin of that file is loaded, however good
the line for this one is.
"""

from __future__ import annotations

import os

from dreamwork_hooks import PLUGIN
from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.targets.find import target_of

MAX_BYTES = 262144
MAX_PLUGINS = 32
LINE = "- Load: `" + PLUGIN + "`"
_PREFIX = "ud-dreamwork-"


class Unresolvable(Exception):
    """The resolver would refuse the file; `rule` is oversize, not-utf8, bad-id, duplicate or too-many."""

    def __init__(self, rule: str, why: str) -> None:
        super().__init__(why)
        self.rule = rule


NO_TARGET = "no dreamwork target here"


def consenting_target(event: dict[str, object], env: dict[str, str]) -> tuple[str, str | None]:
    """(the event's target, None) where one loads this plugin, else ("", why the event is none of ours)."""
    target = target_of(event, env)
    if target is None:
        return "", NO_TARGET
    why = refusal(target)
    return ("", why) if why is not None else (target, None)


def refusal(target: str) -> str | None:
    """Why this plugin is not loaded for `target`, in a few words; None when it is."""
    try:
        data = read_regular(os.path.join(target, "DREAMWORK.md"), MAX_BYTES)
        plugins = resolve(data)
    except Unreadable as error:
        if error.absent:
            return "there is no DREAMWORK.md"
        return "DREAMWORK.md is " + str(error)
    except Unresolvable as error:
        return "DREAMWORK.md does not resolve: " + str(error)
    if PLUGIN not in plugins:
        return "DREAMWORK.md does not load this plugin" + near_miss(data)
    return None


def near_miss(data: bytes) -> str:
    """Of a file that does not load this plugin: where it nearly does, and what that line must be; empty when nowhere.

    A line that names the plugin, however spelt, and says `load` or stands below a Plugins heading was meant to be one.
    """
    number = 0
    inside = False
    for line in data.decode("utf-8", "replace").splitlines():
        number += 1
        if line.startswith("##") and line[2:3].isspace():
            inside = line[2:].strip().casefold() == "plugins"
            continue
        folded = line.casefold().replace("_", "-").replace(" ", "-")
        if "dreamwork-hooks" not in folded or not (inside or "load" in folded):
            continue
        if _declared(line) == PLUGIN:  # and not inside
            return ": line " + str(number) + " would, below a `## Plugins` heading"
        where = "" if inside else ", below a `## Plugins` heading"
        return ": line " + str(number) + " is nearly it and must read " + LINE + where
    return ""


def resolve(data: bytes) -> list[str]:
    """The ids that the Plugins sections declare, in file order.

    Raises:
        Unresolvable: the file as a whole declares nothing.
    """
    if len(data) > MAX_BYTES:
        raise Unresolvable("oversize", "larger than " + str(MAX_BYTES) + " bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Unresolvable("not-utf8", "not UTF-8") from None
    plugins: list[str] = []
    inside = False
    number = 0
    # The wide cut: CRLF is one line end, and so are a lone CR, a form feed and U+2028.
    for line in text.splitlines():
        number += 1
        if line.startswith("##") and line[2:3].isspace():
            heading = line[2:].strip()
            if heading:
                inside = heading.casefold() == "plugins"
            continue
        declared = _declared(line) if inside else None
        if declared is None:
            continue
        if not _valid(declared):
            raise Unresolvable("bad-id", "line " + str(number) + " names an id that is not valid")
        if declared in plugins:
            raise Unresolvable("duplicate", "line " + str(number) + " names an id twice")
        if len(plugins) == MAX_PLUGINS:
            raise Unresolvable("too-many", "more than " + str(MAX_PLUGINS) + " plugins")
        plugins.append(declared)
    return plugins


def _declared(line: str) -> str | None:
    """The back-ticked text of a line ``- Load: `TEXT` `` then white space or nothing; None for any other line."""
    rest = line.lstrip()
    if rest[:1] != "-":
        return None
    rest = rest[1:].lstrip()
    if rest[:5] != "Load:":
        return None
    rest = rest[5:].lstrip()
    if rest[:1] != "`":
        return None
    end = rest.find("`", 1)
    if end < 2:
        return None
    after = rest[end + 1 : end + 2]
    return rest[1:end] if not after or after.isspace() else None


def _valid(name: str) -> bool:
    """Whether `name` is `ud-dreamwork-` and groups of `a-z0-9` joined by single hyphens."""
    if not name.startswith(_PREFIX):
        return False
    for group in name[len(_PREFIX) :].split("-"):
        if not group or group.strip("abcdefghijklmnopqrstuvwxyz0123456789"):
            return False
    return True
