"""Fixtures for all tests: nothing may reach the real home, and the archive is built once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from builder.environments import find_interpreters
from dreamwork_hooks.host.pytest_plugin import HookRunner
from tests.support.spawn import STARVED, UNJUDGED, pin
from tests.support.targets import make_target

# The same examples each time, so that no commit is red by chance; `nox -s fuzz -- --long` searches on.
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example, HealthCheck.filter_too_much]
settings.register_profile(
    "bounded", derandomize=True, database=None, max_examples=100, deadline=None, suppress_health_check=_SLOW
)
settings.register_profile("long", max_examples=3_000, deadline=None, suppress_health_check=_SLOW)
settings.load_profile("bounded")

ROOT = Path(__file__).resolve().parent.parent
EVENTS = ROOT / "tests" / "data" / "events"


def pytest_runtest_call(item: pytest.Item) -> None:
    STARVED.clear()


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Give what the machine starved to the report, which reaches the session that prints, also from a worker."""
    item.user_properties += [("starved", said) for said in STARVED]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = [report for listed in terminalreporter.stats.values() for report in listed]
    said = [
        (report.nodeid, value)
        for report in reports
        if getattr(report, "when", "") == "teardown"
        for name, value in report.user_properties
        if name == "starved"
    ]
    repeated = [test for test, value in said if value != UNJUDGED]
    if repeated:
        terminalreporter.write_line(
            f"The machine had no processor to spare: {len(repeated)} runs of {len(set(repeated))} tests were repeated.",
            yellow=True,
        )
    for test, value in said:
        if value == UNJUDGED:
            terminalreporter.write_line(f"{value}, since no processor became free: {test}", yellow=True)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own; whatever still reaches for the real one finds this."""
    home = tmp_path / "home"
    home.mkdir()
    for name in list(os.environ):
        if name.startswith(("CLAUDE", "DREAMWORK", "ANTHROPIC")):
            monkeypatch.delenv(name)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    return home


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A sound target with consent."""
    return make_target(tmp_path / "project")


@pytest.fixture
def hook_runner(home: Path) -> HookRunner:
    """The fixture of the package's own plugin, whether or not it is installed here, with our recorded events."""
    return HookRunner(home, EVENTS)


@pytest.fixture(scope="session")
def interpreter() -> Path:
    """The interpreter the hooks run under: `$HOOK_PYTHON` (a version), else the one running the tests."""
    wanted = os.environ.get("HOOK_PYTHON")
    if wanted is None:
        return Path(sys.executable).resolve()
    found = find_interpreters()
    assert wanted in found, f"no Python {wanted} on this machine; found {sorted(found)}"
    return found[wanted]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive as built: `$HOOK_PYZ` when a session of the test runner has built it, else built now."""
    given = os.environ.get("HOOK_PYZ")
    if given is not None:
        return Path(given)
    output = tmp_path_factory.mktemp("built") / "dreamwork-hooks.pyz"
    subprocess.run([sys.executable, ROOT / "build.py", "--output", output], check=True, stderr=subprocess.PIPE)
    return output


@pytest.fixture(scope="session")
def pyz(built: Path, interpreter: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive with `interpreter` pinned into its prefix, as the installer leaves it."""
    pinned = tmp_path_factory.mktemp("bin") / "dreamwork-hooks.pyz"
    pin(built, pinned, interpreter)
    return pinned
