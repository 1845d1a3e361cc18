"""The rooms' own tables of cases, through the built archive: what a room says in process its hook says as a process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.evidence.gather import MAX_COMMAND
from dreamwork_hooks.secrets import PREFIXES, shown
from tests.support.machine import Machine, check_answer
from tests.support.spawn import clean_env, run_hook
from tests.support.targets import TASKS, precompact_event, write_event
from tests.support.transcripts import Transcript
from tests.unit import test_secrets
from tests.unit.evidence import test_failing_tests as test_runner_output
from tests.unit.evidence import test_numbers as test_quantities
from tests.unit.ledger import test_losses
from tests.unit.memory import test_audit
from tests.unit.targets import test_consent, test_head, test_status

Answer = dict[str, Any]
Play = Callable[..., Answer]


def rows(test: Any) -> list[Sequence[Any]]:
    """The rows of a test's table."""
    (mark,) = [mark for mark in test.pytestmark if mark.name == "parametrize"]
    return [getattr(row, "values", row) if not isinstance(row, str) else (row,) for row in mark.args[1]]


@pytest.fixture
def play(pyz: Path, machine: Machine) -> Play:
    def play(word: str, event: Answer, **env: str) -> Answer:
        ran = run_hook([pyz, word], json.dumps(event).encode(), env=clean_env(machine.home, **env), cwd=machine.root)
        assert ran.code == 0
        assert ran.err == b""
        return check_answer(ran.out)

    return play


@pytest.fixture
def evidence_of(machine: Machine, play: Play) -> Callable[[Transcript], Answer]:
    """The evidence that a compaction at this transcript's end records."""
    machine.hooks.mkdir(parents=True)
    (machine.hooks / "config.json").write_text('{"evidence": true}')
    numbers = iter(range(1000))

    def evidence_of(transcript: Transcript) -> Answer:
        path = transcript.save(machine.root / "transcript.jsonl")
        session = f"session-{next(numbers)}"
        said = play("precompact", precompact_event(machine.target, session_id=session, transcript_path=str(path)))
        assert said["wrote"]
        found = machine.records()[-1]["evidence"]
        assert isinstance(found, dict)
        return found

    return evidence_of


def test_secrets_in_commands_are_masked(evidence_of: Callable[[Transcript], Answer]) -> None:
    commands = [command.format(secret) for command, secret in test_secrets.COMMANDS] + test_secrets.LEFT_ALONE
    tokens = list(test_secrets.TOKENS.values())
    tokens += [prefix + test_secrets.some(length) for prefix, length in PREFIXES]
    commands += [test_secrets.IN[number % len(test_secrets.IN)].format(token) for number, token in enumerate(tokens)]
    for at in range(0, len(commands), 6):
        some = commands[at : at + 6]
        transcript = Transcript()
        for command in some:
            transcript.bash(command)
        kept = [ran["command"] for ran in evidence_of(transcript)["commands"]]
        assert kept == list(dict.fromkeys(shown(command, MAX_COMMAND) for command in reversed(some)))


def test_failing_tests_are_found_in_what_runners_print(evidence_of: Callable[[Transcript], Answer]) -> None:
    for output, names in rows(test_runner_output.test_names_are_taken):
        assert evidence_of(Transcript().bash("run the tests", output, 1))["failing_tests"] == names
    for (output,) in rows(test_runner_output.test_other_output_names_no_test):
        assert evidence_of(Transcript().bash("run the tests", output))["failing_tests"] == []


def test_numbers_are_taken_and_held_against_the_summary(
    machine: Machine, play: Play, evidence_of: Callable[[Transcript], Answer]
) -> None:
    for text, numbers in rows(test_quantities.test_a_number_with_its_unit_is_taken):
        assert evidence_of(Transcript().say(text))["numbers"] == numbers[::-1]
    left_alone = [row[0] for row in rows(test_quantities.test_other_digits_are_left_alone)]
    assert evidence_of(Transcript().say("\n".join(left_alone)))["numbers"] == []
    machine.put(".dreamwork/status.json", b"{}")
    table = [row for row in rows(test_quantities.test_what_a_summary_states_of_it) if "0" in row[1] or "5" in row[1]]
    assert len(table) > 10
    for number, (summary, stated, fate) in enumerate(table):
        path = Transcript().say(f"It is {stated}.").save(machine.root / "transcript.jsonl")
        session = f"number-{number}"
        play("precompact", precompact_event(machine.target, session_id=session, transcript_path=str(path)))
        assert audited(machine, play, session, summary)[fate] == 1


