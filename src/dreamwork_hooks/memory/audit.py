"""What a compaction's summary kept of the facts that the record before it holds.

Each fact is `kept` (literally), `part` (enough to find it again) or `lost`. White space and the kind of quotation mark
do not count: the summarizer is given every text on one line and in quotation marks.
"""

from __future__ import annotations

from typing import Any

from dreamwork_hooks.evidence.numbers import states
from dreamwork_hooks.memory.facts import KINDS, facts_of
from dreamwork_hooks.memory.notes import mark_of
from dreamwork_hooks.quoting import one_line, plain_marks
from dreamwork_hooks.shapes import Fact, Record

KEPT, PART, LOST = "kept", "part", "lost"
MAX_RECORD = 4000  # bytes
MAX_SUMMARY = 1 << 20  # characters that are searched
MAX_LOST = 20
_WILD = ("***", "…")  # where a stored command was masked or cut
_SHARE = 0.5  # of a text's words that make it kept in part


def fates(record: Record, summary: str) -> list[tuple[Fact, str]]:
    """Each fact of `record` with what became of it in `summary`."""
    text = normal(summary_proper(summary)[:MAX_SUMMARY])
    words = frozenset(_words(text))
    target = record.get("target")
    below = normal(target) + "/" if isinstance(target, str) else ""
    return [(fact, fate(fact, text, words, below)) for fact in facts_of(record)]


def fate(fact: Fact, text: str, words: frozenset[str], below: str) -> str:
    """What became of one fact.

    Args:
        text: what `normal` made of the summary.
        words: the text's.
        below: the target's path and a slash: a file is kept as well where it is named from the root.
    """
    kind, said = fact
    said = normal(said)
    if kind == "number":
        return states(text, said)
    if kind == "id":
        return _of_id(said, text)
    if kind == "file":
        for before in ("", "./", below):
            if _stands(before + said, text, "_-./"):
                return KEPT
        name = said.rpartition("/")[2]
        return PART if name and _stands(name, text, "_-") else LOST
    if _has_pieces(said, text):
        return KEPT
    wanted = [word for word in _words(said) if len(word) > 2]
    found = sum([word in words for word in wanted])
    return PART if len(wanted) > 1 and found >= _SHARE * len(wanted) else LOST


def audit_record(record: Record, event: dict[str, Any], found: list[tuple[Fact, str]], ts: str) -> Record:
    """The audit log's record: `ts` first and `note` last, as in the focus log.

    `facts` is kind -> [kept, part, lost] of the kinds that were held; `lost` holds at most 20 facts.
    """
    counts: dict[str, list[int]] = {}
    for (kind, _), what in found:
        counts.setdefault(kind, [0, 0, 0])[(KEPT, PART, LOST).index(what)] += 1
    lost = [[kind, one_line(text, 200)] for (kind, text), what in found if what == LOST]
    trigger = event.get("trigger")
    return {
        "ts": ts,
        "event": "PostCompact",
        "trigger": one_line(trigger, 20) if isinstance(trigger, str) else None,
        "session_id": record.get("session_id"),
        "target": record.get("target"),
        "record": mark_of(record),
        "steered": record.get("steered") is not False,
        "restored": False,
        "facts": {kind: counts[kind] for kind in KINDS if kind in counts},
        "lost": lost[:MAX_LOST],
        "note": None,
    }


def summary_proper(summary: str) -> str:
    """The part of the summarizer's answer that stays in the conversation: the client drops an `<analysis>`."""
    begin = summary.find("<summary>")
    if begin < 0:
        end = summary.find("</analysis>")
        return summary[end + len("</analysis>") :] if end >= 0 else summary
    end = summary.rfind("</summary>")
    return summary[begin + len("<summary>") : end if end > begin else len(summary)]


def normal(text: str) -> str:
    """`text` on one line, with one kind of quotation mark, as JSON inside it would be read."""
    text = text.replace('\\"', "'")
    for mark in '"`':
        if mark in text:
            text = text.replace(mark, "'")
    return " ".join(plain_marks(text).split())


def _of_id(said: str, text: str) -> str:
    if _stands(said, text, "_-"):
        return KEPT
    bare = said.lstrip("#")
    low = text.lower()
    for before in ("task ", "tasks ", "task id ", "task ids ", "task no. ", "task number ", "item ", "issue "):
        if _stands(before + bare.lower(), low, "_-"):
            return PART
    return PART if not bare.isdigit() and _stands(bare, text, "_-") else LOST


def _stands(said: str, text: str, inside: str) -> bool:
    """Whether `text` holds `said` as a word of its own: no letter, digit or character of `inside` beside it.

    A full stop behind it counts only when a word goes on after that.
    """
    at = text.find(said)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(said) : at + len(said) + 2]
        if after[:1] == "." and not after[1:].isalnum():
            after = ""
        if not any(char and (char.isalnum() or char in inside) for char in (before, after[:1])):
            return True
        at = text.find(said, at + 1)
    return False


def _has_pieces(said: str, text: str) -> bool:
    """Whether `text` holds `said`, anything at all standing where that was masked or cut."""
    pieces = [said]
    for mark in _WILD:
        pieces = [part for piece in pieces for part in piece.split(mark)]
    at = 0
    for piece in pieces:
        piece = piece.strip()
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return any(piece.strip() for piece in pieces)


def _words(text: str) -> list[str]:
    for char in "'()[]{},;:|&<>=":
        if char in text:
            text = text.replace(char, " ")
    return [word.rstrip(".!?") for word in text.lower().split()]
