"""Every answer fits its 4,000 characters, and what is read out of it is whole, whatever alphabet a target writes in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks import MAX_ANSWER
from dreamwork_hooks.event import door as entry
from tests.support.machine import Machine, check_answer
from tests.support.spawn import clean_env, run_hook
from tests.support.targets import precompact_event, write_event
from tests.support.transcripts import Transcript

WIDE = {
    "a letter outside ASCII": "漢",
    "a letter of two surrogates": "🚰",
    "a quotation mark": '"',
    "a backslash": "\\",
}
MORE = {
    "sessionstart": {"hook_event_name": "SessionStart", "source": "compact"},
    "postcompact": {"hook_event_name": "PostCompact", "compact_summary": "<summary>nothing of it</summary>"},
}


@pytest.fixture
def machine(tmp_path: Path, home: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.fresh()
    return machine


def wide_target(machine: Machine, letter: str) -> Path:
    """A target where every text is `letter` over and over, with a session that did much; its transcript."""
    status = {"task": letter * 300, "current_task_ids": [letter * 30] * 30, "goal": letter * 300}
    machine.put(".dreamwork/status.json", json.dumps(status).encode())
    tasks = "".join(f"- **#{number // 2 + 2}** — {letter * 90} · P9 ·\n" for number in range(60))
    machine.put(".dreamwork/tasks.md", f"# Tasks\n\nNext id: **1**\n\n## Open\n\n{tasks}".encode())
    machine.hooks.mkdir(parents=True, exist_ok=True)
    (machine.hooks / "config.json").write_text('{"evidence": true}')
    told = Transcript()
    for number in range(14):
        told = told.write(machine.target / f"{number}{letter * 190}").bash(f"{number}{letter * 190}")
    path = machine.root / "transcript.jsonl"
    path.write_bytes(told.encoded())
    return path


def told_to(answer: dict[str, Any]) -> str:
    specific = answer.get("hookSpecificOutput", {})
    text = answer.get("preserve") or specific.get("additionalContext") or answer.get("systemMessage")
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("letter", WIDE.values(), ids=WIDE)
@pytest.mark.parametrize("argument", ["", "🚰" * 20_000], ids=["", "and an argument"])
def test_what_is_read_out_of_an_answer_is_whole(pyz: Path, machine: Machine, letter: str, argument: str) -> None:
    transcript = wide_target(machine, letter)
    ends = {
        "precompact": "tasks.md.",
        "posttooluse": " more errors, 0 more warnings",
        "sessionstart": "tasks.md.",
        "postcompact": "the command `focus` shows them.",
    }
    for word in ("precompact", "posttooluse", "postcompact", "sessionstart", "precompact"):
        event = {**precompact_event(machine.target, transcript_path=str(transcript)), **MORE.get(word, {})}
        if word == "posttooluse":
            event = write_event(machine.target / ".dreamwork/tasks.md", machine.target)
        command = [pyz, word, argument] if argument else [pyz, word]
        ran = run_hook(command, json.dumps(event).encode(), env=clean_env(machine.home))
        answer = check_answer(ran.out)
        text = told_to(answer)
        assert text.endswith(ends[word]), text
        if word != "posttooluse":  # which tells a finding's subject in the rules' own way
            assert text.count('"') % 2 == 0, text
        else:
            assert all(row.startswith(("dreamwork ", "tasks.md", "and ")) for row in text.split("\n")), text


@pytest.mark.parametrize("letter", WIDE.values(), ids=WIDE)
def test_an_answer_that_is_too_long_all_the_same_is_cut_to_one_object(letter: str) -> None:
    answer = {
        "ok": True,
        "hook": "h",
        "preserve": letter * 9_000,
        "focus": {"goal": letter * 9_000, letter * 9_000: None, "ids": [letter * 99] * 999},
        "note": letter * 9_000,
        "number": 10**900,
    }
    data = entry._on_the_wire(answer)
    assert len(data) <= MAX_ANSWER
    assert json.loads(data)["ok"] is True
    assert data.endswith(b"}\n")
