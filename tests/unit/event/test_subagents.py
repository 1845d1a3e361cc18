"""A subagent's compaction carries its parent's session id: it is told from the session's own, or nothing is said.

The transcripts are shaped as Claude Code 2.1.332 leaves them at each moment: measured with a session and a subagent
that compact alone, one after the other, and at once.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.evidence.whose import compacting
from tests.support.loop import SESSION, Loop

TASK = "#2 — fit the valve"


class Conversations:
    """The transcript of a session and, beside it, of a subagent."""

    def __init__(self, root: Path) -> None:
        self.session = root / "projects" / f"{SESSION}.jsonl"
        self.agent = root / "projects" / SESSION / "subagents" / "agent-a94fb250dfce59db5.jsonl"
        self.agent.parent.mkdir(parents=True)
        self.session.touch()

    def add(self, file: Path, *lines: dict[str, Any]) -> None:
        with file.open("a") as stream:
            for line in lines:
                stream.write(json.dumps({"isSidechain": file == self.agent, **line}) + "\n")


def asked(content: Any = "go on", **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **more}


def ran() -> dict[str, Any]:
    return asked([{"type": "tool_result", "tool_use_id": "t", "content": "x"}])


def answered(tokens: int = 20_000) -> dict[str, Any]:
    usage = {"input_tokens": tokens, "cache_read_input_tokens": 0, "output_tokens": 1}
    content = [{"type": "text", "text": "done"}]
    return {"type": "assistant", "message": {"role": "assistant", "content": content, "usage": usage}}


BOUNDARY = {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}
COMMAND = asked("<local-command-stdout>Compacted</local-command-stdout>")


@pytest.fixture
def said(tmp_path: Path) -> Conversations:
    return Conversations(tmp_path)


def whose(said: Conversations, trigger: str = "auto") -> str:
    return compacting({"trigger": trigger, "transcript_path": str(said.session)}, time.time(), 5.0)


FULL = 972_000
AT_WORK = [asked(), answered(), ran()]
WAITING = [asked(), answered()]


@pytest.mark.parametrize(
    ("session", "agent", "expected"),
    [
        pytest.param([asked(), answered(FULL), asked()], [], "session", id="no subagent"),
        pytest.param([asked(), answered(FULL), asked()], WAITING, "session", id="a subagent that is done"),
        pytest.param(WAITING, [asked(), answered(FULL), ran()], "subagent", id="the session waits"),
        pytest.param([*WAITING, COMMAND], [asked(), answered(FULL), ran()], "subagent", id="after a command"),
        pytest.param([*WAITING, asked("x", isMeta=True)], [answered(FULL), ran()], "subagent", id="after a caveat"),
        pytest.param(AT_WORK, [asked(), answered(FULL), ran()], "subagent", id="both at work, it is full"),
        pytest.param([answered(FULL), ran()], AT_WORK, "session", id="both at work, the session is full"),
        pytest.param([answered(FULL), ran()], [answered(FULL), ran()], "unknown", id="both full"),
        pytest.param([], [], "session", id="empty"),
        pytest.param(WAITING, [{"type": "user", "message": 7}], "subagent", id="a shape nobody thought of"),
    ],
)
def test_who_is_about_to_ask_is_who_is_compacted(
    said: Conversations, session: list[Any], agent: list[Any], expected: str
) -> None:
    said.add(said.session, *session)
    said.add(said.agent, *agent)
    assert whose(said) == expected
    assert whose(said, "manual") == "session"


def test_a_subagent_of_long_ago_is_none(said: Conversations) -> None:
    said.add(said.session, *WAITING)
    said.add(said.agent, answered(FULL), ran())
    os.utime(said.agent, (time.time() - 3600,) * 2)
    assert whose(said) == "session"


class Both:
    """A loop whose session and subagent are compacted."""

    def __init__(self, loop: Loop, said: Conversations) -> None:
        self.loop = loop
        self.said = said

    def before(self, trigger: str = "auto") -> dict[str, Any]:
        return self.loop.precompact(trigger=trigger, transcript_path=str(self.said.session))

    def subagent(self) -> None:
        """The three events of a subagent's compaction, by itself."""
        assert self.before()["reason"] == "a subagent's compaction"
        assert self.loop.start()["skipped"]
        assert self.loop.postcompact("nothing of it")["reason"] == "a subagent's compaction"
        self.said.add(
            self.said.agent, BOUNDARY, asked("This session is being continued", isCompactSummary=True), answered()
        )


@pytest.fixture
def both(loop: Loop, said: Conversations) -> Both:
    said.add(said.session, *WAITING)
    said.add(said.agent, asked(), answered(FULL), ran())
    return Both(loop, said)


def test_a_subagents_compaction_loses_nothing_and_the_sessions_own_is_audited(both: Both) -> None:
    """Seconds apart, as it happens when a subagent ends."""
    both.subagent()
    assert both.loop.records == both.loop.audits == []
    assert both.before("manual")["wrote"] is True
    assert TASK in both.loop.restored()
    answer = both.loop.postcompact(f"{TASK} #2 #9a", trigger="manual")
    assert (answer["kept"], answer["lost"]) == (3, 0)
    assert "systemMessage" not in answer


def test_after_the_sessions_own_compaction_a_subagents_gives_nothing_back_and_audits_nothing(both: Both) -> None:
    assert both.before("manual")["wrote"] is True
    assert TASK in both.loop.restored()
    both.loop.postcompact("nothing", trigger="manual")
    both.subagent()
    assert len(both.loop.records) == len(both.loop.audits) == 1
    assert "Lost by the last compaction" in both.loop.restored("resume")


def test_compacted_at_once_the_session_has_its_record_and_nothing_false_is_said(both: Both) -> None:
    assert both.before("manual")["wrote"] is True
    assert both.before()["reason"] == "a subagent's compaction"
    assert TASK in both.loop.restored()  # one is the session's, the other the subagent's
    assert TASK in both.loop.restored()
    assert both.loop.restored("resume") == ""
    assert both.loop.postcompact(f"{TASK} #2 #9a", trigger="manual")["lost"] == 0
    assert both.loop.postcompact("nothing of it")["reason"] == "a subagent's compaction"
    assert len(both.loop.audits) == 1


def test_where_it_cannot_be_told_nothing_is_said_to_be_lost(both: Both) -> None:
    both.said.add(both.said.session, asked(), answered(FULL), asked())
    assert both.before()["wrote"] is True
    assert both.loop.records[0]["whose"] == "unknown"
    answer = both.loop.postcompact("nothing of it")
    assert answer["reason"] == "it is unknown whether this is the session's compaction or a subagent's"
    assert both.loop.audits == []
