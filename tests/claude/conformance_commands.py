"""Forms of a command: what its words become, and what it finds around it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.claude.conformance_bench import EVERY_EVENT, Bench, Pair, Seen

Json = dict[str, Any]

# Each prints `<NAME=...>` as a SessionStart hook's plain text, which is context.
SHELL: dict[str, str] = {
    "a variable": '"$HOME"',
    "the project, as a variable": '"$CLAUDE_PROJECT_DIR"',
    "the project, filled in": "'${CLAUDE_PROJECT_DIR}'",
    "a plugin's root, without a plugin": "'${CLAUDE_PLUGIN_ROOT}'",
    "another variable in braces": "'${HOME}'",
    "the working directory": '"$(pwd)"',
    "the client's mark": '"$CLAUDECODE"',
    "the session": '"${CLAUDE_CODE_SESSION_ID:+there}"',
    "the environment file": '"${CLAUDE_ENV_FILE:+there}"',
    "the name of the shell": '"$0"',
    "a tilde": "~",
    "a line break": "'a\nb'",
    "a terminal": '"$(test -t 0 || test -t 1 || test -t 2 || echo none)"',
    "pipefail": '"$( (set -o pipefail) 2>/dev/null; echo $?)"',
    "all of standard input": '"$(head -c 1)$(tail -c 2)"',
}
EXEC: dict[str, list[str]] = {
    "args with a variable": ["$HOME"],
    "args with a star": ["*"],
    "args with a tilde": ["~"],
    "args with the project": ["${CLAUDE_PROJECT_DIR}/x"],
    "args with quotes": ["'a' \"b\""],
    "args with an empty one": [""],
}
OTHER: dict[str, Json] = {
    "args that are none": {"command": "printf <NAME=1>", "args": []},
    "a program that is missing": {"command": "no-such-program-anywhere <NAME=1>"},
    "a program that is missing, with args": {"command": "no-such-program-anywhere", "args": ["<NAME=1>"]},
    "a relative path": {"command": "./there.sh '<NAME=1>'"},
    "a relative path, with args": {"command": "./there.sh", "args": ["<NAME=1>"]},
    "a path that is not executable": {"command": "./plain.sh '<NAME=1>'"},
    "bash asked for": {"command": "[[ a == a ]] && printf '<NAME=1>'; printf '<NAME=2>'", "shell": "bash"},
    "powershell asked for": {"command": "printf '<NAME=1>'", "shell": "powershell"},
    "a time limit": {"command": "printf '<NAME=1>'; sleep 5", "timeout": 0.3},
    "a grandchild that holds the pipe": {"command": "sleep 3 & printf '<NAME=1>'"},
    "a grandchild that does not": {"command": "sleep 3 >/dev/null 2>&1 </dev/null & printf '<NAME=1>'"},
}
CASES = (*SHELL, *EXEC, *OTHER)


def judge(client: Path, root: Path) -> dict[str, Pair]:
    """All of them at the start of one session."""
    bench = Bench.make(root)
    for name, mode in (("there.sh", 0o755), ("plain.sh", 0o644)):
        script = bench.place.project / name
        script.write_text('#!/bin/sh\nprintf %s "$1"\n')
        script.chmod(mode)
    handlers = [*bench.witness("SessionStart")["SessionStart"][0]["hooks"]]
    for number, case in enumerate(CASES):
        name = f"h{number}"
        if case in SHELL:
            entry: Json = {"command": f"printf '<{name}=%s>' {SHELL[case]}"}
        elif case in EXEC:
            entry = {"command": "printf", "args": [f"<{name}=%s>", *EXEC[case]]}
        else:
            entry = _named(OTHER[case], name)
        handlers.append({"type": "command", **entry})
    bench.write("user", {"hooks": {"SessionStart": [{"hooks": handlers}]}})
    compared = bench.compare(client, prompts=["go"])
    by_client = [request.text for request in compared.ran.of_kind("turn")]
    by_host = [text for outcome in compared.outcomes for text in outcome.model]
    pairs = {EVERY_EVENT: compared.every_event}
    for number, case in enumerate(CASES):
        pairs[case] = Pair(Seen(decision=_said(by_client, number)), Seen(decision=_said(by_host, number)))
    return pairs


def _named(entry: Json, name: str) -> Json:
    args = {"args": [word.replace("NAME", name) for word in entry["args"]]} if "args" in entry else {}
    return {**entry, "command": entry["command"].replace("NAME", name), **args}


def _said(texts: list[str], number: int) -> str:
    return ", ".join(sorted({found for text in texts for found in re.findall(rf"<h{number}=[^>]*>", text)}))
