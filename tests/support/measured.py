"""Branch coverage of the event path, measured in the hooks' own processes.

`python -m tests.support.measured` makes an archive whose prefix starts the modules from `src/` under `coverage`
instead of from its bytecode, runs `tests/process` on it, and prints what of the event path was not gone through. Tests
that the measuring itself upsets (memory limits, modules loaded) may fail here: they count where nothing is measured.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import coverage

from builder.archive import SRC, event_modules
from builder.environments import ROOT

GOAL = 95.0  # percent of the branches
# What is no event's, or would only be the same paths ten thousand times.
LEFT_OUT = ("test_soak.py", "test_installer.py", "test_host_commands.py", "test_prefix_cut.py")

# Stands where boot.py would: the same, but from the sources, and `coverage` has its data before the process leaves.
_BOOT = """
import sys
sys.path[:] = sys.path[1:] + ["@SRC@", "@SITE@"]
import coverage
measuring = coverage.Coverage(data_file="@DATA@", data_suffix=True, branch=True, source=["@SRC@"], config_file=False)
measuring.start()
import posix
leave = posix._exit
def save_and_leave(status):
    posix._exit = leave
    try:
        measuring.stop()
        measuring.save()
    finally:
        leave(status)
posix._exit = save_and_leave
import _thread, threading
begin = _thread.start_new_thread
def begin_traced(function, arguments):
    trace = threading._trace_hook
    def traced(*given):
        sys.settrace(trace)
        function(*given)
    return begin(traced, arguments)
_thread.start_new_thread = begin_traced
from dreamwork_hooks.event.door import main
main(sys.argv[4:])
"""


def measuring(built: bytes, data: Path) -> bytes:
    """The archive with its event route measured; the data files are `data` and a suffix each."""
    site = Path(str(coverage.__file__)).parents[1]
    boot = _BOOT.replace("@SRC@", str(SRC)).replace("@SITE@", str(site)).replace("@DATA@", str(data))
    before, start, rest = built.partition(b"-S -c '")
    _, end, after = rest.partition(b"' '")
    assert start
    assert end
    assert "'" not in boot
    return before + start + boot.strip().encode() + end + after


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pyz", type=Path, default=os.environ.get("HOOK_PYZ", "dist/dreamwork-hooks.pyz"))
    parser.add_argument("--keep", type=Path, help="a directory that keeps the data, and may hold earlier data")
    parser.add_argument(
        "tests", nargs="*", default=["tests/process", "tests/fuzz/test_hooks.py::test_the_built_file_answers_any_event"]
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="measured-") as name:
        data = args.keep or Path(name, "data")
        data.mkdir(exist_ok=True)
        pyz = Path(name, "dreamwork-hooks.pyz")
        pyz.write_bytes(measuring(Path(args.pyz).read_bytes(), data / "hook"))
        pyz.chmod(0o755)
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--tb=no", *args.tests]
        command += [f"--ignore=tests/process/{test}" for test in LEFT_OUT]
        subprocess.run(command, env={**os.environ, "HOOK_PYZ": str(pyz), "HOOK_MEASURED": "1"}, cwd=ROOT, check=False)
        return report(data)


def report(data: Path) -> int:
    """Print the table; 1 when fewer of the branches were taken than the goal says."""
    include = [str(SRC / path) for path in event_modules()]
    both = coverage.Coverage(data_file=str(data / "hook"), branch=True, include=include, config_file=False)
    both.config.set_option("report:exclude_also", ["if TYPE_CHECKING:", "pragma: no cover"])
    both.combine([str(data)], keep=True)
    both.save()
    both.report(show_missing=True, skip_covered=True, precision=1)
    branches = taken = 0
    for path in include:
        numbers = both._analyze(path).numbers
        branches += numbers.n_branches
        taken += numbers.n_executed_branches
    share = 100.0 * taken / branches
    print(f"{taken} of {branches} branches of the event path were taken: {share:.1f} % (the goal is {GOAL:g} %)")
    return 0 if share >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
