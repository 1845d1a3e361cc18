"""The rules of questions.md: each finds its faults in a file already read.

A fault is `(rule, line, subject, details)`: line 0 is the whole file, and the details fill the sentences that `rules`
holds for that rule. Nothing here is put into words, so a sound ledger never loads the words.
"""

from __future__ import annotations

from dreamwork_hooks.ledger.questions import (
    ANSWER_TAG,
    ANSWERED,
    OPEN,
    QID_OPENING,
    TAGS,
    Entry,
    Questions,
    is_dated,
    qid_size,
    record,
)
from dreamwork_hooks.ledger.text import around_damage, conflict_markers, find_date, ids_in, suspects
from dreamwork_hooks.shapes import Fault

_SUBDECISIONS = "**Sub-decisions:**"


def check(doc: Questions, landed: set[str] | None) -> list[Fault]:
    """All faults of the file. `landed`: the ids that landed in tasks.md, None if that file is not there."""
    found: list[Fault] = []
    if doc.bad_line:
        quote = around_damage(doc.text.split("\n")[doc.bad_line - 1])
        return [("questions/not-utf8", doc.bad_line, None, {"quote": quote})]
    text, lines = doc.text, doc.lines
    for i in conflict_markers(text, lines):
        found.append(("questions/conflict-marker", doc.line(i), None, {"quote": lines[i]}))
    if "):" in text:
        _author_tags(doc, found)
    if "<!-- " in text:
        _identities(doc, found)
    if not any(lines[i].rstrip() == "## Open" for i in doc.headings) and text.strip():
        indented = [i for i, line in enumerate(lines) if "## Open" in line and line.strip() == "## Open"]
        if not indented:
            names = [line.strip() for line in lines if "##" in line and line.lstrip().startswith("##")]
            bom = text.startswith("\ufeff## Open")
            found.append(
                (
                    "questions/heading-not-literal",
                    0,
                    None,
                    {"headings": names[:5], "bom": bom},
                )
            )
            return found
        found.append(("questions/open-heading-indented", doc.line(indented[0]), None, {}))
    _unseen(doc, found)
    suspected = suspects(lines)
    if suspected:
        from dreamwork_hooks.ledger.meant import question_faults

        found += question_faults(doc, suspected)
    if not doc.entries:
        prose = [i for i, line in enumerate(lines) if line.strip() and line.lstrip()[0] != "#"]
        if prose:
            detail = {"count": len(prose), "line": doc.line(prose[0]), "quote": lines[prose[0]]}
            found.append(("questions/no-entries", 0, None, detail))
        return found
    for entry in doc.entries:
        _titles(doc, entry, found)
        if entry.section == ANSWERED:
            _resolution(doc, entry, found)
        elif entry.contributions:
            _answered_twice(doc, entry, found)
    if ANSWER_TAG in text:
        _not_folded(doc, found)
    if landed:
        _already_landed(doc, landed, found)
    if _SUBDECISIONS in text:
        _subdecisions(doc, found)
    return found


def _titles(doc: Questions, entry: Entry, found: list[Fault]) -> None:
    title = entry.title
    if title[:1] == "P" and title[1:2].isdecimal():
        rest = _after_digits(title)
        bare = rest.lstrip()
        if bare[:1] in ("·", ":", "-"):
            taken = title[1] in "123" and len(title) - len(rest) == 2 and rest != bare
            if not (taken and bare[0] == "·" and bare[1:2].isspace()):
                detail = {"quote": title, "marker": title[: len(title) - len(bare) + 1]}
                found.append(("questions/priority-not-taken", doc.line(entry.start), None, detail))
    if len(entry.title_rows) > 1 and "→" in title:
        for k, row in enumerate(entry.title_rows):
            if k and row[:1] == "→":
                if is_dated(entry.title_rows[k:]):
                    where = {"quote": row, "row": doc.line(entry.start + k)}
                    found.append(("questions/resolution-in-title", doc.line(entry.start), None, where))
                break
    if entry.title_end == entry.end:
        found.append(("questions/title-unclosed", doc.line(entry.start), None, {"quote": title}))


