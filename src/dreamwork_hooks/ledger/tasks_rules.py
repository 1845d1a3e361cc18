"""The rules of tasks.md that look at one entry or at the whole file; faults are as in `questions_rules`."""

from __future__ import annotations

from collections.abc import Callable

from dreamwork_hooks.ledger.questions import Entry
from dreamwork_hooks.ledger.tasks import (
    LANDED,
    OPEN,
    Head,
    Tasks,
    entry_end,
    flat,
    head_at,
    title_and_tags,
)
from dreamwork_hooks.ledger.text import (
    MAX_DIGITS,
    around_damage,
    conflict_markers,
    ids_in,
    is_date,
    number,
    plain,
    skip_space,
    suspects,
)
from dreamwork_hooks.shapes import Fault

FIRST_GOVERNED = 216  # ids below this are from before the origin rule
_ORIGINS = ("human", "loop", "unknown")
_HEX = "0123456789abcdefABCDEF"
# One of these is in every entry that says it waits for a decision.
_WAITING_HINTS = ("blocked", "start before", "nothing until", "waiting", "gate")


def check(doc: Tasks, asked: Callable[[], list[Entry] | None], cited: bool) -> list[Fault]:
    """All faults of the file.

    `asked()` gives the entries of questions.md, None if there is no such file; `cited`: a title there may say that it
    `(blocks #N)`.
    """
    found: list[Fault] = []
    if doc.bad_line:
        quote = around_damage(doc.lines[doc.bad_line - 1])
        return [("tasks/not-utf8", doc.bad_line, None, {"quote": quote})]
    for i in conflict_markers(doc.text, doc.wide):
        found.append(("tasks/conflict-marker", doc.line(i), None, {"quote": doc.wide[i]}))
    _numbers(doc, found)
    _headings(doc, found)
    if not doc.heads:
        found.append(("tasks/no-entries", 0, None, {"notice": doc.notice_only}))
    # What has landed may stand as `**#N** text`, without a dash.
    suspected = [i for i in suspects(doc.lines) if i < doc.landed_start or doc.lines[i][:3] != "**#"]
    told: set[int] = set()
    if suspected or any(not head.counted for head in doc.heads):
        from dreamwork_hooks.ledger.meant import task_faults

        unread = task_faults(doc, suspected)
        found += unread
        told = {line for _, line, _, _ in unread}
    for head in doc.heads:
        _origin(doc, head, found)
        if not head.counted and head.ids and head.at + 1 not in told:
            detail = {"span": doc.lines[head.at][4 : head.size - 2], "id": head.ids[0][:40]}
            found.append(("tasks/head-not-counted", head.at + 1, head.label(), detail))
    _open_tags(doc, asked, found)
    if "elated:" in doc.text:
        from dreamwork_hooks.ledger.tasks_links import relations

        relations(doc, found)
    view = _open_view(doc)
    if view is None:
        found.append(("tasks/open-heading-missing", 0, None, {"notice": doc.notice_only}))
    else:
        _open_view_rules(doc, view, asked, cited, found)
    if any(is_placeholder(piece) for piece in doc.text.split("`")[1:-1] if len(piece) <= 40):
        from dreamwork_hooks.ledger.tasks_landings import placeholders

        found += placeholders(doc)
    return found


def _numbers(doc: Tasks, found: list[Fault]) -> None:
    """Next id, duplicates, ids that are no numbers, and the two counts of open ids."""
    seen: dict[int, int] = {}
    told = set()
    highest = -1
    unreadable = len(doc.next_id) > MAX_DIGITS
    for head in doc.heads:
        for digits in head.ids:
            if len(digits) > MAX_DIGITS:
                unreadable = True
                continue
            if not head.counted:
                continue
            value = int(digits)
            if value > highest:
                highest = value
            if value not in seen:
                seen[value] = head.at
            elif value not in told:
                told.add(value)
                detail = {"id": value, "first": seen[value] + 1, "quote": doc.lines[head.at], "next": doc.next_id[:40]}
                found.append(("tasks/duplicate-id", head.at + 1, f"#{value}", detail))
    if unreadable:
        found.append(("tasks/id-unreadable", 0, None, {}))
    if doc.next_at < 0:
        near = [i + 1 for i, line in enumerate(doc.lines) if "ext id" in line][:1]
        detail = {"notice": doc.notice_only, "free": highest + 1 if highest >= 0 else 1, "near": near}
        found.append(("tasks/next-id-missing", 0, None, detail))
    elif 0 <= number(doc.next_id) <= highest:
        value = number(doc.next_id)
        detail = {"next": value, "highest": highest, "free": highest + 1}
        found.append(("tasks/next-id-too-small", doc.next_at + 1, str(value), detail))
    by_reader = len(set(doc.open_ids))
    by_section, stray = _count_by_sections(doc)
    if by_section != by_reader:
        detail = {"sections": by_section, "reader": by_reader, "where": stray[0], "name": stray[1][:30]}
        found.append(("tasks/open-count-disagrees", 0, None, detail))


