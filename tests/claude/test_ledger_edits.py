"""The installed hook at ledger edits of a real session: when it is started, and what the model gets to read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.installed import BROKEN_TASKS, TASKS, install, make_target
from tests.support.messages_api import say, use, use_all
from tests.support.recorder import Record, Recorder
from tests.support.session import Json, Place, Ran, run_session

pytestmark = pytest.mark.usefixtures("built")

TARGETS = ("home/project", "home/project/below", "outside")
LEDGER = (".dreamwork/questions.md", ".dreamwork/tasks.md")
OTHERS = (".dreamwork/status.json", "DREAMWORK.md")
NEW = ("notes/tasks.md", "dreamwork/tasks.md")
# How the client heads what a PostToolUse hook adds, whatever the hook said.
HEADING = "PostToolUse:"


@dataclass(frozen=True)
class Watched:
    """A session in which every start of the installed program was recorded."""

    ran: Ran
    starts: list[Record]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ledger")


@pytest.fixture(scope="module")
def watched(client: Path, root: Path) -> Watched:
    """One turn that writes and then edits ledger and other files of three targets: at, below and beside the cwd."""
    place, recorder = Place.make(root), Recorder(root / "recorded")
    recorder.wrap(install(place).program, "ours")
    for target in TARGETS:
        make_target(root / target)
    known = [str(root / target / name) for target in TARGETS for name in (*LEDGER, *OTHERS)]
    new = [str(root / target / name) for target in TARGETS for name in NEW]
    reads: list[tuple[str, Json]] = [("Read", {"file_path": path}) for path in known]
    edits: list[tuple[str, Json]] = []
    for path in known + new:
        edits.append(("Write", {"file_path": path, "content": TASKS}))
        edits.append(("Edit", {"file_path": path, "old_string": "**8**", "new_string": "**9**"}))
    ran = run_session(client, place, prompts=["go"], turns=[use_all(reads), use_all(edits), say("done")])
    return Watched(ran, recorder.records())


@pytest.mark.parametrize("tool", ["Write", "Edit"])
def test_the_hook_is_started_for_a_ledger_file_inside_below_and_outside_the_cwd(
    watched: Watched, root: Path, tool: str
) -> None:
    assert watched.ran.tool_errors == []
    events = [record.event for record in watched.starts]
    files = [event["tool_input"]["file_path"] for event in events if event["tool_name"] == tool]
    assert files == [str(root / target / name) for target in TARGETS for name in LEDGER]


def test_no_process_is_started_for_any_other_file(watched: Watched) -> None:
    assert len(watched.starts) == len(TARGETS) * len(LEDGER) * 2


def test_every_start_answers_one_json_object_and_exits_0(watched: Watched) -> None:
    for record in watched.starts:
        assert record.exit == 0
        answer = json.loads(record.stdout)
        assert (answer["hook"], answer["plugin"]) == ("ledger-lint", "ud-dreamwork-hooks")


@pytest.fixture(scope="module")
def mended(client: Path, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A session that writes a sound ledger, breaks it, and mends it; nothing stands before the installed file."""
    place = Place.make(tmp_path_factory.mktemp("mended"))
    install(place)
    path = str(make_target(place.project) / "tasks.md")
    turns = [
        use("Read", file_path=path),
        use("Write", file_path=path, content=TASKS),
        use("Edit", file_path=path, old_string="- **#6**", new_string="- **#7**"),
        use("Edit", file_path=path, old_string="- **#7** — tank", new_string="- **#6** — tank"),
        say("done"),
    ]
    return run_session(client, place, prompts=["go"], turns=turns)


def test_a_broken_ledgers_finding_reaches_the_model_in_the_next_request(mended: Ran) -> None:
    assert mended.tool_errors == []
    after_breaking = mended.of_kind("turn")[3]
    assert HEADING in after_breaking.news
    assert "#7" in after_breaking.news.partition(HEADING)[2]


def test_a_sound_ledger_adds_nothing_to_the_conversation(mended: Ran) -> None:
    _, _, after_writing, _, after_mending = mended.of_kind("turn")
    assert HEADING not in after_writing.news
    assert HEADING not in after_mending.news


def test_a_target_that_does_not_load_the_plugin_hears_nothing_of_it(client: Path, tmp_path: Path) -> None:
    place = Place.make(tmp_path)
    install(place)
    path = str(make_target(place.project, consent=False) / "tasks.md")
    turns = [use("Read", file_path=path), use("Write", file_path=path, content=BROKEN_TASKS), say("done")]
    ran = run_session(client, place, prompts=["go"], turns=turns)
    assert ran.tool_errors == []
    assert HEADING not in ran.requests[-1].text
