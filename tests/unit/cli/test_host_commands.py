"""The commands that are faces of the host, run in this process: their words, their JSON, their exit status."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dreamwork_hooks.cli import words
from dreamwork_hooks.cli.events import overview
from dreamwork_hooks.cli.main import main
from dreamwork_hooks.contract.asdata import VERSION
from dreamwork_hooks.contract.events import EVENTS
from tests.conftest import ROOT

RECORDED = Path(__file__).parents[2] / "data" / "events"
EDIT = str(RECORDED / "PreToolUse-Edit.json")

Run = Callable[..., Result]


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(project)

    def invoke(*args: str, code: int = 0, stdin: str | None = None) -> Result:
        result = CliRunner(mix_stderr=False).invoke(main, list(args), input=stdin)
        assert code == result.exit_code, result.output + result.stderr
        return result

    return invoke


def settings(home: Path, hooks: dict[str, Any], at: str = ".claude/settings.json") -> Path:
    path = home / at
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"hooks": hooks}, indent=1))
    return path


def group(command: str, matcher: str = "", **more: object) -> dict[str, object]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": command, **more}]}


# -- events


def test_events_lists_every_event(run: Run) -> None:
    lines = run("events").stdout.splitlines()
    assert set(EVENTS) <= {line.split(" ")[0] for line in lines}
    data = json.loads(run("events", "--json").stdout)
    assert list(EVENTS) == [event["event"] for event in data["events"]]


def test_a_narrow_terminal_still_says_when_an_event_comes() -> None:
    lines = overview(80).splitlines()
    assert lines[0].split() == ["event", "blocks", "when"]
    assert all(len(line) <= 80 for line in lines)
    assert any(line.startswith("PreCompact") and "about to be compacted" in line for line in lines)


def test_events_shows_one_with_its_evidence(run: Run) -> None:
    text = run("events", "PreCompact").stdout
    assert "summarizer" in text
    assert "measured (2.1.332)" in text
    data = json.loads(run("events", "MessageDisplay", "--json").stdout)
    assert data["answers"]["exit 2"] == {
        "value": "unknown",
        "evidence": {"level": "unverified", "client": None},
        "note": "",
    }


def test_a_misspelt_event_is_answered_with_a_guess(run: Run) -> None:
    assert "PreCompact?" in run("events", "precompact", code=2).stderr


# -- hooks and explain


def test_hooks_lists_place_status_and_what_is_needed(run: Run, home: Path, project: Path) -> None:
    path = settings(home, {"PreToolUse": [group("x", "bash"), group("y", "Edit", **{"if": "Edit(*.md)"})]})
    settings(project, {"Stop": [group("z")]})
    text = run("hooks").stdout
    assert f"{path}:" in text
    assert "`Bash`?" in text
    assert "tool_name is Edit; and `Edit(*.md)` holds" in text
    data = json.loads(run("hooks", "--json").stdout)
    assert [hook["status"] for hook in data["hooks"]] == ["user", "user", "untrusted"]
    assert [(str(path), 7), (str(path), 16)] == [(hook["file"], hook["line"]) for hook in data["hooks"][:2]]


def test_hooks_says_what_is_lost_with_a_void_file(run: Run, home: Path) -> None:
    settings(home, {"PreToolUse": [group("x", timeout=0)], "Stop": [group("y")]})
    result = run("hooks")
    assert "Claude Code ignores this whole file" in result.stderr
    assert "broken" in result.stdout
    assert [hook["status"] for hook in json.loads(run("hooks", "--json").stdout)["hooks"]] == ["broken"]


def test_explain_says_which_fire_and_why_not(run: Run, home: Path, project: Path) -> None:
    settings(home, {"PreToolUse": [group("yes", "Edit"), group("no", "Write")], "Stop": [group("z")]})
    text = run("explain", EDIT).stdout
    assert "fires   yes" in text
    assert "silent  no" in text
    data = json.loads(run("explain", EDIT, "--json").stdout)["events"][0]
    assert ([hook["fires"] for hook in data["hooks"]], data["kind"]) == ([True, False, False], "write.pre")


@pytest.mark.parametrize(("number", "said"), [(1, "1 hook of other events"), (2, "2 hooks of other events")])
def test_explain_counts_the_hooks_of_other_events(run: Run, home: Path, number: int, said: str) -> None:
    settings(home, {"Stop": [group("true")] * number})
    assert f"no hook of this event; {said}\n" in run("explain", EDIT).stdout


def test_an_event_that_no_hook_ran_for_is_not_called_ok(run: Run, home: Path) -> None:
    settings(home, {"Stop": [group("true")]})
    assert run("replay", EDIT).stdout.splitlines()[0].endswith("  no hook ran")


def test_explain_reads_standard_input_and_runs_nothing(run: Run, home: Path, project: Path) -> None:
    settings(home, {"PreToolUse": [group(f"touch {project}/ran")]})
    assert "fires" in run("explain", "-", stdin=Path(EDIT).read_text()).stdout
    assert not (project / "ran").exists()


@pytest.mark.parametrize("command", ["explain", "replay"])
def test_what_is_no_event_names_field_and_file(command: str, run: Run, tmp_path: Path) -> None:
    event = json.loads(Path(EDIT).read_text())
    del event["tool_input"]["file_path"]
    file = tmp_path / "broken.json"
    file.write_text(json.dumps(event))
    assert "tool_input.file_path" in run(command, str(file), code=2).stderr
    assert "none.json" in run(command, str(tmp_path / "none.json"), code=2).stderr


@pytest.mark.parametrize(
    "words",
    [("events",), ("events", "Stop"), ("hooks",), ("explain", EDIT), ("replay", EDIT), ("trust",)],
    ids=lambda words: " ".join(words).replace(EDIT, "event"),
)
def test_json_has_a_version_and_only_documented_snake_case_keys(words: tuple[str, ...], run: Run, home: Path) -> None:
    settings(home, {"PreToolUse": [group("exit 0", "Edit"), group("exit 0", "Write")]})
    data = json.loads(run(*words, "--json").stdout)
    assert data["version"] == VERSION
    page = (ROOT / "docs" / "json.md").read_text("utf-8")
    for key in keys_of(data):
        assert re.fullmatch("[a-z][a-z0-9_]*", key), key
        assert f"`{key}`" in page or f'"{key}"' in page, f"docs/json.md says nothing of {key}"


def keys_of(value: object) -> set[str]:
    """The keys of objects in a document, at any depth; the parts of an answer and a tool's input have their own."""
    if isinstance(value, list):
        return {key for inner in value for key in keys_of(inner)}
    if not isinstance(value, dict):
        return set()
    inner = {key for name, held in value.items() if name not in ("answers", "updated_input") for key in keys_of(held)}
    return {*value, *inner}


