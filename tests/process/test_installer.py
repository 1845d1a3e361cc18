"""The built archive installs itself, proves that it fires, upgrades itself and goes again."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.support.spawn import clean_env
from tests.support.targets import make_target

OTHERS = b'{\r\n\t"model": "opus",\r\n\t"hooks": { }\r\n}'


def command(pyz: Path, home: Path, cwd: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """Run a command of the archive; its exit status and the JSON object it printed."""
    ran = subprocess.run([pyz, *words], env=clean_env(home), cwd=cwd, capture_output=True, timeout=120, check=False)
    return ran.returncode, json.loads(ran.stdout)


def test_from_the_first_command_to_the_last(pyz: Path, interpreter: Path, home: Path, tmp_path: Path) -> None:
    target = make_target(tmp_path / "my project")
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_bytes(OTHERS)
    installed = home / ".config" / "dreamwork" / "bin" / "dreamwork-hooks.pyz"

    status, answer = command(pyz, home, target, "status", "--json")
    assert (status, answer["state"], answer["skipped"]) == (0, "available, not wired", None)
    assert answer["command"].endswith("dreamwork-hooks.pyz install")
    status, answer = command(pyz, home, target, "doctor", "--json")
    assert (status, answer["ok"]) == (1, False)
    assert settings.read_bytes() == OTHERS

    status, answer = command(pyz, home, target, "install", "--with", "bash", "--python", str(interpreter))
    assert (status, answer["wired"]) == (0, True), answer
    assert answer["python"] == str(interpreter)
    page = (ROOT / "docs" / "json.md").read_text("utf-8").partition("## `install --json`")[2].partition("\n## ")[0]
    assert answer["version"] == 1
    assert set(answer) <= {*re.findall(r"`(\w+)`", page), "version"}
    wired = settings.read_bytes()
    status, answer = command(pyz, home, target, "install")
    assert (status, answer["changed"]) == (0, False)
    assert settings.read_bytes() == wired

    # What is registered, run as it is registered, for a broken ledger in a target with consent.
    questions = target / ".dreamwork" / "questions.md"
    as_it_should_be = questions.read_bytes()
    questions.write_text("nothing as it should be\n", "utf-8")
    handler = json.loads(wired)["hooks"]["PostToolUse"][0]["hooks"][0]
    event = {
        "hook_event_name": "PostToolUse",
        "session_id": "s",
        "cwd": str(target),
        "tool_name": "Write",
        "tool_input": {"file_path": str(target / ".dreamwork" / "questions.md")},
    }
    ran = subprocess.run(
        ["/bin/sh", "-c", handler["command"]],
        input=json.dumps(event).encode(),
        env=clean_env(home),
        cwd=target,
        capture_output=True,
        timeout=handler["timeout"],
        check=True,
    )
    assert "additionalContext" in json.loads(ran.stdout).get("hookSpecificOutput", ()), ran.stdout

    status, answer = command(installed, home, target, "doctor", "--json")
    needing = [check["line"] for check in answer["checks"] if check["state"] in ("warn", "fail")]
    assert status == 1
    assert [line.partition(" in ")[0] for line in needing] == ["embedded lint: errors"]
    questions.write_bytes(as_it_should_be)
    status, answer = command(installed, home, target, "doctor", "--json")
    needing = [check for check in answer["checks"] if check["state"] in ("warn", "fail")]
    assert (status, needing) == (0, []), needing
    assert [check["about"] for check in answer["checks"]].count("command") == 2
    runs = [check["line"] for check in answer["checks"] if check["about"] == "runs"]
    assert any("posttooluse: last ran" in line and "succeeded" in line for line in runs), runs

    status, answer = command(pyz, home, target, "upgrade")
    assert (status, answer["changed"]) == (0, False)
    status, answer = command(installed, home, target, "uninstall", "--purge")
    assert (status, answer["changed"]) == (0, True)
    assert settings.read_bytes() == OTHERS
    assert not installed.exists()
    assert not (home / ".config" / "dreamwork" / "hooks").exists()


@pytest.mark.parametrize(
    ("consent", "words"),
    [
        (None, ("there is no DREAMWORK.md", "- Load: `ud-dreamwork-hooks`")),
        ("# Loop\n", ("does not load this plugin", "- Load: `ud-dreamwork-hooks`")),
        ("## Plugins\n\n- Load: `Bad Id`\n", ("line 3 names an id that is not valid", "fix that line")),
    ],
)
def test_status_and_doctor_say_why_a_target_is_skipped_and_what_to_do(
    consent: str | None, words: tuple[str, str], pyz: Path, home: Path, tmp_path: Path
) -> None:
    target = make_target(tmp_path / "project", consent=consent)
    for name in ("status", "doctor"):
        ran = subprocess.run([pyz, name], env=clean_env(home), cwd=target, capture_output=True, text=True, check=False)
        said = " ".join(ran.stdout.split())
        assert all(word in said for word in words), said
    _, answer = command(pyz, home, target, "status", "--json")
    assert words[0] in answer["skipped"]


def test_status_outside_of_a_target_says_so(pyz: Path, home: Path, tmp_path: Path) -> None:
    ran = subprocess.run([pyz, "status"], env=clean_env(home), cwd=tmp_path, capture_output=True, text=True, check=True)
    assert f"no .dreamwork/ in {tmp_path} or above it" in ran.stdout


@pytest.mark.parametrize("words", [["install"], ["uninstall"], ["upgrade"], ["status", "--json"], ["doctor", "--json"]])
def test_a_home_that_cannot_be_written_is_told_in_json_and_never_with_a_traceback(
    pyz: Path, home: Path, tmp_path: Path, words: list[str]
) -> None:
    home.rmdir()
    home.write_text("a file")
    ran = subprocess.run([pyz, *words], env=clean_env(home), cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert b"Traceback" not in ran.stderr
    assert isinstance(json.loads(ran.stdout), dict)
    assert ran.returncode in (0, 1, 2)
    assert home.read_text() == "a file"


def test_the_checkouts_installer_puts_the_same_file_there(built: Path, home: Path, tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    checkout = tmp_path / "checkout"
    (checkout / "dist").mkdir(parents=True)
    (checkout / "dist" / "dreamwork-hooks.pyz").write_bytes(built.read_bytes())
    (checkout / "install.py").write_bytes((root / "install.py").read_bytes())
    # Without src/ beside it, the installer runs from the archive itself.
    ran = subprocess.run(
        ["python3", checkout / "install.py", "--apply"],
        env={**clean_env(home), "PATH": os.environ["PATH"]},
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    answer = json.loads(ran.stdout)
    assert answer["wired"] is True
    again = subprocess.run(
        [answer["program"], "--version"], env=clean_env(home), capture_output=True, timeout=60, check=True
    )
    assert (
        again.stdout
        == subprocess.run([built, "--version"], env=clean_env(home), capture_output=True, check=True).stdout
    )
    assert again.stdout.startswith(b"dreamwork-hooks 0.1.0 (build ")
