"""The fixture for people who write hooks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dreamwork_hooks.host.pytest_plugin import HookRunner

ROOT = Path(__file__).parents[3]
EVENTS = ROOT / "tests" / "data" / "events"


@pytest.fixture
def run(tmp_path: Path) -> HookRunner:
    return HookRunner(tmp_path, EVENTS)


def test_a_hook_gets_a_recorded_event_in_a_directory_that_exists(run: HookRunner, tmp_path: Path) -> None:
    ran = run("cat", "PostToolUse-Edit", cwd=tmp_path, prompt_id="changed").check(exit=0, budget=30)
    assert (str(tmp_path), "changed") == (ran.answer["cwd"], ran.answer["prompt_id"])


@pytest.mark.parametrize("event", ["Stop", {"hook_event_name": "Stop"}, EVENTS / "Stop.json"])
def test_events_have_three_more_names(run: HookRunner, event: str | dict[str, object] | Path) -> None:
    assert run(["cat"], event).answer["hook_event_name"] == "Stop"


def test_the_reading_says_what_the_client_would_do(run: HookRunner) -> None:
    assert run("echo no >&2; exit 2", "PreToolUse").check(exit=2).reading.model == ("no",)


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("exit 3", "exit status 3"),
        ("sleep 60", "did not end"),
        ("sleep 0.01", "took"),
        ("sleep 2 & :", "keeps its output open"),
    ],
)
def test_a_check_that_fails_says_why(run: HookRunner, command: str, word: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=word):
        run(command, "Stop", timeout=1).check(budget=0.001)


@pytest.mark.parametrize("out", ["", "text", "{}{}", "[]"])
def test_anything_but_one_object_fails_the_test(run: HookRunner, out: str) -> None:
    ran = run(["printf", out], "Stop")
    with pytest.raises(pytest.fail.Exception, match="one JSON object"):
        _ = ran.answer


def test_an_unknown_event_fails_the_test(run: HookRunner) -> None:
    with pytest.raises(pytest.fail.Exception, match="no event Nope"):
        run("true", "Nope")


@pytest.mark.parametrize(
    ("command", "status", "word"),
    [
        ("python3 hooks/never_blocks.py", 2, "exit 2 comes from the shell or the interpreter"),
        ('echo \'{"decision": "no"}\'', 0, "on PreToolUse"),
        ('echo \'{"permissionDecision": "deny"}\'', 0, "a verdict is lost"),
    ],
)
def test_a_check_fails_on_misbehaviour(run: HookRunner, command: str, status: int, word: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=word):
        run(command, "PreToolUse").check(exit=status)


def test_a_hook_runs_in_the_root_of_the_tests(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    ran = HookRunner(tmp_path, root=root)("pwd", "PostToolUse")
    assert (ran.stdout.decode().strip(), ran.event["cwd"]) == (str(root), str(root))


def test_a_sample_fits_the_tool(run: HookRunner) -> None:
    event = run("cat", "PostToolUse", tool_name="Write").event
    assert event["tool_input"] == {"file_path": "/tmp/sample.txt", "content": "text\n"}


def test_a_misspelt_key_or_event_fails_the_test_with_what_was_meant(run: HookRunner) -> None:
    with pytest.raises(pytest.fail.Exception, match="did you mean `tool_input`"):
        run("true", "PreToolUse", tool_inptu={})
    with pytest.raises(pytest.fail.Exception, match="did you mean PreToolUse"):
        run("true", "PreTolUse")


def test_the_hook_s_environment_is_built_from_nothing(run: HookRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "x")
    names = {line.split(b"=")[0] for line in run("env", "Stop", env={"A": "1"}).stdout.splitlines()}
    assert {b"PATH", b"HOME", b"CLAUDE_PROJECT_DIR", b"A"} == names - {b"PWD", b"_", b"OLDPWD", b"SHLVL"}


def test_the_plugin_is_one(tmp_path: Path) -> None:
    """In a pytest of its own, as a user has it."""
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nhook_events = {EVENTS}\n")
    (tmp_path / "test_it.py").write_text(
        "def test_it(hook_runner):\n"
        "    assert hook_runner('cat', 'PreCompact-auto').check().answer['trigger'] == 'auto'\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "dreamwork_hooks.host.pytest_plugin", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
