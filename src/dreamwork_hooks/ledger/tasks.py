"""Reading tasks.md as the dashboard does: heads, halves, ids, entries and their tags.

The rules live in `tasks_rules`.
"""

from __future__ import annotations

from dreamwork_hooks.ledger.text import breaks_wide, decode, ids_in, skip_space, wide_lines

OPEN = "## Open"
LANDED = "## Recently landed"

_NOTICE = "<!--dreamwork-migration-notice\n"
_NOT_LANDING = ("related:", "also-landed:", "filed as")


class Head:
    """A line `- **...**` at column 0, which starts an entry.

    `at` is the index of its line; `size` what the line's head takes of it, closing marks included; `ids` every `#N` in
    the bold span as written. `counted`: the span holds ids and nothing else, so the ids are claimed by this entry.
    """

    __slots__ = ("at", "counted", "ids", "size")

    def __init__(self, at: int, span: str) -> None:
        self.at = at
        self.size = len(span) + 6
        if span[0] == "#" and span[1:].isdecimal():
            self.ids = [span[1:]]
            self.counted = True
        else:
            self.ids = ids_in(span)
            self.counted = ids_only(span)

    def label(self) -> str:
        """The ids as one name, `#7/#8`; of a head that names very many, the first."""
        return "/".join(["#" + i[:40] for i in self.ids[:20]])


def head_at(at: int, line: str) -> Head | None:
    """The head on a line that begins with `- **`, None if its bold span is empty, unclosed or holds a star."""
    star = line.find("*", 4)
    if star > 4 and line[star + 1 : star + 2] == "*":
        return Head(at, line[4:star])
    return None


def ids_only(span: str) -> bool:
    """Whether `span` is `#N` repeated, joined by `/` or `+` (blanks allowed around) or by blanks alone."""
    at = 0
    size = len(span)
    while True:
        if span[at : at + 1] != "#":
            return False
        at += 1
        first = at
        while at < size and span[at].isdecimal():
            at += 1
        if at == first:
            return False
        if at == size:
            return True
        joint = at
        while at < size and span[at] in " \t":
            at += 1
        if span[at : at + 1] in ("/", "+"):
            at += 1
            while at < size and span[at] in " \t":
                at += 1
        if at == joint:
            return False


class Tasks:
    """tasks.md as read.

    `lines` is the narrow cut, `wide` the wide one (the same list where they agree). `heads` are all heads in the file,
    `headings` the indices of lines that may be a heading of any kind.
    `open_heads` and `landed_heads` are indices of the two headings as the dashboard finds them. Its open half is the
    lines from `open_start` to before `open_end`, its landed half those from `landed_start` on. `open_ids` are the ids
    of counted heads in the open half, with repeats. `next_id` are the digits of the header at index `next_at`, "" if
    there is none. `notice_only`: a migration notice stands at the top and nothing else is there.
    """

    __slots__ = (
        "_landed",
        "bad_line",
        "headings",
        "heads",
        "landed_heads",
        "landed_start",
        "lines",
        "next_at",
        "next_id",
        "notice_only",
        "numbers",
        "open_end",
        "open_heads",
        "open_ids",
        "open_start",
        "text",
        "wide",
    )

    def __init__(self, data: bytes) -> None:
        text, self.bad_line = decode(data)
        self.notice_only = False
        if text.startswith(_NOTICE):
            size = notice_size(text)
            if size:
                # blank lines in its place: it is invisible to every rule, and line numbers stay
                text = "\n" * text.count("\n", 0, size) + text[size:]
                self.notice_only = not text.strip()
        self.text = text
        lines = self.lines = text.split("\n")
        self.wide = lines
        self.numbers: list[int] | None = None
        if breaks_wide(text):
            self.wide, self.numbers = wide_lines(text)
        self.next_id = ""
        self.next_at = -1
        self.heads: list[Head] = []
        self.headings: list[int] = []
        self.open_heads: list[int] = []
        self.landed_heads: list[int] = []
        for i, line in enumerate(lines):
            first = line[:1]
            if first == "-":
                if line[:4] == "- **":
                    head = head_at(i, line)
                    if head is not None:
                        self.heads.append(head)
            elif first == "N":
                if self.next_at < 0 and line.startswith("Next id: **"):
                    digits = line[11 : line.find("**", 11)] if "**" in line[11:] else ""
                    if digits.isdecimal():
                        self.next_id = digits
                        self.next_at = i
            elif "## " in line:
                self.headings.append(i)
                line = line.strip(" \t")
                if line == OPEN:
                    self.open_heads.append(i)
                elif line == LANDED:
                    self.landed_heads.append(i)
        end = len(lines)
        self.open_start = self.open_end = self.landed_start = end
        if self.open_heads:
            self.open_start = self.open_heads[0] + 1
            for i in self.landed_heads:
                if i >= self.open_start:
                    self.open_end = i
                    self.landed_start = i + 1
                    break
        self._landed: set[str] | None = None
        self.open_ids: list[str] = []
        for head in self.heads:
            if head.counted and self.is_open(head):
                self.open_ids += head.ids

    def is_open(self, head: Head) -> bool:
        """Whether the head stands in the open half."""
        return self.open_start <= head.at < self.open_end

    def line(self, index: int) -> int:
        """The number of a wide line in the file, from 1 (a narrow line's is its index plus one)."""
        return index + 1 if self.numbers is None else self.numbers[index]

    def landed_ids(self) -> set[str]:
        """Every id that reads as landed, as written."""
        if self._landed is not None:
            return self._landed
        lines = self.lines
        found: set[str] = set()
        heads = {head.at for head in self.heads if head.counted and head.at >= self.landed_start}
        for i in range(self.landed_start, len(lines)):
            line = lines[i]
            if "**#" not in line or line[0] in " \t":
                continue
            if i in heads:
                for word in _NOT_LANDING:
                    if word in line:
                        line = line[: line.index(word)]
            _bold_ids(line, found)
        if "also-landed:" in self.text:
            _also_landed("\n".join(lines[self.landed_start :]), found)
        self._landed = found
        return found


