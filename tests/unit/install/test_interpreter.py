"""Which Python is pinned is decided by running it: stubs, shims and old ones are seen through."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dreamwork_hooks.errors import Refused
from dreamwork_hooks.install import interpreter, program
from tests.support.bench import STAND_IN, Bench

BASE = str(getattr(sys, "_base_executable", "") or sys.executable)


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_a_python_on_path_is_taken_as_it_is_named(bench: Bench) -> None:
    found, remarks = interpreter.choose(None, bench.env, "/")
    assert found is not None
    assert found.path == str(bench.root / "bin" / "python3")
    assert remarks == []


def test_a_shim_is_seen_through_and_named(bench: Bench) -> None:
    shim = script(bench.root / "shims" / "python3", f'#!/bin/sh\nexec "{BASE}" "$@"\n')
    found, _ = interpreter.choose(None, {"PATH": str(shim.parent)}, "/")
    assert found is not None
    assert not interpreter.is_shim(found.path)
    assert str(shim) in found.remark


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#!/bin/sh\necho 'Python was not found; get it from the shop'\nexit 49\n", "exit 49: Python was not found"),
        ("#!/bin/sh\nexit 0\n", "not a Python"),
        ("#!/bin/sh\nprintf 'dreamwork 3 6 15|/p|/p'\n", "Python 3.6.15; 3.9 or newer"),
        ("#!/no/such/interpreter\n", "cannot be run"),
    ],
)
def test_a_stub_is_passed_over_or_refused_with_the_reason(bench: Bench, text: str, why: str) -> None:
    stub = script(bench.root / "stubs" / "python3", text)
    found, remarks = interpreter.choose(None, {"PATH": str(stub.parent)}, "/")
    assert found is not None
    assert found.path != str(stub)
    assert why in remarks[0]
    with pytest.raises(Refused, match="nothing was changed") as refused:
        interpreter.choose(str(stub), bench.env, "/")
    assert why in str(refused.value)


def test_a_python_that_never_answers_is_given_up(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "PROBE_SECONDS", 0.2)
    slow = script(bench.root / "slow" / "python3", "#!/bin/sh\nexec sleep 30\n")
    assert "did not answer" in interpreter.probe(str(slow)).problem


def test_the_python_asked_for_is_pinned_also_from_a_virtual_environment(bench: Bench) -> None:
    done = bench.install(python=sys.executable)
    assert done.answer["python"] == sys.executable
    assert f"\npython='{sys.executable}'\n".encode() in bench.program.read_bytes()


def test_a_pinned_python_that_works_is_kept(bench: Bench) -> None:
    bench.install(python=sys.executable)
    assert bench.install().answer["python"] == sys.executable


@pytest.mark.parametrize("path", ["/usr/bin/python3", "/a b/it's", "/ünï/python", "/" + "x" * 900])
def test_pinning_changes_that_line_alone_and_is_undone_for_the_hash(path: str) -> None:
    data = program.pinned(STAND_IN, path)
    assert program.pin_of(data) == path
    assert program.unpinned(data) == STAND_IN
    assert data.endswith(STAND_IN[STAND_IN.index(b"python=''") + len(b"python=''") :])


def test_a_file_without_the_line_is_refused() -> None:
    with pytest.raises(Refused, match="no line for the interpreter"):
        program.pinned(b"#!/bin/sh\nexit 0\n", "/usr/bin/python3")


def test_the_line_is_what_the_shell_reads(bench: Bench) -> None:
    path = script(bench.root / 'it\'s a "$HOME" `x`' / "python3", f'#!/bin/sh\nexec "{BASE}" "$@"\n')
    data = program.pinned(b"python=''\nprintf %s \"$python\"\n", str(path))
    file = script(bench.root / "shown", "#!/bin/sh\n" + os.fsdecode(data))
    assert subprocess.run([file], capture_output=True, check=True).stdout == os.fsencode(path)
