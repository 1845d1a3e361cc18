"""Objects of ours as what JSON can hold: the one way from a dataclass to what `--json` prints."""

from __future__ import annotations

import os
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass

VERSION = 1
"""Of every JSON document a command prints. It goes up when a key changes its meaning or goes; docs/json.md."""


def as_data(value: object, *names: str) -> object:
    """Plain data: of a dataclass its fields by name (or the attributes `names`), of a set its sorted members.

    Raises TypeError for what is neither that nor JSON already.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return of(value, *(names or (field.name for field in fields(value))))
    if isinstance(value, Mapping):
        return {str(key): as_data(inner) for key, inner in value.items()}
    if isinstance(value, Set):
        return sorted(as_data(inner) for inner in value)  # type: ignore[type-var]
    if isinstance(value, (list, tuple)):
        return [as_data(inner) for inner in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise TypeError(f"{type(value).__name__} has no JSON")


def of(value: object, *names: str) -> dict[str, object]:
    """The named attributes of an object, properties too, as plain data."""
    return {name: as_data(getattr(value, name)) for name in names}
