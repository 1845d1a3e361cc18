"""Reading a page of rules: the words of the ledger lint's, and of the check of hooks."""

from __future__ import annotations


class Rule:
    """One rule, read from its section of a page.

    Attributes:
        severity: `error`, `warning` or `advice`.
        why: what the rule is for.
        messages, fixes: format strings over the details of a fault, by the detail that chooses them ("": none does).
        place: where the examples go. Of a ledger's rules `open` and `answered` are lines below that heading of the
            rule's file, `over` is a file that is written over the good example, `absent` one that is not there. Of
            the rules for hooks a `command`, `handler`, `group` or `script`. `file` is a whole file.
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


_PLACES = (
    ("## Open", "open"), ("## Answered", "answered"), ("over", "over"), ("whole", "file"),
    ("a command", "command"), ("a handler", "handler"), ("a group", "group"), ("a script", "script"),
)  # fmt: skip


def _place(heading: str) -> str:
    return next((place for words, place in _PLACES if words in heading), "absent")


def sections(page: str) -> dict[str, Rule]:
    """Every rule of a page by its name, in the order of the page."""
    found = [section.partition("`\n") for section in page.split("\n## `")[1:]]
    return {name: Rule(name, section) for name, _, section in found}
