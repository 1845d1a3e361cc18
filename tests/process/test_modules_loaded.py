"""Which modules an event loads: start-up is what a user feels at every edit."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.archive import COMMAND_ROOMS
from tests.support.dear import DEAR
from tests.support.spawn import clean_env, pin, run_hook
from tests.support.targets import BROKEN_TASKS, make_target, precompact_event, write_event
from tests.support.transcripts import Transcript

pytestmark = pytest.mark.every


def _skipped(target: Path) -> tuple[str, bytes]:
    return "posttooluse", json.dumps(write_event(target / "main.py")).encode()


def _markdown(target: Path) -> tuple[str, bytes]:
    return "posttooluse", json.dumps(write_event(target / "README.md")).encode()


def _clean(target: Path) -> tuple[str, bytes]:
    return "posttooluse", json.dumps(write_event(target / ".dreamwork" / "tasks.md")).encode()


def _broken(target: Path) -> tuple[str, bytes]:
    (target / ".dreamwork" / "tasks.md").write_text(BROKEN_TASKS, "utf-8")
    return _clean(target)


def _no_consent(target: Path) -> tuple[str, bytes]:
    (target / "DREAMWORK.md").unlink()
    return _clean(target)


def _precompact(target: Path) -> tuple[str, bytes]:
    return "precompact", json.dumps(precompact_event(target)).encode()


def _no_target(target: Path) -> tuple[str, bytes]:
    return "precompact", json.dumps(precompact_event("/")).encode()


def _unknown(target: Path) -> tuple[str, bytes]:
    return "unknown", json.dumps(precompact_event(target)).encode()


def _array(target: Path) -> tuple[str, bytes]:
    return "precompact", b"[]"


EVENTS: dict[str, Callable[[Path], tuple[str, bytes]]] = {
    "an edit of another file": _skipped,
    "an edit of another Markdown file": _markdown,
    "an edit of a sound ledger": _clean,
    "an edit of a broken ledger": _broken,
    "an edit without consent": _no_consent,
    "a compaction": _precompact,
    "a compaction outside a target": _no_target,
    "an unknown word": _unknown,
    "no event": _array,
}


@pytest.fixture(scope="module")
def traced(built: Path, interpreter: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive, with an interpreter pinned that tells on stderr what it imports."""
    directory = tmp_path_factory.mktemp("traced")
    tracing = directory / "python3"
    tracing.write_text(f'#!/bin/sh\nexec "{interpreter}" -X importtime "$@"\n')
    tracing.chmod(0o755)
    pin(built, directory / "traced.pyz", str(tracing))
    return directory / "traced.pyz"


def imported(stderr: bytes) -> set[str]:
    lines = [line for line in stderr.decode().splitlines() if line.startswith("import time:") and "|" in line]
    return {line.rpartition("|")[2].strip() for line in lines[1:]}


@pytest.fixture(scope="module")
def bare(interpreter: Path) -> set[str]:
    """What the interpreter loads before a word of ours."""
    words = ["-X", "importtime", "-E", "-s", "-S", "-c", "pass"]
    return imported(subprocess.run([interpreter, *words], capture_output=True, check=True).stderr)


@pytest.mark.parametrize("name", list(EVENTS))
def test_an_event_loads_no_dear_module(name: str, traced: Path, bare: set[str], tmp_path: Path, home: Path) -> None:
    word, event = EVENTS[name](make_target(tmp_path / "project"))
    ran = run_hook([traced, word], event, env=clean_env(home))
    ran.answer()
    ours = imported(ran.err) - bare
    assert ours, "nothing was traced"
    assert {module for module in ours if module.split(".")[0] in DEAR} == set()
    rooms = {module.split(".")[1] for module in ours if module.startswith("dreamwork_hooks.")}
    assert rooms.isdisjoint(COMMAND_ROOMS)


def test_a_whole_round_trip_loads_no_dear_module(traced: Path, bare: set[str], tmp_path: Path, home: Path) -> None:
    """With evidence from a transcript, the record given back, and an audit that finds a loss."""
    target = make_target(tmp_path / "project")
    (home / ".config/dreamwork/hooks").mkdir(parents=True)
    (home / ".config/dreamwork/hooks/config.json").write_text('{"evidence": true}')
    transcript = Transcript().write(target / "valve.py").bash("pytest -q", "FAILED a.py::b - x", 1).say("It took 3 ms.")
    path = str(transcript.save(tmp_path / "transcript.jsonl"))
    before = precompact_event(target, transcript_path=path)
    start = {**before, "hook_event_name": "SessionStart", "source": "compact"}
    after = {**before, "hook_event_name": "PostCompact", "compact_summary": "nothing of it"}
    said = {}
    for word, event in (("precompact", before), ("sessionstart", start), ("postcompact", after)):
        ran = run_hook([traced, word], json.dumps(event).encode(), env=clean_env(home))
        said[word] = ran.answer()
        ours = imported(ran.err) - bare
        assert "dreamwork_hooks.memory.facts" in ours, "nothing was traced"
        assert {module for module in ours if module.split(".")[0] in DEAR} == set(), word
    assert 'file "valve.py"' in said["precompact"]["preserve"]
    assert "valve.py" in said["sessionstart"]["hookSpecificOutput"]["additionalContext"]
    assert "valve.py" in said["postcompact"]["systemMessage"]


def test_an_edit_of_another_file_loads_next_to_nothing(
    traced: Path, bare: set[str], tmp_path: Path, home: Path
) -> None:
    word, event = _skipped(make_target(tmp_path / "project"))
    ran = run_hook([traced, word], event, env=clean_env(home))
    assert imported(ran.err) - bare <= {
        "_json",
        "_signal",
        "time",
        "posix",
        "marshal",
        "zlib",
        "dreamwork_hooks",
        "dreamwork_hooks.event.door",
        "dreamwork_hooks.jsonlite",
        "dreamwork_hooks.event",
        "dreamwork_hooks.event.posttooluse",
    }


def test_a_core_lint_is_what_loads_subprocess(traced: Path, tmp_path: Path, home: Path) -> None:
    """So the trace can see a dear module."""
    lint = tmp_path / "lint.py"
    lint.write_text("")
    word, event = _clean(make_target(tmp_path / "project"))
    ran = run_hook([traced, word], event, env=clean_env(home, DREAMWORK_LINT=str(lint)))
    assert "subprocess" in imported(ran.err)
