"""What is taken from a transcript's end, and what is not waited for."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.evidence import gather as evidence
from dreamwork_hooks.evidence import transcript
from dreamwork_hooks.evidence.gather import gather
from tests.support.transcripts import Transcript

Json = dict[str, Any]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    return project


def taken(project: Path, told: Transcript | bytes) -> tuple[Json, str | None]:
    path = project.parent / "transcript.jsonl"
    path.write_bytes(told if isinstance(told, bytes) else told.encoded())
    found, note = gather({"transcript_path": str(path), "cwd": str(project)}, str(project), time.time())
    assert found is not None, note
    return found, note


def test_the_last_twelve_distinct_files_come_newest_first(project: Path) -> None:
    told = Transcript()
    for number in range(20):
        told.write(project / f"f{number}.py")
    told.write(project / "f3.py")
    found, _ = taken(project, told)
    assert found["files"] == ["f3.py", *[f"f{number}.py" for number in range(19, 8, -1)]]


def test_every_editing_tool_counts_and_reading_does_not(project: Path) -> None:
    told = Transcript()
    told.call("Write", {"file_path": str(project / "a")})
    told.call("Edit", {"file_path": str(project / "b")})
    told.call("NotebookEdit", {"notebook_path": str(project / "c.ipynb")})
    told.call("MultiEdit", {"file_path": str(project / "d")})
    told.call("Read", {"file_path": str(project / "e")})
    assert taken(project, told)[0]["files"] == ["d", "c.ipynb", "b", "a"]


def test_an_edit_that_failed_is_no_edit_and_one_whose_result_is_not_written_yet_is(project: Path) -> None:
    told = Transcript().write(project / "failed", error=True)
    told.call("Write", {"file_path": str(project / "pending")}, None)
    assert taken(project, told)[0]["files"] == ["pending"]


def test_a_path_outside_the_target_stays_whole(project: Path) -> None:
    told = Transcript().write("/etc/motd").write(f"{project}-other/a")
    assert taken(project, told)[0]["files"] == [f"{project}-other/a", "/etc/motd"]


def test_a_target_reached_over_a_link_gives_relative_paths_too(project: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(project)
    path = Transcript().write(link / "sub/a.py").save(tmp_path / "t.jsonl")
    found, _ = gather({"transcript_path": str(path), "cwd": str(link)}, str(project), time.time())
    assert found is not None
    assert found["files"] == ["sub/a.py"]


def test_the_last_six_commands_carry_how_they_ended(project: Path) -> None:
    told = Transcript().bash("too old").bash("ok").bash("bad", "no", 3).bash("gone", None)
    told.bash("later", "Command running in background", backgroundTaskId="b1")
    told.bash("cut", "", interrupted=True)
    told.call("Bash", {"command": "refused"}, "The user doesn't want to proceed", error=True)
    assert [(c["command"], c["exit"]) for c in taken(project, told)[0]["commands"]] == [
        ("refused", "failed"),
        ("cut", "interrupted"),
        ("later", "background"),
        ("gone", "unknown"),
        ("bad", 3),
        ("ok", 0),
    ]


def test_a_command_is_one_bounded_line_without_its_secrets(project: Path) -> None:
    told = Transcript().bash("cat <<'E'\nline \x1b[31m two\nE").bash("export API_KEY=hunter2 && run " + "x" * 500)
    first, second = [ran["command"] for ran in taken(project, told)[0]["commands"]]
    assert first.startswith("export API_KEY=*** && run xx")
    assert len(first) == evidence.MAX_COMMAND
    assert second == "cat <<'E' line [31m two E"


def test_a_secret_in_a_path_or_a_tests_parameter_is_masked_and_a_hash_in_a_path_is_none(project: Path) -> None:
    token, hashed = "ghp_" + "a1B2" * 9, "9f86d081884c7d65" * 4
    told = Transcript()
    for path in (f"/p/{token}/x", "/p/password=hunter2", "https://u:hunter2@h/x", f"/p/{hashed}.txt"):
        told = told.write(path)
    failing = "".join(f"FAILED t.py::test_x[{one}] - no\n" for one in (token, "password=hunter2", hashed, "case-1"))
    told = told.bash("pytest", failing, 1)
    found, _ = taken(project, told)
    assert found["files"] == [f"/p/{hashed}.txt", "https://u:***@h/x", "/p/password=***", "/p/***/x"]
    assert found["failing_tests"] == [f"t.py::test_x[{one}]" for one in ("***", "password=***", "case-1")]


def test_a_secret_is_not_shown_by_cutting_it_in_two(project: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    told = Transcript().bash("X" * 3990 + " " + token)
    told = told.bash("pytest", f"FAILED t.py::test_{'x' * 130}[{token}] - no", 1)
    assert "ghp_" not in json.dumps(taken(project, told)[0])


def test_the_numbers_are_those_of_the_last_message_that_has_words(project: Path) -> None:
    told = Transcript().say("It was 900 ms before.").say("Now it takes 340 ms", message_id="m")
    told.say("of 12 MB; 7 of them", message_id="m").bash("true")
    assert taken(project, told)[0]["numbers"] == ["12 MB", "340 ms"]


def test_a_subagents_words_are_not_the_sessions(project: Path) -> None:
    told = Transcript().say("340 ms").say("999 ms", isSidechain=True)
    assert taken(project, told)[0]["numbers"] == ["340 ms"]


FAILING = "FAILED tests/test_a.py::test_one - assert 1 == 2\n1 failed, 3 passed in 0.10s\n"


def test_failing_tests_are_those_of_the_last_run_that_shows_any(project: Path) -> None:
    told = Transcript().bash("go test ./...", "--- FAIL: TestOld (0.00s)\n", 1).bash("pytest", FAILING, 1).bash("ls")
    assert taken(project, told)[0]["failing_tests"] == ["tests/test_a.py::test_one"]


def test_tests_that_the_same_command_has_passed_since_are_not_failing(project: Path) -> None:
    told = Transcript().bash("pytest", FAILING, 1).bash("pytest", "4 passed in 0.1s")
    assert taken(project, told)[0]["failing_tests"] == []


def test_a_failure_piped_away_from_its_status_still_shows(project: Path) -> None:
    told = Transcript().bash("pytest | tail", FAILING, 0)
    assert taken(project, told)[0]["failing_tests"] == ["tests/test_a.py::test_one"]


NOISE = [
    pytest.param(b"", id="nothing"),
    pytest.param(b"\n\n\n", id="empty lines"),
    pytest.param(b"not json\n", id="not JSON"),
    pytest.param(b'{"message": 1, "type": "user"}\n[1]\n"message"\n', id="JSON of other shapes"),
    pytest.param(
        b'{"type":"assistant","message":{"content":[1,null,{"type":"tool_use"}]}}\n', id="blocks of other shapes"
    ),
    pytest.param(
        b'{"type":"user","message":{"content":[{"type":"tool_result","content":{"a":1}}]}}\n', id="odd result"
    ),
    pytest.param(b'{"type":"assistant","message":null}\n', id="no message"),
    pytest.param(
        b'{"type":"assistant","message":{"id":[1],"content":[{"type":"tool_use","id":{},"name":["Write"],'
        b'"input":{"file_path":"/x"}}]}}\n',
        id="a tool whose name is a list",
    ),
    pytest.param(b'"message"' + b"[" * 100_000 + b"\n", id="nested past the recursion limit"),
    pytest.param(b'{"type":"assistant","message":"\xff\xfe\xed\xa0\x80"}\n', id="bytes that are not UTF-8"),
]


@pytest.mark.parametrize("noise", NOISE)
def test_what_is_not_a_message_is_passed_over(project: Path, noise: bytes) -> None:
    found, _ = taken(project, noise)
    assert not any(found.values())
    found, _ = taken(project, noise + Transcript().write(project / "a").encoded() + noise)
    assert found["files"] == ["a"]


def test_a_line_that_is_still_being_written_is_not_read(project: Path) -> None:
    whole, torn = Transcript().write(project / "a").encoded(), Transcript().write(project / "b").encoded()
    assert taken(project, whole + torn[:-30])[0]["files"] == ["b", "a"]  # the call is whole, its result is torn
    assert taken(project, whole + torn.split(b"\n")[0])[0]["files"] == ["a"]


def test_only_the_last_512_kilobytes_are_read(project: Path) -> None:
    old, new = Transcript().write(project / "old").encoded(), Transcript().write(project / "new").encoded()
    filler = Transcript().say("x" * 1000).encoded()
    found, _ = taken(project, old + filler * (transcript.MAX_BYTES // len(filler) + 1) + new)
    assert found["files"] == ["new"]


def test_a_tail_inside_one_endless_line_is_a_note(project: Path) -> None:
    found, note = taken(project, b'{"message":"' + b"x" * (transcript.MAX_BYTES + 5) + b'"}\n')
    assert not any(found.values())
    assert note == "the transcript's end holds no messages"


def nowhere(tmp_path: Path) -> str:
    return str(tmp_path / "gone.jsonl")


def a_fifo(tmp_path: Path) -> str:
    os.mkfifo(tmp_path / "fifo")
    return str(tmp_path / "fifo")


def a_dangling_link(tmp_path: Path) -> str:
    (tmp_path / "link").symlink_to("gone")
    return str(tmp_path / "link")


UNREADABLE: list[Any] = [
    pytest.param(nowhere, "the transcript is not there", id="a file that is not there"),
    pytest.param(a_fifo, "the transcript is not a regular file", id="a FIFO"),
    pytest.param(a_dangling_link, "the transcript is not there", id="a dangling link"),
    pytest.param(str, "the transcript is a directory", id="a directory"),
    pytest.param(lambda path: "/dev/zero", "the transcript is not a regular file", id="a device"),
    pytest.param(lambda path: "/a\0b", "the transcript is not there: its path is not valid", id="no path"),
    pytest.param(lambda path: "", "the event names no transcript", id="an empty path"),
    pytest.param(lambda path: "t.jsonl", "the event names no transcript", id="a relative path"),
    pytest.param(lambda path: None, "the event names no transcript", id="null"),
    pytest.param(lambda path: 7, "the event names no transcript", id="a number"),
]


@pytest.mark.parametrize(("make", "note"), UNREADABLE)
def test_a_transcript_that_cannot_be_read_is_a_note(tmp_path: Path, make: Any, note: str) -> None:
    event = {"transcript_path": make(tmp_path), "cwd": str(tmp_path)}
    assert gather(event, str(tmp_path), time.time()) == (None, note)


def test_a_transcript_on_a_file_system_that_stopped_answering_is_not_waited_for(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its reader stays in the system call until the process leaves."""
    answered = os.pipe()

    def stuck(path: str, most: int) -> tuple[bytes, bool, float]:
        os.read(answered[0], 1)
        return b"", False, 0.0

    monkeypatch.setattr(transcript, "read_tail", stuck)
    monkeypatch.setattr(evidence, "SECONDS", 0.05)
    event = {"transcript_path": str(project / "t"), "cwd": str(project)}
    try:
        assert gather(event, str(project), time.time()) == (None, "the transcript is not answering")
    finally:
        os.write(answered[1], b"x")
        os.close(answered[1])


def test_when_the_time_is_over_what_was_read_so_far_counts(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Transcript().write(project / "a").write(project / "b").save(project.parent / "t.jsonl")
    clock = iter([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    found, note = gather({"transcript_path": str(path), "cwd": "/"}, str(project), time.time())
    assert found is not None
    assert found["files"] == ["b"]
    assert note == "the transcript was not read to its beginning in time"


def test_a_transcript_that_nobody_has_written_to_for_long_says_so(project: Path) -> None:
    path = Transcript().write(project / "a").save(project.parent / "t.jsonl")
    os.utime(path, (1_000_000, 1_000_000))
    _, note = gather({"transcript_path": str(path), "cwd": "/"}, str(project), 1_000_000 + 7200.0)
    assert note == "the transcript was last written 120 minutes before"
