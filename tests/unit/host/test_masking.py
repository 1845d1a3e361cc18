"""What is taken out of a recorded event, and what is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dreamwork_hooks.contract.event import parse_event
from dreamwork_hooks.host.recording import mask_event

RECORDED = sorted((Path(__file__).parents[2] / "data" / "events").glob("*.json"))


def masked(text: object, key: str = "prompt") -> object:
    return mask_event({key: text}, home="/home/anna", project="/home/anna/work/x")[key]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("/home/anna/work/x/a.md", "/home/user/project/a.md", id="project"),
        pytest.param("/home/anna/.ssh", "/home/user/.ssh", id="home"),
        pytest.param("/home/annabel/x", "/home/annabel/x", id="another home that begins alike"),
        pytest.param("~/projects/-home-anna-work-x/s.jsonl", "~/projects/-home-user-project/s.jsonl", id="slug"),
        pytest.param("toolu_01AbC", "toolu_001", id="tool use"),
        pytest.param("export TOKEN=abcdefgh", "export TOKEN=***", id="assignment"),
        pytest.param("Authorization: Bearer abc.def", "Authorization: Bearer ***", id="bearer"),
        pytest.param("curl https://me:pw@host/", "curl https://me:***@host/", id="in a URL"),
        pytest.param("sk-abcdefghijklmnop1234", "***", id="key by its prefix"),
        pytest.param("ghp_abcdefghijklmnopqrst", "***", id="another"),
        pytest.param("AKIAABCDEFGHIJKLMNOP", "***", id="cloud key"),
        pytest.param("x Zm9vYmFyMTIzNDU2Nzg5MEFCQ0RFRkdISUo0 y", "x *** y", id="a long random run"),
        pytest.param("--password hunter22", "--password ***", id="option"),
        pytest.param('{"api_key": "abcd1234"}', '{"api_key": "***"}', id="JSON in text"),
        pytest.param("the token is missing", "the token is missing", id="a word alone is no secret"),
        pytest.param("a/long/path/with/Many/Parts/0123456789", "a/long/path/with/Many/Parts/0123456789", id="a path"),
        pytest.param("plain text", "plain text", id="plain"),
    ],
)
def test_a_text(text: str, expected: str) -> None:
    assert expected == masked(text)


def test_a_private_key_goes_whole() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----"
    assert masked(f"a {key} b") == "a *** b"


def test_a_key_s_name_gives_its_text_away_but_not_its_number() -> None:
    given = {"password": "x", "context_tokens": 12, "api_key": ""}
    assert masked(given, "tool_input") == {"password": "***", "context_tokens": 12, "api_key": ""}


def test_the_same_id_is_masked_alike_everywhere() -> None:
    session = "0a1b2c3d-0000-4000-8000-0123456789ab"
    found = mask_event(
        {"session_id": session, "agent_id": "a9f", "transcript_path": f"/t/{session}/agent-a9f.jsonl"},
        home="/h",
        project="/h/p",
    )
    assert f"/t/{found['session_id']}/agent-{found['agent_id']}.jsonl" == found["transcript_path"]
    assert session not in json.dumps(found)


@pytest.mark.parametrize("path", RECORDED, ids=lambda p: p.stem)
def test_a_masked_event_is_still_an_event(path: Path) -> None:
    event = json.loads(path.read_bytes())
    found = mask_event(event, home="/home/user", project="/home/user/project")
    assert event["hook_event_name"] == parse_event(found, cwd_must_exist=False).name
    assert event.keys() == found.keys()
    assert found == mask_event(found, home="/home/user", project="/home/user/project")
