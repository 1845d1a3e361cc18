"""Reading questions.md as the dashboard does: sections, entries, contributions, resolutions, counts.

This module and `text` are all that counting open questions needs; the rules live in `questions_rules`.
"""

from __future__ import annotations

from dreamwork_hooks.ledger.text import (
    closed_stamp,
    decode,
    find_closed_stamp,
    wide_lines,
)

OPEN = "Open"
ANSWERED = "Answered"

ANSWER_TAG = "- **Answer (via watch"
LOOP_TAGS = ("- **Follow-up (loop,", "- **Follow-up (in-session,")
HUMAN_TAGS = ("- **Note (human,", "- **Follow-up (via watch,", ANSWER_TAG)
# The closed list of sub-bullets that are contributions to an entry; anything else is body.
TAGS = HUMAN_TAGS + LOOP_TAGS

_HEX = "0123456789abcdefABCDEF"
QID_OPENING = "<!-- qid"


class Contribution:
    """A note, follow-up or answer below an entry: `first` to before `end` are its lines, as indices of the wide cut."""

    __slots__ = ("end", "first", "human", "is_answer", "text", "time")

    def __init__(self, lines: list[str], first: int, end: int) -> None:
        line = lines[first].strip()
        head, mark, text = line.partition(":**")
        self.first = first
        self.end = end
        self.is_answer = line.startswith(ANSWER_TAG)
        self.human = line.startswith(HUMAN_TAGS)
        self.time = find_closed_stamp(head)
        parts = [text.strip() if mark else line]
        for i in range(first + 1, end):
            parts.append(lines[i].strip())
        self.text = " ".join(parts).strip()


class Entry:
    """One question. `start` to before `end` are its lines, as indices of the wide cut.

    `title_end` is the line that holds the closing `**` (`end` if the title never closes). `title_rows` are the
    stripped parts of the title, one a line. `qid` is in lower case, "" if there is none; `qid_at` is its column.
    """

    __slots__ = (
        "contributions",
        "end",
        "lines",
        "qid",
        "qid_at",
        "rest",
        "section",
        "start",
        "title",
        "title_end",
        "title_rows",
    )

    def __init__(self, lines: list[str], section: str, start: int, end: int) -> None:
        self.lines = lines
        self.section = section
        self.start = start
        self.end = end
        self.qid = ""
        self.qid_at = -1
        line = lines[start]
        at = start
        begin = 4
        cut = line.find("**", 4)
        rows = []
        while cut < 0:
            rows.append(line[begin:].strip())
            begin = 0
            at += 1
            if at == end:
                break
            line = lines[at]
            cut = line.find("**")
        self.title_end = at
        self.rest = ""
        if at < end:
            rows.append(line[begin:cut].strip())
            rest = line[cut + 2 :]
            if "<!--" in rest:
                size = qid_size(rest)
                if size:
                    self.qid_at = len(line) - len(rest.lstrip())
                    self.qid = rest[size - 40 : size - 4].lower()
                    rest = rest[size:]
            self.rest = rest
        self.title_rows = rows
        self.title = rows[0] if len(rows) == 1 else " ".join([row for row in rows if row])
        contributions: list[Contribution] = []
        i = at + 1
        while i < end:
            line = lines[i]
            if "- **" in line and line.strip().startswith(TAGS):
                first = i
                i += 1
                while i < end:
                    line = lines[i].strip()
                    if not line or line.startswith(("- ", "* ")):
                        break
                    i += 1
                contributions.append(Contribution(lines, first, i))
            else:
                i += 1
        self.contributions = contributions

    def body(self) -> list[str]:
        """The lines that belong to no contribution; the first is what follows the title's closing marks."""
        if self.title_end >= self.end:
            return []
        out = [self.rest]
        at = self.title_end + 1
        for item in self.contributions:
            out += self.lines[at : item.first]
            at = item.end
        out += self.lines[at : self.end]
        return out

    def is_answered(self) -> bool:
        """Whether the first answer says something."""
        for item in self.contributions:
            if item.is_answer:
                return bool(item.text)
        return False


def qid_size(text: str) -> int:
    """How many characters of `text` a valid identity comment takes, white space before it included; 0 if none."""
    at = len(text) - len(text.lstrip())
    if text[at : at + 9].lower() != "<!-- qid:" or text[at + 45 : at + 49] != " -->":
        return 0
    uuid = text[at + 9 : at + 45]
    digits = uuid.replace("-", "")
    if (
        len(digits) != 32
        or digits.strip(_HEX)
        or not uuid[8] == uuid[13] == uuid[18] == uuid[23] == "-"
        or uuid[14] not in "12345"
        or uuid[19] not in "89abAB"
    ):
        return 0
    return at + 49


