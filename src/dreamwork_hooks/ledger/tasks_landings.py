"""The rule of tasks.md about landings that cite no commit. Imported when the file holds a token that looks like one."""

from __future__ import annotations

from dreamwork_hooks.ledger.tasks import Tasks
from dreamwork_hooks.ledger.tasks_rules import in_word, is_placeholder
from dreamwork_hooks.ledger.text import ids_in
from dreamwork_hooks.shapes import Fault

_LANDING_WORDS = ("landed", "merge", "merged", "close", "closed", "commit", "fixed", "reverted", "sha")


def placeholders(doc: Tasks) -> list[Fault]:
    """Landing citations whose commit was never filled in, anywhere in the file."""
    text = doc.text
    found: list[Fault] = []
    told = set()
    line = 1
    counted = 0  # up to here `line` is counted and ids are looked for
    nearest = ""
    tick = text.find("`")
    while tick >= 0:
        close = text.find("`", tick + 1)
        if close < 0:
            break
        if 1 < close - tick <= 41 and is_placeholder(text[tick + 1 : close]):
            begin = _cites(text, tick)
            if begin >= 0:
                ids = ids_in(text[counted:begin]) if begin > counted else []
                line += text.count("\n", counted, tick)
                nearest = ids[-1] if ids else nearest
                counted = tick
                token = text[tick + 1 : close]
                if (nearest, token) not in told:
                    told.add((nearest, token))
                    subject = "#" + nearest[:40] if nearest else None
                    detail = {"token": token, "id": subject or "the entry"}
                    found.append(("tasks/landing-placeholder", line, subject, detail))
        tick = close
    return found


def _cites(text: str, tick: int) -> int:
    """Where the landing word before the back-tick at `tick` begins, -1 if none is there."""
    end = _before_space(text, tick)
    if end > 2 and text[end - 2 : end].lower() in ("at", "in", "as") and not in_word(text[end - 3]):
        end = _before_space(text, end - 2)
    word = text[max(end - 9, 0) : end].lower()
    start = len(word)
    while start > 0 and in_word(word[start - 1]):
        start -= 1
    return end - len(word) + start if word[start:] in _LANDING_WORDS else -1


def _before_space(text: str, at: int) -> int:
    while at > 0 and (text[at - 1] == "*" or text[at - 1].isspace()):
        at -= 1
    return at
