"""Build dist/dreamwork-hooks.pyz; show it at work (--demo); run the tests (--test).

Needs python3 3.9 or newer with venv, and nothing else: what the build uses is installed into .venv-build/, once, in
about 15 seconds; a build after that takes about 5. The file is a function of the sources, the pinned packages and the
interpreters found for bytecode: two builds on two paths and two days give the same bytes. SOURCE_DATE_EPOCH, when set,
is the date of every entry.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import subprocess
import sys
import zipfile
from pathlib import Path

from builder.archive import pack
from builder.environments import (
    ROOT,
    BuildError,
    find_interpreters,
    prepare,
    say,
    supported_versions,
    test_python,
)

OUTPUT = ROOT / "dist" / "dreamwork-hooks.pyz"

# Sessions of noxfile.py and about how many seconds each takes on two quiet cores.
ON_EVERY_COMMIT = {
    "style": 3,
    "types": 30,
    "unit": 70,
    "build": 15,
    "process": 120,
    "conformance": 45,
    "fuzz": 40,
    "soak": 35,
}
IN_THE_NIGHT = {
    "every_python": 320,
    "claude": 240,
    "long_fuzz": 900,
    "long_soak": 180,
    "coverage": 120,
    "benchmarks": 120,
}


def build(output: Path = OUTPUT) -> None:
    """Build the archive at `output` and say on stderr what is done and what it holds.

    Raises:
        BuildError: see `prepare`.
    """
    python = prepare()
    found = find_interpreters()
    say(f"building {output}: bytecode for Python {', '.join(found)}; about {1 + len(found)} s")
    command = [str(python), "-I", str(ROOT / "build.py"), "--pack", str(output)]
    subprocess.run(command, check=True)
    missing = [version for version in supported_versions() if version not in found]
    with zipfile.ZipFile(output) as archive:
        entries = len(archive.namelist())
    digest = hashlib.sha256(output.read_bytes()).hexdigest()
    say(f"built: {output.stat().st_size} bytes, {entries} entries, sha256 {digest}")
    if missing:
        say(f"  not found here, so the hooks start slower there: Python {', '.join(missing)}")


def run_tests(words: list[str]) -> int:
    """Run what must hold on every commit, with `--all` the long tests too, or what `words` tells nox; nox's status."""
    command = [str(test_python()), "-m", "nox", "-f", str(ROOT / "noxfile.py")]
    chosen = dict(ON_EVERY_COMMIT)
    if "--all" in words:
        words = [word for word in words if word != "--all"]
        # Each of the night's takes in one of the day's.
        chosen = {name: ON_EVERY_COMMIT[name] for name in ("style", "types", "unit", "build")} | IN_THE_NIGHT
    if "-s" not in words and "--session" not in words and "--sessions" not in words and "-l" not in words:
        listed = ", ".join(f"{name} {seconds} s" for name, seconds in chosen.items())
        say(f"about {_time(sum(chosen.values()))} on two quiet cores: {listed}")
        words = ["-s", *chosen, *words]
    status = subprocess.run([*command, *words], cwd=ROOT).returncode
    missing = [version for version in supported_versions() if version not in find_interpreters()]
    if missing:
        say(f"not tested, since it is not on this machine: Python {', '.join(missing)}")
    return status


def _time(seconds: int) -> str:
    return f"{seconds} seconds" if seconds < 100 else f"{(seconds + 30) // 60} minutes"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="build.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=OUTPUT, help="where to write the archive (default: dist/)")
    parser.add_argument(
        "--demo",
        action="store_true",
        help="build, then run the hooks on a sample target and show what happened",
    )
    parser.add_argument(
        "--test",
        nargs=argparse.REMAINDER,
        metavar="WORD",
        help="run the tests that hold on every commit, about six minutes; --test --all: the long ones too; "
        "--test -s NAME: one session of noxfile.py",
    )
    parser.add_argument("--pack", type=Path, help=argparse.SUPPRESS)
    own, nox_words = argv, None
    if "--test" in argv:  # argparse would take nox's own `--` for itself
        at = argv.index("--test")
        own, nox_words = argv[:at], argv[at + 1 :]
    args = parser.parse_args(own)
    try:
        if args.pack is not None:
            pack(args.pack, find_interpreters())
        elif nox_words is not None:
            return run_tests(nox_words)
        else:
            build(args.output.resolve())
            if args.demo:
                sys.path.insert(0, str(ROOT))
                return int(importlib.import_module("tests.support.demo").main(args.output.resolve()))
    except BuildError as error:
        say(f"build.py: {error}")
        return 1
    except subprocess.CalledProcessError as error:
        say(f"build.py: {error.cmd[0]} failed with status {error.returncode}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
