"""What `history` says of a session is what the session's own hooks logged, on the real client of today."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.history import NEVER_WRITTEN, SILENT
from tests.support.messages_api import say, use
from tests.support.session import Json, Place, run_session

Hooks = dict[str, list[Json]]


def hook(word: str, script: str = "true", **more: object) -> Json:
    """A hook that logs its word, then does what `script` says."""
    return {"type": "command", "command": f"echo {word} >> $HOME/hooks.log; {script}", **more}


CONTEXT = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"a note"}}'
HOOKS: dict[str, list[Json]] = {
    "SessionStart": [hook("start-print", "echo context"), hook("start-silent"), hook("start-fail", "exit 4")],
    "PreToolUse": [
        hook("pre-silent"),
        hook("pre-print", "echo hello"),
        hook("pre-fail", "echo broken >&2; exit 1"),
        hook("pre-slow", "sleep 5", timeout=0.3),
        hook("pre-ctx", f"echo '{CONTEXT}'"),
        hook("pre-block", "grep -q forbidden && { echo not that >&2; exit 2; }; exit 0"),
    ],
    "PostToolUse": [
        hook("post-silent"),
        hook("post-gone", "/nonexistent/program"),
        hook("post-block", "echo x >&2; exit 2"),
    ],
    "Stop": [hook("stop-silent"), hook("stop-fail", "echo broke >&2; exit 1")],
    "PreCompact": [hook("compact-print", "echo keep this")],
    "SessionEnd": [hook("end")],
}


@pytest.fixture(scope="module")
def told(client: Path, built: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Counter[str], dict[str, Any]]:
    """(what the hooks logged, what `history --json` says) of one session."""
    place = Place.make(tmp_path_factory.mktemp("history"))
    place.hook(**{event: [{"hooks": hooks}] for event, hooks in HOOKS.items()})
    turns = [
        use("Bash", command="echo one", description="say one"),
        use("Bash", command="echo forbidden", description="say another"),
        say("done"),
        say("done again"),
    ]
    ran = run_session(client, place, prompts=["begin", "/compact", "go on"], turns=turns)
    assert ran.code == 0
    env = {"HOME": str(place.home), "CLAUDE_CONFIG_DIR": str(place.config_dir), "PATH": "/usr/bin:/bin"}
    command = [str(built), "history", "--json"]
    said = subprocess.run(command, cwd=place.project, env=env, capture_output=True, check=True, timeout=60).stdout
    return Counter((place.home / "hooks.log").read_text().split()), json.loads(said)


def word_of(hook: Json) -> str:
    return str(hook["command"]).split()[1]


def test_the_runs_told_are_those_the_hooks_logged(told: tuple[Counter[str], dict[str, Any]]) -> None:
    logged, said = told
    blocked = {"pre-block": 1}  # its other run was a silent success
    expected = {word: blocked.get(word, runs) for word, runs in logged.items() if word not in SILENT | NEVER_WRITTEN}
    assert {word_of(hook): hook["runs"] for hook in said["hooks"]} == expected


def test_failures_time_outs_and_blocks_are_told_apart(told: tuple[Counter[str], dict[str, Any]]) -> None:
    logged, said = told
    ends = {word_of(hook): (hook["failures"], hook["timeouts"], hook["blocks"]) for hook in said["hooks"]}
    bad = {word: end for word, end in ends.items() if end != (0, 0, 0)}
    assert bad == {
        "start-fail": (logged["start-fail"], 0, 0),
        "pre-fail": (2, 0, 0),
        "pre-slow": (0, 2, 0),
        "pre-block": (0, 0, 1),
        "post-gone": (1, 0, 0),
        "post-block": (0, 0, 1),
        "stop-fail": (2, 0, 0),
    }


def test_what_the_client_wrote_nothing_of_is_said_as_not_seen(told: tuple[Counter[str], dict[str, Any]]) -> None:
    _, said = told
    assert {word_of(hook) for hook in said["not_seen"]} == (SILENT | NEVER_WRITTEN) & set(told[0])
    assert said["compactions"] == 1
