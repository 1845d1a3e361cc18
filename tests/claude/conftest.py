"""What every test against the real client starts from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.client import ClientUnavailable, pinned_client
from tests.support.installed import current_archive


@pytest.fixture(scope="session")
def client() -> Path:
    """The pinned client's executable. No npm, no network: the tests fail and say so, they are not skipped."""
    try:
        return pinned_client()
    except ClientUnavailable as e:
        pytest.fail(str(e), pytrace=False)


@pytest.fixture(scope="session")
def built() -> Path:
    """The archive that install.py installs, built again when a source is newer."""
    return current_archive()
