"""The hooks as a user who is not root, for whom file modes and limits mean what they say."""

from __future__ import annotations

import json
import os
import resource
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.faults import event_for
from tests.support.spawn import clean_env, run_hook
from tests.support.targets import make_target

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else"),
]
NOBODY = 65534


@pytest.fixture
def place(built: Path) -> Iterator[Path]:
    """A directory of nobody's, where nobody can reach it: with a home, a target and the archive."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        root = Path(name)
        (root / "home").mkdir()
        make_target(root / "project")
        shutil.copy(built, root / "hooks.pyz")
        for path in [root, *root.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)
        (root / "hooks.pyz").chmod(0o755)
        yield root


def as_nobody(umask: int, processes: int | None) -> Callable[[], None]:
    def become() -> None:
        if processes is not None:
            resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        os.umask(umask)

    return become


@pytest.mark.parametrize("umask", [0, 0o022, 0o277, 0o777])
@pytest.mark.parametrize("processes", [None, 1], ids=["", "and may start no process"])
def test_a_compaction_is_recorded_and_read_back(place: Path, umask: int, processes: int | None) -> None:
    if not Path("/usr/bin/python3").exists():
        pytest.skip("there is no python3 that another user can start")
    said = {}
    for word in ("precompact", "posttooluse", "sessionstart", "postcompact"):
        event = {**event_for(word, place / "project"), "session_id": "s"}
        ran = run_hook(
            [place / "hooks.pyz", word],
            json.dumps(event).encode(),
            env=clean_env(place / "home"),
            preexec_fn=as_nobody(umask, processes),
        )
        assert ran.code == 0, ran
        assert ran.err == b"", ran
        said[word] = ran.answer()
        assert said[word]["ok"], said
    assert said["precompact"]["wrote"]
    assert "#2" in said["sessionstart"]["hookSpecificOutput"]["additionalContext"]
    assert "lost" in said["postcompact"]
    for path in (place / "home").rglob("*"):
        status = path.lstat()
        assert stat.S_IMODE(status.st_mode) == (0o700 if path.is_dir() else 0o600), path
        assert status.st_uid == NOBODY
