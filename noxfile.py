"""The sessions CI runs: `python3 build.py --test` installs nox and runs them all; `nox -s NAME` runs one."""

from __future__ import annotations

import sys
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))
import build  # noqa: E402

nox.needs_version = ">=2024.4"
nox.options.error_on_external_run = True
nox.options.sessions = ["style", "types", "unit", "build", "process", "claude", "fuzz", "soak", "benchmarks"]


def extra(name: str) -> list[str]:
    """The requirements of one of pyproject's optional dependency lists, and the packed ones."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    found = []
    for key in ("dependencies", name):
        listed = text.split(f"\n{key} = [", 1)[1].split("]", 1)[0]
        found += listed.split('"')[1::2]
    return found


def archive(session: nox.Session) -> Path:
    """Build the archive once for a session's tests."""
    output = Path(session.create_tmp()).resolve() / "dreamwork-hooks.pyz"
    build.build(output)
    return output


@nox.session
def style(session: nox.Session) -> None:
    """Format and lint."""
    session.install(*extra("check"))
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Types: what is shipped for the oldest Python; what meets pytest for the oldest that parses pytest."""
    session.install(*extra("check"), *extra("test"), "nox")
    session.run("mypy", "--exclude", "pytest_plugin", "src", "build.py", "install.py")
    plugin = "src/dreamwork_hooks/host/pytest_plugin.py"
    session.run("mypy", "--python-version", "3.10", plugin, "tests", "benchmarks", "noxfile.py")


@nox.session
def unit(session: nox.Session) -> None:
    """The rooms, in process."""
    session.install(*extra("test"))
    session.run("pytest", "-q", "-n", "2", *(session.posargs or ["tests/unit"]))


@nox.session(name="build")
def build_(session: nox.Session) -> None:
    """The archive is reproducible, and what it is said to be."""
    session.install(*extra("test"))
    session.run("pytest", "-q", *(session.posargs or ["tests/build"]))


@nox.session
def process(session: nox.Session) -> None:
    """The built archive as a process, under every supported Python on this machine; at least two must be here."""
    found = build.find_interpreters()
    missing = [version for version in build.supported_versions() if version not in found]
    if len(found) < 2:
        session.error(f"at least two supported Pythons are needed here; missing: {', '.join(missing)}")
    if missing:
        session.warn(f"not tested, since they are not on this machine: Python {', '.join(missing)}")
    session.install(*extra("test"))
    env = {"HOOK_PYZ": str(archive(session))}
    for at, version in enumerate(found):
        # What does not depend on the interpreter runs with the first alone.
        chosen = [] if at == 0 else ["-m", "not once"]
        words = session.posargs or ["tests/process"]
        session.run("pytest", "-q", "-n", "2", *chosen, *words, env={**env, "HOOK_PYTHON": version})


@nox.session
def claude(session: nox.Session) -> None:
    """The real Claude Code against a scripted model; fetches the pinned client with npm and fails where it cannot."""
    session.install(*extra("test"))
    build.build()  # install.py installs from dist/
    session.run("pytest", "-q", "-n", "2", "--dist", "loadfile", *(session.posargs or ["tests/claude"]))


@nox.session
def fuzz(session: nox.Session) -> None:
    """Any input at all, bounded and the same each time; `nox -s fuzz -- --long` searches on by chance, for minutes."""
    session.install(*extra("test"))
    words = list(session.posargs)
    profile = "bounded"
    if "--long" in words:
        words.remove("--long")
        profile = "long"
    words = ["-n", "2", f"--hypothesis-profile={profile}", *words, "tests/fuzz"]
    session.run("pytest", "-q", *words, env={"HOOK_PYZ": str(archive(session))})


@nox.session
def soak(session: nox.Session) -> None:
    """10,000 events from 16 writers, with torn lines and killed hooks: nothing that was acknowledged is lost."""
    session.install(*extra("test"))
    env = {"HOOK_PYZ": str(archive(session)), "PYTHONPATH": str(ROOT / "src")}
    session.run("python", "-m", "tests.soak", *session.posargs, env=env)


@nox.session
def benchmarks(session: nox.Session) -> None:
    """The table of start-up ratios; reported, never asserted."""
    session.install(*extra("test"), "shiv")
    env = {"HOOK_PYZ": str(archive(session)), "PYTHONPATH": str(ROOT / "src")}
    session.run("python", "-m", "benchmarks", *(session.posargs or ["--quick"]), env=env)
    if not session.posargs:
        for more in (["ledger_cost"], ["ledger_growth"], ["host_dispatch", "--quick"]):
            session.run("python", "-m", f"benchmarks.{more[0]}", *more[1:], env=env)
