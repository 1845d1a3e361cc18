"""How long is searched, and the machine that the hooks are tried on."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from tests.fuzz.machine import Machine

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example, HealthCheck.filter_too_much]
settings.register_profile(
    "bounded", derandomize=True, database=None, max_examples=100, deadline=None, suppress_health_check=_SLOW
)
settings.register_profile("long", max_examples=3_000, deadline=None, suppress_health_check=_SLOW)
settings.load_profile("bounded")


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """One machine for all examples; each begins with `fresh()`."""
    return Machine(tmp_path_factory.mktemp("machine"))
