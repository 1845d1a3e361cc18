"""What a terminal showed, as an SVG picture: for the pages, made from real output."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

CHARACTER = 7.3  # of the 12 px monospace, with something to spare
LINE = 18
MARGIN = 16
PAPER, INK, SOFT, ACCENT, BAD = "#10161d", "#d7dde4", "#8b98a5", "#7fd1ae", "#f2a3a0"


def picture(title: str, lines: Sequence[str]) -> str:
    """The SVG text. By how a line begins: `$ ` was typed, `# ` is a heading of ours, `+ ` and `- ` are a change."""
    width = round(max(len(line) for line in [title, *lines]) * CHARACTER + 2 * MARGIN)
    height = LINE * len(lines) + 2 * MARGIN
    look = 'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12" xml:space="preserve"'
    rows = []
    for at, line in enumerate(lines):
        colour = _colour(line)
        shown = line[2:] if line.startswith("# ") else line
        if shown:
            y = MARGIN + LINE * at + 13
            rows.append(f'<text x="{MARGIN}" y="{y}" fill="{colour}">{escape(shown)}</text>')
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}" {look}>'
    paper = f'<rect width="{width}" height="{height}" rx="6" fill="{PAPER}"/>'
    return "\n".join([head, paper, *rows, "</svg>", ""])


def _colour(line: str) -> str:
    return {"$ ": ACCENT, "# ": SOFT, "+ ": ACCENT, "- ": BAD}.get(line[:2], INK)
