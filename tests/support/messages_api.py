"""A stand-in for the Messages API on loopback: plays a script to the client and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Union

Json = dict[str, Any]

# Once a turn reports this much of a window of a million tokens, the client compacts before its next request.
# From 980,000 on it would give up instead of going on uncompacted when a hook blocks that.
FULL = 972_000
ROOMY = 20_000


@dataclass(frozen=True)
class Text:
    """What the scripted model says."""

    text: str


@dataclass(frozen=True)
class Use:
    """A tool the scripted model calls; `input` is the tool's own input object."""

    tool: str
    input: Json


Block = Union[Text, Use]


@dataclass(frozen=True)
class Turn:
    """One answer of the scripted model. `context_tokens` is the conversation size it reports."""

    blocks: tuple[Block, ...]
    context_tokens: int = ROOMY

    @property
    def stop_reason(self) -> str:
        """What the API calls the reason for the turn's end."""
        return "tool_use" if any(isinstance(block, Use) for block in self.blocks) else "end_turn"


def say(text: str, *, context_tokens: int = ROOMY) -> Turn:
    """A turn of words alone: ends the model's answer to a prompt."""
    return Turn((Text(text),), context_tokens)


def use(tool: str, **tool_input: object) -> Turn:
    """A turn that calls one tool."""
    return Turn((Use(tool, tool_input),))


def use_all(calls: Sequence[tuple[str, Json]]) -> Turn:
    """A turn that calls several tools at once."""
    return Turn(tuple(Use(tool, tool_input) for tool, tool_input in calls))


class Request:
    """One request as the client sent it."""

    def __init__(self, path: str, body: Json) -> None:
        self.path = path
        self.body = body

    @property
    def messages(self) -> list[Json]:
        """The messages as sent."""
        messages: list[Json] = self.body.get("messages", [])
        return messages

    @property
    def tools(self) -> list[str]:
        """Names of the tools the client offers."""
        return [str(tool.get("name")) for tool in self.body.get("tools", [])]

    @cached_property
    def system(self) -> str:
        """The system prompt as one text."""
        return "\n".join(_texts(self.body.get("system")))

    @cached_property
    def text(self) -> str:
        """Every text in the messages, tool results included: all the model would read of the conversation."""
        return "\n".join(_texts(self.messages))

    @cached_property
    def news(self) -> str:
        """The texts that came after the model last spoke: tool results, what hooks added, the next prompt."""
        last_answer = max((i for i, m in enumerate(self.messages) if m.get("role") == "assistant"), default=-1)
        return "\n".join(_texts(self.messages[last_answer + 1 :]))

    @cached_property
    def kind(self) -> str:
        """`summary` for a compaction's request, `turn` for the conversation's own, `aside` for any other."""
        if "Your task is to create a detailed summary of the conversation" in self.news:
            return "summary"
        return "turn" if self.tools else "aside"

    @cached_property
    def additional_instructions(self) -> str:
        """What the summarizer is told beyond the client's prompt: the person's words, the hooks' output."""
        _, heading, rest = self.news.rpartition("\nAdditional Instructions:\n")
        return rest.rpartition("\n\nREMINDER: Do NOT call any tools.")[0].strip() if heading else ""


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            yield from _texts(part)
    elif isinstance(content, dict):
        if content.get("type") == "text":
            yield str(content.get("text", ""))
        else:
            yield from _texts(content.get("content"))


def _parts(content: object) -> Iterator[str]:
    """The texts, and what tools were called with."""
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, dict) and block.get("type") == "tool_use":
            yield from (str(value) for value in block.get("input", {}).values())
        else:
            yield from _texts(block)


Summarizer = Callable[[Request], str]


def keeps_what_it_is_told(request: Request) -> str:
    """A summarizer that forgets the conversation and repeats its additional instructions."""
    return request.additional_instructions or "Nothing was to be kept."


