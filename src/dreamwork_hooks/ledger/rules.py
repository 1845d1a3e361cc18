"""The words of the rules, which stand in RULES.md. Imported when there is something to say, or to explain."""

from __future__ import annotations

from typing import Any

PAGE = "RULES.md"


class Rule:
    """One rule, read from its section of RULES.md.

    Attributes:
        severity: `error`, `warning` or `advice`.
        why: what the rule is for.
        messages, fixes: format strings over the details of a fault, by the detail that chooses them ("": none does).
        place: where the examples go: `open` and `answered` are lines below that heading of the rule's file, `file` is
            a whole file, `over` one that is written over the good example, `absent` a file that is not there.
        bad, good: the examples as the page shows them.
    """

    __slots__ = ("bad", "fixes", "good", "messages", "name", "place", "severity", "why")

    def __init__(self, name: str, section: str) -> None:
        words, *examples = section.split("~~~text\n")
        self.name = name
        self.messages: dict[str, str] = {}
        self.fixes: dict[str, str] = {}
        self.place = ""
        for paragraph in words.strip().split("\n\n"):
            label, _, text = paragraph.partition(": ")
            if label[:1] == "*":
                self.severity, self.why = label.strip("*"), text
            elif label.startswith("Says"):
                self.messages[label[9:]] = text[:-1]
            elif label.startswith("Fix"):
                self.fixes[label[8:]] = text[:-1]
            elif label.startswith("Bad"):
                self.place = _place(paragraph)
        bodies = [example.partition("\n~~~")[0] for example in examples]
        self.bad = bodies[0] if len(bodies) == 2 else ""
        self.good = bodies[-1]

    @property
    def fix(self) -> str:
        """The fix, where nothing chooses another."""
        return self.fixes[""]


def _place(heading: str) -> str:
    for words, place in (("## Open", "open"), ("## Answered", "answered"), ("over", "over"), ("whole", "file")):
        if words in heading:
            return place
    return "absent"


def page() -> str:
    """RULES.md, from beside this module, wherever that was loaded from."""
    loader: Any = __spec__.loader
    data: bytes = loader.get_data((__spec__.origin or "").rpartition("rules.py")[0] + PAGE)
    return data.decode().replace("\r\n", "\n")


def read_rules() -> dict[str, Rule]:
    """Every rule by its name, in the order of the page."""
    sections = [section.partition("`\n") for section in page().split("\n## `")[1:]]
    return {name: Rule(name, section) for name, _, section in sections}


_page = ""
_read: dict[str, Rule] = {}


def rule_of(name: str) -> Rule:
    """One rule, without reading the others."""
    global _page
    if name not in _read:
        _page = _page or page()
        _read[name] = Rule(name, _page.partition("\n## `" + name + "`\n")[2].partition("\n## `")[0])
    return _read[name]


def clip(text: str, limit: int = 60) -> str:
    """`text` on one line, printable, at most `limit` characters."""
    text = text[: limit * 4].replace("\t", " ").replace("\n", " ")
    text = "".join([c for c in text if c.isprintable()]).strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def finding(rule: str, file: str, line: int, subject: str | None, details: dict[str, Any]) -> dict[str, Any]:
    """The finding for a fault: `rule`, `severity`, `file`, `line`, `subject`, `message`, `fix`."""
    row = rule_of(rule)
    words = {key: _word(value) for key, value in details.items()}
    return {
        "rule": rule,
        "severity": row.severity,
        "file": file,
        "line": line or None,
        "subject": subject,
        "message": _chosen(row.messages, details).format(**words),
        "fix": _chosen(row.fixes, details).format(**words),
    }


def _chosen(texts: dict[str, str], details: dict[str, Any]) -> str:
    """The last text whose detail is there and not empty."""
    chosen = texts[""]
    for name, text in texts.items():
        if details.get(name):
            chosen = text
    return chosen


def _word(value: Any) -> Any:
    if isinstance(value, str):
        return clip(value)
    if isinstance(value, list):
        return ", ".join([clip(str(item), 30) for item in value])
    return value
