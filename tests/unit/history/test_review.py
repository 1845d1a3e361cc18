"""Past runs added up and held against the settings, and past calls played to a guard: the two commands, in process."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dreamwork_hooks.cli.main import main
from tests.support.history import RECORDED, VERSIONS, line, put
from tests.support.history_picture import PICTURE, drawn


@pytest.fixture
def person(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the settings of the recorded sessions, in a directory that is no project."""
    (home / ".claude").mkdir()
    shutil.copy(RECORDED / "settings.json", home / ".claude")
    (home / "work").mkdir()
    monkeypatch.chdir(home / "work")
    return home


def ran(*words: str, status: int = 0) -> Result:
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == status, done.output
    return done


def history(*words: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(ran("history", "--json", *words).stdout)
    return data


KEYS = ["event", "command", "runs", "failures", "timeouts", "p50_ms", "p95_ms"]
KEYS += ["last_success", "last_failure", "first_stderr"]


def test_the_json_has_its_keys_and_its_version(person: Path) -> None:
    put(person / ".claude", *VERSIONS)
    data = history()
    assert data["version"] == 1
    assert all(set(KEYS) <= set(hook) for hook in data["hooks"])
    by_command = {hook["command"]: hook for hook in data["hooks"]}
    failing = by_command["echo post-fail >> $HOME/hooks.log; echo post broke >&2; exit 3"]
    assert (failing["event"], failing["runs"], failing["failures"], failing["timeouts"]) == ("PostToolUse", 6, 6, 0)
    assert (failing["first_stderr"], failing["last_success"], failing["exit"]) == ("post broke", None, 3)
    assert failing["last_failure"].startswith("2026-12-01T")
    slow = by_command["echo pre-slow >> $HOME/hooks.log; sleep 5"]
    assert (slow["failures"], slow["timeouts"]) == (0, 9)
    assert 400 <= slow["p50_ms"] <= slow["p95_ms"] < 500
    assert data["compactions"] == data["sessions"] == data["transcripts"] == 3


def test_a_configured_hook_that_was_never_seen_is_said_as_just_that(person: Path) -> None:
    put(person / ".claude", "2.1.332")
    data = history()
    assert {(one["event"], one["command"].split()[1]) for one in data["not_seen"]} == {
        ("PreToolUse", "pre-silent"),
        ("PostToolUse", "post-silent"),
        ("SessionStart", "start-silent"),
        ("PreCompact", "compact-print"),
        ("SessionEnd", "end"),
    }
    text = ran("history").stdout
    assert "not seen; silent successes leave no trace" in text
    assert "not seen; the client writes down no run at this event" in text


def test_a_command_that_is_configured_nowhere_any_more_is_marked(person: Path) -> None:
    put(person / ".claude", "2.1.332", "answers")
    commands = {hook["command"]: hook["configured"] for hook in history()["hooks"]}
    assert commands["kill -9 $$"] is False
    assert commands["echo stop-silent >> $HOME/hooks.log; true"] is True
    assert "kill -9 $$  (not configured)" in ran("history").stdout


def test_the_settings_of_every_project_that_is_named_count(person: Path) -> None:
    other = person / "other"
    (other / ".claude").mkdir(parents=True)
    entry = {"hooks": [{"type": "command", "command": "theirs"}]}
    (other / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [entry]}}))
    told = json.loads(line(command="theirs"))
    directory = put(person / ".claude", project="-other")
    (directory / "t.jsonl").write_text(json.dumps({**told, "cwd": str(other)}, separators=(",", ":")) + "\n")
    assert [(hook["command"], hook["configured"]) for hook in history()["hooks"]] == [("theirs", True)]


def test_each_failing_run_is_listed(person: Path) -> None:
    put(person / ".claude", "2.1.332")
    lines = ran("history", "--failures").stdout.splitlines()
    assert sum("failed, exit 127" in text for text in lines) == 2
    assert sum("timed out" in text for text in lines) == 3
    assert "    post broke" in lines
    failures = history()["failures"]
    assert len(failures) == 16
    assert {one["session"] for one in failures} == {"ab4bc07b-0c8a-49a1-afd2-ea2ed2889fc6"}


