"""What reading a file of hooks comes to: its hooks, and what is wrong in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dreamwork_hooks.contract.events import Evidence, measured
from dreamwork_hooks.settings.doubts import FILE, LOST, NOTHING
from dreamwork_hooks.settings.jsontext import Document
from dreamwork_hooks.settings.layers import LayerFile
from dreamwork_hooks.settings.shape import Handler


@dataclass(frozen=True)
class Finding:
    """One fault: where it stands, what it is, and what Claude Code leaves out for it (`takes`, a key of `LOST`)."""

    rule: str
    """Its name in `check/RULES.md`."""
    path: str
    line: int
    column: int
    where: str
    message: str
    takes: str = NOTHING
    remedy: str = ""
    harmless: bool = False
    """Worth knowing, and works as it stands."""
    evidence: Evidence = measured

    @property
    def place(self) -> str:
        """File, line and column."""
        return f"{self.path}:{self.line}:{self.column}"

    @property
    def said(self) -> str:
        """All but where it is."""
        where = f"{self.where}: " if self.where else ""
        lost = f"; {LOST[self.takes]}" if self.takes in LOST else ""
        return f"{where}{self.message}{lost}"

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.said}"


@dataclass(frozen=True)
class Unread:
    """A handler or group that cannot be understood, and so never runs, though it may have been meant as a guard."""

    event: str
    matcher: str | None
    why: str
    fail_closed: bool


@dataclass(frozen=True)
class Layer:
    """A settings file, read. When `void`, what it says besides `lost` and `problems` is empty."""

    file: LayerFile
    present: bool = True
    handlers: tuple[Handler, ...] = ()
    lost: tuple[Handler, ...] = ()
    unread: tuple[Unread, ...] = ()
    """Handlers that stand in a void file, as far as they can be read."""
    env: Mapping[str, str] | None = None
    disable_all_hooks: bool | None = None
    managed_only: bool = False
    problems: tuple[Finding, ...] = ()
    """In the order of the text."""
    void: bool = False
    document: Document | None = field(default=None, compare=False, repr=False)
    """None where there is no JSON to be had."""

    @property
    def void_reason(self) -> str:
        """Why Claude Code reads nothing of this file, "" when it reads it."""
        for finding in self.problems:
            if finding.takes == FILE:
                return f"line {finding.line}: {finding.where + ': ' if finding.where else ''}{finding.message}"
        return ""
