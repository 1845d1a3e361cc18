"""Sentences that decide something or turn something down: what people miss most after a compaction."""

from __future__ import annotations

# As they stand in a sentence, in lower case, blanks around them.
_DECIDING = (
    " instead of ",
    " rather than ",
    " do not ",
    " don't ",
    " must not ",
    " because ",
    " decided ",
    " rejected ",
    " ruled out ",
    " won't ",
    " we will not ",
)
SHORTEST = 20
LONGEST = 400  # characters of a sentence; a longer one is no decision but an explanation
MOST_CHARACTERS = 20000  # of a text's end that are looked at


def decisions(text: str) -> list[str]:
    """The deciding sentences of a text, in its order. Code, quotations and what a program put in are passed over."""
    text = text[-MOST_CHARACTERS:]
    low = text.lower().replace("’", "'")
    if not any(word.strip() in low for word in _DECIDING):
        return []
    found: list[str] = []
    in_code = False
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("```"):
            in_code = not in_code
        if in_code or line[:1] in ("<", ">", "|", "`"):
            continue
        for sentence in _sentences(line.lstrip("-*#0123456789. ")):
            padded = " " + sentence.lower().replace("’", "'").replace("*", "") + " "
            if SHORTEST <= len(sentence) <= LONGEST and any(word in padded for word in _DECIDING):
                found.append(sentence)
    return found


def _sentences(line: str) -> list[str]:
    """A line cut behind `. `, `! ` and `? `."""
    found = []
    start = 0
    for at in range(1, len(line)):
        if line[at] == " " and line[at - 1] in ".!?":
            found.append(line[start:at].strip())
            start = at
    found.append(line[start:].strip())
    return found
