"""Hook runs in transcripts: every shape the client was seen to write, and anything else passed over."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamwork_hooks.history import transcripts as reading
from dreamwork_hooks.history.runs import Compaction, Reader, Run
from dreamwork_hooks.history.transcripts import transcripts
from tests.conftest import ROOT
from tests.support.history import (
    LAST_STOP_MISSING,
    NEVER_WRITTEN,
    RECORDED,
    SILENT,
    VERSIONS,
    line,
    logged,
    put,
    word_of,
)


def runs(*names: str, reader: Reader | None = None) -> list[Run]:
    reader = reader or Reader()
    seen = [one for name in names for one in reader.read(RECORDED / f"{name}.jsonl")]
    return [one for one in seen if isinstance(one, Run)]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_runs_seen_are_those_the_hooks_logged(version: str) -> None:
    """All but silent successes, which leave no trace, and the three events at which the client writes down none."""
    expected = logged(version)
    for word in SILENT | NEVER_WRITTEN:
        del expected[word]
    if version in LAST_STOP_MISSING:
        expected["stop-silent"] -= 1
    assert Counter(word_of(run.command) for run in runs(version)) == expected


@pytest.mark.parametrize("version", VERSIONS)
def test_each_run_has_its_end(version: str) -> None:
    ends = {(word_of(run.command), run.ended, run.exit) for run in runs(version)}
    words = {word for word, _, _ in ends}
    assert ends == {
        *((word, "succeeded", 0) for word in words if word.endswith(("-print", "-ctx", "-sysmsg", "-silent", "-hook"))),
        ("pre-fail", "failed", 1),
        ("post-fail", "failed", 3),
        ("post-gone", "failed", 127),
        ("start-fail", "failed", 4),
        ("stop-fail", "failed", 1),
        ("prompt-fail", "failed", 1),
        ("pre-slow", "timed out", None),
        ("post-block", "blocked", None),
        ("pre-block", "blocked", None),
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_standard_error_is_the_hooks_own(version: str) -> None:
    said = {word_of(run.command): run.stderr for run in runs(version) if run.ended in ("failed", "blocked")}
    assert said["pre-fail"] == "broken\nsecond"
    assert said["start-fail"] == ""
    assert said["post-gone"].endswith("/nonexistent/prog: not found")
    assert said["post-block"] == "mind the gap\n"
    assert said["pre-block"] == "no forbidden words\n"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_compaction_is_seen(version: str) -> None:
    seen = [one for one in Reader().read(RECORDED / f"{version}.jsonl") if isinstance(one, Compaction)]
    assert [(one.trigger, one.subagent) for one in seen] == [("manual", False)]


def test_every_other_way_to_answer_is_read() -> None:
    seen = Counter((run.event, run.ended, run.command.split(" ")[0]) for run in runs("answers"))
    assert seen[("PreToolUse", "failed", "")] > 0, "an async hook's end, which does not say whose it is"
    assert seen[("PreToolUse", "blocked", "")] == 1, "a deny by an answer"
    assert seen[("PostToolUse", "blocked", "echo")] == 1
    assert seen[("UserPromptSubmit", "blocked", "if")] == 1
    assert seen[("Stop", "blocked", "if")] == seen[("Stop", "succeeded", "if")] == 3
    assert seen[("PreToolUse", "succeeded", "/home/me/g.sh")] == 2, "the exec form, with its arguments"
    assert {run.command for run in runs("answers")} >= {"/home/me/g.sh a b c", "${CLAUDE_PROJECT_DIR}/../g.sh one"}


def test_a_forked_session_repeats_nothing() -> None:
    alone, together = runs("answers"), runs("answers", "forked")
    assert len(together) == len(alone) + 2, "the fork's own Stop, which blocked once"
    assert len(runs("forked")) == len(together)


def test_a_subagents_transcript_is_read_too(tmp_path: Path) -> None:
    directory = put(tmp_path, "answers")
    (directory / "an-id" / "subagents").mkdir(parents=True)
    put(tmp_path, "subagent").joinpath("subagent.jsonl").rename(directory / "an-id" / "subagents" / "agent-a.jsonl")
    assert sorted(path.name for path in transcripts(tmp_path)) == ["agent-a.jsonl", "answers.jsonl"]
    assert {run.event for run in runs("subagent")} == {"PreToolUse", "PostToolUse", "SubagentStop"}


def test_only_one_project_is_asked_for(tmp_path: Path) -> None:
    put(tmp_path, "answers")
    put(tmp_path, "subagent", project="-home-me-other-one")
    assert [path.name for path in transcripts(tmp_path, Path("/home/me/other.one"))] == ["subagent.jsonl"]


def test_what_came_before_is_left_out(tmp_path: Path) -> None:
    late = Reader(since=4e9)
    assert runs("2.1.332", reader=late) == []
    assert transcripts(put(tmp_path, "2.1.332").parents[1], since=4e9) == []


def test_the_commands_end_is_found_where_it_holds_the_sign_itself(tmp_path: Path) -> None:
    command = "echo '[a]: b' >&2; exit 2"
    said = f"PreToolUse:Bash hook error: [{command}]: [a]: b\n"
    block = {"type": "tool_result", "is_error": True, "content": said, "tool_use_id": "t"}
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"type": "user", "message": {"content": [block]}}) + "\n")
    (run,) = Reader(frozenset({command})).read(path)
    assert isinstance(run, Run)
    assert (run.command, run.stderr) == (command, "[a]: b\n")


def test_words_of_the_conversation_are_no_runs(tmp_path: Path) -> None:
    """Somebody who talks about hooks, in a message and in a tool's output that is no error."""
    text = line() + "PreToolUse:Bash hook error: [x]: y" + '"stop_hook_summary"'
    blocks = [{"type": "text", "text": text}, {"type": "tool_result", "content": text, "is_error": False}]
    entry = {"type": "user", "message": {"role": "user", "content": blocks}}
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(entry) + "\n" + json.dumps({**entry, "type": "assistant"}) + "\n")
    reader = Reader()
    assert list(reader.read(path)) == []
    assert reader.passed.torn == 0


