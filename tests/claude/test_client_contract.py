"""What the product relies on in Claude Code's behaviour, shown with hooks that only record their events."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.messages_api import FULL, say, use_all
from tests.support.recorder import Record, Recorder
from tests.support.session import Json, Place, Ran, SessionFailed, run_session

CONTEXT = "what the hook found"
STEERING = "keep the word marmalade"
RESTORED = "a word from before"


@dataclass(frozen=True)
class Seen:
    """One session and what its hooks wrote down."""

    ran: Ran
    records: list[Record]
    place: Place

    def of(self, *names: str) -> list[Record]:
        return [record for record in self.records if record.name in names]


def context(text: str) -> str:
    return f'{{"hookSpecificOutput":{{"hookEventName":"PostToolUse","additionalContext":"{text}"}}}}'


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("edits")


@pytest.fixture(scope="module")
def edited(client: Path, root: Path) -> Seen:
    """One turn that writes and edits ledger and other files inside, below and outside the cwd."""
    place, recorder = Place.make(root), Recorder(root / "recorded")
    write = recorder.handler("write", context(CONTEXT), if_="Write(**/.dreamwork/*.md)")
    edit = recorder.handler("edit", if_="Edit(**/.dreamwork/*.md)")
    place.hook(PostToolUse=[{"matcher": "Write|Edit", "hooks": [write, edit]}])
    calls: list[tuple[str, Json]] = []
    for directory in (place.project, place.project / "below", root / "outside"):
        for name in (".dreamwork/tasks.md", ".dreamwork/status.json", "notes.md", "dreamwork/tasks.md"):
            path = str(directory / name)
            calls.append(("Write", {"file_path": path, "content": "one\n"}))
            calls.append(("Edit", {"file_path": path, "old_string": "one", "new_string": "two"}))
    ran = run_session(client, place, prompts=["go"], turns=[use_all(calls), say("done")])
    return Seen(ran, recorder.records(), place)


@pytest.fixture(scope="module")
def compacted(client: Path, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """A session compacted by `/compact` and then by itself, with a hook at every event of a compaction."""
    root = tmp_path_factory.mktemp("compactions")
    place, recorder = Place.make(root), Recorder(root / "recorded")
    place.hook(
        PreCompact=[{"hooks": [recorder.handler("pre", STEERING)]}],
        SessionStart=[{"matcher": "compact", "hooks": [recorder.handler("start", RESTORED)]}],
        PostCompact=[{"hooks": [recorder.handler("post")]}],
    )
    prompts = ["one", "two", "/compact in my words", "three", "four", "five"]
    turns = [say("1"), say("2"), say("3"), say("4", context_tokens=FULL), say("5")]
    ran = run_session(client, place, prompts=prompts, turns=turns)
    return Seen(ran, recorder.records(), place)


def test_a_session_plays_its_whole_script(edited: Seen, compacted: Seen) -> None:
    for seen in (edited, compacted):
        assert (seen.ran.code, seen.ran.stderr, seen.ran.unplayed) == (0, "", [])
        assert seen.ran.transcript(seen.place).stat().st_size > 0


def test_every_tool_call_of_the_script_succeeds(edited: Seen) -> None:
    assert edited.ran.tool_errors == []
    assert len(edited.ran.tool_results) == 24


@pytest.mark.parametrize("name", ["write", "edit"])
def test_the_two_rules_run_for_ledger_edits_inside_below_and_outside_the_cwd(
    edited: Seen, root: Path, name: str
) -> None:
    ran_for = [record.event["tool_input"]["file_path"] for record in edited.of(name)]
    places = ["home/project", "home/project/below", "outside"]
    assert ran_for == [str(root / place / ".dreamwork/tasks.md") for place in places]


def test_no_hook_runs_for_any_other_file(edited: Seen) -> None:
    assert len(edited.records) == 6


def test_a_hooks_context_reaches_the_model_in_the_next_request(edited: Seen) -> None:
    first, second = edited.ran.of_kind("turn")
    assert CONTEXT not in first.text
    assert second.news.count(CONTEXT) == 3


def test_manual_and_automatic_compaction_each_run_precompact_once(compacted: Seen) -> None:
    assert compacted.ran.compactions == ["manual", "auto"]
    events = [(r.event["trigger"], r.event["custom_instructions"]) for r in compacted.of("pre")]
    assert events == [("manual", "in my words"), ("auto", None)]


def test_the_summarizer_is_told_the_persons_words_then_the_hooks_output(compacted: Seen) -> None:
    told = [request.additional_instructions for request in compacted.ran.of_kind("summary")]
    assert told == [f"in my words\n\n{STEERING}", STEERING]


def test_after_a_manual_compaction_alone_the_model_reads_the_hooks_output_beside_the_summary(compacted: Seen) -> None:
    """The command's own output repeats it, whatever the summary kept; an automatic compaction has no such output."""
    _, _, after_manual, _, after_auto = compacted.ran.of_kind("turn")
    shown = f"completed successfully: {STEERING}"
    assert shown in after_manual.text
    assert shown not in after_auto.text


def test_sessionstart_runs_before_postcompact(compacted: Seen) -> None:
    assert [record.name for record in compacted.records] == ["pre", "start", "post"] * 2


def test_what_sessionstart_prints_is_in_the_request_after_the_compaction(compacted: Seen) -> None:
    _, _, after_manual, _, after_auto = compacted.ran.of_kind("turn")
    assert RESTORED in after_manual.news
    assert RESTORED in after_auto.news


def test_postcompact_gets_the_summary_as_the_model_wrote_it(compacted: Seen) -> None:
    summaries = [record.event["compact_summary"] for record in compacted.of("post")]
    assert summaries == [f"<summary>in my words\n\n{STEERING}</summary>", f"<summary>{STEERING}</summary>"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked up in /proc")
def test_a_session_that_hangs_is_ended_with_all_it_started(client: Path, tmp_path: Path) -> None:
    """The rig's own promise: a hook in a session of its own, deaf to SIGTERM, does not outlive the test."""
    place, pid_file = Place.make(tmp_path), tmp_path / "pid"
    hook = f"trap '' TERM; echo $$ >{pid_file}; while :; do sleep 0.1; done"
    place.hook(UserPromptSubmit=[{"hooks": [{"type": "command", "command": hook}]}])
    with pytest.raises(SessionFailed, match="no result in time"):
        run_session(client, place, prompts=["go"], limit_s=3)
    assert alive(int(pid_file.read_text())) is False


def alive(pid: int) -> bool:
    """Whether the process runs; one that ended and was not waited for by its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_nothing_of_the_callers_environment_reaches_the_client(
    client: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANYTHING_ELSE"):
        monkeypatch.setenv(name, "leaked-value")
    place, seen = Place.make(tmp_path), tmp_path / "env"
    place.hook(UserPromptSubmit=[{"hooks": [{"type": "command", "command": f"env >{seen}"}]}])
    run_session(client, place, prompts=["go"])
    assert "ANTHROPIC_API_KEY=made-up-for-a-test" in seen.read_text()
    assert "leaked-value" not in seen.read_text()
