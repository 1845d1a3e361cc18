"""The host's commands from the built archive: as a hook, on a terminal, into a pipe."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamwork_hooks.host.pytest_plugin import HookRunner
from tests.support.spawn import clean_env

RECORDED = Path(__file__).resolve().parents[1] / "data" / "events"
LIMIT = 60.0  # seconds nothing here comes near


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "a project"
    (path / ".claude").mkdir(parents=True)
    return path


def settings(path: Path, event: str, command: str, **more: object) -> Path:
    entry = {"type": "command", "command": command, **more}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"hooks": {event: [{"hooks": [entry]}]}}))
    return path


# -- as a hook


@pytest.fixture
def recorded(pyz: Path, home: Path, tmp_path: Path) -> Callable[..., list[str]]:
    def words(*command: str) -> list[str]:
        return [str(pyz), "record", "--to", str(tmp_path / "rec"), "--", *command]

    return words


def test_a_recorded_hook_is_the_hook(
    recorded: Callable[..., list[str]], home: Path, project: Path, tmp_path: Path
) -> None:
    """Same input, same output, same status; beside it a masked event that can be replayed."""
    run = HookRunner(home, RECORDED)
    ran = run(recorded("sh", "-c", "cat; echo err >&2; exit 2"), "PostToolUse-Edit", cwd=project).check(exit=2)
    assert dict(ran.event) == ran.answer
    assert ran.stderr == b"err\n"
    saved = json.loads((tmp_path / "rec" / "PostToolUse-Edit-001.json").read_bytes())
    assert saved["cwd"] == "/home/user/project"
    again = HookRunner(home, tmp_path / "rec")("cat", "PostToolUse-Edit-001").check()
    assert again.answer["hook_event_name"] == "PostToolUse"


def test_the_signal_that_ends_a_recorded_hook_is_its_own(recorded: Callable[..., list[str]], home: Path) -> None:
    run = HookRunner(home, RECORDED)
    assert run(recorded("sh", "-c", "kill -TERM $$"), "Stop").exit == -signal.SIGTERM


@pytest.mark.parametrize("stdin", [b"", b"not json", b"\xff" * 100])
def test_what_cannot_be_recorded_still_reaches_the_hook(
    stdin: bytes, recorded: Callable[..., list[str]], home: Path, tmp_path: Path
) -> None:
    ran = HookRunner(home)(recorded("cat"), "Stop", stdin=stdin).check()
    assert (stdin, b"") == (ran.stdout, ran.stderr)
    assert not (tmp_path / "rec").exists()


def test_a_recorded_program_that_is_missing_never_blocks(recorded: Callable[..., list[str]], home: Path) -> None:
    assert HookRunner(home)(recorded("/none/such"), "Stop").exit == 127


def test_hooks_of_a_recorded_settings_file_run_as_configured(
    pyz: Path, home: Path, project: Path, tmp_path: Path
) -> None:
    path = settings(home / ".claude/settings.json", "Stop", 'echo "it\'s $0"; exit 2')
    before = path.read_bytes()
    command(pyz, home, project, "record", "--install", "--to", str(tmp_path / "rec"))
    wrapped = json.loads(path.read_bytes())["hooks"]["Stop"][0]["hooks"][0]["command"]
    ran = HookRunner(home)(wrapped, "Stop").check(exit=2)
    assert ran.stdout == b"it's /bin/sh\n"
    until = time.monotonic() + 20  # it is saved beside the hook, which does not wait for that
    while not (tmp_path / "rec" / "Stop-001.json").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert os.listdir(tmp_path / "rec") == ["Stop-001.json"]
    command(pyz, home, project, "record", "--remove")
    assert before == path.read_bytes()


# -- from the archive, into a pipe


def command(
    pyz: Path, home: Path, cwd: Path, *args: str, code: int = 0, **env: str
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [pyz, *args],
        cwd=cwd,
        env=clean_env(home, **env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert code == done.returncode, done.stdout + done.stderr
    return done


def test_every_command_of_the_host_is_in_the_archive(pyz: Path, home: Path, project: Path) -> None:
    settings(home / ".claude/settings.json", "PreToolUse", "true", **{"if": "Edit(*.txt)"})
    event = str(RECORDED / "PreToolUse-Edit.json")
    assert len(json.loads(command(pyz, home, project, "events", "--json").stdout)["events"]) > 30
    assert [hook["status"] for hook in json.loads(command(pyz, home, project, "hooks", "--json").stdout)["hooks"]] == [
        "user"
    ]
    assert "fires" in command(pyz, home, project, "explain", event).stdout
    assert "ok" in command(pyz, home, project, "replay", event).stdout
    assert "no hooks come with it" in command(pyz, home, project, "trust").stdout


def test_output_is_utf_8_in_any_locale_and_has_no_colour_in_a_pipe(pyz: Path, home: Path, project: Path) -> None:
    settings(home / ".claude/settings.json", "SessionStart", "printf 'caf\\303\\251 \\360\\237\\230\\200'")
    event = str(RECORDED / "SessionStart-startup.json")
    out = command(pyz, home, project, "replay", event, LC_ALL="C", PYTHONIOENCODING="ascii").stdout
    assert "café 😀" in out
    assert "\033" not in out


def test_without_a_terminal_nobody_is_asked(pyz: Path, home: Path, project: Path) -> None:
    settings(project / ".claude/settings.json", "Stop", "touch ran")
    done = command(pyz, home, project, "replay", str(RECORDED / "Stop.json"), code=2)
    assert "not trusted yet" in done.stderr
    assert not (project / "ran").exists()
    settings(project / ".claude/settings.json", "PreToolUse", "true", fail_closed=True)
    command(pyz, home, project, "replay", str(RECORDED / "PreToolUse-Edit.json"), code=2)


# -- on a terminal


class Terminal:
    """A process on a pseudo-terminal: read what it says until a word comes, type an answer."""

    def __init__(self, argv: list[str], cwd: Path, env: dict[str, str]) -> None:
        self.leader, follower = pty.openpty()
        self.process = subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=follower, stdout=follower, stderr=follower, start_new_session=True
        )
        os.close(follower)
        self.said = b""

    def until(self, word: bytes | None) -> bytes:
        """Everything said so far, once `word` is in it; with None, all of it, to the end."""
        limit = time.monotonic() + LIMIT
        while word is None or word not in self.said:
            assert time.monotonic() < limit, self.said
            if not select.select([self.leader], [], [], 1.0)[0]:
                continue
            try:
                piece = os.read(self.leader, 4096)
            except OSError:
                piece = b""
            if not piece:
                assert word is None, self.said
                break
            self.said += piece
        return self.said

    def type(self, text: bytes) -> None:
        os.write(self.leader, text)

    def close(self) -> int:
        code = self.process.wait(LIMIT)
        os.close(self.leader)
        return code


def test_on_a_terminal_the_person_is_asked_and_the_answer_is_kept(pyz: Path, home: Path, project: Path) -> None:
    settings(project / ".claude/settings.json", "Stop", "sh ./hook.sh")
    (project / "hook.sh").write_text("touch ran\n")
    argv = [str(pyz), "replay", str(RECORDED / "Stop.json")]
    for answer, runs in ((b"\n", False), (b"yes\n", True)):
        terminal = Terminal(argv, project, clean_env(home, TERM="xterm"))
        said = terminal.until(b"[no]")
        assert b"sh ./hook.sh" in said
        assert os.fsencode(project / "hook.sh") in said
        terminal.type(answer)
        terminal.until(None)
        assert terminal.close() == (0 if runs else 2)
        assert (project / "ran").exists() == runs
    assert json.loads(command(pyz, home, project, "trust", "--json").stdout)["state"] == "trusted"


def test_on_a_terminal_there_is_colour_and_a_long_replay_shows_its_progress(
    pyz: Path, home: Path, project: Path
) -> None:
    settings(home / ".claude/settings.json", "Stop", "sleep 0.15")
    argv = [str(pyz), "replay", str(RECORDED / "Stop.json"), "--repeat", "12"]
    terminal = Terminal(argv, project, clean_env(home, TERM="xterm"))
    said = terminal.until(None)
    assert terminal.close() == 0
    assert b"/12  " in said
    assert b"\033[32mok" in said