# -- replay


def test_replay_shows_what_came_of_each_hook(run: Run, home: Path) -> None:
    deny = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not here"}
    printed = json.dumps({"hookSpecificOutput": deny, "suppressOutput": True})
    settings(home, {"PreToolUse": [group(f"echo '{printed}'", timeout=9)]})
    text = run("replay", EDIT).stdout
    assert "decision: deny: not here (by user PreToolUse[0].hooks[0])" in text
    assert "dropped suppressOutput" in text
    hook = json.loads(run("replay", EDIT, "--json").stdout)["events"][0]["hooks"][0]
    assert (hook["exit"], hook["budget"], hook["verdict"], hook["model"]) == (0, 9, "denied", ["not here"])


def test_replay_ends_with_1_when_a_hook_misbehaves(run: Run, home: Path) -> None:
    settings(home, {"PreToolUse": [group("exit 1")]})
    assert "misbehaved: exit 1" in run("replay", EDIT, code=1).stdout
    assert "<failure" in run("replay", EDIT, "--junit", code=1).stdout
    assert False is json.loads(run("replay", EDIT, "--json", code=1).stdout)["events"][0]["ok"]


def test_replay_of_a_directory_with_extra_settings_a_budget_and_repetitions(run: Run, project: Path) -> None:
    text = json.dumps({"hooks": {"Stop": [group("sleep 0.2")]}})
    result = run("replay", str(RECORDED), "--settings", text, "--budget", "0.1", "--repeat", "2", "--json", code=1)
    events = json.loads(result.stdout)["events"]
    assert len(list(RECORDED.glob("*.json"))) == len(events)
    slow = [event for event in events if not event["ok"]]
    assert {"Stop"} == {event["event"] for event in slow}
    assert (
        slow[0]["hooks"][0]["runs"],
        slow[0]["hooks"][0]["misbehaviour"],
    ) == (2, ["took longer than its budget of 0.1 s"])


