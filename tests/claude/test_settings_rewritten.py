"""Claude Code rewrites its settings from memory during a session; what is installed there must live with that."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.installed import ROOT, TASKS, install, make_target, run_installer
from tests.support.messages_api import say, use
from tests.support.recorder import Recorder
from tests.support.session import Place, run_session

pytestmark = pytest.mark.usefixtures("built")

ALWAYS = {
    "type": "addRules",
    "rules": [{"toolName": "Bash", "ruleContent": "touch *"}],
    "behavior": "allow",
    "destination": "userSettings",
}


def hooks(place: Place) -> Any:
    return json.loads(place.settings.read_text())["hooks"]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place.make(tmp_path)
    place.settings.write_text('{\n\t"model": "opus",\n\t"env": {"A": "1"}\n}\n')
    return place


def test_the_wiring_survives_a_session_that_rewrites_the_settings(client: Path, place: Place, tmp_path: Path) -> None:
    """The person answers a permission request with "always": the client writes the whole file anew."""
    recorder = Recorder(tmp_path / "recorded")
    recorder.wrap(install(place).program, "ours")
    ledger = str(make_target(place.project) / "new.md")
    before, wired = place.settings.read_bytes(), hooks(place)
    turns = [use("Bash", command="touch x"), use("Write", file_path=ledger, content=TASKS), say("done")]
    run_session(client, place, prompts=["go", "/compact"], turns=turns, grant=ALWAYS)

    assert place.settings.read_bytes() != before
    assert json.loads(place.settings.read_text())["permissions"] == {"allow": ["Bash(touch *)"]}
    assert hooks(place) == wired
    events = [record.event["hook_event_name"] for record in recorder.records()]
    assert events == ["PostToolUse", "PreCompact"]


def test_installing_again_after_the_rewrite_changes_nothing(client: Path, place: Place) -> None:
    install(place)
    run_session(client, place, prompts=["go"], turns=[use("Bash", command="touch x")], grant=ALWAYS)
    rewritten = place.settings.read_bytes()
    install(place)
    assert place.settings.read_bytes() == rewritten


def test_uninstalling_after_the_rewrite_leaves_the_clients_own_text(client: Path, place: Place) -> None:
    install(place)
    run_session(client, place, prompts=["go"], turns=[use("Bash", command="touch x")], grant=ALWAYS)
    done = run_installer(place, "--uninstall")
    assert done.returncode == 0, done.stderr
    left = json.loads(place.settings.read_text())
    assert left.get("hooks", {}) == {}
    assert left["permissions"] == {"allow": ["Bash(touch *)"]}
    assert (left["model"], left["env"]) == ("opus", {"A": "1"})


def test_what_is_installed_during_a_session_works_in_that_session(client: Path, place: Place) -> None:
    """The client takes up changed settings within a second; no restart is needed."""
    make_target(place.project)
    command = shlex.join([sys.executable, str(ROOT / "install.py"), "--apply"])
    turns = [use("Bash", command=command), say("installed"), use("Bash", command="sleep 3"), say("waited")]
    ran = run_session(client, place, prompts=["go", "on", "/compact"], turns=turns)
    (summary,) = ran.of_kind("summary")
    assert json.loads(summary.additional_instructions)["hook"] == "precompact-focus"
