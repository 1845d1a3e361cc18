"""Fixtures of the round trip's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.roundtrip.hooks import Loop


@pytest.fixture
def loop(target: Path, home: Path) -> Loop:
    return Loop(target, home)
