"""Fixtures for the tests of the built archive."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.machine import Machine


@pytest.fixture
def machine(tmp_path: Path, home: Path) -> Machine:
    """A home, a target and a state directory as sound as can be."""
    machine = Machine(tmp_path)
    machine.fresh()
    return machine
