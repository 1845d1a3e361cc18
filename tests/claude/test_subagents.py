"""A subagent of a real session is compacted, and then the session: the two are told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.claude.round_trip import EVERYTHING, logged, prepare
from tests.support.installed import STATUS
from tests.support.messages_api import FULL, Text, Turn, Use, say, use
from tests.support.session import Ran, run_session

pytestmark = pytest.mark.usefixtures("built")

ASKED = "look at every valve, please"
AGENT = (
    use("Bash", command="echo one"),
    Turn((Text("half of it"), Use("Bash", {"command": "echo two"})), FULL),
    say("looked at all"),
)
ALLOWED = ("--permission-mode", "acceptEdits", "--allowedTools", "Write,Edit,Read,Bash,Agent,Task")


def test_a_subagents_compaction_is_not_the_sessions(client: Path, tmp_path: Path) -> None:
    installed = prepare(tmp_path, EVERYTHING)
    start = use("Agent", description="look", prompt=ASKED, subagent_type="general-purpose", run_in_background=False)
    ran = run_session(
        client,
        installed.place,
        prompts=["look", "/compact", "go on"],
        turns=[start, say("looked"), say("on"), say("on")],
        agents={ASKED: AGENT},
        arguments=ALLOWED,
    )
    assert len(ran.of_kind("summary")) == 2, "the subagent was not compacted"
    assert [record["trigger"] for record in installed.records()] == ["manual"]
    (audit,) = logged(installed, "compaction-audit.jsonl")
    assert (audit["trigger"], audit["lost"], audit["restored"]) == ("manual", [], True)
    assert "the summary lost" not in shown(ran)
    assert str(STATUS["task"]) in ran.of_kind("turn")[-1].text


def shown(ran: Ran) -> str:
    return "\n".join(str(message.get("message", {}).get("content")) for message in ran.stream)
