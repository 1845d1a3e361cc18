"""Words on a terminal: tables as wide as it is, colour where it is one, plain text everywhere else."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence

import click

from dreamwork_hooks.asdata import VERSION, as_data

GOOD = "green"
BAD = "red"
DOUBT = "yellow"


def coloured() -> bool:
    """Whether standard output is a terminal that wants colour."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def style(text: str, colour: str | None = None, *, bold: bool = False) -> str:
    """`text` in a colour, where there is colour."""
    return click.style(text, fg=colour, bold=bold or None) if coloured() else text


def say(text: str = "") -> None:
    """One piece of the product, on lines of its own."""
    write(text + "\n")


def write(text: str) -> None:
    """`text` as it is, to standard output as UTF-8 whatever the locale says."""
    stream = click.get_binary_stream("stdout")
    stream.write(text.encode("utf-8", "backslashreplace"))
    stream.flush()


def say_json(value: Mapping[str, object]) -> None:
    """The product as JSON, for a program, with the version of its format (docs/json.md)."""
    say(json.dumps(as_data({"version": VERSION, **value}), indent=1, ensure_ascii=False))


def warn(text: str) -> None:
    """One piece of the conversation, to standard error."""
    click.echo(text, err=True)


def terminal_width() -> int | None:
    """The columns of the terminal that standard output is, None where it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def table(rows: Sequence[Sequence[str]], heads: Sequence[str], width: int | None = None) -> str:
    """Rows under heads. Only on a terminal the last column is cut, so that a row stays a line."""
    width = width or terminal_width()
    flat = [[_one_line(cell) for cell in row] for row in rows]
    sizes = [max(len(row[at]) for row in [list(heads), *flat]) for at in range(len(heads))]
    lines = [style(_line(list(heads), sizes, width), bold=True)]
    lines.extend(_line(row, sizes, width) for row in flat)
    return "\n".join(lines)


def _line(row: Sequence[str], sizes: Sequence[int], width: int | None) -> str:
    text = "  ".join(cell.ljust(size) for cell, size in zip(row, sizes)).rstrip()
    if width is not None and len(text) > width:
        text = text[: max(1, width - 1)] + "…"
    return text


def _one_line(text: str) -> str:
    """Without anything that could move the cursor: settings and events are other people's text."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def printable(text: str) -> str:
    """As it is, but for control characters; newlines stay."""
    return "\n".join(_one_line(line) for line in text.split("\n"))
