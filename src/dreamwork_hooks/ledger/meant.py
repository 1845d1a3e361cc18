"""Lines that a person would take for an entry, and that start none for the reader: another bullet, a blank too many.

`suspects` is quick and takes too many; a sound ledger hardly has one. What is decided here errs towards silence: a line
inside an entry, a fence, a quotation or a comment may say anything, and a list of known ids is a list.
"""

from __future__ import annotations

from dreamwork_hooks.ledger.questions import Questions
from dreamwork_hooks.ledger.tasks import Tasks, entry_end, ids_only
from dreamwork_hooks.ledger.text import ids_in, is_date, number, plain
from dreamwork_hooks.shapes import Fault

_DASHES = "–—―−‐‑‒"
_BULLETS = "*+•‣◦·" + _DASHES
_SEPARATORS = "—–-:"
QUESTION_RULES = ("questions/entry-unread", "questions/entry-perhaps-unread")
TASK_RULES = ("tasks/entry-unread", "tasks/entry-perhaps-unread")
_MOST_AHEAD = 50  # how far above the next id a number without its `#` may be and still read as an id


class Meant:
    """A line that was meant as an entry.

    `at` is its index among the file's lines; `fault` says why it is none; `form` is the line as it would be one;
    `sure`: an id or a date stands in it, and nothing else explains it.
    """

    __slots__ = ("at", "fault", "form", "name", "sure")

    def __init__(self, at: int, fault: str, form: str, sure: bool, name: str | None = None) -> None:
        self.at = at
        self.fault = fault
        self.form = form
        self.sure = sure
        self.name = name

    def as_fault(self, rules: tuple[str, str], line: int, quote: str) -> Fault:
        return rules[not self.sure], line, self.name, {"fault": self.fault, "quote": quote, "form": self.form}


def question_faults(doc: Questions, suspected: list[int]) -> list[Fault]:
    """The faults of `QUESTION_RULES`."""
    found = meant_questions(doc, suspected)
    return [meant.as_fault(QUESTION_RULES, doc.line(meant.at), doc.lines[meant.at]) for meant in found]


def task_faults(doc: Tasks, suspected: list[int]) -> list[Fault]:
    """The faults of `TASK_RULES`."""
    return [meant.as_fault(TASK_RULES, meant.at + 1, doc.lines[meant.at]) for meant in meant_tasks(doc, suspected)]


def meant_questions(doc: Questions, suspected: list[int]) -> list[Meant]:
    """Of the `suspected` lines of questions.md, those that were meant as an entry."""
    lines = doc.lines
    hidden = _hidden(lines)
    entries = {entry.start: entry.section for entry in doc.entries}
    wanted = set(suspected)
    section = ""
    inside = False  # an entry of the section stands above
    found = []
    for i, line in enumerate(lines):
        if i in entries:
            section, inside = entries[i], True
            continue
        meant = None
        if section and i in wanted and i not in hidden:
            meant = _question(lines, i, section, inside)
            if meant is not None:
                found.append(meant)
        if line[:3] == "## " and meant is None:
            name = line[3:].strip()
            section = name if name in ("Open", "Answered") and line.rstrip() == "## " + name else ""
            inside = False
    return found


def _question(lines: list[str], at: int, section: str, inside: bool) -> Meant | None:
    line = lines[at]
    indent, faults, rest, kind = _marks(line)
    if kind == "heading" and rest[:2] != "**" and _next_line(lines, at)[:4] == "- **":
        return None  # it stands over a group of entries
    apart = at == 0 or not lines[at - 1].strip() or lines[at - 1][:1] == "#"
    bold = rest[:2] == "**"
    title, close, tail = rest[2:].partition("**") if bold else (rest, "", "")
    if not bold:
        faults.append("its title is not in bold")
        end = title.find("? ") + 1
        title, tail = (title[:end], title[end:]) if end else (title.rstrip(), "")
    if not faults or not title.strip():
        return None
    asks = title.rstrip()[-1:] == "?"
    named = _after_priority(title)
    dated = _separated(named, _date_end(named)) or (asks and _date_end(named) > 0)
    form = "- **" + title + ("" if bold and not close else "**") + tail
    if dated:
        if indent > 1 and inside:
            return None  # a note of the entry above
        if not bold and inside and not (asks and (apart or kind in ("bullet", "heading"))):
            return None
        return Meant(at, _joined(faults), form, bold or section == "Open")
    if indent or not asks or kind == "":
        return None
    if inside and not (apart and kind in ("bullet", "heading") and (bold or kind == "heading") and line[:2] != "- "):
        return None
    return Meant(at, _joined(faults), form, False)


