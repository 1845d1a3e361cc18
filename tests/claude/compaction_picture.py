"""The picture of one compaction, as SVG: who said what to whom, in the order in which it happened."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH = 1000
LANES = ("Claude Code", "dreamwork-hooks", "model")
LANE_WIDTH = 296
GAP = 32
MARGIN = 24
LINE = 16
CHARACTER = 6.65  # of the 11 px monospace, with something to spare
TOP = 84

PAPER, INK, SOFT, EDGE = "#ffffff", "#1f2933", "#52606d", "#9aa5b1"
FILLS = {"event": "#eef2f6", "ours": "#e3f4ec", "lost": "#fdecea"}
STROKES = {"event": "#9aa5b1", "ours": "#2f8f6b", "lost": "#c0392b"}


@dataclass(frozen=True)
class Step:
    """One thing that happened: in `lane`, under a heading; `to` is the lane it was said to, if any."""

    lane: int
    heading: str
    text: str
    kind: str = "event"
    to: int | None = None


def picture(title: str, steps: Sequence[Step]) -> str:
    """The SVG text."""
    body: list[str] = []
    y = TOP
    for step in steps:  # without numbers: the page's sections have their own
        drawn, height = _box(step, y)
        body += drawn
        y += height + 22
    height = y + 8
    lanes = []
    for at, name in enumerate(LANES):
        x = _left(at) + LANE_WIDTH // 2
        line = f'x1="{x}" y1="72" x2="{x}" y2="{height - 16}" stroke="{EDGE}" stroke-dasharray="2 5"'
        lanes.append(f"<line {line}/>")
        lanes.append(f'<text x="{x}" y="62" text-anchor="middle" font-size="14" font-weight="600">{name}</text>')
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    look = f'font-family="system-ui, sans-serif" fill="{INK}"'
    head = 'id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}" {look}>',
        f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>',
        f'<defs><marker {head}><path d="M0 0 L8 4 L0 8 z" fill="{SOFT}"/></marker></defs>',
        f'<text x="{MARGIN}" y="30" font-size="17" font-weight="600">{escape(title)}</text>',
        *lanes,
        *body,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _left(lane: int) -> int:
    return MARGIN + lane * (LANE_WIDTH + GAP)


def _box(step: Step, y: int) -> tuple[list[str], int]:
    wide = int((LANE_WIDTH - 24) / CHARACTER)
    lines = [line for part in step.text.split("\n") for line in (textwrap.wrap(part, wide) or [""])]
    height = 34 + LINE * len(lines)
    x = _left(step.lane)
    frame = f'x="{x}" y="{y}" width="{LANE_WIDTH}" height="{height}" rx="7"'
    heading = f'x="{x + 12}" y="{y + 20}" font-size="12.5" font-weight="600"'
    drawn = [
        f'<rect {frame} fill="{FILLS[step.kind]}" stroke="{STROKES[step.kind]}"/>',
        f"<text {heading}>{escape(step.heading)}</text>",
    ]
    for at, line in enumerate(lines):
        place = f'x="{x + 12}" y="{y + 39 + LINE * at}" font-size="11" font-family="ui-monospace, monospace"'
        drawn.append(f'<text {place} xml:space="preserve">{escape(line)}</text>')
    if step.to is not None:
        right = step.to > step.lane
        start = x + LANE_WIDTH if right else x
        end = _left(step.to) if right else _left(step.to) + LANE_WIDTH
        line = f'd="M{start} {y + 17} H{end}" stroke="{SOFT}" stroke-width="1.4" fill="none"'
        drawn.append(f'<path {line} marker-end="url(#head)"/>')
    return drawn, height