def test_secrets_are_masked_everywhere(person: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    directory = put(person / ".claude")
    command = f"curl -H 'Authorization: Bearer {secret}' x"
    text = line("hook_non_blocking_error", command, stderr=f"bad {secret}", exitCode=1)
    (directory / "t.jsonl").write_text(text)
    for words in (["history"], ["history", "--json"], ["history", "--failures"]):
        said = ran(*words).stdout
        assert "***" in said
        assert secret not in said


def test_nothing_raw_reaches_the_terminal(person: Path) -> None:
    directory = put(person / ".claude")
    text = line("hook_non_blocking_error", "\x1b]0;x\x07", stderr="\x1b[31mred", exitCode=1)
    (directory / "t.jsonl").write_text(text)
    for words in (["history"], ["history", "--failures"]):
        assert "\x1b" not in ran(*words).stdout


@pytest.mark.parametrize("words", ["yesterday", "7", "-3d", "2026-13-01", "99999999999d"])
def test_a_time_that_is_none_is_refused(person: Path, words: str) -> None:
    assert "--since" in ran("history", "--since", words, status=2).output


def test_a_home_without_transcripts_is_no_error(person: Path) -> None:
    assert "0 transcripts" in ran("history").stdout
    assert "nothing was run" in ran("backtest", "--hook", "true").stdout


def backtest(*words: str, status: int = 0) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(ran("backtest", "--json", *words, status=status).stdout)
    return data


GUARD = 'if grep -q forbidden; then echo "not that" >&2; exit 2; fi'


def test_a_guard_is_played_the_calls_of_past_sessions(person: Path) -> None:
    put(person / ".claude", "2.1.332")
    data = backtest("--hook", GUARD)
    assert data["total"] == {"calls": 5, "fired": 5, "stopped": 1, "asked": 0, "said": 1, "failed": 0}
    assert data["tools"]["Bash"]["stopped"] == data["patterns"]["Bash(echo forbidden *)"]["stopped"] == 1
    (stopped,) = data["stopped"]
    assert (stopped["tool_use_id"], stopped["reason"]) == ("toolu_0002_000", "not that")
    assert data["p50_ms"] > 0
    assert data["false_alarm_rate"] is None


def test_a_matcher_keeps_the_guard_from_other_tools(person: Path) -> None:
    put(person / ".claude", "2.1.332")
    assert backtest("--hook", GUARD, "--matcher", "Write|Edit")["total"]["fired"] == 2


def test_a_known_good_call_that_is_stopped_is_a_false_alarm(person: Path, tmp_path: Path) -> None:
    put(person / ".claude", "2.1.332")
    expected = tmp_path / "expected"
    expected.write_text("# these are fine\nBash(echo *)\ntoolu_0005_000\n\n")
    data = backtest("--hook", GUARD, "--expect", str(expected), status=1)
    assert (data["known_good"], data["false_alarms"]) == (3, 1)
    assert data["false_alarm_rate"] == pytest.approx(1 / 3)
    expected.write_text("toolu_0005_000\n")
    assert backtest("--hook", GUARD, "--expect", str(expected))["false_alarms"] == 0


def test_results_are_played_as_the_client_gave_them(person: Path, tmp_path: Path) -> None:
    put(person / ".claude", "2.1.332")
    kept = tmp_path / "kept"
    data = backtest("--event", "PostToolUse", "--hook", f"cat >> {kept}; echo >> {kept}", "--matcher", "Edit")
    assert data["not_rebuilt"] == ["permission_mode", "effort", "agent_type", "duration_ms"]
    (event,) = [json.loads(text) for text in kept.read_text().splitlines() if text]
    assert event["hook_event_name"] == "PostToolUse"
    assert event["tool_response"]["originalFile"] == "hello\n"
    assert event["tool_response"]["newString"] == "bye"


def test_a_settings_file_can_be_the_guard(person: Path, tmp_path: Path) -> None:
    put(person / ".claude", "2.1.332")
    file = tmp_path / "guard.json"
    hook = {"type": "command", "command": GUARD}
    file.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}))
    assert backtest("--settings", str(file))["total"]["stopped"] == 1
    assert "gone: not there" in ran("backtest", "--settings", str(tmp_path / "gone"), status=2).output


def test_one_guard_is_named_and_not_two(person: Path) -> None:
    ran("backtest", status=2)
    ran("backtest", "--hook", "x", "--settings", "y", status=2)


def test_the_picture_of_the_page_is_what_the_command_says(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m tests.support.history_picture` draws it."""
    monkeypatch.chdir(home)
    assert PICTURE.read_text("utf-8") == drawn(home)
