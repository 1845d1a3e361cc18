"""The sessions CI runs: `python3 build.py --test` installs nox and runs them all; `nox -s NAME` runs one."""

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
import build  # noqa: E402

nox.needs_version = ">=2024.4"
nox.options.default_venv_backend = "none"  # build.py makes one environment for all of them
nox.options.sessions = ["style", "types", "unit", "build", "process", "claude", "fuzz", "soak", "benchmarks"]


# Of one command of a session, in seconds: several times what the slowest takes, so that what hangs ends with a word.
LIMIT = 1800


def run(session: nox.Session, *words: str, env: dict[str, str] | None = None) -> None:
    """Run a module of the tests' one environment, with all it starts, for at most LIMIT seconds."""
    command = [str(build.test_python()), "-m", *words]
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
        session.error(f"{words[0]} left with status {status}")


def archive(session: nox.Session) -> Path:
    """Build the archive once for a session's tests."""
    output = Path(session.create_tmp()).resolve() / "dreamwork-hooks.pyz"
    build.build(output)
    return output


@nox.session
def style(session: nox.Session) -> None:
    """Format and lint."""
    run(session, "ruff", "format", "--check", ".")
    run(session, "ruff", "check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Types: what is shipped for the oldest Python; what meets pytest for the oldest that parses pytest."""
    run(session, "mypy", "--exclude", "pytest_plugin", "src", "build.py", "install.py")
    plugin = "src/dreamwork_hooks/host/pytest_plugin.py"
    run(session, "mypy", "--python-version", "3.10", plugin, "tests", "benchmarks", "noxfile.py")


@nox.session
def unit(session: nox.Session) -> None:
    """The rooms, in process."""
    run(session, "pytest", "-q", "-n", "2", *(session.posargs or ["tests/unit"]))


@nox.session(name="build")
def build_(session: nox.Session) -> None:
    """The archive is reproducible, and what it is said to be."""
    run(session, "pytest", "-q", *(session.posargs or ["tests/build"]))


@nox.session
def process(session: nox.Session) -> None:
    """The built archive as a process, under every supported Python on this machine; at least two must be here."""
    found = build.find_interpreters()
    missing = [version for version in build.supported_versions() if version not in found]
    if len(found) < 2:
        session.error(f"at least two supported Pythons are needed here; missing: {', '.join(missing)}")
    if missing:
        session.warn(f"not tested, since they are not on this machine: Python {', '.join(missing)}")
    env = {"HOOK_PYZ": str(archive(session))}
    for at, version in enumerate(found):
        # What does not depend on the interpreter runs with the first alone.
        chosen = [] if at == 0 else ["-m", "not once"]
        words = session.posargs or ["tests/process"]
        run(session, "pytest", "-q", "-n", "2", *chosen, *words, env={**env, "HOOK_PYTHON": version})


@nox.session
def claude(session: nox.Session) -> None:
    """The real Claude Code against a scripted model; fetches the pinned client with npm and fails where it cannot."""
    build.build()  # install.py installs from dist/
    run(session, "pytest", "-q", "-n", "2", "--dist", "loadfile", *(session.posargs or ["tests/claude"]))


@nox.session
def fuzz(session: nox.Session) -> None:
    """Any input at all, bounded and the same each time; `nox -s fuzz -- --long` searches on by chance, for minutes."""
    words = list(session.posargs)
    profile = "bounded"
    if "--long" in words:
        words.remove("--long")
        profile = "long"
    words = ["-n", "2", f"--hypothesis-profile={profile}", *words, "tests/fuzz"]
    run(session, "pytest", "-q", *words, env={"HOOK_PYZ": str(archive(session))})


@nox.session
def soak(session: nox.Session) -> None:
    """10,000 events from 16 writers, with torn lines and killed hooks: nothing that was acknowledged is lost."""
    env = {"HOOK_PYZ": str(archive(session)), "PYTHONPATH": str(ROOT / "src")}
    run(session, "tests.support.soak", *session.posargs, env=env)


@nox.session
def coverage(session: nox.Session) -> None:
    """Branches of the event path that the process tests go through, measured in the hooks' own processes."""
    env = {"HOOK_PYZ": str(archive(session)), "PYTHONPATH": str(ROOT / "src")}
    run(session, "tests.support.measured", *session.posargs, env=env)


@nox.session
def benchmarks(session: nox.Session) -> None:
    """The table of start-up ratios; reported, never asserted."""
    env = {"HOOK_PYZ": str(archive(session)), "PYTHONPATH": str(ROOT / "src")}
    run(session, "benchmarks", *(session.posargs or ["--quick"]), env=env)
    if not session.posargs:
        for more in (["ledger_cost"], ["ledger_growth"], ["host_dispatch", "--quick"]):
            run(session, f"benchmarks.{more[0]}", *more[1:], env=env)