@pytest.mark.parametrize("kind", ["task", "file", "command", "id", "test"])
def test_facts_are_held_against_the_summary(
    machine: Machine, play: Play, evidence_of: Callable[[Transcript], Answer], kind: str
) -> None:
    table = [row for row in test_audit.FATES if row[0] == kind and not row[1].endswith(("…", "*"))]
    assert len(table) >= 2
    for number, (_, text, summary, fate) in enumerate(table):
        status: Answer = {"task": text} if kind == "task" else {"current_task_ids": [text]} if kind == "id" else {}
        machine.put(".dreamwork/status.json", json.dumps(status).encode())
        transcript = Transcript()
        if kind == "file":
            transcript.write(machine.target / text)
        elif kind == "command":
            transcript.bash(text)
        elif kind == "test":
            transcript.call("Bash", {"command": "t"}, f"Exit code 1\nFAILED {text} - no", error=True)
        path = transcript.prompt("go on").save(machine.root / "transcript.jsonl")
        session = f"{kind}-{number}"
        play("precompact", precompact_event(machine.target, session_id=session, transcript_path=str(path)))
        said = summary.replace("/home/u/project", str(machine.target))
        found = audited(machine, play, session, f"<summary>{said}</summary>", kind)
        assert found[fate] >= 1, (text, summary, found)


def audited(machine: Machine, play: Play, session: str, summary: str, kind: str = "number") -> dict[str, int]:
    """How many of the session's facts of a kind the audit calls kept, part and lost."""
    event = precompact_event(machine.target, hook_event_name="PostCompact", session_id=session, compact_summary=summary)
    assert play("postcompact", event)["ok"]
    newest = json.loads((machine.state / "compaction-audit.jsonl").read_bytes().splitlines()[-1])
    return dict(zip(("kept", "part", "lost"), newest["facts"][kind]))


def test_consent_is_what_the_resolver_says(machine: Machine, play: Play) -> None:
    for number, (name, expected) in enumerate(test_consent.EXPECTED.items()):
        file = test_consent.DATA / name
        (machine.target / "DREAMWORK.md").unlink(missing_ok=True)
        if file.exists():
            machine.put("DREAMWORK.md", file.read_bytes())
        for word, event in (
            ("precompact", precompact_event(machine.target, session_id=str(number))),
            ("posttooluse", write_event(machine.target / ".dreamwork/tasks.md", machine.target)),
        ):
            assert ("skipped" not in play(word, event)) is expected["consent"], name


def test_every_status_is_read_as_expected(machine: Machine, play: Play) -> None:
    for name, expected in test_status.EXPECTED.items():
        machine.put(".dreamwork/status.json", (test_status.DATA / name).read_bytes())
        said = play("precompact", precompact_event(machine.target, session_id=name))
        current = expected["task"] if isinstance(expected["task"], str) else expected["current_task"]
        assert machine.records()[-1]["current_task"] == current, name
        assert ("note" not in said) is expected["readable"], name


def test_lost_entries_are_told_after_a_write(machine: Machine, play: Play) -> None:
    same = rows(test_losses.test_no_question_is_lost)
    gone = rows(test_losses.test_a_lost_question_is_named)
    table = [("questions.md", *row[:2], row[2] if len(row) > 2 else "") for row in [*same, *gone]]
    same = rows(test_losses.test_no_task_is_lost)
    gone = rows(test_losses.test_a_lost_task_is_named)
    table += [("tasks.md", *row[:2], row[2] if len(row) > 2 else "") for row in [*same, *gone]]
    for name, before, now, message in table:
        machine.fresh()
        for text in (before, now):
            file = machine.target / ".dreamwork" / name
            file.unlink(missing_ok=True)
            if text is not None:
                file.write_text(text, "utf-8")
            said = play("posttooluse", write_event(file, machine.target))
        context = said.get("hookSpecificOutput", {}).get("additionalContext", "")
        assert ("ledger/entries-lost" in context) is bool(message), (before, now, said)
        assert message.lstrip(": ") in context


