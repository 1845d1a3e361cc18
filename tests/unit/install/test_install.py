"""The installer as a person meets it: scopes, options, receipts, what is said and what is left."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dreamwork_hooks.cli.options import carry_out
from dreamwork_hooks.install import program
from dreamwork_hooks.install.install import install, show_snippet
from dreamwork_hooks.install.request import Request, World
from dreamwork_hooks.install.wrapping import wrapped
from tests.support.bench import STAND_IN, Bench

ROOT = Path(__file__).resolve().parents[3]
OTHERS = b'{\n  "model": "opus"\n}\n'


def hooks_of(path: Path) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = json.loads(path.read_bytes())["hooks"]
    return found


def config_of(bench: Bench) -> dict[str, object]:
    found: dict[str, object] = json.loads((bench.state / "config.json").read_bytes())
    return found


def tree(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


# The snippet --------------------------------------------------------------------------------------------------------


def test_the_snippet_is_the_one_the_hooks_are_made_for(bench: Bench) -> None:
    shown = show_snippet(bench.world(), Request())
    pyz = f"'{bench.program}'"
    assert shown.answer == {
        "hooks": {
            "PreCompact": [{"hooks": [{"type": "command", "command": f"{pyz} precompact", "timeout": 5}]}],
            "PostToolUse": [
                {
                    "matcher": "Write|Edit",
                    "hooks": [
                        {
                            "type": "command",
                            "if": f"{tool}(**/.dreamwork/*.md)",
                            "command": f"{pyz} posttooluse",
                            "timeout": 10,
                        }
                        for tool in ("Write", "Edit")
                    ],
                }
            ],
        }
    }
    assert tree(bench.home) == {}


def test_what_print_shows_is_what_install_writes(bench: Bench) -> None:
    everything = frozenset({"restore", "audit", "bash", "evidence"})
    shown = show_snippet(bench.world(), Request(add=everything))
    bench.install(add=everything)
    assert json.loads(bench.settings.read_bytes()) == shown.answer


def test_the_dry_run_shows_the_real_effect_and_writes_nothing(bench: Bench) -> None:
    bench.write(OTHERS)
    before = tree(bench.home)
    shown = bench.install(dry_run=True)
    assert tree(bench.home) == before
    diff = str(shown.answer["diff"])
    added = [line[1:] for line in diff.splitlines()[2:] if line.startswith("+")]
    bench.install()
    written = bench.settings.read_text().splitlines()
    assert all(line in written for line in added)
    assert [line for line in diff.splitlines()[2:] if line.startswith("-")] == ['-  "model": "opus"']

    shown = bench.uninstall(dry_run=True)
    assert bench.program.exists()
    assert '+  "model": "opus"' in str(shown.answer["diff"])


@pytest.mark.parametrize(
    "name", ["with space", "quote's", 'double"', "dollar$HOME", "amp&;|", "ünïcödé", "back\\slash"]
)
def test_the_command_is_one_word_for_the_shell_whatever_the_path(bench: Bench, name: str) -> None:
    config = bench.home / name
    bench.env["DREAMWORK_HOOKS_CONFIG"] = str(config)
    assert bench.install().status == 0
    command = hooks_of(bench.settings)["PreCompact"][0]["hooks"][0]["command"]  # type: ignore[index]
    ran = subprocess.run(["/bin/sh", "-c", command], capture_output=True, env={"PATH": os.defpath}, check=False)
    assert json.loads(ran.stdout)["ok"] is True

    (config / "bin" / "dreamwork-hooks.pyz").unlink()
    ran = subprocess.run(["/bin/sh", "-c", command], capture_output=True, env={"PATH": os.defpath}, check=False)
    assert ran.returncode == 127, "a missing file must not give 2, which blocks"


def test_a_path_that_json_cannot_hold_is_refused(bench: Bench) -> None:
    bench.env["DREAMWORK_HOOKS_CONFIG"] = os.fsdecode(os.fsencode(bench.home) + b"/\xff")
    assert "UTF-8" in str(bench.install().answer["error"])


# Which file ---------------------------------------------------------------------------------------------------------


def test_claude_config_dir_is_the_only_place_when_set(bench: Bench) -> None:
    bench.write(OTHERS)
    bench.env["CLAUDE_CONFIG_DIR"] = str(bench.home / "profile")
    done = bench.install()
    assert done.answer["settings"] == str(bench.home / "profile" / "settings.json")
    assert bench.settings.read_bytes() == OTHERS


@pytest.mark.parametrize("value", ["", "  "])
def test_a_blank_claude_config_dir_is_refused_with_what_the_client_would_read(bench: Bench, value: str) -> None:
    bench.env["CLAUDE_CONFIG_DIR"] = value
    done = bench.install()
    assert done.status == 2
    read = os.path.normpath(os.path.join(bench.root, value))
    assert f"reads {read}/settings.json; nothing was changed" in str(done.answer["error"])
    assert not bench.settings.exists()


def test_a_relative_claude_config_dir_is_resolved_aloud(bench: Bench) -> None:
    bench.env["CLAUDE_CONFIG_DIR"] = "profile"
    done = bench.install()
    assert done.answer["settings"] == str(bench.root / "profile" / "settings.json")
    assert any("relative" in str(warning) for warning in done.answer["warnings"])  # type: ignore[attr-defined]


def test_a_relative_place_for_our_state_is_refused(bench: Bench) -> None:
    bench.env["DREAMWORK_HOOKS_CONFIG"] = "here"
    assert bench.install().status == 2


def test_started_in_home_user_scope_still_has_absolute_paths(bench: Bench) -> None:
    world = World(bench.env, str(bench.home), checkout=str(bench.checkout))
    install(world, Request())
    text = bench.settings.read_text()
    assert f"'{bench.program}' precompact" in text
    assert "CLAUDE_PROJECT_DIR" not in text


@pytest.mark.parametrize(("scope", "name"), [("project", "settings.json"), ("local", "settings.local.json")])
def test_a_project_scope_touches_that_project_only(bench: Bench, scope: str, name: str) -> None:
    project = bench.root / "project"
    project.mkdir()
    done = bench.install(scope=scope, target=str(project))
    assert done.status == 0
    assert not bench.settings.exists()
    command = hooks_of(project / ".claude" / name)["PreCompact"][0]["hooks"][0]["command"]  # type: ignore[index]
    # What a team shares must not hold one person's home.
    name = '"$HOME"/.config/dreamwork/bin/dreamwork-hooks.pyz'
    shared = f"[ ! -x {name} ] || exec {name} precompact"
    assert command == (shared if scope == "project" else f"'{bench.program}' precompact")
    ran = subprocess.run(["/bin/sh", "-c", command], capture_output=True, env=bench.env, check=False)
    assert json.loads(ran.stdout)["ok"] is True
    assert bench.install(scope=scope, target=str(project)).answer["changed"] is False

    bench.uninstall(scope=scope, target=str(project))
    assert not (project / ".claude" / name).exists()
    assert not bench.program.exists()


def test_project_scope_in_home_is_user_scope(bench: Bench) -> None:
    done = bench.install(scope="project", target=str(bench.home))
    assert done.answer["scope"] == "user"
    assert f"'{bench.program}' precompact" in bench.settings.read_text()


def test_local_scope_in_home_is_refused_since_nobody_reads_it(bench: Bench) -> None:
    assert bench.install(scope="local", target=str(bench.home)).status == 2


@pytest.mark.parametrize(
    "request_", [{"target": "/x"}, {"scope": "project", "target": "/no/such/directory"}, {"settings": " "}]
)
def test_a_place_that_cannot_be_meant_is_refused(bench: Bench, request_: dict[str, object]) -> None:
    assert bench.install(**request_).status == 2
    assert tree(bench.home) == {}


def test_another_settings_file_can_be_named(bench: Bench) -> None:
    done = bench.install(settings="other.json")
    assert done.answer["settings"] == str(bench.root / "other.json")
    assert "PreCompact" in hooks_of(bench.root / "other.json")


# Options ------------------------------------------------------------------------------------------------------------


def test_the_parts_for_mcp_writers_and_for_the_person_are_added_and_removed(bench: Bench) -> None:
    bench.install(add=frozenset({"mcp", "notice", "evidence"}))
    plain = hooks_of(bench.settings)["PostToolUse"]
    assert [str(group["matcher"])[:5] for group in plain] == ["Write", "mcp__"]
    assert (config_of(bench)["mcp"], config_of(bench)["notice"]) == (True, True)
    said = bench.install(add=frozenset({"bash"}))
    assert said.answer["options"] == ["bash", "evidence", "mcp", "notice"]
    said = bench.install(drop=frozenset({"mcp", "notice"}))
    assert said.answer["options"] == ["bash", "evidence"]
    assert "You are not told of new errors in the ledger." in said.sentences
    assert [group["matcher"] for group in hooks_of(bench.settings)["PostToolUse"]] == ["Write|Edit", "Bash"]
    assert "notice" not in config_of(bench)


def test_options_are_added_kept_and_removed(bench: Bench) -> None:
    bench.write(OTHERS)
    bench.install()
    plain = bench.settings.read_bytes()

    bench.install(add=frozenset({"restore", "audit", "bash", "evidence"}))
    hooks = hooks_of(bench.settings)
    assert hooks["SessionStart"][0]["matcher"] == "compact|resume|fork"
    assert "matcher" not in hooks["PostCompact"][0]
    assert [group["matcher"] for group in hooks["PostToolUse"]] == ["Write|Edit", "Bash"]
    config = config_of(bench)
    assert {key: config[key] for key in ("restore", "audit", "bash", "evidence")} == dict.fromkeys(
        ("restore", "audit", "bash", "evidence"), True
    )

    assert bench.install().answer["changed"] is False
    bench.install(drop=frozenset({"audit", "bash", "evidence"}))
    assert sorted(hooks_of(bench.settings)) == ["PostToolUse", "PreCompact", "SessionStart"]
    assert sorted(config_of(bench)) == ["backups", "receipts", "restore", "version"]

    bench.install(drop=frozenset({"restore"}))
    assert bench.settings.read_bytes() == plain
    bench.uninstall()
    assert bench.settings.read_bytes() == OTHERS


def test_the_lint_is_recorded_and_must_be_there(bench: Bench) -> None:
    assert bench.install(lint="core/lint.py").status == 2
    assert tree(bench.home) == {}
    (bench.root / "core").mkdir()
    (bench.root / "core" / "lint.py").write_text("")
    bench.install(lint="core/lint.py")
    assert config_of(bench)["lint"] == str(bench.root / "core" / "lint.py")
    bench.install()
    assert config_of(bench)["lint"] == str(bench.root / "core" / "lint.py")
    bench.install(lint="embedded")
    assert config_of(bench)["lint"] == "embedded"


# Receipts -----------------------------------------------------------------------------------------------------------


def test_the_receipt_says_what_when_and_where(bench: Bench) -> None:
    bench.install()
    receipts = config_of(bench)["receipts"]
    assert isinstance(receipts, list)
    (receipt,) = receipts
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", receipt["when"])
    assert receipt["file"] == str(bench.settings)
    assert receipt["events"] == ["PostToolUse", "PreCompact"]
    assert receipt["sha256"] == program.installed_hash(str(bench.program))
    assert receipt["python"] == str(bench.root / "bin" / "python3")


def test_a_second_install_leaves_the_receipt_untouched(bench: Bench) -> None:
    bench.install()
    os.utime(bench.state / "config.json", ns=(10**18, 10**18))
    bench.install()
    assert (bench.state / "config.json").stat().st_mtime_ns == 10**18


@pytest.mark.parametrize("damage", [b"{", b"[]", b"\xff", b"[" * 100_000])
def test_a_damaged_config_is_kept_aside_and_named(bench: Bench, damage: bytes) -> None:
    bench.state.mkdir(parents=True)
    (bench.state / "config.json").write_bytes(damage)
    done = bench.install()
    assert done.status == 0
    assert any("could not be read" in sentence for sentence in done.sentences)
    (aside,) = bench.state.glob("config.json.*.damaged")
    assert aside.read_bytes() == damage
    assert config_of(bench)["receipts"]


def test_what_an_old_receipt_says_of_the_layout_is_forgotten_with_the_file(bench: Bench) -> None:
    """The file we made was thrown away; the next one is the person's own, and stays."""
    bench.install()
    bench.settings.write_text("{ }")
    bench.install()
    bench.uninstall()
    assert bench.settings.read_text() == "{ }"


