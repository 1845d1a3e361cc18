"""The doctor runs what is registered and believes nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click.testing
import pytest

from dreamwork_hooks.cli import doctor
from dreamwork_hooks.cli.main import main
from dreamwork_hooks.doctor.checks import FAIL, NOTE, OK, WARN, Check, needs_a_person
from dreamwork_hooks.doctor.status import status
from dreamwork_hooks.install import interpreter
from dreamwork_hooks.memory.state import slug
from tests.support.bench import Bench
from tests.support.targets import make_target
from tests.unit.install.test_interpreter import BASE, script

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def project(bench: Bench) -> Path:
    return make_target(bench.root / "project")


@pytest.fixture
def examine(bench: Bench, project: Path) -> Callable[[], list[Check]]:
    return lambda: doctor.examine(bench.world(), str(project), str(bench.root / "managed.json"))


Examine = Callable[[], list[Check]]


def bad(checks: list[Check]) -> list[tuple[str, str]]:
    return [(check.about, check.line) for check in checks if check.state in (WARN, FAIL)]


def only(checks: list[Check], about: str) -> Check:
    """The one check of that group that needs attention; nothing else may."""
    found = [check for check in checks if check.state in (WARN, FAIL)]
    assert [check.about for check in found] == [about], found
    return found[0]


def change(bench: Bench, old: str, new: str) -> None:
    text = bench.settings.read_text()
    assert old in text
    bench.settings.write_text(text.replace(old, new))


# All is well --------------------------------------------------------------------------------------------------------


def test_a_fresh_installation_needs_nobody(bench: Bench, examine: Examine) -> None:
    bench.install(add=frozenset({"restore", "audit", "bash"}))
    checks = examine()
    assert bad(checks) == []
    ran = [check.line for check in checks if check.about == "command"]
    assert [line.split(":")[0] for line in ran] == ["PreCompact", "PostToolUse", "SessionStart", "PostCompact"]
    assert all("would exit with 127" in line for line in ran)


def test_looking_changes_nothing(bench: Bench, examine: Examine) -> None:
    bench.install()
    before = {path: path.read_bytes() for path in bench.root.rglob("*") if path.is_file()}
    examine()
    assert {path: path.read_bytes() for path in bench.root.rglob("*") if path.is_file()} == before


# The settings -------------------------------------------------------------------------------------------------------


def test_nothing_wired_is_a_failure_with_the_command(bench: Bench, examine: Examine) -> None:
    found = only(examine(), "wiring")
    assert found.command == f"python3 {bench.checkout}/install.py --apply"


def test_a_receipt_without_its_handlers_says_since_when(bench: Bench, examine: Examine) -> None:
    bench.install()
    bench.settings.write_text("{}")
    lines = [line for _, line in bad(examine())]
    assert any("installed on 2" in line and "now missing there: PostToolUse, PreCompact" in line for line in lines)


def test_a_receipt_of_another_project_is_looked_after_too(bench: Bench, project: Path, examine: Examine) -> None:
    bench.install()
    other = bench.root / "other"
    other.mkdir()
    bench.install(scope="local", target=str(other))
    assert bad(examine()) == []
    (other / ".claude" / "settings.local.json").write_text("{}")
    assert f"in {other}/.claude/settings.local.json" in only(examine(), "wiring").line
    (other / ".claude" / "settings.local.json").unlink()
    (other / ".claude").rmdir()
    other.rmdir()
    checks = examine()
    assert bad(checks) == []
    assert any("whose project is gone" in check.line for check in checks)


def test_one_hook_of_the_two_is_not_enough(bench: Bench, examine: Examine) -> None:
    bench.install()
    data = json.loads(bench.settings.read_text())
    del data["hooks"]["PreCompact"]
    bench.settings.write_text(json.dumps(data))
    assert ("wiring", "not wired: PreCompact") in bad(examine())


def test_a_comment_voids_the_file_and_our_wiring_with_it(bench: Bench, examine: Examine) -> None:
    bench.install()
    bench.settings.write_text("// mine\n" + bench.settings.read_text())
    lines = [line for _, line in bad(examine())]
    assert any("is ignored as a whole, and with it our PreCompact, PostToolUse" in line for line in lines)
    assert "no settings file registers our hooks" in lines


def test_a_malformed_entry_of_another_hook_voids_ours_too(bench: Bench, examine: Examine) -> None:
    bench.install()
    data = json.loads(bench.settings.read_text())
    data["hooks"]["PreToolUse"] = [{"hooks": [{"type": "command", "command": "true", "timeout": 0}]}]
    bench.settings.write_text(json.dumps(data))
    lines = [line for _, line in bad(examine())]
    assert "no settings file registers our hooks" in lines
    assert any("PreToolUse[0].hooks[0].timeout" in line for line in lines)


def test_wired_in_two_files_each_runs(bench: Bench, project: Path, examine: Examine) -> None:
    bench.install()
    bench.install(scope="project", target=str(project))
    lines = [line for about, line in bad(examine()) if about == "wiring"]
    assert any("PreCompact is wired in 2 files" in line and line.endswith("each of them runs") for line in lines)


def test_identical_handlers_in_two_files_run_once(bench: Bench, project: Path, examine: Examine) -> None:
    bench.install()
    bench.install(scope="local", target=str(project))
    checks = examine()
    assert bad(checks) == []
    assert any("identical" in check.line for check in checks if check.state == NOTE)


def test_a_session_started_in_home_sees_one_file_once(bench: Bench) -> None:
    bench.install()
    checks = doctor.examine(bench.world(), str(bench.home), str(bench.root / "managed.json"))
    assert bad(checks) == []
    assert len([check for check in checks if check.about == "settings"]) == 1


@pytest.mark.parametrize(
    ("user", "other", "state"),
    [(True, None, FAIL), (None, True, FAIL), (True, False, NOTE), (False, True, FAIL), (False, None, None)],
)
def test_the_highest_file_that_speaks_decides_whether_hooks_run(
    bench: Bench, project: Path, examine: Examine, user: bool | None, other: bool | None, state: str | None
) -> None:
    bench.install()
    if user is not None:
        data = json.loads(bench.settings.read_text())
        bench.settings.write_text(json.dumps({**data, "disableAllHooks": user}))
    if other is not None:
        (project / ".claude").mkdir()
        (project / ".claude" / "settings.json").write_text(json.dumps({"disableAllHooks": other}))
    found = [check.state for check in examine() if "disableAllHooks" in check.line]
    assert found == ([] if state is None else [state])


def test_managed_hooks_only_is_named(bench: Bench, examine: Examine) -> None:
    bench.install()
    (bench.root / "managed.json").write_text('{"allowManagedHooksOnly": true}')
    assert "allowManagedHooksOnly" in only(examine(), "wiring").line


def test_every_hook_is_judged_not_only_ours(bench: Bench, examine: Examine) -> None:
    bench.install()
    data = json.loads(bench.settings.read_text())
    data["hooks"]["Stop"] = [{"hooks": [{"type": "command", "command": "true", "timeout": 30000}]}]
    bench.settings.write_text(json.dumps(data, indent=2))
    found = only(examine(), "hooks")
    assert found.line.startswith(f"{bench.settings}:")
    assert found.remedy == "did you mean 30?"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"timeout": 5', '"timeout": 7', "not as this version writes it"),
        ("Write|Edit", "Write|Edit|MultiEdit", "not as this version writes it"),
    ],
)
def test_an_entry_of_ours_that_differs_is_named_with_the_cure(
    bench: Bench, examine: Examine, old: str, new: str, words: str
) -> None:
    bench.install()
    change(bench, old, new)
    found = [check for check in examine() if words in check.line]
    assert found
    assert found[0].command.endswith("--force")


# The commands -------------------------------------------------------------------------------------------------------


def test_a_missing_file_is_a_failure_with_the_shells_own_words(bench: Bench, examine: Examine) -> None:
    bench.install()
    bench.program.unlink()
    lines = bad(examine())
    assert any(about == "program" and "no such file" in line for about, line in lines)
    assert any(about == "command" and "exit 127" in line for about, line in lines)


def test_absence_behind_a_guard_does_not_look_healthy(bench: Bench, examine: Examine) -> None:
    bench.install()
    change(bench, f"'{bench.program}' precompact", f"[ -x '{bench.program}' ] && '{bench.program}' precompact || true")
    assert any("behind a guard" in check.line for check in examine() if check.state == NOTE)
    bench.program.unlink()
    assert any("a guard hides that the file is not there" in line for _, line in bad(examine()))


def test_a_registration_through_python_would_block_if_the_file_went_missing(bench: Bench, examine: Examine) -> None:
    bench.install(python=BASE)
    script(bench.program, f"#!{BASE}\nprint('{{\"ok\": true}}')\n")
    change(bench, f"'{bench.program}' posttooluse", f"{BASE} '{bench.program}' posttooluse")
    assert any("would exit with 2, which blocks" in line for _, line in bad(examine()))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 3", "exit 3"),
        ("echo '{}'; echo '{}'", "exit 0: {}"),
        ("echo hello; echo '{}'", "exit 0: hello"),
        ("echo '[]'", "exit 0: []"),
        ("true", "it printed nothing"),
        ("echo '{}'; exit 2", "exit 2"),
    ],
)
def test_an_answer_that_is_not_one_json_object_is_shown(bench: Bench, examine: Examine, body: str, words: str) -> None:
    bench.install()
    script(bench.program, f"#!/bin/sh\n{body}\n")
    lines = [line for about, line in bad(examine()) if about == "command"]
    assert len(lines) == 2
    assert all(words in line for line in lines)


def test_a_hook_that_never_answers_is_stopped_at_its_own_limit(bench: Bench, examine: Examine) -> None:
    bench.install()
    change(bench, '"timeout": 5', '"timeout": 0.3')
    change(bench, '"timeout": 10', '"timeout": 0.3')
    script(bench.program, "#!/bin/sh\nsleep 60 & wait\n")
    lines = [line for about, line in bad(examine()) if about == "command"]
    assert all("no answer within 0.3 s" in line for line in lines)
    assert lines


def test_a_hook_that_needs_the_persons_own_path_is_named(bench: Bench, examine: Examine) -> None:
    bench.install()
    script(bench.root / "bin" / "only-here", "#!/bin/sh\nprintf '{}'\n")
    script(bench.program, "#!/bin/sh\nexec only-here\n")
    lines = [line for about, line in bad(examine()) if about == "command"]
    assert all("answers only with your shell's PATH" in line for line in lines)
    assert lines


def test_other_peoples_hooks_are_never_run(bench: Bench, examine: Examine) -> None:
    bench.install()
    data = json.loads(bench.settings.read_text())
    mark = bench.root / "ran"
    data["hooks"]["Stop"] = [{"hooks": [{"type": "command", "command": f"touch {mark}; {bench.program} precompact"}]}]
    bench.settings.write_text(json.dumps(data))
    examine()
    assert not mark.exists()


# File, interpreter, state -------------------------------------------------------------------------------------------


def test_a_changed_file_is_not_whole(bench: Bench, examine: Examine) -> None:
    bench.install()
    with open(bench.program, "ab") as file:
        file.write(b"# more\n")
    assert "is not the file that was installed" in only(examine(), "program").line


def test_another_pinned_interpreter_is_still_the_same_file(bench: Bench, examine: Examine) -> None:
    bench.install()
    bench.install(python=sys.executable)
    assert bad(examine()) == []


def test_a_file_that_others_may_change_is_named(bench: Bench, examine: Examine) -> None:
    bench.install()
    bench.program.chmod(0o777)
    assert "may be changed by others (mode 0777)" in only(examine(), "program").line


def test_a_shim_is_named_with_the_interpreter_behind_it(bench: Bench, examine: Examine) -> None:
    shim = script(bench.root / "shims" / "python3", f'#!/bin/sh\nsleep 0.05\nexec "{BASE}" "$@"\n')
    bench.install()
    bench.program.write_bytes(
        bench.program.read_bytes().replace(f"{bench.root}/bin/python3".encode(), str(shim).encode())
    )
    found = only(examine(), "python")
    assert "times less" in found.line
    assert found.command.endswith(f"install.py --apply --python {BASE}")


def test_a_stub_for_python_is_named(bench: Bench, examine: Examine) -> None:
    bench.install()
    stub = script(bench.root / "stub", "#!/bin/sh\necho shop; exit 49\n")
    bench.program.write_bytes(
        bench.program.read_bytes().replace(f"{bench.root}/bin/python3".encode(), str(stub).encode())
    )
    assert "exit 49: shop" in only(examine(), "python").line


def test_a_state_directory_open_to_others_is_named(bench: Bench, examine: Examine) -> None:
    bench.install()
    bench.state.chmod(0o755)
    found = only(examine(), "state")
    assert found.command == f"chmod go= {bench.state}"
    assert subprocess.run(found.command, shell=True, check=True).returncode == 0
    assert bad(examine()) == []


def test_a_file_in_place_of_the_state_directory_is_named(bench: Bench, examine: Examine) -> None:
    bench.state.parent.mkdir(parents=True)
    bench.state.write_text("")
    assert any("is not a directory" in line for about, line in bad(examine()) if about == "state")


# The target ---------------------------------------------------------------------------------------------------------


def test_the_core_lint_is_timed_against_its_limit(
    bench: Bench, project: Path, examine: Examine, monkeypatch: pytest.MonkeyPatch
) -> None:
    lint = bench.root / "core" / "lint.py"
    lint.parent.mkdir()
    lint.write_text("print('fine')\n")
    bench.install(lint=str(lint))
    checks = examine()
    assert bad(checks) == []
    assert any("ends with 0 in " in check.line for check in checks if check.about == "lint")

    for text, words in (
        ("import argparse\nargparse.ArgumentParser().parse_args()\n", "exited with status 2"),
        ("raise SystemExit(3)\n", "exited with status 3"),
        ("1 / 0\n", 'crashed: "ZeroDivisionError'),
        ("import os\nos.kill(os.getpid(), 9)\n", "exited with status -9"),
    ):
        lint.write_text(text)
        assert words in only(examine(), "lint").line
    lint.write_text("print('ERROR .dreamwork/tasks.md:1: x')\nraise SystemExit(1)\n")
    assert any("ends with 1 in " in check.line for check in examine() if check.about == "lint")
    assert bad(examine()) == []

    lint.write_text("import time\ntime.sleep(60)\n")
    bench.env["DREAMWORK_LINT_TIMEOUT"] = "0.2"
    assert "does not finish within its 0.2 s" in only(examine(), "lint").line

    lint.unlink()
    assert "no core lint at" in only(examine(), "lint").line


@pytest.mark.parametrize(
    ("runs", "state", "words"),
    [
        ({"run": "2026-01-02T03:04:05Z", "ok": "2026-01-02T03:04:05Z"}, OK, "succeeded 2026-01-02T03:04:05Z"),
        (
            {
                "run": "2026-01-03T00:00:00Z",
                "ok": "2026-01-02T00:00:00Z",
                "failure": "2026-01-03T00:00:00Z",
                "error": "full",
            },
            WARN,
            "failed 2026-01-03T00:00:00Z (full)",
        ),
        ({"run": "2026-01-03T00:00:00Z", "failure": "2026-01-03T00:00:00Z"}, WARN, "never succeeded"),
    ],
)
def test_the_last_runs_are_told_with_the_reason_of_a_failure(
    bench: Bench, project: Path, examine: Examine, runs: dict[str, str], state: str, words: str
) -> None:
    bench.install()
    directory = bench.state / slug(os.path.realpath(project))
    directory.mkdir(mode=0o700)
    file = directory / "last-runs.json"
    file.write_text(json.dumps({"precompact": runs, "target": str(project)}))
    file.chmod(0o600)
    (found,) = [check for check in examine() if check.about == "runs"]
    assert found.state == state
    assert words in found.line
    outside = doctor.examine(bench.world(), str(bench.root), str(bench.root / "managed.json"))
    assert [check.line for check in outside if check.about == "runs"] == [found.line]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"precompact": 3}', "[" * 99_999])
def test_a_damaged_note_of_the_last_runs_is_no_failure(
    bench: Bench, project: Path, examine: Examine, content: str
) -> None:
    bench.install()
    directory = bench.state / slug(os.path.realpath(project))
    directory.mkdir(mode=0o700)
    (directory / "last-runs.json").write_text(content)
    (directory / "last-runs.json").chmod(0o600)
    assert bad(examine()) == []


# How it is told -----------------------------------------------------------------------------------------------------


def run_doctor(bench: Bench, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> click.testing.Result:
    for name, value in bench.env.items():
        monkeypatch.setenv(name, value)
    return click.testing.CliRunner().invoke(main, ["doctor", "--target", str(bench.root), *arguments])


def test_the_exit_status_and_the_json_say_the_same(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.install()
    ran = run_doctor(bench, monkeypatch, "--json")
    answer = json.loads(ran.stdout)
    assert (ran.exit_code, answer["ok"]) == (0, True)
    assert {"about", "state", "line", "remedy", "command"} == set(answer["checks"][0])
    bench.program.unlink()
    ran = run_doctor(bench, monkeypatch, "--json")
    assert (ran.exit_code, json.loads(ran.stdout)["ok"]) == (1, False)


def test_a_verdict_claims_no_more_than_was_found() -> None:
    seen, unseen, broken = Check("state", OK, "seen"), Check("lint", NOTE, "not timed"), Check("lint", FAIL, "gone")
    assert doctor.shown([seen], 80).endswith("\nNo problem found.\n")
    assert doctor.shown([seen, unseen], 80).endswith("\nNo problem found. 1 note above.\n")
    assert doctor.shown([seen, unseen, broken], 80).endswith("\n1 problem needs your attention.\n")


def test_the_text_fits_the_width_but_for_what_is_to_be_pasted(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write('{"hooks": {"Stop": [7], "PreCommit": []}, "model": "' + "m" * 200 + '"}')
    monkeypatch.setenv("COLUMNS", "80")
    ran = run_doctor(bench, monkeypatch)
    assert ran.exit_code == 1
    assert "your attention." in ran.stdout.splitlines()[-1]
    pasted = [line for line in ran.stdout.splitlines() if "dreamwork-hooks install" in line]
    assert pasted
    long = [line for line in ran.stdout.splitlines() if len(line) > 80 and line not in pasted]
    assert [line for line in long if " " in line.strip().split("   ")[-1]] == []


def test_only_warnings_and_failures_need_a_person() -> None:
    assert not needs_a_person([Check("runs", OK, ""), Check("runs", NOTE, "")])
    assert needs_a_person([Check("runs", WARN, "")])


# The init check -----------------------------------------------------------------------------------------------------


def test_status_hands_over_the_command_until_the_hooks_are_wired(bench: Bench, project: Path) -> None:
    managed = str(bench.root / "managed.json")
    told = status(bench.world(), str(project), managed)
    assert told.answer["state"] == "available, not wired"
    assert told.answer["command"] == f"python3 {bench.checkout}/install.py --apply"
    assert any(str(told.answer["command"]) in sentence for sentence in told.sentences)

    bench.install()
    told = status(bench.world(), str(project), managed)
    assert (told.answer["state"], told.answer["wired"]) == ("wired", True)
    assert told.sentences == ["Wired: PreCompact, PostToolUse."]

    bench.program.unlink()
    told = status(bench.world(), str(project), managed)
    assert told.answer["wired"] is False

    bench.install()
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    assert status(bench.world(), str(project), managed).answer["wired"] is False


def test_status_in_part(bench: Bench, project: Path) -> None:
    bench.install()
    data = json.loads(bench.settings.read_text())
    del data["hooks"]["PostToolUse"]
    bench.settings.write_text(json.dumps(data))
    told = status(bench.world(), str(project), str(bench.root / "managed.json"))
    assert told.answer["state"] == "partly wired"
    assert told.answer["missing"] == ["PostToolUse"]


def test_a_probe_of_this_python_says_who_it_is() -> None:
    found = interpreter.probe(BASE)
    assert found.problem == ""
    assert found.version == sys.version_info[:3]
