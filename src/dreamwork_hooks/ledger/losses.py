"""Which entries a ledger holds, to notice the ones that a later write loses.

A partial read that is written back whole is the worst accident a ledger has: nothing in the file looks wrong
afterwards. So what was there is remembered: for open questions `[qid, title]`, for tasks the ids as ranges, and counts.
"""

from __future__ import annotations

from typing import Any

from dreamwork_hooks.ledger.lint import Ledger
from dreamwork_hooks.ledger.questions import Entry
from dreamwork_hooks.ledger.text import plain

MOST_QUESTIONS = 2_000
MOST_RANGES = 20_000
_TITLE = 120  # characters of a title that are compared
_NAMED = 5  # lost entries that a finding names


def entry_identities(ledger: Ledger, only: str | None = None) -> dict[str, Any]:
    """What the ledger holds now, for `lost` and `remember`.

    `only`: read just this file. A file that was not looked at, or whose content moved to the store, is not in the
    result; one that is absent is None.
    """
    now: dict[str, Any] = {}
    if only != "tasks.md":
        questions = ledger.questions()
        now["questions"] = None if questions is None else questions.entries
    if only != "questions.md":
        tasks = ledger.tasks()
        if tasks is None:
            if not ledger.store_present:
                now["tasks"] = None
        elif not (tasks.notice_only and ledger.store_present):
            opened = {plain(i) for i in tasks.open_ids}
            landed = {plain(i) for i in tasks.landed_ids()}
            # an id whose head is not counted any more is misread, not lost
            loose = {plain(i) for head in tasks.heads for i in head.ids}
            now["tasks"] = (opened, landed, loose)
    return now


def remember(before: Any, now: dict[str, Any]) -> dict[str, Any]:
    """What to keep until the ledger is seen again, as JSON; bounded.

    A file that is not there, or was not looked at, keeps what is known of it: it may come back with less in it.
    """
    kept: dict[str, Any] = {}
    entries = now.get("questions")
    if entries is not None:
        opened = [entry for entry in entries if entry.section == "Open"]
        kept["questions"] = {
            "open": len(opened),
            "answered": len(entries) - len(opened),
            "titles": [[entry.qid, _key(entry)] for entry in opened[:MOST_QUESTIONS]],
        }
    elif isinstance(before, dict) and "questions" in before:
        kept["questions"] = before["questions"]
    ids = now.get("tasks")
    if ids is not None:
        opened_ids, landed_ids, _ = ids
        kept["tasks"] = {
            "open": len(opened_ids),
            "landed": len(landed_ids),
            "ids": _ranges(opened_ids | landed_ids),
        }
    elif isinstance(before, dict) and "tasks" in before:
        kept["tasks"] = before["tasks"]
    return kept


def lost(before: Any, now: dict[str, Any]) -> list[dict[str, Any]]:
    """Findings of the rule `ledger/entries-lost`: what was there before and is in neither section now.

    `before`: what `remember` returned, after a way through JSON; anything else, None too, finds nothing.

    A question with an identity comment is lost when both its UUID and its title are gone: a new title alone is an edit.
    Without one, a vanished title may have been edited. That cannot be told from a loss, so the counts decide: if the
    file holds at least as many questions as can be explained by every vanished title having been edited, nothing is
    said; else all vanished titles are named.
    """
    found: list[dict[str, Any]] = []
    if not isinstance(before, dict):
        return found
    if "questions" in now:
        found += _lost_questions(before.get("questions"), now["questions"] or [])
    if "tasks" in now:
        found += _lost_tasks(before.get("tasks"), now["tasks"] or (set(), set(), set()))
    return found


def _lost_questions(before: Any, entries: list[Entry]) -> list[dict[str, Any]]:
    if not isinstance(before, dict) or not isinstance(before.get("titles"), list):
        return []
    qids = {entry.qid for entry in entries}
    keys = {_key(entry) for entry in entries}
    certain: list[str] = []
    perhaps: list[str] = []
    for row in before["titles"]:
        if isinstance(row, list) and len(row) == 2 and isinstance(row[0], str) and isinstance(row[1], str):
            qid, key = row
            if key not in keys and not (qid and qid in qids):
                (certain if qid else perhaps).append(key)
    total = _count(before.get("open")) + _count(before.get("answered"))
    appeared = len(entries) - total + len(certain) + len(perhaps)
    gone = certain if appeared >= len(perhaps) else certain + perhaps
    if not gone:
        return []
    from dreamwork_hooks.quoting import quoted

    names = [quoted(key, 40) for key in gone[:_NAMED]]
    return [_finding("questions.md", len(gone), "open question", names)]


def _lost_tasks(before: Any, now: tuple[set[str], set[str], set[str]]) -> list[dict[str, Any]]:
    if not isinstance(before, dict) or not isinstance(before.get("ids"), list):
        return []
    opened, landed, loose = now
    here = opened | landed | loose
    gone: list[str] = []
    for row in before["ids"]:
        if isinstance(row, list) and len(row) == 2 and isinstance(row[0], int) and isinstance(row[1], int):
            if row[1] - row[0] > 1_000_000:
                continue
            gone += [name for name in map(str, range(row[0], row[1] + 1)) if name not in here]
    if not gone:
        return []
    return [_finding("tasks.md", len(gone), "task id", ["#" + i for i in gone[: 4 * _NAMED]])]


def _finding(file: str, count: int, what: str, names: list[str]) -> dict[str, Any]:
    from dreamwork_hooks.ledger.rules import finding

    if count > len(names):
        names = [*names, f"and {count - len(names)} more"]
    detail = {"count": count, "what": what if count == 1 else what + "s", "verb": "is" if count == 1 else "are"}
    result = finding("ledger/entries-lost", file, 0, None, {**detail, "names": ""})
    result["message"] += ", ".join(names)
    return result


def _key(entry: Entry) -> str:
    """A question's title as it is compared: without priority, white space collapsed, bounded."""
    title = entry.title
    if title[:1] == "P" and title[1:2] in ("1", "2", "3") and title[2:].lstrip()[:1] == "·":
        title = title.partition("·")[2]
    return " ".join(title[: 4 * _TITLE].split())[:_TITLE]


def _ranges(ids: set[str]) -> list[list[int]]:
    """The ids as `[first, last]` of each run without a gap, smallest first."""
    runs: list[list[int]] = []
    for value in sorted([int(i) for i in ids if len(i) < 16]):
        if runs and runs[-1][1] == value - 1:
            runs[-1][1] = value
        elif len(runs) < MOST_RANGES:
            runs.append([value, value])
        else:
            break
    return runs


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0
