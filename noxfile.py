"""The sessions of the tests: `python3 build.py --test` runs what must hold on every commit, with `--all` all of them.

`python3 build.py --test -s NAME` runs one; words after `--` go to what it runs.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))
from builder.command import IN_THE_NIGHT, ON_EVERY_COMMIT, build  # noqa: E402
from builder.environments import find_interpreters, supported_versions, test_python  # noqa: E402

nox.needs_version = ">=2024.4"
nox.options.default_venv_backend = "none"  # build.py makes one environment for all of them
nox.options.sessions = list(ON_EVERY_COMMIT)

# Of one command of a session, in seconds: several times what the slowest takes, so that what hangs ends with a word.
LIMIT = 1800

PROCESSORS = max(2, os.cpu_count() or 2)
COMPUTING = ("-n", str(PROCESSORS), "--dist", "worksteal")
WAITING = ("-n", str(PROCESSORS * 3 // 2), "--dist", "worksteal")  # tests that wait for a hook, a third of the time


def run(session: nox.Session, *words: str, env: dict[str, str] | None = None) -> None:
    """Run a module of the tests' one environment, with all it starts, for at most LIMIT seconds."""
    command = [str(test_python()), "-m", *words]
    session.log(" ".join(command[1:]))
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **(env or {})}, start_new_session=True)
    try:
        status = process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        session.error(f"not done after {LIMIT} s, and stopped: {' '.join(words)}")
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if status != 0:
        session.error(f"{words[0]} exited with status {status}")


def begin(session: nox.Session) -> None:
    """Say how long the session takes, as builder/command.py has it."""
    seconds = {**IN_THE_NIGHT, **ON_EVERY_COMMIT}.get(session.name)
    if seconds is not None:
        session.log(f"about {seconds} s on two quiet cores")


def archive(session: nox.Session) -> dict[str, str]:
    """Build the archive once for a session's tests; returns the environment that names it."""
    output = Path(session.create_tmp()).resolve() / "dreamwork-hooks.pyz"
    build(output)
    return {"HOOK_PYZ": str(output), "PYTHONPATH": str(ROOT / "src")}


@nox.session
def style(session: nox.Session) -> None:
    """Format and lint."""
    begin(session)
    run(session, "ruff", "format", "--check", ".")
    run(session, "ruff", "check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Types: what is shipped for the oldest Python; what meets pytest for the oldest that parses pytest."""
    begin(session)
    run(session, "mypy", "--exclude", "pytest_plugin", "src", "build.py", "builder", "install.py")
    plugin = "src/dreamwork_hooks/host/pytest_plugin.py"
    run(session, "mypy", "--python-version", "3.10", plugin, "tests", "benchmarks", "noxfile.py")


@nox.session
def unit(session: nox.Session) -> None:
    """The rooms, in process."""
    begin(session)
    run(session, "pytest", "-q", *COMPUTING, *(session.posargs or ["tests/unit"]))


@nox.session(name="build")
def build_(session: nox.Session) -> None:
    """The archive is reproducible, and what it is said to be; build.py says what is wrong in one sentence."""
    begin(session)
    run(session, "pytest", "-q", *COMPUTING, *(session.posargs or ["tests/build"]))


@nox.session
def process(session: nox.Session) -> None:
    """The built archive as a process: all under the oldest Python here, what depends on it under the newest, and under
    those between what an event goes through in the interpreter itself."""
    begin(session)
    found = list(find_interpreters())
    for_newest, between = "not once", "every and not once"
    under_each(session, {version: for_newest if version == found[-1] else between for version in found[1:]})


@nox.session
def every_python(session: nox.Session) -> None:
    """The built archive as a process, under every supported Python on this machine."""
    begin(session)
    under_each(session, dict.fromkeys(list(find_interpreters())[1:], "not once"))


def under_each(session: nox.Session, chosen: dict[str, str]) -> None:
    """Run all process tests with hooks under the oldest Python here, and those chosen by a mark under others."""
    found = find_interpreters()
    missing = [version for version in supported_versions() if version not in found]
    if missing:
        session.warn(f"not tested, since it is not on this machine: Python {', '.join(missing)}")
    env = archive(session)
    for version in found:
        marks = ["-m", chosen[version]] if version in chosen else []
        words = [*WAITING, *marks, *(session.posargs or ["tests/process"])]
        run(session, "pytest", "-q", *words, env={**env, "HOOK_PYTHON": version})


@nox.session
def conformance(session: nox.Session) -> None:
    """What is known of Claude Code, held against the pinned client, which npm fetches; fails where it cannot be had."""
    begin(session)
    build()  # install.py installs from dist/
    words = session.posargs or ["tests/claude/test_conformance.py", "tests/claude/test_history.py"]
    run(session, "pytest", "-q", *WAITING[:2], "--dist", "loadscope", *words)


@nox.session
def claude(session: nox.Session) -> None:
    """All that is tried with the real Claude Code against a scripted model."""
    begin(session)
    build()
    run(session, "pytest", "-q", *WAITING[:2], "--dist", "loadfile", *(session.posargs or ["tests/claude"]))


@nox.session
def fuzz(session: nox.Session) -> None:
    """Any input at all, bounded and the same each time."""
    fuzzed(session, "bounded")


@nox.session
def long_fuzz(session: nox.Session) -> None:
    """Any input at all, by chance, for a quarter of an hour; what fails is remembered below .hypothesis/."""
    fuzzed(session, "long")


def fuzzed(session: nox.Session, profile: str) -> None:
    begin(session)
    words = [*COMPUTING, f"--hypothesis-profile={profile}", *(session.posargs or ["tests/fuzz"])]
    run(session, "pytest", "-q", *words, env=archive(session))


@nox.session
def soak(session: nox.Session) -> None:
    """Events from 16 writers, with torn lines and killed hooks: nothing that was acknowledged is lost."""
    begin(session)
    run(session, "tests.support.soak", *(session.posargs or ["--events", "2000"]), env=archive(session))


@nox.session
def long_soak(session: nox.Session) -> None:
    """The same with 10,000 events."""
    begin(session)
    run(session, "tests.support.soak", *session.posargs, env=archive(session))


@nox.session
def coverage(session: nox.Session) -> None:
    """Branches of the event path that the process tests go through, measured in the hooks' own processes."""
    begin(session)
    run(session, "tests.support.measured", *session.posargs, env=archive(session))


@nox.session
def benchmarks(session: nox.Session) -> None:
    """The table of start-up ratios; reported, never asserted."""
    begin(session)
    env = archive(session)
    run(session, "benchmarks", *(session.posargs or ["--quick"]), env=env)
    if not session.posargs:
        for more in (["ledger_cost"], ["ledger_growth"], ["host_dispatch", "--quick"]):
            run(session, f"benchmarks.{more[0]}", *more[1:], env=env)
