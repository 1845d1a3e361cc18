"""The project a person means who names none: the nearest one from where they are."""

from __future__ import annotations

from pathlib import Path

from dreamwork_hooks.targets.find import MARKER


def nearest_target(start: Path) -> Path | None:
    """The nearest directory from `start` upwards that holds `.dreamwork/`."""
    return next((place for place in (start, *start.parents) if (place / MARKER).is_dir()), None)
