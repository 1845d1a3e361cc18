"""The rules by name, read from RULES.md: severity, reason, fix and examples."""

from __future__ import annotations

import pkgutil
from functools import lru_cache

from dreamwork_hooks.rulebook import Rule, sections

PAGE = "RULES.md"


@lru_cache(maxsize=1)
def read_rules() -> dict[str, Rule]:
    """Every rule by its name, in the order of the page."""
    data = pkgutil.get_data("dreamwork_hooks.check", PAGE)  # out of a directory or an archive alike
    assert data is not None
    return sections(data.decode().replace("\r\n", "\n"))
