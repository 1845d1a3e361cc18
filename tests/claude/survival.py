"""What comes through a real compaction, with steering and restoring and without: `python -m tests.claude.survival`.

Every cell is one session of the pinned client, compacted by itself. The summary is held against the record by the
product's own audit; so is all the model can read after the compaction, the record given back included. What the client
keeps verbatim of the last messages counts there too: the stated numbers are in such a message.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dreamwork_hooks.memory.audit import KEPT, fates
from tests.claude.round_trip import RoundTrip, keeps_only_what_it_is_asked_to, keeps_the_sentence_alone, round_trip
from tests.support.client import pinned_client
from tests.support.installed import current_archive
from tests.support.messages_api import Request, Summarizer, keeps_everything

Counts = dict[str, tuple[int, int]]

SUMMARIZERS: dict[str, Summarizer] = {
    "drops what it is not asked to keep": keeps_only_what_it_is_asked_to,
    "keeps the task and the ids alone": keeps_the_sentence_alone,
    "keeps all": keeps_everything,
}
HEADS = {"task": "task", "id": "ids", "file": "files", "command": "commands", "test": "tests", "number": "numbers"}


@dataclass(frozen=True)
class Survived:
    """One session: kind -> (kept literally, held), in the summary and in all that the model reads next."""

    summarizer: str
    steered: bool
    restored: bool
    in_summary: Counts
    after: Counts


def measure(client: Path, root: Path, summarizer: str, *, steered: bool, restored: bool) -> Survived:
    """Run one session and count."""
    parts = ("evidence", "audit", *(("restore",) if restored else ()))
    trip = round_trip(client, root, parts, steer=steered, summarizer=SUMMARIZERS[summarizer])
    assert trip.audit is not None
    facts = trip.audit["facts"]
    in_summary = {kind: (facts[kind][0], sum(facts[kind])) for kind in HEADS}
    return Survived(summarizer, steered, restored, in_summary, _after(trip))


def _after(trip: RoundTrip) -> Counts:
    after: Request = trip.after
    found = fates(trip.record, after.text)
    return {
        kind: (
            sum(what == KEPT for (of, _), what in found if of == kind),
            sum(of == kind for (of, _), _ in found),
        )
        for kind in HEADS
    }


def measure_all(client: Path, root: Path, done: Callable[[], None] = lambda: None) -> list[Survived]:
    """Every summarizer, with and without steering and restoring: four sessions each."""
    cases = [
        (root / f"{at}{steered:d}{restored:d}", name, steered, restored)
        for at, name in enumerate(SUMMARIZERS)
        for steered in (False, True)
        for restored in (False, True)
    ]

    def one(case: tuple[Path, str, bool, bool]) -> Survived:
        place, name, steered, restored = case
        found = measure(client, place, name, steered=steered, restored=restored)
        done()
        return found

    with ThreadPoolExecutor(2) as pool:  # a session waits more than it works
        return list(pool.map(one, cases))


def table(rows: list[Survived]) -> str:
    """The rows as a Markdown table: `kept in the summary / in all the model reads next, of those held`."""
    lines = [
        "| the summarizer | steered | restored | " + " | ".join(HEADS[kind] for kind in HEADS) + " |",
        "| --- | --- | --- |" + " --- |" * len(HEADS),
    ]
    for row in rows:
        cells = [f"{row.in_summary[k][0]} / {row.after[k][0]} of {row.after[k][1]}" for k in HEADS]
        yes = {True: "yes", False: "no"}
        lines.append(f"| {row.summarizer} | {yes[row.steered]} | {yes[row.restored]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> int:
    """Print the table."""
    current_archive()
    with tempfile.TemporaryDirectory(prefix="survival-") as root:
        rows = measure_all(pinned_client(), Path(root), lambda: print(".", end="", file=sys.stderr, flush=True))
    print("", file=sys.stderr)
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
