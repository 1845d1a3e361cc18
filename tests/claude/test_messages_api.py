"""The stub of the Messages API answers in the API's shapes and keeps what it was asked."""

from __future__ import annotations

import json
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

import pytest

from tests.support.messages_api import (
    Json,
    MessagesApi,
    Request,
    Summarizer,
    keeps_everything,
    keeps_nothing,
    keeps_what_it_is_told,
    say,
    use,
)

ASKED: Json = {"model": "m", "tools": [{"name": "Write"}], "messages": [{"role": "user", "content": "go"}]}
PROMPT = "Your task is to create a detailed summary of the conversation so far"
TOLD = f"{PROMPT}\n\nAdditional Instructions:\nkeep marmalade\n\nREMINDER: Do NOT call any tools. Thanks."


def post(url: str, body: Json) -> str:
    with urlopen(HttpRequest(url, json.dumps(body).encode()), timeout=10) as answer:
        return str(answer.read().decode())


def test_an_answer_that_is_not_streamed_is_one_message() -> None:
    with MessagesApi([use("Write", file_path="/x", content="y")]) as api:
        message = json.loads(post(f"{api.url}/v1/messages?beta=true", ASKED))
    assert message["stop_reason"] == "tool_use"
    assert message["content"][0]["input"] == {"file_path": "/x", "content": "y"}


def test_a_streamed_answer_holds_the_same_message_in_pieces() -> None:
    with MessagesApi([say("hello", context_tokens=7)]) as api:
        text = post(f"{api.url}/v1/messages", {**ASKED, "stream": True})
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
    assert [event["type"] for event in events] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert events[0]["message"]["usage"]["input_tokens"] == 7
    assert events[2]["delta"]["text"] == "hello"


def test_tokens_are_counted_without_playing_a_turn() -> None:
    with MessagesApi([say("hello")]) as api:
        count = json.loads(post(f"{api.url}/v1/messages/count_tokens", ASKED))
    assert count["input_tokens"] > 0
    assert api.requests == []
    assert len(api.unplayed) == 1


def conversation(*texts: str) -> Request:
    roles = ["user", "assistant"] * len(texts)
    messages = [{"role": role, "content": text} for role, text in zip(roles, texts)]
    return Request("/v1/messages", {**ASKED, "messages": messages})


def test_a_request_knows_what_came_since_the_model_last_spoke() -> None:
    request = conversation("first", "answer", "second")
    assert (request.kind, request.news) == ("turn", "second")
    assert request.text == "first\nanswer\nsecond"


def test_a_compaction_is_told_by_the_clients_prompt() -> None:
    request = conversation("first", "answer", TOLD)
    assert (request.kind, request.additional_instructions) == ("summary", "keep marmalade")
    assert conversation("first", "answer", PROMPT).additional_instructions == ""


@pytest.mark.parametrize(
    ("summarizer", "fact", "instruction"),
    [(keeps_what_it_is_told, False, True), (keeps_everything, True, True), (keeps_nothing, False, False)],
)
def test_each_summarizer_keeps_what_its_name_says(summarizer: Summarizer, fact: bool, instruction: bool) -> None:
    summary = summarizer(conversation("the fact", "answer", TOLD))
    assert ("the fact" in summary, "marmalade" in summary) == (fact, instruction)
