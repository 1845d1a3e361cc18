"""The words of the rules, which stand in RULES.md. Imported when there is something to say, or to explain."""

from __future__ import annotations

from typing import Any

from dreamwork_hooks.quoting import inside, quoted

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


def clip(text: str, limit: int = 60, mark: str = '"') -> str:
    """`text` as it stands between the quotation marks of a message."""
    return inside(text, limit, mark)


def finding(rule: str, file: str, line: int, subject: str | None, details: dict[str, Any]) -> dict[str, Any]:
    """The finding for a fault: `rule`, `severity`, `file`, `line`, `subject`, `message`, `fix`."""
    row = rule_of(rule)
    return {
        "rule": rule,
        "severity": row.severity,
        "file": file,
        "line": line or None,
        "subject": subject,
        "message": _filled(_chosen(row.messages, details), details),
        "fix": _filled(_chosen(row.fixes, details), details),
    }


def _chosen(texts: dict[str, str], details: dict[str, Any]) -> str:
    """The last text whose detail is there and not empty."""
    chosen = texts[""]
    for name, text in texts.items():
        if details.get(name):
            chosen = text
    return chosen


def _filled(template: str, details: dict[str, Any]) -> str:
    """The template with the details: texts fit for the quotation marks around them there, a list's with marks of their
    own."""
    words: dict[str, Any] = {}
    for key, value in details.items():
        if isinstance(value, str):
            value = clip(value, 60, "`" if "`{" + key + "}`" in template else '"')
        elif isinstance(value, list):
            mark = "`" if key == "headings" else '"'
            value = ", ".join([quoted(str(item), 30, mark) for item in value])
        words[key] = value
    return template.format(**words)
