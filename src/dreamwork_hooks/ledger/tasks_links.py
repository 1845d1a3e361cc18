"""The rules of tasks.md that follow a link: relations between entries, and prose that waits for a question."""

from __future__ import annotations

from dreamwork_hooks.ledger.questions import ANSWERED, Entry, record
from dreamwork_hooks.ledger.tasks import Head, Tasks, entry_end
from dreamwork_hooks.ledger.tasks_rules import has_phrase
from dreamwork_hooks.ledger.text import ids_in, plain, skip_space
from dreamwork_hooks.shapes import Fault

# No person wrote more than this. A combined head claims every id it names for each of its own, and every entry of a
# task is told each question that blocks it: the product of two long lists would not be linear.
_MOST_CLAIMS = 200_000  # of all entries together
_MOST_BLOCKERS = 100  # of one task

_WAITING = (
    "blocked on",
    "do not start before",
    "authorise nothing until",
    "authorises nothing until",
    "waiting on",
    "waiting for",
    "gate on",
    "gated on",
)
_DECIDING = (
    "rule",
    "rules",
    "ruled",
    "ruling",
    "rulings",
    "question",
    "questions",
    "decision",
    "decisions",
    "design call",
    "design calls",
    "he answers",
    "human",
    "humans",
)
_CLEARED = ("UNBLOCKED", "CLEARED", "RESOLVED", "NO LONGER BLOCKED", "BLOCKER CLEARED", "BLOCKER RESOLVED")


def relations(doc: Tasks, found: list[Fault]) -> None:
    """The `related:` fields: each entry by itself, then whether the other side says the same."""
    known = {plain(i) for head in doc.heads for i in head.ids}
    claims: dict[tuple[str, str], Head] = {}
    left = _MOST_CLAIMS
    for head in _mentioning(doc, "elated:"):
        if not head.ids:
            continue
        lines = doc.lines[head.at : entry_end(doc.lines, head.at, len(doc.lines))]
        fault, quote, names = _field(" ".join("\n".join(lines).split()))
        name = head.label()
        if fault:
            found.append((fault, head.at + 1, name, {"ids": name, "quote": quote}))
            continue
        own = dict.fromkeys([plain(i) for i in head.ids])
        others = []
        for other in dict.fromkeys([plain(i) for i in names]):
            if other in own:
                found.append(("tasks/related-to-itself", head.at + 1, name, {"ids": name, "other": "#" + other[:40]}))
            elif other not in known:
                found.append(("tasks/related-to-nothing", head.at + 1, name, {"ids": name, "other": "#" + other[:40]}))
            else:
                others.append(other)
        left -= len(own) * len(others)
        if left >= 0:
            for mine in own:
                for other in others:
                    claims.setdefault((mine, other), head)
    if left < 0:
        return  # with claims left out, no side can be said to be missing
    where = {plain(i): head.at + 1 for head in doc.heads for i in head.ids}
    for (mine, other), head in claims.items():
        if (other, mine) not in claims:
            detail = {"id": "#" + mine[:40], "other": "#" + other[:40], "there": where[other]}
            found.append(("tasks/related-one-sided", head.at + 1, "#" + mine[:40], detail))


def _mentioning(doc: Tasks, words: str) -> list[Head]:
    """The heads whose entries may hold `words`: those with such a line before the next head."""
    found: list[Head] = []
    heads = iter(doc.heads)
    head = None
    following = next(heads, None)
    for i in [i for i, line in enumerate(doc.lines) if words in line]:
        while following is not None and following.at <= i:
            head = following
            following = next(heads, None)
        if head is not None and (not found or found[-1] is not head):
            found.append(head)
    return found


def _field(text: str) -> tuple[str, str, list[str]]:
    """Of an entry with its white space collapsed: the rule its `related:` breaks ("" for none), a quote, the ids."""
    content = text.index("**", 4) + 2
    spans = []
    quote = ""
    spelled = True
    unparsed = second = False
    at = text.find("elated:")
    while at >= 0:
        start = at - 1
        before = start - 1
        while before >= content and text[before] == " ":
            before -= 1
        if start >= content and text[start] in "rR" and (before < content or text[before] == "·"):
            stop = text.find("·", at)
            piece = text[start:stop] if stop >= 0 else text[start:]
            begin = skip_space(piece, 8)
            star = piece.find("*", begin + 2)
            if piece[begin : begin + 2] != "**" or star <= begin + 2 or piece[star : star + 2] != "**":
                unparsed = True
                spans.append("")
            else:
                spans.append(piece[begin + 2 : star])
                rest = piece[star + 2 :].lstrip(" ,/+&")
                if rest[:4] == "and ":
                    rest = rest[4:].lstrip()
                second = second or (rest[:2] == "**" and "**" in rest[3:])
                spelled = spelled and piece.startswith("related: **")
            quote = quote or piece[:80]
        at = text.find("elated:", at + 7)
    fault = ""
    if not spans:
        return "", "", []
    if unparsed:
        fault = "tasks/related-unparseable"
    elif len(spans) > 1:
        fault = "tasks/related-repeated"
    elif second:
        fault = "tasks/related-two-spans"
    elif not spelled:
        fault = "tasks/related-spelling"
    elif not ids_in(spans[0]):
        fault = "tasks/related-names-no-id"
    return fault, quote, ids_in(spans[0])