def _after_priority(title: str) -> str:
    """The title without a leading `P1 · `."""
    if title[:1] == "P" and title[1:2].isdecimal():
        rest = title[2:].lstrip()
        if rest[:1] in ("·", ":", "-"):
            return rest[1:].lstrip()
    return title


def _date_end(text: str) -> int:
    """Where a date at the start of `text` ends, with the time if there is one; 0 if there is none."""
    if not is_date(text, 0):
        return 0
    clock = text[10:16]
    return 16 if len(clock) == 6 and clock[0] == " " and clock[3] == ":" and clock[1:3].isdecimal() else 10


def _separated(text: str, at: int) -> bool:
    """Whether a dash or a colon with a blank behind it follows the id or date that ends at `at` (0: there is none)."""
    rest = text[at:].lstrip(" ")
    return at > 0 and rest[:1] in _SEPARATORS and rest[1:2] == " " and (rest[0] != ":" or rest is not text[at:])


def meant_tasks(doc: Tasks, suspected: list[int]) -> list[Meant]:
    """Of the `suspected` lines of tasks.md and of the heads that are not counted, those that were meant as an entry."""
    lines = doc.lines
    hidden = _hidden(lines)
    loose = {head.at: head for head in doc.heads if not head.counted}
    known = {plain(i) for head in doc.heads if head.counted for i in head.ids}
    known |= {plain(i) for i in doc.landed_ids()}
    uncounted: dict[str, int] = {}
    for head in loose.values():
        for name in head.ids:
            uncounted.setdefault(plain(name), head.at)
    following = max([number(i) + 1 for i in known] + [number(doc.next_id) if doc.next_id else 1])
    wanted = sorted({*suspected, *loose})
    heads = [head.at for head in doc.heads]
    found: list[Meant] = []
    over = 0  # of the heads, how many stand above the line
    for i in wanted:
        while over < len(heads) and heads[over] < i:
            over += 1
        opened = doc.open_start <= i < doc.open_end
        if i in hidden or not (opened or i >= doc.landed_start):
            continue
        inside = over > 0 and heads[over - 1] >= doc.open_start and entry_end(lines, heads[over - 1], i + 1) > i
        meant = _task(lines[i], i, opened, inside, following)
        if meant is None:
            continue
        ids = [plain(name) for name in ids_in(meant.name or "")]
        if ids and all(name in known or uncounted.get(name, i) < i for name in ids):
            continue  # a list that names tasks
        found.append(meant)
    return found


def _task(line: str, at: int, opened: bool, inside: bool, following: int) -> Meant | None:
    indent, faults, rest, kind = _marks(line)
    fields = " · " in line and ("origin: **" in line or any(" · P" + n in line for n in "123"))
    if indent > 1 and inside and not fields:
        return None  # a note of the entry above
    bold = rest[:2] == "**"
    span, close, tail = rest[2:].partition("**") if bold else ("", "", rest)
    if bold and not close:
        return None
    sure = opened
    if not bold:
        size = _ids_size(rest)
        if size and _separated(rest, size):
            faults.append("its id is not in bold")
            span, tail = rest[:size], rest[size:]
        elif "origin: **" in line and indent < 2 and kind == "bullet":
            return Meant(at, "it names no id", "- **#" + str(following) + "** — " + rest, False)
        else:
            return None
    elif ids_only(span):
        if not faults or not (_separated(" " + tail, 1) or " · " in tail):
            return None
    elif span.isdecimal() and len(span) < 7 and int(span) < following + _MOST_AHEAD:
        if not (_separated(" " + tail, 1) or fields):
            return None
        faults.append("its id has no `#`")
        span = "#" + span
    elif span[:1] == "#" and _separated(span, _ids_size(span)):
        size = _ids_size(span)
        faults.append("its title stands between the stars of its id")
        title = span[size:].lstrip()[1:].lstrip()
        span, tail, sure = span[:size], " — " + title + tail, sure and bool(faults[1:])
    elif not ids_in(span) and "origin: **" in line and indent < 2:
        return Meant(at, "it names no id", "- **#" + str(following) + "** — " + span + tail, False)
    else:
        return None
    mark = tail.lstrip(" ")
    if mark[:1] in "–:" and mark[1:2] == " ":
        tail = " —" + mark[1:]
    return Meant(at, _joined(faults), "- **" + span + "**" + tail, sure, span)


