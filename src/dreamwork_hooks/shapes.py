"""The types that several rooms share. Types only: nothing here is loaded when a hook runs from the archive."""

from __future__ import annotations

from typing import Any, Callable, Optional

Answer = dict[str, Any]
"""What a hook prints: one JSON object."""

After = Callable[[], None]
"""Bookkeeping to do once an answer is said."""

Record = dict[str, Any]
"""One line of a focus log or an audit log."""

Fact = tuple[str, str]
"""A kind (`memory.facts.KINDS`) and a text."""

Evidence = dict[str, Any]
"""The `evidence` of a focus record, see `evidence.gather`."""

Finding = dict[str, Any]
"""One finding of the embedded lint: file, line, rule, severity, message, fix, subject."""

Fault = tuple[str, int, Optional[str], dict[str, Any]]
"""What a rule of the lint found: rule, line, subject, and what its message is filled with."""