@pytest.mark.parametrize(
    "args", [["--repeat", "0"], ["--budget", "0"], ["--settings", "/none.json"], ["--project", "/none"]]
)
def test_replay_refuses_what_cannot_be_meant(args: list[str], run: Run) -> None:
    run("replay", EDIT, *args, code=2)


def test_an_untrusted_guard_refuses_the_run(run: Run, project: Path) -> None:
    settings(project, {"PreToolUse": [group("true", fail_closed=True)]})
    assert "untrusted" in run("replay", EDIT, code=2).stdout
    run("trust", "--allow")
    run("replay", EDIT)


def test_an_event_that_lacks_a_field_is_refused_with_where_to_read_of_it(run: Run, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"hook_event_name": "Stop", "session_id": "s"}))
    for command in ("explain", "replay"):
        assert "stop_hook_active: missing" in (said := run(command, str(event), code=2).stderr)
        assert "`events EVENT` shows what an event holds" in said


def test_all_faults_of_an_event_are_told_at_once(run: Run, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"hook_event_name": "PreToolUse", "session_id": 7}))
    said = run("replay", str(event), code=2).stderr
    for field in ("session_id: must be string", "tool_name: missing", "tool_input: missing"):
        assert field in said


def test_the_common_fields_of_a_hand_written_event_are_filled_in_and_named(run: Run, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"hook_event_name": "Stop", "stop_hook_active": False}))
    assert "filled in session_id, transcript_path, cwd" in run("replay", str(event)).stderr


def test_an_event_is_replayed_by_name_and_shown_as_a_sample(run: Run, home: Path) -> None:
    settings(home, {"PreToolUse": [group("echo no >&2; exit 2", "Bash")]})
    assert "denied" in run("replay", "PreToolUse").stdout
    sample = json.loads(run("events", "PostToolUse", "--sample", "--tool", "Write").stdout)
    assert (sample["tool_name"], sample["tool_input"]["content"]) == ("Write", "text\n")
    assert sample["tool_response"]["type"] == "create"


def test_what_came_of_each_of_several_hooks_stands_below_its_name(run: Run, home: Path) -> None:
    settings(home, {"PreToolUse": [group("echo one >&2; exit 2"), group("echo two >&2; exit 2")]})
    lines = run("replay", EDIT).stdout.splitlines()
    assert lines[lines.index("  echo one >&2; exit 2") + 1] == "    model: one"
    assert lines[lines.index("  echo two >&2; exit 2") + 1] == "    model: two"


# -- trust


def test_trust_is_given_shown_and_taken_back(run: Run, project: Path) -> None:
    (project / "hook.sh").write_text("echo hi\n")
    settings(project, {"Stop": [group("sh ./hook.sh")]})
    shown = run("trust").stdout
    assert "nobody has said so" in shown
    assert f"script: {project}/hook.sh" in shown
    assert json.loads(run("trust", "--allow", "--json").stdout)["state"] == "trusted"
    (project / "hook.sh").write_text("echo changed\n")
    assert "changed since" in run("trust", "--show").stdout
    assert json.loads(run("trust", "--deny", "--json").stdout)["state"] == "denied"
    assert json.loads(run("trust", "--forget", "--json").stdout)["state"] == "untrusted"


def test_untrusted_hooks_are_skipped_with_a_warning(run: Run, project: Path) -> None:
    settings(project, {"PreToolUse": [group(f"touch {project}/ran")]})
    told = run("replay", EDIT, code=2)
    assert "not trusted yet" in told.stderr
    assert "1 hook was not run" in told.stderr
    assert told.stdout.splitlines()[0].endswith("not run")
    assert not (project / "ran").exists()
    assert '<failure message="not run: ' in run("replay", EDIT, "--format", "junit", code=2).stdout


def test_untrusted_hooks_are_run_for_once_and_nothing_is_remembered(run: Run, project: Path) -> None:
    settings(project, {"PreToolUse": [group(f"touch {project}/ran")]})
    run("replay", EDIT, "--trust")
    assert (project / "ran").exists()
    run("replay", EDIT, code=2)


SESSION = str(RECORDED / "SessionStart-startup.json")


