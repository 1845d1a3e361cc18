"""What the embedded lint costs a process: ratios to a bare start of the same interpreter.

    python -m benchmarks.ledger_cost [--core LINT_PY TARGET]

Each row is a whole process (`python3 -I -S`), from bytecode, interleaved with the others; medians. With `--core`, the
run time of a core lint on TARGET stands beside them, else the limit of 4 s that the hook gives it.
"""

from __future__ import annotations

import compileall
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.ledger_make import questions, tasks
from benchmarks.timing import Case, run_side_by_side
from builder.archive import write_stripped

ROUNDS = 31
OURS = "import sys; sys.path.insert(0, sys.argv[1]); from dreamwork_hooks.ledger"
READ = "q, t = [open(sys.argv[2] + n, 'rb').read() for n in ('/questions.md', '/tasks.md')]"
LINT = f"{OURS}.lint import lint; {READ}; lint(q, t)"
ROWS = {
    "bare start": ("pass", 10),
    "count the open questions, 10 KB": (f"{OURS}.questions import open_question_count as c; {READ}; c(q)", 10),
    "lint questions.md alone, 10 KB": (LINT.replace("lint(q, t)", "lint(q, t, only='questions.md')"), 10),
    "lint both, 10 KB each": (LINT, 10),
    "lint both, 170 KB each": (LINT, 170),
    "lint both, 340 KB each": (LINT, 340),
}


def main() -> None:
    """Print a line a row."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        sources = scratch / "src"
        write_stripped("ledger", sources)
        compileall.compile_dir(sources, quiet=1)
        for size in {size for _, size in ROWS.values()}:
            place = scratch / str(size)
            place.mkdir()
            (place / "questions.md").write_bytes(questions(size << 10))
            (place / "tasks.md").write_bytes(tasks(size << 10))
        python: list[str | Path] = [Path(sys.executable).resolve(), "-I", "-S", "-c"]
        cases = [Case(row, [*python, code, sources, scratch / str(size)]) for row, (code, size) in ROWS.items()]
        run_side_by_side(cases, ROUNDS)
    bare = cases[0]
    print(f"{'':34} {'median':>9} {'ratio':>6} {'over bare':>10}")
    for case in cases:
        over = (case.median() - bare.median()) * 1000
        print(f"{case.name:34} {case.median() * 1000:>6.1f} ms {case.ratio(bare)[1]:>6.2f} {over:>7.1f} ms")
    if sys.argv[1:2] == ["--core"]:
        start = time.perf_counter()
        subprocess.run([sys.executable, sys.argv[2], sys.argv[3]], stdout=subprocess.DEVNULL, check=False)
        print(f"{'core lint':34} {(time.perf_counter() - start) * 1000:>6.0f} ms")
    else:
        print(f"{'core lint: its limit in the hook':34}   4000 ms")


if __name__ == "__main__":
    main()
