"""Events from files, put where their directory exists, and the judgement of the hooks."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from dreamwork_hooks.contract.event import EventError, sample_event
from dreamwork_hooks.host.replaying import EventReport, NoEvents, Pace, Recorded, load_events, placed, replay
from dreamwork_hooks.host.reports import event_data, junit
from tests.support.hosts import Load

RECORDED = Path(__file__).parents[2] / "data" / "events"


def test_a_directory_gives_all_its_events_in_order() -> None:
    names = [Path(event.name).name for event in load_events(str(RECORDED))]
    assert sorted(path.name for path in RECORDED.glob("*.json")) == names


def test_a_file_may_hold_several_events(tmp_path: Path) -> None:
    file = tmp_path / "e.jsonl"
    file.write_text('{"a": 1}\n{"a": 2}\n')
    assert [event.data["a"] for event in load_events(str(file))] == [1, 2]
    assert [f"{file}#1", f"{file}#2"] == [event.name for event in load_events(str(file))]


@pytest.mark.parametrize("text", ["", "{", "[1]", "{} x"])
def test_a_file_that_holds_none_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "e.json"
    file.write_text(text)
    with pytest.raises(EventError, match=r"e\.json"):
        load_events(str(file))


def test_nothing_to_replay_is_named(tmp_path: Path) -> None:
    for missing in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(NoEvents, match=str(missing)):
            load_events(str(missing))


def test_a_recording_is_put_into_the_project(tmp_path: Path) -> None:
    event = json.loads((RECORDED / "PreToolUse-Bash-cd.json").read_bytes())
    event["cwd"] = "/home/user/project/sub"
    event["tool_input"] = {"command": "x", "where": ["/home/user/project/a", "/home/user/projects"]}
    (tmp_path / "sub").mkdir()
    for project, here in ((str(tmp_path), "/"), (None, str(tmp_path))):
        data, root = placed(event, project, here)
        assert (str(tmp_path), str(tmp_path / "sub")) == (root, data["cwd"])
        assert {"command": "x", "where": [f"{tmp_path}/a", "/home/user/projects"]} == data["tool_input"]


def test_a_directory_that_the_project_lacks_becomes_the_nearest_there_is(tmp_path: Path) -> None:
    event = json.loads((RECORDED / "SessionEnd-clear.json").read_bytes())
    assert str(tmp_path) == placed(event, str(tmp_path), "/")[0]["cwd"]


def test_an_event_whose_directory_exists_stays(tmp_path: Path) -> None:
    event = sample_event("Stop", str(tmp_path))
    assert (event, str(tmp_path)) == placed(event, None, "/")
    assert (event, str(tmp_path)) == placed(event, str(tmp_path), "/")


def report(
    load: Load, project: Path, *entries: object, name: str = "PreToolUse", budget: float | None = None, repeat: int = 1
) -> EventReport:
    host = load({name: list(entries)})
    events = [Recorded("e.json", sample_event(name, str(project)))]
    return replay(events, lambda root: host, project=None, here="/", budget=budget, repeat=repeat)[0]


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        pytest.param("exit 0", "", id="silent"),
        pytest.param("echo no >&2; exit 2", "", id="a block is no fault"),
        pytest.param("exit 1", "exit 1", id="crash"),
        pytest.param('echo \'{"decision": "deny"}\'', "`decision` must be", id="void answer"),
        pytest.param("echo '{}{}'", "two JSON documents", id="two documents"),
        pytest.param("echo hello; echo '{}'", "text before the JSON", id="text before JSON"),
        pytest.param({"type": "command", "command": "sleep 9", "timeout": 0.2}, "in time", id="time-out"),
        pytest.param("sleep 1 & exit 0", "keeps its standard output open", id="held pipe"),
        pytest.param({"type": "command", "command": "/none", "args": []}, "/none", id="cannot start"),
    ],
)
def test_what_counts_as_misbehaviour(entry: object, fault: str, load: Load, project: Path) -> None:
    found = report(load, project, entry)
    assert (fault == "") == found.ok
    assert fault in "\n".join(found.hooks[0].faults)


def test_a_budget_and_repetitions(load: Load, project: Path) -> None:
    found = report(load, project, "sleep 0.2", budget=0.1, repeat=3)
    assert (len(found.hooks[0].seconds), found.hooks[0].faults) == (3, ["took longer than its budget of 0.1 s"])


def test_a_hook_that_can_never_run_is_a_fault(load: Load, project: Path) -> None:
    found = report(load, project, {"type": "command", "command": "true", "if": "Bash|Edit"})
    assert (found.ok, found.broken[0][1].split(": ")[1]) == (False, "one tool only")


def test_reports_as_junit_and_as_data(load: Load, project: Path) -> None:
    found = report(load, project, "printf '\\001x'; exit 1", "true", {"type": "prompt", "prompt": "x"})
    suite = ET.fromstring(junit([found]))[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    assert [[child.tag for child in case] for case in suite] == [["failure", "system-out"], [], ["skipped"]]
    data = json.loads(json.dumps(event_data(found)))
    assert [hook["exit"] for hook in data["hooks"]] == [1, 0]
    assert (data["ok"], data["event"]) == (False, "PreToolUse")


def test_the_pace_of_a_replay() -> None:
    ticks = iter([0.0, 1.0, 2.0, 4.0, 6.0, 8.0])
    pace = Pace(lambda: next(ticks))
    for _ in range(5):
        pace.tick()
    assert (pace.rate(), pace.rate(0, 0.4), pace.rate(0.6, 1)) == (0.625, 1.0, 0.5)
    assert Pace().rate() == 0.0