def _after_digits(title: str) -> str:
    at = 1
    while title[at : at + 1].isdecimal():
        at += 1
    return title[at:]


def _resolution(doc: Questions, entry: Entry, found: list[Fault]) -> None:
    state, label = record(entry)
    if state == "dated":
        return
    line = doc.line(entry.start)
    for item in entry.contributions:
        rows = doc.lines[item.first + 1 : item.end]
        if rows and is_dated(rows):
            arrow = item.first + 1
            while not doc.lines[arrow].lstrip().startswith("→"):
                arrow += 1
            detail = {"quote": doc.lines[arrow], "row": doc.line(arrow), "under": doc.line(item.first)}
            found.append(("questions/resolution-after-subbullet", line, None, detail))
            break
    detail = {"quote": entry.title}
    if state == "absent":
        found.append(("questions/no-resolution-date", line, None, detail))
    elif state == "folded":
        found.append(("questions/folded-without-response", line, None, detail))
    elif state == "unknown":
        detail["label"] = label
        found.append(("questions/unknown-resolution-label", line, None, detail))


def _answered_twice(doc: Questions, entry: Entry, found: list[Fault]) -> None:
    seen: dict[str, int] = {}
    for item in entry.contributions:
        if item.is_answer and len(item.time) > 10:
            seen[item.time] = seen.get(item.time, 0) + 1
            if seen[item.time] == 2:
                detail = {"stamp": item.time, "quote": entry.title, "second": doc.line(item.first)}
                found.append(("questions/answer-duplicated", doc.line(entry.start), item.time, detail))


def _not_folded(doc: Questions, found: list[Fault]) -> None:
    """Works on the narrow cut and on the first Open section alone, as the checker does."""
    lines = doc.lines if doc.numbers is None else doc.text.split("\n")
    size = len(lines)
    at = 0
    while at < size and not (lines[at][:7] == "## Open" and lines[at].rstrip() == "## Open"):
        at += 1
    titles = set()
    head = -1
    told = False
    for i in range(at + 1, size):
        line = lines[i]
        if line[:3] == "## ":
            break
        if line[:4] == "- **":
            if not line.startswith(TAGS):
                head = i
                told = False
        elif head < 0 or told or ANSWER_TAG not in line or not line[0].isspace():
            continue
        elif line.lstrip().startswith(ANSWER_TAG):
            told = True
            title = Entry(lines, OPEN, head, i).title
            if title not in titles:
                titles.add(title)
                detail = {"quote": title, "answer": i + 1}
                found.append(("questions/answer-not-folded", head + 1, None, detail))


def _already_landed(doc: Questions, landed: set[str], found: list[Fault]) -> None:
    for entry in doc.entries:
        if entry.section == OPEN and "#" in entry.title:
            ids = ids_in(entry.title)
            if ids and landed.issuperset(ids):
                names = ", ".join(dict.fromkeys(["#" + i[:40] for i in ids[:20]]))
                detail = {"ids": names, "quote": entry.title}
                found.append(("questions/ask-already-landed", doc.line(entry.start), names, detail))


def _subdecisions(doc: Questions, found: list[Fault]) -> None:
    for entry in doc.entries:
        if entry.section != ANSWERED:
            continue
        body = entry.body()
        for k, row in enumerate(body):
            at = row.find(_SUBDECISIONS)
            if at < 0:
                continue
            labels = _labels(row[at:])
            if labels:
                body[k] = row[:at]
                notes = [doc.lines[i] for item in entry.contributions for i in range(item.first, item.end)]
                text = "\n".join([entry.title, *body, *notes])
                dropped = _unnamed(list(dict.fromkeys(labels)), text)
                if dropped:
                    names = ", ".join(dropped)
                    detail = {"labels": names, "quote": entry.title, "row": doc.line(_row(entry, k))}
                    found.append(("questions/subdecision-dropped", doc.line(entry.start), names, detail))
            break