def _count_by_sections(doc: Tasks) -> tuple[int, tuple[int, str]]:
    """Ids of counted heads under headings that read `## Open`, repeats and all; and the first heading that differs.

    Any line that strips to `## ...` begins a section here, while the dashboard's open half ends at `## Recently landed`
    alone: that is what this count is for.
    """
    count = 0
    stray = (0, "")
    lines = doc.wide
    if doc.numbers is None:
        headings, heads = doc.headings, doc.heads
    else:
        headings = [i for i, line in enumerate(lines) if "## " in line]
        bullets = [head_at(i, line) for i, line in enumerate(lines) if line[:4] == "- **"]
        heads = [head for head in bullets if head is not None]
    spans = []
    for i in headings:
        name = lines[i].strip()
        if name[:3] != "## ":
            continue
        spans.append((i, name == OPEN))
        if not stray[0] and (name not in (OPEN, LANDED) or (name == OPEN and doc.line(i) > doc.open_start)):
            stray = (doc.line(i), name)
    following = iter([*spans, (len(lines), False)])
    limit, opens = next(following)
    is_open = False
    for head in heads:
        while head.at > limit:
            is_open = opens
            limit, opens = next(following)
        if is_open and head.counted:
            count += len(head.ids)
    return count, stray


def _headings(doc: Tasks, found: list[Fault]) -> None:
    for name, places in ((OPEN, doc.open_heads), (LANDED, doc.landed_heads)):
        if not places:
            detail = {"heading": name, "notice": doc.notice_only}
            found.append(("tasks/heading-missing", 0, name, detail))
        for i in places[1:]:
            detail = {"heading": name, "first": places[0] + 1}
            found.append(("tasks/heading-duplicated", i + 1, name, detail))
    if len(doc.open_heads) == 1 == len(doc.landed_heads) and doc.landed_heads[0] < doc.open_heads[0]:
        detail = {"open": doc.open_heads[0] + 1}
        found.append(("tasks/headings-inverted", doc.landed_heads[0] + 1, None, detail))


def _origin(doc: Tasks, head: Head, found: list[Fault]) -> None:
    for digits in head.ids:
        value = number(digits)
        if value >= FIRST_GOVERNED or value < 0:
            break
    else:
        return
    if any(len(digits) > MAX_DIGITS for digits in head.ids):
        return  # the id itself has to be mended first
    line = doc.lines[head.at]
    values = _origins(line)
    if not values:
        end = entry_end(doc.lines, head.at, len(doc.lines))
        values = _origins("\n".join(doc.lines[head.at : end]))
    name = head.label()
    if not values:
        near = "rigin:" in line
        found.append(("tasks/origin-missing", head.at + 1, name, {"ids": name, "quote": line, "near": near}))
    elif len(values) > 1:
        detail = {"ids": name, "values": values[:4]}
        found.append(("tasks/origin-repeated", head.at + 1, name, detail))
    elif values[0] not in _ORIGINS:
        detail = {"ids": name, "value": values[0]}
        found.append(("tasks/origin-not-in-vocabulary", head.at + 1, name, detail))


def _origins(text: str) -> list[str]:
    """The values of all complete `origin: **...**` in `text`."""
    return [" ".join(value.split()) for value in bold_field(text, "origin:")]


def bold_field(text: str, name: str) -> list[str]:
    """What stands between the stars of every `name **...**` in `text`."""
    found = []
    at = text.find(name)
    while at >= 0:
        after = at + len(name)
        begin = skip_space(text, after)
        if text[begin : begin + 2] == "**":
            star = text.find("*", begin + 2)
            if star > begin + 2 and text[star + 1 : star + 2] == "*":
                found.append(text[begin + 2 : star].strip())
                after = star + 2
        at = text.find(name, after)
    return found