def by_size(ids: list[str] | set[str]) -> list[str]:
    """The distinct ids, shortest first, equal lengths by code point."""
    return sorted(set(ids), key=lambda i: (len(i), i))


def notice_size(text: str) -> int:
    """How many characters a valid migration notice takes at the start of `text`, 0 if there is none."""
    at = len(_NOTICE)
    seen: list[str] = []
    while True:
        end = text.find("\n", at)
        line = text[at:] if end < 0 else text[at:end]
        if line == "-->":
            return (len(text) if end < 0 else end + 1) if "migration" in seen else 0
        key = line.partition(": ")[0]
        if end < 0 or key not in ("migration", "file", "summary") or key in seen or len(line) < len(key) + 3:
            return 0
        seen.append(key)
        at = end + 1


def _bold_ids(line: str, found: set[str]) -> None:
    at = line.find("**#")
    while at >= 0:
        star = line.find("*", at + 2)
        if star < 0:
            return
        if line[star : star + 2] == "**" and ids_only(line[at + 2 : star]):
            found.update(ids_in(line[at + 2 : star]))
            star += 2  # these closing marks open nothing
        at = line.find("**#", star)


def _also_landed(text: str, found: set[str]) -> None:
    at = text.find("also-landed:")
    while at >= 0:
        before = at - 1
        while before >= 0 and text[before] != "\n" and text[before].isspace():
            before -= 1
        begin = skip_space(text, at + 12)
        if (before < 0 or text[before] in "\n·") and text[begin : begin + 2] == "**":
            star = text.find("*", begin + 2)
            if star > 0 and text[star : star + 2] == "**":
                found.update(ids_in(text[begin + 2 : star]))
        at = text.find("also-landed:", at + 12)


def entry_end(lines: list[str], head: int, limit: int) -> int:
    """Where the entry of the head at index `head` ends: before the first line at column 0 that is not blank."""
    i = head + 1
    while i < limit:
        line = lines[i]
        if line[:1] not in (" ", "\t") and line.strip():
            break
        i += 1
    return i


def flat(lines: list[str]) -> str:
    """The lines stripped and joined with single spaces."""
    return " ".join([line for line in [line.strip() for line in lines] if line])


def title_and_tags(text: str, size: int) -> tuple[str, str] | None:
    """Of an entry flattened to `text` whose head takes `size` characters: its title and its tag run.

    The title runs from the `—` or `-` after the head to the first ` · `, the tag run from there to the first piece
    that is prose (holds `;`, or is longer than 50 characters). None without such a dash; no tag run without a ` · `.
    """
    at = skip_space(text, size)
    if text[at : at + 1] not in ("—", "-") or not text[at + 1 : at + 2].isspace():
        return None
    pieces = text[at + 2 :].split(" · ")
    tags = []
    for piece in pieces[1:]:
        if ";" in piece or len(piece) > 50:
            break
        tags.append(piece)
    return pieces[0].strip(), " · ".join(tags)
