"""How the embedded lint grows with the ledger: the time for 10 times the size, as a ratio.

    python -m benchmarks.ledger_growth

Linear is 10; at most 12 is asked for, from 50 KB to 5 MB. Each measurement is the first lint of a process of its own,
as the hook runs it: in a loop the small ledger would stay in the processor's cache. The sizes are interleaved.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.ledger_make import questions, tasks

SIZES_KB = (50, 500, 5000)
ROUNDS = 15
SOURCES = Path(__file__).parents[1] / "src"
CODE = """
import sys, time
sys.path.insert(0, sys.argv[1])
from dreamwork_hooks.ledger.lint import lint
from dreamwork_hooks.ledger import questions_rules, tasks_links, tasks_rules
pair = [open(sys.argv[2] + name, "rb").read() for name in ("/questions.md", "/tasks.md")]
start = time.perf_counter()
result = lint(*pair)
print(time.perf_counter() - start)
assert result["verdict"] == "clean", result["findings"][:3]
"""


def main() -> None:
    """Print a line a size."""
    best = dict.fromkeys(SIZES_KB, float("inf"))
    with tempfile.TemporaryDirectory() as scratch:
        for size in SIZES_KB:
            place = Path(scratch) / str(size)
            place.mkdir()
            (place / "questions.md").write_bytes(questions(size << 10))
            (place / "tasks.md").write_bytes(tasks(size << 10))
        for _ in range(ROUNDS):
            for size in SIZES_KB:
                command = [sys.executable, "-I", "-S", "-c", CODE, str(SOURCES), f"{scratch}/{size}"]
                run = subprocess.run(command, check=True, capture_output=True)
                best[size] = min(best[size], float(run.stdout))
    print("each file    lint of both    ratio to the row above")
    before = None
    for size, seconds in best.items():
        ratio = "" if before is None else f"{seconds / before:.1f}"
        print(f"{size:>6} KB {seconds * 1000:>12.2f} ms {ratio:>12}")
        before = seconds


if __name__ == "__main__":
    main()