def test_the_head_of_a_repository_a_worktree_and_a_packed_one(machine: Machine, play: Play) -> None:
    def head() -> Any:
        play("precompact", precompact_event(machine.target, session_id=str(next(sessions))))
        return machine.records()[-1]["head"]

    def git(*words: str) -> str:
        ran = subprocess.run(["git", *words], cwd=where, env=test_head.ENV, check=True, capture_output=True, text=True)
        return ran.stdout.strip()

    sessions = iter(range(100))
    where = machine.target
    git("init", "-q", "-b", "main")
    assert head() == {"branch": "main", "commit": None}
    git("commit", "-q", "--allow-empty", "-m", "one")
    commit = git("rev-parse", "HEAD")
    assert head() == {"branch": "main", "commit": commit}
    git("pack-refs", "--all")
    assert head() == {"branch": "main", "commit": commit}
    git("checkout", "-q", "--detach")
    assert head() == {"branch": None, "commit": commit}
    git("add", "-A")
    git("commit", "-q", "-m", "two")
    git("worktree", "add", "-q", "-b", "side", "../side")
    machine.target.rename(machine.root / "first")
    (machine.root / "side").rename(machine.target)
    (machine.target / ".git").write_text(f"gitdir: {machine.root}/first/.git/worktrees/side\n")
    assert head()["branch"] == "side"
    assert len(head()["commit"]) == 40
    for text in ("nonsense", "gitdir: /nonexistent", ""):
        (machine.target / ".git").write_text(text)
        assert head() is None


def test_the_target_is_found_from_the_event_the_project_or_here(machine: Machine, play: Play) -> None:
    elsewhere = str(machine.root)
    for number, (event, env) in enumerate(
        [
            (precompact_event(machine.target / ".dreamwork"), {}),
            (precompact_event(elsewhere), {"CLAUDE_PROJECT_DIR": str(machine.target)}),
            (precompact_event("relative"), {"CLAUDE_PROJECT_DIR": f"{machine.target}/x/.."}),
        ]
    ):
        assert play("precompact", {**event, "session_id": str(number)}, **env)["wrote"]
    without = {key: value for key, value in precompact_event(elsewhere).items() if key != "cwd"}
    assert play("precompact", without)["error"] == "no dreamwork target here"
    for path, cwd, skipped in [
        (".dreamwork/tasks.md", str(machine.target), None),
        ("tasks.md", str(machine.target / ".dreamwork"), None),
        (".dreamwork/x/../tasks.md", str(machine.target), None),
        (".dreamwork/tasks.md", None, "not a ledger file"),
        ("tasks.md", str(machine.target), "not a ledger file"),
        ("/nowhere/.dreamwork/tasks.md", elsewhere, "not in a dreamwork target"),
        (f"{machine.target}/notes.md", elsewhere, "not a ledger file"),
        (f"{machine.target}/.dreamwork/old-tasks.md", elsewhere, "not a ledger file"),
    ]:
        assert play("posttooluse", {**write_event(path), "cwd": cwd}).get("reason") == skipped, path


def test_a_command_that_moved_the_ledger_is_noticed_once(machine: Machine, play: Play) -> None:
    event = write_event("", machine.target, "Bash", tool_input={"command": "x"})
    assert play("posttooluse", event)["lint"] == "clean"
    assert play("posttooluse", event)["reason"] == "the ledger has not changed"
    machine.put(".dreamwork/tasks.md", TASKS.replace("**#3** — read", "**#2** — read").encode())
    assert "duplicate-id" in str(play("posttooluse", event)["hookSpecificOutput"])
    assert play("posttooluse", event)["skipped"]
    assert play("posttooluse", {**event, "cwd": "/"})["reason"] == "not in a dreamwork target"