def _ids_size(text: str) -> int:
    """How long the ids at the start of `text` are, `#7` or `#7/#8`; 0 if there are none."""
    at = 0
    while text[at : at + 1] == "#":
        end = at + 1
        while text[end : end + 1].isdecimal():
            end += 1
        if end == at + 1:
            return max(0, at - 1)
        if text[end : end + 2] != "/#":
            return end
        at = end + 1
    return 0


def _marks(line: str) -> tuple[int, list[str], str, str]:
    """How a line starts: its indent, what is wrong with its marks for an entry, what follows them, and their kind.

    The kind is `bullet`, `number`, `heading`, or "" for a line that has none.
    """
    body = line.lstrip(" ")
    indent = len(line) - len(body)
    faults = []
    kind = ""
    if indent:
        faults.append("it stands behind " + ("a blank" if indent == 1 else str(indent) + " blanks"))
    first = body[:1]
    after = body[1:]
    rest = after.lstrip(" \t")
    if first == "#" and body.lstrip("#")[:1] == " ":
        kind, rest = "heading", body.lstrip("#").strip()
        faults.append("it is a heading")
    elif first == "-" or (first and first in _BULLETS and body[:2] != "**"):
        gap = after[: len(after) - len(rest)]
        if first != "-":
            if not gap and rest[:2] != "**":
                return indent, faults, body, ""
            faults.append("it starts with `" + first + "` and not with `-`")
        if not gap:
            if rest[:2] != "**" and not _ids_size(rest):
                return indent, faults, body, ""
            faults.append("no blank follows the dash")
        elif gap != " ":
            faults.append("a tab follows the dash" if "\t" in gap else "more than one blank follows the dash")
        kind = "bullet"
    elif first.isdecimal() and not is_date(body, 0):
        digits = 1
        while body[digits : digits + 1].isdecimal():
            digits += 1
        if body[digits : digits + 1] not in (".", ")") or body[digits + 1 : digits + 2] != " ":
            return indent, faults, body, ""
        kind, rest = "number", body[digits + 1 :].lstrip()
        faults.append("it is numbered")
    else:
        rest = body
        faults.append("no dash stands before it")
    if rest[:1] == "[" and rest[1:2] in (" ", "x", "X") and rest[2:4] == "] ":
        rest = rest[4:].lstrip()
        faults.append("it has a checkbox")
    return indent, faults, rest, kind


def _joined(faults: list[str]) -> str:
    return " and ".join([", ".join(faults[:-1]), faults[-1]]) if len(faults) > 1 else faults[0]


def _next_line(lines: list[str], at: int) -> str:
    """The next line that is not blank."""
    for line in lines[at + 1 : at + 20]:
        if line.strip():
            return line
    return ""


def _hidden(lines: list[str]) -> set[int]:
    """The lines inside code fences and comments, their own marks included."""
    found = set()
    fence = ""
    comment = False
    for i, line in enumerate(lines):
        start = line.lstrip()[:3]
        if fence:
            found.add(i)
            if start == fence:
                fence = ""
        elif comment:
            found.add(i)
            comment = "-->" not in line
        elif start in ("```", "~~~"):
            fence = start
            found.add(i)
        elif "<!--" in line and "-->" not in line[line.rindex("<!--") :]:
            comment = True
    return found