def blockers(doc: Tasks, waiting: list[tuple[Head, int]], entries: list[Entry], found: list[Fault]) -> None:
    """Open entries whose prose, or a question's title, says that they wait for a question.

    `waiting`: heads by index of the wide cut, each with the end of its entry. `entries`: those of questions.md.
    """
    lines = doc.wide
    questions: dict[str, list[Entry]] = {}
    blocked: dict[str, dict[str, None]] = {}
    states: dict[str, str] = {}
    for entry in entries:
        ids = ids_in(entry.title)
        if ids:
            questions.setdefault(plain(ids[0]), []).append(entry)
            if "(blocks" in entry.title:
                for task, question in _blocks(entry.title):
                    blockers_of_task = blocked.setdefault(task, {})
                    if len(blockers_of_task) < _MOST_BLOCKERS:
                        blockers_of_task[question] = None
    for head, end in waiting:
        i = head.at
        own = dict.fromkeys([plain(digits) for digits in head.ids])
        direct = _cited(lines, head, end, own)
        cited = dict(direct)
        for task in own:
            cited.update(dict.fromkeys([question for question in blocked.get(task, ()) if question not in own]))
        if not cited:
            continue
        cleared: set[str] = set()
        any_cleared = False
        for line in lines[i + 1 : end]:
            line = line.strip()
            if line[:1] == "·" and line[1:].lstrip(" *").startswith(_CLEARED):
                any_cleared = True
                cleared.update([plain(digits) for digits in ids_in(line)])
        name = head.label()
        for question in cited:
            if question not in states:
                states[question] = _state(questions.get(question, []))
            state = states[question]
            if state == "open":
                continue
            detail = {"ids": name, "question": "#" + question[:40]}
            subject = name + " -> #" + question[:40]
            if state == "recorded":
                if question in direct and any_cleared and (question in cleared or len(cited) == 1):
                    continue
                found.append(("tasks/blocker-already-answered", doc.line(i), subject, detail))
            else:
                found.append(("tasks/blocker-without-question", doc.line(i), subject, detail))


def _cited(lines: list[str], head: Head, end: int, own: dict[str, None]) -> dict[str, None]:
    """Ids that the entry says it waits for a decision on, each once, in order."""
    title = lines[head.at][head.size :].partition(" · ")[0]
    cited: dict[str, None] = {}
    for k in range(head.at, end):
        line = title if k == head.at else lines[k].strip()
        if k > head.at and (not line or line[0] == "·"):
            break
        if "#" not in line:
            continue
        for mark in (". ", "! ", "? "):
            line = line.replace(mark, "\n")
        for part in line.split("\n"):
            if "#" not in part:
                continue
            low = " ".join(part.lower().split())
            waits = any(has_phrase(low, phrase) for phrase in _WAITING)
            if waits and any(has_phrase(low, word) for word in _DECIDING):
                cited.update(dict.fromkeys([i for i in map(plain, ids_in(part)) if i not in own]))
    return cited


def _blocks(title: str) -> list[tuple[str, str]]:
    """(task, question) for each `#Q (blocks #T)` of a title."""
    found = []
    parts = title.split("(blocks")
    for k in range(1, len(parts)):
        before = parts[k - 1].rstrip()
        digits = 0
        while digits < len(before) and before[-1 - digits].isdecimal():
            digits += 1
        task = parts[k].lstrip()
        ids = ids_in(task.partition(")")[0])
        if digits and before[-1 - digits : len(before) - digits] == "#" and task[:1] == "#" and ids:
            found += [(plain(i), plain(before[len(before) - digits :])) for i in ids]
    return found


def _state(entries: list[Entry]) -> str:
    """Of the questions with one id: `recorded`, `open`, or "" where nothing answers."""
    answered = [entry for entry in entries if entry.section == ANSWERED]
    if answered:
        recorded = any(record(entry)[0] in ("dated", "response") for entry in answered)
        return "recorded" if recorded else ""
    return "open" if entries else ""