def test_the_layout_is_remembered_through_a_retry(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program writes back what we wrote: the last look finds nothing to do, and the receipt is whole."""
    bench.write('{\n  "hooks": { }\n}\n')
    rename = os.rename
    seen: list[str] = []

    def then_touched(source: str, destination: str) -> None:
        rename(source, destination)
        if destination == str(bench.settings) and not seen:
            seen.append(destination)
            bench.settings.write_text(bench.settings.read_text() + "\n")

    monkeypatch.setattr(os, "rename", then_touched)
    assert bench.install().status == 0
    assert seen
    bench.uninstall()
    assert bench.settings.read_text() == '{\n  "hooks": { }\n}\n\n'


def test_a_file_with_several_names_is_told_with_how_many(bench: Bench) -> None:
    file = bench.write(OTHERS)
    os.link(file, file.with_name("dotfiles.json"))
    os.link(file, file.with_name("other.json"))
    done = bench.install()
    assert any("3 names (hard links)" in sentence for sentence in done.sentences)
    assert file.with_name("other.json").read_bytes() == file.read_bytes()


# Uninstalling -------------------------------------------------------------------------------------------------------


def test_uninstall_takes_ours_from_every_file_we_wired_and_leaves_state_and_backups(bench: Bench) -> None:
    bench.write(OTHERS)
    project = bench.root / "project"
    (project / ".claude").mkdir(parents=True)
    (project / ".claude" / "settings.local.json").write_bytes(OTHERS)
    bench.install()
    bench.install(scope="local", target=str(project))
    (bench.state / "project-0123").mkdir()
    (bench.state / "project-0123" / "precompact-focus.jsonl").write_text("{}\n")

    done = bench.uninstall()
    assert done.status == 0
    assert bench.settings.read_bytes() == OTHERS
    assert (project / ".claude" / "settings.local.json").read_bytes() == OTHERS
    assert not bench.program.exists()
    assert (bench.state / "project-0123" / "precompact-focus.jsonl").exists()
    assert len(bench.backups()) == 4


def test_uninstalling_one_scope_keeps_the_file_that_another_needs(bench: Bench) -> None:
    bench.install()
    (bench.root / "project").mkdir()
    bench.install(scope="local", target=str(bench.root / "project"))
    done = bench.uninstall(scope="local", target=str(bench.root / "project"))
    assert bench.program.exists()
    assert any("Kept" in sentence for sentence in done.sentences)


def test_uninstalling_a_project_keeps_the_file_that_the_user_settings_name_without_a_receipt(bench: Bench) -> None:
    bench.install()
    (bench.root / "project").mkdir()
    bench.install(scope="local", target=str(bench.root / "project"))
    (bench.state / "config.json").unlink()
    bench.uninstall(scope="local", target=str(bench.root / "project"), purge=True)
    assert bench.program.exists()
    assert bench.state.exists()


def test_purge_removes_our_state_and_nothing_else(bench: Bench) -> None:
    bench.write(OTHERS)
    bench.install()
    (bench.state / "a" / "b").mkdir(parents=True)
    (bench.state.parent / "neighbour").write_text("of another plugin")
    bench.uninstall(purge=True)
    assert not bench.state.exists()
    assert (bench.state.parent / "neighbour").exists()
    assert bench.settings.read_bytes() == OTHERS


def test_all_that_stays_is_named_and_purge_takes_it(bench: Bench) -> None:
    bench.write(OTHERS)
    bench.install(add=frozenset({"evidence"}))
    mine = bench.settings.with_name(f"{bench.settings.name}.bak-20200101T000000Z")
    mine.write_text("a backup of the person's own")
    told = " ".join(bench.uninstall().sentences)
    assert "2 backups" in told
    assert all(str(path) in told for path in bench.backups() if path != mine)
    assert "--purge" in told
    assert "evidence" not in config_of(bench), "a choice must not come back with the next installation"
    assert bench.install().answer["options"] == []
    bench.uninstall(purge=True)
    left = [path for path in bench.home.rglob("*") if path.name not in (".claude", ".config")]
    assert sorted(left) == sorted([bench.settings, mine])


def test_purge_leaves_nothing_where_there_was_nothing(bench: Bench) -> None:
    bench.install()
    bench.uninstall(purge=True)
    assert [path for path in bench.home.rglob("*") if path.name != ".config"] == []


def test_purge_does_not_follow_a_link(bench: Bench) -> None:
    victim = bench.root / "victim"
    victim.mkdir()
    (victim / "precious").write_text("")
    bench.state.parent.mkdir(parents=True)
    bench.state.symlink_to(victim)
    bench.uninstall(purge=True)
    assert (victim / "precious").exists()
    assert not bench.state.is_symlink()


def test_uninstalling_what_is_not_there_succeeds_and_makes_nothing(bench: Bench) -> None:
    done = bench.uninstall()
    assert done.status == 0
    assert done.answer["changed"] is False
    assert tree(bench.home) == {}
    assert list(bench.home.iterdir()) == []


def test_uninstall_refuses_settings_it_cannot_read_before_touching_any_file(bench: Bench) -> None:
    bench.install()
    (bench.root / "project").mkdir()
    bench.install(scope="local", target=str(bench.root / "project"))
    broken = bench.root / "project" / ".claude" / "settings.local.json"
    broken.write_text("{,}")
    before = tree(bench.home)
    assert bench.uninstall().status == 2
    assert tree(bench.home) == before


def test_a_handler_that_also_runs_something_of_the_persons_is_named_when_it_is_left(bench: Bench) -> None:
    bench.write(
        json.dumps(
            {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": f"{bench.program} precompact; beep"}]}]}}
        )
    )
    before = bench.settings.read_bytes()
    bench.install()
    done = bench.uninstall()
    assert bench.settings.read_bytes() == before
    assert any("; beep" in sentence for sentence in done.sentences)


# The file itself ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ('{"disableAllHooks": true}', "disableAllHooks is true"),
        ('{"hooks": {"PreToolUse": [{"matcher": 3, "hooks": []}]}}', "line 1: hooks.PreToolUse[0].matcher"),
        ('{"permissions": {"allow": "all"}}', "permissions.allow"),
    ],
)
def test_wiring_that_is_not_in_force_is_never_called_so(bench: Bench, before: str, words: str) -> None:
    bench.write(before)
    done = bench.install()
    assert done.status == 0
    assert any("NOT ACTIVE" in sentence and words in sentence for sentence in done.sentences)
    assert not any("take it up at once" in sentence for sentence in done.sentences)
    assert done.answer["wired"] is False
    bench.uninstall()
    assert bench.settings.read_text() == before


def test_a_missing_build_is_refused_with_the_command_that_makes_it(bench: Bench) -> None:
    (bench.checkout / "dist" / "dreamwork-hooks.pyz").unlink()
    refused = bench.install()
    assert refused.status == 2
    assert f"python3 {bench.checkout}/build.py" in str(refused.answer["error"])
    assert tree(bench.home) == {}


def test_a_file_that_does_not_answer_is_not_installed(bench: Bench) -> None:
    bench.write(OTHERS)
    bench.install()
    before = tree(bench.home)
    (bench.checkout / "dist" / "dreamwork-hooks.pyz").write_bytes(b"#!/bin/sh\npython=''\nexit 2\n")
    failed = bench.install()
    assert failed.status == 1
    assert tree(bench.home) == before
    assert bench.strays() == []


def test_upgrade_replaces_the_file_and_keeps_its_python(bench: Bench) -> None:
    bench.install()
    python = program.pin_of(bench.program.read_bytes())
    settings = bench.settings.read_bytes()
    old = bench.program.stat().st_ino

    new = STAND_IN.replace(b"stand-in", b"newer")
    (bench.checkout / "dist" / "dreamwork-hooks.pyz").write_bytes(new)
    done = bench.upgrade()
    assert done.answer["changed"] is True
    assert b"newer" in bench.program.read_bytes()
    assert program.pin_of(bench.program.read_bytes()) == python
    assert bench.program.stat().st_ino != old
    assert stat.S_IMODE(bench.program.stat().st_mode) == 0o755
    assert bench.settings.read_bytes() == settings
    receipts = config_of(bench)["receipts"]
    assert isinstance(receipts, list)
    assert receipts[0]["sha256"] == program.installed_hash(str(bench.program))
    assert bench.upgrade().answer["changed"] is False


def test_upgrade_of_nothing_is_refused(bench: Bench) -> None:
    assert bench.upgrade().status == 2
    assert tree(bench.home) == {}


def test_what_differs_is_told_once_a_handler(bench: Bench) -> None:
    command = "~/.config/dreamwork/bin/dreamwork-hooks.pyz precompact"
    bench.write(json.dumps({"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": command}]}]}}))
    refused = bench.install()
    assert refused.status == 2
    told = str(refused.answer["error"])
    assert f"  PreCompact precompact: {command}\n" in told
    assert told.count("PreCompact precompact") == 1


def test_a_choice_that_the_settings_do_not_show_is_said(bench: Bench) -> None:
    assert (
        "Evidence from the transcript is recorded at compactions."
        in bench.install(add=frozenset({"evidence"})).sentences
    )
    assert not any("vidence" in sentence for sentence in bench.install().sentences)
    assert (
        "Evidence from the transcript is not recorded at compactions."
        in bench.install(drop=frozenset({"evidence"})).sentences
    )


@pytest.mark.parametrize(
    "before", ["{}", '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "args": []}]}]}}']
)
def test_while_hooks_are_recorded_nothing_is_taken_away_or_wired_twice(bench: Bench, before: str) -> None:
    bench.write(before)
    bench.install()
    wired = bench.settings.read_bytes()
    bench.settings.write_text(wrapped(wired.decode(), str(bench.program), str(bench.root / "events")))
    recorded = bench.settings.read_bytes()
    assert recorded.count(b"dreamwork-hooks-record") == wired.count(b'"command":')
    for outcome in (bench.uninstall(), bench.install(), bench.uninstall(purge=True)):
        assert outcome.status == 2
        assert f"record --remove --settings {bench.settings}" in str(outcome.answer["error"])
    assert bench.settings.read_bytes() == recorded
    assert bench.program.exists()


def test_uninstalling_says_that_the_state_stays(bench: Bench) -> None:
    bench.install()
    assert any(f"Kept the logs in {bench.state}" in sentence for sentence in bench.uninstall().sentences)
    assert bench.state.is_dir()


def test_importing_the_installer_writes_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); from dreamwork_hooks.cli import install, options"
    subprocess.run([sys.executable, "-c", code, str(ROOT / "src")], env=bench.env, cwd=bench.root, check=True)
    assert tree(bench.home) == {}
    assert carry_out("print", lambda: show_snippet(bench.world(), Request()), as_json=True) == 0
    assert tree(bench.home) == {}