def test_torn_foreign_and_enormous_lines_are_counted_and_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LONGEST_LINE", 5000)
    path = tmp_path / "t.jsonl"
    path.write_text(line()[:-20] + "\n" + line(command="y" * 6000) + '["type":"hook_ ]\n' + line() + line()[:-1])
    reader = Reader()
    assert [run.command for run in reader.read(path) if isinstance(run, Run)] == ["x"]
    assert (reader.passed.torn, reader.passed.long) == (3, 1)


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    reader = Reader()
    assert list(reader.read(tmp_path / "gone.jsonl")) == []
    assert list(reader.read(tmp_path)) == []
    assert reader.passed.unreadable == {str(tmp_path / "gone.jsonl"): "not there", str(tmp_path): "a directory"}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
TEXTS = [(RECORDED / f"{name}.jsonl").read_text("utf-8") for name in (*VERSIONS, "answers")]
LINES = [json.loads(text) for whole in TEXTS for text in whole.splitlines()]


@given(st.sampled_from(LINES), st.randoms(use_true_random=False), values)
def test_a_field_of_any_type_is_no_traceback(entry: dict[str, object], chance: random.Random, value: object) -> None:
    changed = json.loads(json.dumps(entry))
    place = changed
    while isinstance(place, dict) and place:
        key = chance.choice(sorted(place))
        if chance.random() < 0.5 or not isinstance(place[key], dict):
            place[key] = value
            break
        place = place[key]
    path = Path("/dev/shm" if Path("/dev/shm").is_dir() else "/tmp") / f"history-{id(entry)}.jsonl"
    try:
        path.write_text(json.dumps(changed, separators=(",", ":")) + "\n")
        for run in Reader().read(path):
            assert isinstance(run, (Run, Compaction))
    finally:
        path.unlink(missing_ok=True)


def test_100_000_lines_take_little_memory(tmp_path: Path) -> None:
    directory = tmp_path / "projects" / "-p"
    directory.mkdir(parents=True)
    with (directory / "t.jsonl").open("w") as file:
        for number in range(100_000):
            file.write(line(command=f"command {number % 20_000}", stdout="x" * 200, durationMs=number % 997))
    program = (
        "import sys, pathlib, resource\n"
        "from dreamwork_hooks.history import runs, summary, transcripts\n"
        "all, reader = summary.Summary(), runs.Reader()\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for path in transcripts.transcripts(pathlib.Path(sys.argv[1])):\n"
        "    list(all.take(reader.read(path)))\n"
        "print(sum(hook.runs for hook in all.hooks.values()), len(all.hooks),"
        " resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    env = {"PYTHONPATH": str(ROOT / "src")}
    ran = subprocess.run(
        [sys.executable, "-c", program, tmp_path], env=env, capture_output=True, check=True, timeout=60
    )
    seen, told_apart, grown = (int(word) for word in ran.stdout.split())
    assert (seen, told_apart) == (100_000, 10_001)
    kilobyte = 1 if sys.platform == "linux" else 1024
    assert grown / kilobyte < 60_000, "kilobytes"