def keeps_everything(request: Request) -> str:
    """A summarizer that repeats the whole conversation, tool calls included, and its instructions."""
    parts = [part for message in request.messages[:-1] for part in _parts(message.get("content"))]
    conversation = "\n".join(parts)
    return f"{conversation}\n{request.additional_instructions}"


def keeps_nothing(request: Request) -> str:
    """A summarizer that loses all of it."""
    return "The work went on as planned."


class MessagesApi:
    """The stub. Use as a context manager; `url` is where it listens, `requests` what it was sent so far.

    Requests of the conversation are answered with `turns` in order; when they run out it says "done". Those of a
    subagent are answered with the turns that `agents` has for what it was asked.
    A compaction's request is answered by `summarizer`.
    """

    def __init__(
        self,
        turns: Sequence[Turn],
        summarizer: Summarizer = keeps_what_it_is_told,
        agents: Mapping[str, Sequence[Turn]] = {},
    ) -> None:
        self.requests: list[Request] = []
        self._agents = {prompt: list(turns) for prompt, turns in agents.items()}
        self.unplayed = list(turns)
        self._summarizer = summarizer
        self._lock = threading.Lock()
        self._answered = 0
        stub = self

        class Handler(_Handler):
            api = stub

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> MessagesApi:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def of_kind(self, kind: str) -> list[Request]:
        """The requests of one kind, in order."""
        return [request for request in self.requests if request.kind == kind]

    def _turns_of(self, request: Request) -> list[Turn]:
        """A subagent's conversation begins with what it was asked, and has turns of its own."""
        first = "\n".join(_texts(request.messages[:1]))
        return next((turns for prompt, turns in self._agents.items() if prompt in first), self.unplayed)

    def answer(self, path: str, body: Json) -> Json:
        """Return the API's message for one request, and keep the request."""
        request = Request(path, body)
        with self._lock:
            self.requests.append(request)
            self._answered += 1
            number = self._answered
            if request.kind == "summary":
                turn = say(f"<summary>{self._summarizer(request)}</summary>")
            elif request.kind == "turn" and (unplayed := self._turns_of(request)):
                turn = unplayed.pop(0)
            else:
                turn = say("done")
        return {
            "id": f"msg_{number:04}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": [_content(block, f"toolu_{number:04}_{i:03}") for i, block in enumerate(turn.blocks)],
            "stop_reason": turn.stop_reason,
            "stop_sequence": None,
            "usage": {
                "input_tokens": turn.context_tokens,
                "output_tokens": 1,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
            },
        }


def _content(block: Block, use_id: str) -> Json:
    if isinstance(block, Text):
        return {"type": "text", "text": block.text}
    return {"type": "tool_use", "id": use_id, "name": block.tool, "input": block.input}


def _as_stream(message: Json) -> Iterator[Json]:
    """The same message as the API streams it."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty: Json = {"type": "text", "text": ""}
            delta: Json = {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {
        "type": "message_delta",
        "delta": ending,
        "usage": {"output_tokens": message["usage"]["output_tokens"]},
    }
    yield {"type": "message_stop"}


class _Handler(BaseHTTPRequestHandler):
    api: MessagesApi

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the requests are kept for the tests, and stderr is theirs."""

    def do_GET(self) -> None:
        self._send_json({}, 404)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        if path == "/v1/messages/count_tokens":
            self._send_json({"input_tokens": len(json.dumps(body)) // 4})
        elif path != "/v1/messages":
            self._send_json({"type": "error", "error": {"type": "not_found_error", "message": path}}, 404)
        elif body.get("stream"):
            events = _as_stream(self.api.answer(path, body))
            lines = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
            self._send(lines.encode(), "text/event-stream")
        else:
            self._send_json(self.api.answer(path, body))

    def _send_json(self, body: Json, status: int = 200) -> None:
        self._send(json.dumps(body).encode(), "application/json", status)

    def _send(self, data: bytes, content_type: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
