"""Shell command rules: `Bash(git *)` held against a command line, as measured.

The rule holds when it matches one of the line's simple commands (`shell_commands`), written as its unquoted words with
single spaces. Where the line cannot be taken apart it holds to be sure; where only an expansion is unknown, a rule that
names nothing but the program (`git *`, `git:*`) is still judged, and every other one holds to be sure.
"""

from __future__ import annotations

import re

from dreamwork_hooks.contract.shell_commands import Opaque, parse

_PROGRAM_RULE = re.compile(r"[^\s*]*(?:\*| \*|:\*)")


def holds(pattern: str, command: str) -> bool | None:
    """Whether a rule's pattern matches a command line; None when that cannot be told."""
    try:
        found = parse(command)
    except (Opaque, RecursionError):
        return None
    wanted = _regex(" ".join(pattern.split()))
    for words in found.commands:
        if wanted.fullmatch(" ".join(words)):
            return True
        # What xargs runs is looked at, unless options stand between.
        if words[0] == "xargs" and len(words) > 1 and wanted.fullmatch(" ".join(words[1:])):
            return True
    if found.unsure and not _PROGRAM_RULE.fullmatch(pattern):
        return None
    return False


def _regex(pattern: str) -> re.Pattern[str]:
    for ending in (":*", " *"):
        if pattern.endswith(ending) and pattern.count("*") == 1:
            return re.compile(re.escape(pattern[:-2]) + r"(?:\s.*)?", re.DOTALL)
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")), re.DOTALL)
