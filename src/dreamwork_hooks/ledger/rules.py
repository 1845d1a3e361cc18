"""The words of the rules, which stand in RULES.md. Imported when there is something to say, or to explain."""

from __future__ import annotations

from typing import Any

from dreamwork_hooks.quoting import inside, quoted
from dreamwork_hooks.rulebook import Rule, sections

PAGE = "RULES.md"


def page() -> str:
    """RULES.md, from beside this module, wherever that was loaded from."""
    loader: Any = __spec__.loader
    data: bytes = loader.get_data((__spec__.origin or "").rpartition("rules.py")[0] + PAGE)
    return data.decode().replace("\r\n", "\n")


def read_rules() -> dict[str, Rule]:
    """Every rule by its name, in the order of the page."""
    return sections(page())


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
