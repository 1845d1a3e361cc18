"""The machine that the hooks are tried on."""

from __future__ import annotations

import pytest

from tests.support.machine import Machine


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """One machine for all examples; each begins with `fresh()`."""
    return Machine(tmp_path_factory.mktemp("machine"))