def _open_tags(doc: Tasks, asked: Callable[[], list[Entry] | None], found: list[Fault]) -> None:
    """Rules on the tag runs of the entries in the open half."""
    named: set[str] | None = None  # ids in the titles of questions, once they are read
    is_asked = True  # until there turns out to be no questions.md
    for head in doc.heads:
        if not head.ids or not doc.is_open(head):
            continue
        lines = doc.lines[head.at : entry_end(doc.lines, head.at, len(doc.lines))]
        text = flat(lines)
        parts = title_and_tags(text, head.size)
        if parts is None or not parts[1]:
            continue
        tags = parts[1]
        phrase = completion(tags)
        name = head.label()
        if phrase:
            detail = {"ids": name, "phrase": phrase}
            found.append(("tasks/completed-but-open", head.at + 1, name, detail))
        if "blocked-on:" not in tags:
            continue
        values = bold_field(tags, "blocked-on:")
        if not values:
            continue
        if values != ["human"] * len(values):
            wrong = next(value for value in values if value != "human")
            detail = {"ids": name, "value": wrong}
            found.append(("tasks/blocked-on-vocabulary", head.at + 1, name, detail))
            continue
        if named is None:
            entries = asked()
            is_asked = entries is not None
            named = {plain(i) for entry in entries or () if "#" in entry.title for i in ids_in(entry.title)}
        if not is_asked:
            continue
        gate = [i for value in bold_field(tags, "gate:") for i in ids_in(value)]
        if not any(plain(i) in named for i in (gate or head.ids)):
            detail = {"ids": name, "gate": "/".join(["#" + i[:40] for i in gate])}
            found.append(("tasks/blocked-without-question", head.at + 1, name, detail))


def completion(tags: str) -> str:
    """The first words that say an entry is done: such a word, and a date or seven hex digits within 40 characters."""
    low = tags.lower()
    if len(low) != len(tags):
        tags = low  # some letters grow in lower case, and places in one are not places in the other
    best = len(tags)
    phrase = ""
    for word in ("completed", "landed", "merged"):
        at = low.find(word)
        while 0 <= at < best:
            end = at + len(word)
            if not in_word(low[at - 1 : at]) and not in_word(low[end : end + 1]):
                size = _proof(tags, end)
                if size:
                    best = at
                    phrase = tags[at:size]
                    break
            at = low.find(word, end)
    return phrase


def in_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _proof(text: str, begin: int) -> int:
    """Where a date or seven hex digits end that start at most 40 characters after `begin`, 0 if there are none."""
    for at in range(begin, min(begin + 41, len(text))):
        if is_date(text, at):
            return at + 10
        if len(text) - at >= 7 and not text[at : at + 7].strip(_HEX):
            return at + 7
    return 0


def _open_view(doc: Tasks) -> tuple[int, int] | None:
    """The lines, by index of the wide cut, from a literal `## Open` to the next `## ` line; None without one."""
    lines = doc.wide
    plainly = doc.numbers is None and doc.text.count(OPEN) == len(doc.open_heads)
    for i in doc.open_heads if plainly else range(len(lines)):
        if lines[i][:7] == OPEN and lines[i].rstrip() == OPEN:
            end = i + 1
            while end < len(lines) and lines[end][:3] != "## ":
                end += 1
            return i + 1, end
    return None


def _open_view_rules(
    doc: Tasks, view: tuple[int, int], asked: Callable[[], list[Entry] | None], cited: bool, found: list[Fault]
) -> None:
    lines = doc.wide
    begin, limit = view
    waiting = []
    for i in range(begin, limit):
        if lines[i][:4] != "- **":
            continue
        head = head_at(i, lines[i])
        if head is None or not head.ids:
            continue
        entry = lines[i : entry_end(lines, i, limit)]
        low = "\n".join(entry).lower()
        if "blocked" in low:
            _says_blocked(doc, head, entry, found)
        if cited or any(word in low for word in _WAITING_HINTS):
            waiting.append((head, i + len(entry)))
    if waiting:
        from dreamwork_hooks.ledger.tasks_links import blockers

        blockers(doc, waiting, asked() or [], found)


def _says_blocked(doc: Tasks, head: Head, entry: list[str], found: list[Fault]) -> None:
    text = flat(entry)
    if " · " not in text:
        text = flat(entry[:1])  # without a field the title ends with its line
    parts = title_and_tags(text, head.size)
    if parts is not None and says_blocked(parts[0]) and not bold_field(parts[1], "blocked-on:"):
        detail = {"ids": head.label(), "quote": parts[0]}
        found.append(("tasks/title-says-blocked", doc.line(head.at), head.label(), detail))


def says_blocked(title: str) -> bool:
    """Whether the words `blocked on` are in a title."""
    return has_phrase(" ".join(title.lower().split()), "blocked on")


def has_phrase(text: str, phrase: str) -> bool:
    """Whether `text` holds `phrase` and no letter, digit or underscore goes on before or after it."""
    at = text.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        if not in_word(text[at - 1 : at]) and not in_word(text[end : end + 1]):
            return True
        at = text.find(phrase, end)
    return False


def is_placeholder(token: str) -> bool:
    """Whether a back-ticked token only keeps the place of a commit."""
    first = token[:1]
    if first not in "<pPtTxXsShH?-" or not token:
        return False
    low = token.lower()
    return (
        low in ("pending", "tbd", "todo", "sha", "hash")
        or (first == "<" and low[-1] == ">")
        or (len(low) > 2 and not low.strip("x"))
        or not low.strip("?")
        or not low.strip("-")
    )
