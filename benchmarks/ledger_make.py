"""Large sound ledgers for timing: the same size gives the same bytes.

    python -m benchmarks.ledger_make SIZE_KB DIRECTORY

writes questions.md and tasks.md of at least that size each.
"""

from __future__ import annotations

import sys
from pathlib import Path

_WORDS = [
    "harbour",
    "lantern",
    "meadow",
    "gravel",
    "kettle",
    "hinge",
    "rudder",
    "orchard",
    "saddle",
    "trellis",
    "furnace",
    "pebble",
    "anvil",
    "ribbon",
    "quarry",
    "with",
    "under",
    "beyond",
    "until",
    "because",
    "while",
    "before",
    "move",
    "join",
    "paint",
    "weigh",
    "count",
    "label",
    "sort",
    "fold",
    "mend",
    "lift",
]


class _Chance:
    """A small generator of numbers, so that no Python version changes the bytes."""

    def __init__(self, seed: int) -> None:
        self.state = seed * 2654435761 % 2**32 or 1

    def below(self, limit: int) -> int:
        self.state = (self.state * 1664525 + 1013904223) % 2**32
        return (self.state >> 8) % limit

    def text(self, words: int, indent: str = "  ") -> str:
        """Prose in lines of about twelve words."""
        lines = []
        for first in range(0, words, 12):
            row = [_WORDS[self.below(len(_WORDS))] for _ in range(min(12, words - first))]
            lines.append(indent + " ".join(row))
        return ".\n".join(lines) + "."

    def stamp(self) -> str:
        return f"2026-{1 + self.below(9):02}-{1 + self.below(28):02} {self.below(24):02}:{self.below(60):02}"


def questions(size: int) -> bytes:
    """A questions.md with eight open entries and as many answered ones as `size` bytes take."""
    chance = _Chance(1)
    opened = [_question(chance, number, False) for number in range(8)]
    done: list[str] = []
    left = size - sum(len(entry.encode()) for entry in opened)
    while left > 0:
        done.append(_question(chance, 8 + len(done), True))
        left -= len(done[-1].encode())
    return f"# Questions\n\n## Open\n\n{''.join(opened)}## Answered\n\n{''.join(done)}".encode()


def _question(chance: _Chance, number: int, answered: bool) -> str:
    mark = ("", "P1 · ", "P2 · ", "P3 · ")[chance.below(4)]
    qid = f"<!-- qid:{number:08x}-0000-4000-8000-{chance.below(2**24):012x} -->"
    lines = [f"- **{mark}{chance.stamp()} — {chance.text(6, '')[:-1]}\n  {chance.text(4, '')[:-1]}?** {qid}"]
    if answered:
        lines.append(f"  → answered ({chance.stamp()}): Q1 as asked, Q2 later.")
        if number % 3 == 0:
            lines.append("  **Sub-decisions:** `Q1`, `Q2`")
    for _ in range(1 + chance.below(3)):
        lines += [chance.text(20 + chance.below(60)), ""]
    for _ in range(chance.below(4)):
        who = ("Note (human, via watch,", "Follow-up (loop,")[chance.below(2)]
        lines.append(f"  - **{who} {chance.stamp()}):** {chance.text(6, '')}\n{chance.text(20, '    ')}")
    return "\n".join(lines).rstrip() + "\n\n"


def tasks(size: int) -> bytes:
    """A tasks.md of at least `size` bytes, a third of it open, some entries in related pairs."""
    chance = _Chance(2)
    opened: list[str] = []
    landed: list[str] = []
    number = 0
    while size > 0:
        number += 1
        pair = number % 20 < 2
        fields = f"P{1 + chance.below(3)} · origin: **{('human', 'loop', 'unknown')[chance.below(3)]}**"
        if pair:
            fields += f" · related: **#{number + 1 if number % 20 == 0 else number - 1}**"
        is_open = pair or chance.below(3) == 0
        if not is_open:
            fields += f" · landed `{0xA000000 + chance.below(2**24):07x}`"
        body = chance.text(20 + chance.below(80))
        entry = f"- **#{number}** — {chance.text(4 + chance.below(8), '')[:-1]} · {fields} ·\n{body}\n\n"
        (opened if is_open else landed).append(entry)
        size -= len(entry.encode())
    if number % 20 == 0 or number == 1:
        number += 1
        opened.append(f"- **#{number}** — last · origin: **loop** · related: **#{number - 1}** ·\n\n")
    text = (
        f"# Tasks\n\nNext id: **{number + 1}**\n\n## Open\n\n{''.join(opened)}## Recently landed\n\n{''.join(landed)}"
    )
    return text.replace("related: **#0**", "owner: nobody").encode()


if __name__ == "__main__":
    size, directory = int(sys.argv[1]) * 1024, Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "questions.md").write_bytes(questions(size))
    (directory / "tasks.md").write_bytes(tasks(size))