class Questions:
    """questions.md as read.

    `bad_line`: the line of the first byte that is not UTF-8, 0 if there is none. `lines` is the wide cut. `headings`
    are indices of all `## ` lines, `strays` of lines that would start an entry if they stood in one of the sections.
    """

    __slots__ = ("bad_line", "entries", "headings", "lines", "numbers", "strays", "text")

    def __init__(self, data: bytes) -> None:
        self.text, self.bad_line = decode(data)
        self.lines, self.numbers = wide_lines(self.text)
        self.headings: list[int] = []
        self.strays: list[int] = []
        self.entries = _entries(self.lines, (OPEN, ANSWERED), self.headings, self.strays)

    def line(self, index: int) -> int:
        """The number of a wide line in the file, from 1."""
        return index + 1 if self.numbers is None else self.numbers[index]

    def health(self) -> str:
        """`ok`, `empty` or `unreadable`, as the dashboard calls it (a file that is not there is `missing`)."""
        if self.entries:
            return "ok"
        found = False
        for line in self.lines:
            line = line.strip()
            if line == "## Open":
                found = True
            elif line and line[0] != "#":
                return "unreadable"
        return "empty" if found else "unreadable"


def _entries(lines: list[str], wanted: tuple[str, ...], headings: list[int], strays: list[int]) -> list[Entry]:
    section = ""
    start = -1
    found = []
    for i, line in enumerate(lines):
        head = line[:4]
        if head == "- **":
            if line.startswith(TAGS):
                continue
            if section:
                if start >= 0:
                    found.append(Entry(lines, section, start, i))
                start = i
            else:
                strays.append(i)
        elif head[:3] == "## ":
            headings.append(i)
            if start >= 0:
                found.append(Entry(lines, section, start, i))
                start = -1
            name = line[3:].strip()
            # `##  Open` strips to two spaces in the middle, which is not literal
            section = name if name in wanted and line.rstrip() == "## " + name else ""
    if start >= 0:
        found.append(Entry(lines, section, start, len(lines)))
    return found


def open_question_count(data: bytes) -> int:
    """How many questions still wait for a person: entries under `## Open` with no answer, or an empty first answer."""
    lines = wide_lines(decode(data)[0])[0]
    return sum([not entry.is_answered() for entry in _entries(lines, (OPEN,), [], [])])


def health(data: bytes | None) -> str:
    """What the dashboard makes of the file: `missing` (no file), `ok`, `empty` (headings alone) or `unreadable`."""
    return "missing" if data is None else Questions(data).health()


def is_dated(lines: list[str]) -> bool:
    """Whether the lines hold a resolution: at a line start `→`, no colon, then `(YYYY-MM-DD)` with or without a time.

    The date may stand on a later line. Between an arrow and the next colon every later arrow sees only dates that the
    first one sees too, so each stretch is looked at once.
    """
    size = len(lines)
    k = 0
    while k < size:
        line = lines[k]
        if "→" not in line or line.lstrip()[:1] != "→":
            k += 1
            continue
        last = k
        while last < size and ":" not in lines[last]:
            last += 1
        text = "\n".join(lines[k : last + 2])
        limit = text.find(":")
        if limit < 0:
            limit = len(text)
        at = text.find("(", 0, limit)
        while at >= 0:
            if closed_stamp(text, at + 1)[0]:
                return True
            at = text.find("(", at + 1, limit)
        k = max(last, k + 1)
    return False


def _after_stamp(text: str, at: int) -> bool:
    end = closed_stamp(text, at)[1]
    return end > 0 and (text[end : end + 1] == ":" or text[end : end + 2] == " —")


def record(entry: Entry) -> tuple[str, str]:
    """What record an answered entry has: `dated`, `response`, `folded`, `unknown` or `absent`; and its label."""
    body = entry.body()
    if is_dated(body):
        return "dated", ""
    label = ""
    for line in body:
        if "- **" not in line:
            continue
        line = line.strip()
        watched = line.startswith(("- **Answer (via watch, ", "- **Comment (via watch, "))
        if watched and _after_stamp(line, line.index(", ") + 2):
            return "response", ""
        if not label and line.startswith("- **"):
            label = _label(line)
    for item in entry.contributions:
        if item.human and item.time:
            return "response", ""
    if not label:
        return "absent", ""
    return ("folded" if label == "Folded" else "unknown"), label


def _label(line: str) -> str:
    """LABEL of a line `- **LABEL (DATE):`, "" if the line is not of that shape."""
    paren = line.find(" (", 4)
    label = line[4 : max(paren, 4)].strip()
    if not label or "*" in label:
        return ""
    at = paren + 2
    if line.startswith("via ", at):
        comma = line.find(", ", at)
        if comma < 0:
            return ""
        at = comma + 2
    return label if _after_stamp(line, at) else ""
