"""What a command says: the one place where text becomes printable, coloured, and bytes on a standard stream."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import TextIO

GOOD = "green"
BAD = "red"
DOUBT = "yellow"

# Until it is printed, a colour is written with two characters that no text has (Unicode keeps them for such use), so no
# text of somebody else's, whatever escapes it holds, is taken for ours.
_COLOUR = re.compile("\ufdd0((?:0|1|3[1-6])(?:;1)?)\ufdd1")
_CODES = {"bold": "1", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


class _Manners:
    """How this run speaks: `--color`, `-q`, and what could not be written."""

    def __init__(self) -> None:
        self.colour = "auto"
        self.quiet = False
        self.lost: OSError | None = None


_manners = _Manners()


def begin() -> None:
    """Forget what an earlier run in this process was told."""
    _manners.__init__()  # type: ignore[misc]


def set_colour(choice: str) -> None:
    """`auto`, `always` or `never`."""
    _manners.colour = choice


def set_quiet() -> None:
    """Leave out what is neither the result nor an error."""
    _manners.quiet = True


def quiet() -> bool:
    """Whether the person wants the result and errors alone."""
    return _manners.quiet


def lost() -> OSError | None:
    """Why something of the result could not be written, None when all was or when nobody was reading any more."""
    return _manners.lost


def on_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def coloured() -> bool:
    """Whether to use colour: `--color`, then NO_COLOR, FORCE_COLOR, TERM=dumb, and whether this is a terminal."""
    if _manners.colour != "auto":
        return _manners.colour == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return on_terminal() and os.environ.get("TERM") != "dumb"


def style(text: str, colour: str | None = None, *, bold: bool = False) -> str:
    """`text` in a colour, where there is colour."""
    names = [*([colour] if colour else []), *(["bold"] if bold else [])]
    if not names or not coloured():
        return text
    return f"\ufdd0{';'.join(_CODES[name] for name in names)}\ufdd1{text}\ufdd00\ufdd1"


def say(text: str = "") -> None:
    """One piece of the result, on lines of its own."""
    write(text + "\n")


def write(text: str) -> None:
    """Text of the result, to standard output; what could move the cursor is taken out."""
    _put(sys.stdout, printable(text).encode("utf-8", "backslashreplace"))


def write_data(data: bytes) -> None:
    """Bytes of the result that are meant for a program."""
    _put(sys.stdout, data)


def say_json(value: Mapping[str, object]) -> None:
    """The result as JSON, with the version of its format (docs/json.md)."""
    from dreamwork_hooks.contract.asdata import VERSION, as_data

    say_document(as_data({"version": VERSION, **value}))


def say_document(value: object) -> None:
    """The result as JSON whose keys are not for us to choose, or are of an older format."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    write_data(_escaped(text).encode("utf-8", "backslashreplace") + b"\n")


def _escaped(document: str) -> str:
    """JSON with what a terminal would obey, or nobody can see, as escapes: it can stand within its strings alone."""
    if document.isascii() and "\x7f" not in document:
        return document
    return "".join(c if c.isprintable() or c == "\n" else _escape(c) for c in document)


def _escape(char: str) -> str:
    return f"\\u{ord(char):04x}" if char < "\U00010000" else json.dumps(char)[1:-1]


def note(text: str) -> None:
    """Something worth knowing, to standard error; not with `-q`."""
    if not _manners.quiet:
        warn(text)


def warn(text: str) -> None:
    """What a person has to see, to standard error."""
    _put(sys.stderr, (printable(text) + "\n").encode("utf-8", "backslashreplace"))


def _put(stream: TextIO | None, data: bytes) -> None:
    """Write past the stream's own buffer: what cannot be written now must not fail again when the process ends.

    A reader that has gone is no fault, so the work goes on and the exit status is its own; a full disk is remembered.
    """
    if stream is None:  # closed before we started
        return
    try:
        stream.flush()
        descriptor = stream.fileno()
    except (OSError, ValueError):  # not a file: a test or a caller that collects
        stream.write(data.decode("utf-8"))
        stream.flush()
        return
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except BrokenPipeError:
        pass
    except OSError as error:
        if stream is sys.stdout:
            _manners.lost = error


def terminal_width() -> int | None:
    """The columns of the terminal that standard output is, None where it is none."""
    return shutil.get_terminal_size().columns if on_terminal() else None


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


def printable(text: str) -> str:
    """Without anything that could move the cursor or hide text; line breaks, tabs and our own colours stay.

    Settings, events and ledgers are other people's text.
    """
    if text.isascii() and text.isprintable():
        return text
    parts = _COLOUR.split(text)
    return "".join(f"\x1b[{part}m" if at % 2 else _bare(part) for at, part in enumerate(parts))


def _bare(text: str) -> str:
    return "".join(c if c.isprintable() or c in "\n\t" or "\ud800" <= c <= "\udfff" else " " for c in text)


def _one_line(text: str) -> str:
    return _bare(text).replace("\n", " ").replace("\t", " ")
