"""What kind of thing a hook printed on standard output."""

from __future__ import annotations

import json
from dataclasses import dataclass

from dreamwork_hooks.contract.parsing import no_constant, type_name

EMPTY = "empty"
PLAIN = "plain"
JSON = "json"
NULL = "null"
TWO_DOCUMENTS = "two-documents"


@dataclass(frozen=True)
class Printed:
    """Standard output, read. `text` is decoded and trimmed; `answer` is set for JSON; `remark` says what
    looks wrong."""

    form: str
    text: str
    answer: dict[str, object] | None = None
    remark: str = ""


def decode(data: bytes | str) -> str:
    """Text of an output stream: bytes that are not UTF-8 are read as U+FFFD, a byte order mark is dropped
    (measured)."""
    text = data.decode("utf-8", errors="replace") if isinstance(data, bytes) else data
    return text.lstrip("\ufeff")


def read(data: bytes | str) -> Printed:
    """Tell JSON from text the way the client does: only a document that begins with `{` is an answer."""
    text = decode(data).strip()
    if not text:
        return Printed(EMPTY, "")
    if text == "null":
        return Printed(NULL, text)
    if not text.startswith("{"):
        return Printed(PLAIN, text, remark=_remark(text))
    try:
        answer, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError) as error:
        return Printed(PLAIN, text, remark=f"begins like JSON but is none ({error}), so it is plain text")
    rest = text[end:].strip()
    if not rest:
        return Printed(JSON, text, answer)
    if rest.startswith("{"):
        return Printed(TWO_DOCUMENTS, text, remark="two JSON documents on standard output")
    return Printed(PLAIN, text, remark="text after the JSON, so all of it is plain text")


_DECODER = json.JSONDecoder(parse_constant=no_constant)


def _remark(text: str) -> str:
    try:
        value = json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError):
        value = text
    if not isinstance(value, str) or text.startswith('"'):
        return f"JSON, but {type_name(value)} and not an object, so it is plain text"
    at = text.find("\n{")
    if at >= 0:
        try:
            _DECODER.raw_decode(text[at + 1 :])
        except (ValueError, RecursionError):
            return ""
        return "text before the JSON, so the JSON is ignored"
    return ""
