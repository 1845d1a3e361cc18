"""Fixtures of several rooms' tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.bench import bench
from tests.support.hosts import event, load, project
from tests.support.loop import Loop

__all__ = ["bench", "event", "load", "project"]


@pytest.fixture
def loop(target: Path, home: Path) -> Loop:
    """A project with the hooks' commands run in this process."""
    return Loop(target, home)