@pytest.mark.parametrize(
    ("event", "file", "command", "fault"),
    [
        ("PreToolUse", EDIT, "python3 gone.py", "exit 2 comes from the shell or the interpreter"),
        ("PreToolUse", EDIT, "sh -c 'if true; then'", "exit 2 comes from the shell or the interpreter"),
        ("PreToolUse", EDIT, 'echo \'{"permissionDecision": "deny"}\'', "a verdict is lost: `permissionDecision`"),
        ("PreToolUse", EDIT, "cat", "prints its input back"),
        ("SessionStart", SESSION, "echo no >&2; exit 2", "exit 2 has no effect for SessionStart"),
        ("PreToolUse", EDIT, "echo why it broke >&2; exit 1", "stderr: why it broke"),
    ],
)
def test_a_broken_hook_never_reads_ok(event: str, file: str, command: str, fault: str, run: Run, home: Path) -> None:
    settings(home, {event: [group(command)]})
    told = run("replay", file, code=1).stdout
    assert fault in told
    assert told.splitlines()[0].endswith("misbehaved")
    assert "no such key" not in told or "verdict" in fault


def test_a_guard_that_denies_is_no_misbehaviour(run: Run, home: Path) -> None:
    settings(home, {"PreToolUse": [group("echo use trash >&2; exit 2")]})
    assert run("replay", EDIT).stdout.splitlines()[0].endswith("ok")


@pytest.mark.parametrize(
    "text", ["{", '{"hooks": {"PreToolUse": [7, {"hooks": [{"type": "command", "command": "true"}]}]}}']
)
def test_an_ignored_settings_file_is_no_success(text: str, run: Run, home: Path) -> None:
    settings(home, {}).write_text(text)
    assert "is ignored: line 1" in run("replay", EDIT, code=1).stdout


def test_several_events_are_summed_up_and_a_long_command_takes_a_line(run: Run, home: Path) -> None:
    settings(home, {"PreToolUse": [group("true " + "x" * 2000)]})
    told = run("replay", str(RECORDED)).stdout
    assert max(map(len, told.splitlines())) < 300
    assert re.search(r"^\d+ events: ", told, re.MULTILINE)


def test_other_people_s_text_moves_no_cursor(run: Run, home: Path) -> None:
    settings(home, {"PreToolUse": [group("printf '\\033[2J' # \033[2J", "\033[1m")]})
    assert "\033" not in run("hooks").stdout
    settings(home, {"SessionStart": [group("printf '\\033[2J'")]})
    assert "\033" not in run("replay", str(RECORDED / "SessionStart-startup.json")).stdout


def test_a_table_on_a_narrow_terminal_keeps_a_row_a_line() -> None:
    assert words.table([("x", "yyyyyy")], ("a", "b"), width=5) == "a  b\nx  y…"


# -- record


@pytest.fixture
def program(home: Path) -> Path:
    """The installed file, which a recorded hook hands its event to."""
    path = home / ".config" / "dreamwork" / "bin" / "dreamwork-hooks.pyz"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_recording_a_settings_file_and_giving_it_back(run: Run, home: Path, program: Path, tmp_path: Path) -> None:
    path = settings(home, {"Stop": [group("echo 'x'", timeout=3)]})
    path.chmod(0o640)
    before = path.read_bytes()
    run("record", "--install", "--to", str(tmp_path / "rec"))
    wrapped = json.loads(path.read_bytes())["hooks"]["Stop"][0]["hooks"][0]
    assert "record --save --to" in wrapped["command"]
    assert wrapped["timeout"] == 3
    assert "recorded already" in run("record", "--install", code=2).stderr
    assert "being recorded" in run("hooks").stderr
    run("record", "--remove")
    assert before == path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    assert "not recorded" in run("record", "--remove", code=2).stderr


def test_a_file_edited_since_is_given_back_only_by_force(run: Run, home: Path, program: Path) -> None:
    path = settings(home, {"Stop": [group("x")]})
    before = path.read_bytes()
    run("record", "--install")
    path.write_bytes(path.read_bytes() + b"\n")
    assert "--force" in run("record", "--remove", code=2).stderr
    run("record", "--remove", "--force")
    assert before == path.read_bytes()


@pytest.mark.parametrize("text", ["{,}", "{}", None])
def test_a_file_that_cannot_be_recorded_is_left_alone(text: str | None, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    if text is not None:
        path.write_text(text)
    run("record", "--install", "--settings", str(path), code=2)
    assert (path.read_text() if text is not None else path.exists()) == (text if text is not None else False)
    run("record", "--remove", "--settings", str(path), code=2)


def test_record_without_a_command_says_what_to_write(run: Run) -> None:
    assert "record -- COMMAND" in run("record", code=2).stderr
    refused = run("record", "--install", "other.json", code=2)
    assert "--install --settings other.json" in refused.stderr