def _row(entry: Entry, k: int) -> int:
    """The wide line of the k-th body line of an entry."""
    at = entry.title_end
    for item in entry.contributions:
        if at + k < item.first:
            break
        k += item.end - item.first
    return at + k


def _labels(text: str) -> list[str]:
    return [piece for piece in text.split("`")[1:-1] if "A" <= piece[:1] <= "Z" and piece[1:].isdecimal()]


def _unnamed(labels: list[str], text: str) -> list[str]:
    """The labels that `text` does not hold as whole words."""
    if len(labels) > 16:  # a search for each would be as long as labels times text
        words = set("".join([c if c.isalnum() or c == "_" else " " for c in text]).split())
        return [label for label in labels if label not in words]
    return [label for label in labels if not _is_named(label, text)]


def _is_named(label: str, text: str) -> bool:
    at = text.find(label)
    while at >= 0:
        end = at + len(label)
        around = text[at - 1 : at] + text[end : end + 1]
        if not around or all(not (c.isalnum() or c == "_") for c in around):
            return True
        at = text.find(label, end)
    return False


def _author_tags(doc: Questions, found: list[Fault]) -> None:
    for i, line in enumerate(doc.lines):
        if "- **" not in line or "):" not in line:
            continue
        line = line.lstrip()
        if not line.startswith("- **") or line.startswith(TAGS):
            continue
        paren = line.find(" (", 4)
        word = line[4 : max(paren, 4)]
        close = line.find(")", paren)
        if (
            "A" <= word[:1] <= "Z"
            and word.replace("-", "").replace("_", "").isalnum()
            and line[close + 1 : close + 2] == ":"
            and find_date(line[paren + 2 : close])
        ):
            tag = line[4 : close + 1]
            found.append(("questions/author-tag-unknown", doc.line(i), None, {"tag": tag, "word": word}))


def _identities(doc: Questions, found: list[Fault]) -> None:
    placed = {entry.title_end: entry.qid_at for entry in doc.entries if entry.qid}
    if doc.text.count("<!-- ") == len(placed) == len({entry.qid for entry in doc.entries if entry.qid}):
        return
    used: dict[str, int] = {}
    for i, line in enumerate(doc.lines):
        at = line.find("<!-- ")
        while at >= 0:
            if line[at : at + 8].lower() == QID_OPENING:
                number = doc.line(i)
                comment = line[at : at + 49]
                if not qid_size(comment):
                    quote = line[at : at + 60].partition("-->")
                    found.append(("questions/qid-malformed", number, None, {"quote": quote[0] + quote[1]}))
                else:
                    uuid = comment[9:45].lower()
                    if uuid in used:
                        detail = {"uuid": uuid, "first": used[uuid]}
                        found.append(("questions/qid-duplicate", number, uuid, detail))
                    else:
                        used[uuid] = number
                    if placed.get(i) != at:
                        found.append(("questions/qid-misplaced", number, None, {"uuid": uuid}))
            at = line.find("<!-- ", at + 5)


def _unseen(doc: Questions, found: list[Fault]) -> None:
    """Advice: what the dashboard does not show and the checker does not mention."""
    headings = iter(doc.headings)
    above = -1
    following = next(headings, -1)
    told = -2
    for i in doc.strays:
        while -1 < following < i:
            above = following
            following = next(headings, -1)
        if above != told:
            told = above
            if above < 0:
                continue  # a list above the first heading is prose
            name = doc.lines[above].strip()
            rule = "questions/entries-outside-sections"
            if name.lower().rstrip(":. ") == "## answered":
                rule = "questions/answered-heading-not-literal"
            detail = {"heading": name, "line": doc.line(i), "quote": doc.lines[i]}
            found.append((rule, doc.line(above), None, detail))
