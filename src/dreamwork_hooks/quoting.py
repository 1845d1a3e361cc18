"""The one way in which a text of a target or an event is quoted: one bounded line that nothing inside can end.

Whatever we say to a model or print on a terminal may repeat words that somebody else wrote. They stand on one line, in
quotation marks of ours, without anything that steers a terminal, hides text, or looks like the closing mark.
"""

from __future__ import annotations

# All of Unicode's initial and final quotation marks (Pi, Pf), and what is read as one: low and heavy marks, primes,
# modifier letters, the Hebrew gershayim, the ditto mark, ornaments.
LOOK_ALIKES = (
    "«»‘’‛“”‟‹›⸂⸃⸄⸅⸉⸊⸌⸍⸜⸝⸠⸡"
    "\u201a\u201e\u2e42\u301d\u301e\u301f\uff02\u02ba\u02bb\u02bc\u02bd\u02dd\u02ee\u02f6\u05f3\u05f4\u2032\u2033"
    "\u2034\u2036\u2037\u2057\u3003\u275b\u275c\u275d\u275e\u275f\u2760\u276e\u276f\U0001f676\U0001f677\U0001f678"
)
BACKTICKS = "`\u02cb\u1fef\u2035\uff40"
# What `str.isprintable` lets pass and nobody sees: joiners, fillers, selectors, blanks.
_INVISIBLE = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4\U0001d159"
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_ENCLOSING = "\u0488\u0489\u1abe\u20dd\u20de\u20df\u20e0\u20e2\u20e3\u20e4\ua670\ua671\ua672"
_CONNECTING = "_\u0387\u30fb\uff65\u203f\u2040\u2054\ufe33\ufe34\ufe4d\ufe4e\ufe4f\uff3f"
MOST_MARKS = 4  # combining characters in a row: as many as living scripts need


def one_line(text: str, limit: int) -> str:
    """`text` as one printable line of at most `limit` characters, cut with an ellipsis.

    Control, format, surrogate and invisible characters go, white space is folded, and of a heap of combining characters
    the first four stay.
    """
    if len(text) > 4 * limit:
        text = text[: 4 * limit]
    if not (text.isascii() and text.isprintable()):
        text = _visible(text)
    if "  " in text or text[:1] == " " or text[-1:] == " ":
        text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def inside(text: str, limit: int, mark: str = '"') -> str:
    """`one_line`, with nothing in it that could end a quotation in `mark`, which is `"` or a backtick."""
    line = one_line(text, limit)
    for other in (mark, *(BACKTICKS if mark == "`" else ())):
        if other in line:
            line = line.replace(other, "'")
    line = plain_marks(line)
    if line[-1:] == "\\":  # which would escape the closing mark for a reader of JSON or of code
        line = line[: limit - 1] + " "
    return line


def quoted(text: str, limit: int, mark: str = '"') -> str:
    """`text` in quotation marks: one line, at most `limit` characters between them."""
    return mark + inside(text, limit, mark) + mark


def literal(text: str, limit: int = 2000) -> str:
    """`text` as it is, in quotation marks on one line, for somebody who has to judge it: what breaks a line, steers a
    terminal or cannot be seen is written as an escape. Past `limit` characters it says how many are left out."""
    kept = text[:limit]
    if not (kept.isascii() and kept.isprintable()) or '"' in kept or "\\" in kept:
        kept = "".join(map(_escaped, kept))
    more = f" (and {len(text) - limit} characters more)" if len(text) > limit else ""
    return f'"{kept}"{more}'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable() and (char < "\u0300" or (_visible(char) and not _combines(char))):
        return char
    return f"\\u{ord(char):04x}" if char < "\U00010000" else f"\\U{ord(char):08x}"


def plain_marks(text: str) -> str:
    """`text` with every mark that looks like a quotation mark, but `"` and the backtick, as an apostrophe."""
    return text if text.isascii() else text.translate(_PLAIN)


def _visible(text: str) -> str:
    """`text` without what cannot be seen, white space as blanks, and heaps of combining characters cut down."""
    kept: list[str] = []
    marks = 0
    for char in text:
        if char < "\u0300":
            marks = 0
            if char.isprintable():
                kept.append(char)
            elif char.isspace():
                kept.append(" ")
            continue
        if not char.isprintable():
            if char.isspace():
                kept.append(" ")
            elif "\ud800" <= char <= "\udfff":
                kept.append("\ufffd")
            continue
        if char in _INVISIBLE or any(ord(char) in selectors for selectors in _SELECTORS):
            continue
        marks = marks + 1 if _combines(char) else 0
        if marks <= MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def _combines(char: str) -> bool:
    """Whether a character is drawn onto the one before it, told without the tables of `unicodedata`: it may go on a
    name but neither begin one nor be a letter or digit."""
    if char in _ENCLOSING:
        return True
    return not char.isalnum() and char not in _CONNECTING and ("a" + char).isidentifier() and not char.isidentifier()


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1b": "\\e"}
_PLAIN = {ord(mark): "'" for mark in LOOK_ALIKES}
