"""The names of failing tests in a test runner's output: pytest's, go's and jest's (vitest's too) own lines."""

from __future__ import annotations

from dreamwork_hooks.quoting import one_line

MOST_CHARACTERS = 65536  # of an output's end that are looked at: every runner repeats its failures there
MAX_NAME = 150
MOST_OF_A_LINE = 1000  # characters
_NOT_TESTS = ("Console", "Test suite failed to run", "Cannot log after tests are done")


def failing_tests(output: str, most: int, limit: int = MAX_NAME) -> list[str]:
    """The first `most` distinct names of failing tests that the output shows, of at most `limit` characters each."""
    if not ("FAIL" in output or "ERROR" in output or "●" in output or "✕" in output or "×" in output):
        return []
    lines = [line.strip()[:MOST_OF_A_LINE] for line in _plain(output[-MOST_CHARACTERS:]).splitlines()]
    jest = any(line.startswith(("Tests:", "Test Suites:", "FAIL ")) for line in lines)
    named: list[str] = []
    marked: list[str] = []  # jest's per-test lines, which a summary of the failures repeats with the suite's name
    for line in lines:
        name = _pytest(line) or _go(line)
        if name is None and jest:
            if line.startswith("● "):
                name = line[2:].strip()
                if name in _NOT_TESTS:
                    name = None
            elif line.startswith(("✕ ", "× ")):
                marked.append(_without_duration(line[2:].strip()))
        if name:
            named.append(name)
    found: list[str] = []
    for name in named or marked:
        name = one_line(name, limit)
        if name and name not in found:
            found.append(name)
    return found[:most]


def _pytest(line: str) -> str | None:
    """`FAILED path::name - message` or `ERROR path` of the summary, `path::name FAILED [ 50%]` of -v."""
    for word in ("FAILED ", "ERROR "):
        if line.startswith(word):
            name = _before_message(line[len(word) :])
            if "::" in name.partition("[")[0] or name.endswith(".py"):
                return name
        at = line.find(" " + word.strip())
        if at > 0 and "::" in line[:at].partition("[")[0] and " " not in line[:at].partition("[")[0]:
            rest = line[at + len(word) :].strip()
            if not rest or rest[0] == "[":
                return line[:at].strip()
    return None


def _before_message(text: str) -> str:
    """What comes before ` - `, which a parameter in the name's brackets may hold too."""
    at = text.find(" - ")
    while at >= 0 and text.count("[", 0, at) > text.count("]", 0, at):
        at = text.find(" - ", at + 1)
    return (text if at < 0 else text[:at]).strip()


def _go(line: str) -> str | None:
    if not line.startswith("--- FAIL: "):
        return None
    return _without_duration(line[10:])


def _without_duration(name: str) -> str:
    """`name (0.01s)` and `name (5 ms)` without what stands in the brackets at the end."""
    head, bracket, tail = name.rpartition(" (")
    return head if bracket and tail[:1].isdigit() and tail.endswith("s)") else name


def _plain(text: str) -> str:
    """`text` without the escape sequences of colours."""
    if "\x1b[" not in text:
        return text
    first, *rest = text.split("\x1b[")
    kept = [first]
    for part in rest:
        at = 0
        while at < len(part) and not ("@" <= part[at] <= "~"):
            at += 1
        kept.append(part[at + 1 :])
    return "".join(kept)
