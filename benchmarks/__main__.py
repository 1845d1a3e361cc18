"""`python -m benchmarks [--quick]`: the table of start-up ratios, on this machine, now."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from benchmarks.timing import Case, run_side_by_side
from benchmarks.workload import Bench
from tests.support.targets import write_event

ROOT = Path(__file__).resolve().parent.parent

# What is promised, as ratios to the bare interpreter.
PROMISED = {
    "posttooluse, not a ledger file": 1.1,
    "precompact, full": 1.7,
    "posttooluse, embedded lint of 10 KB": 2.2,
}


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="30 rounds instead of 150")
    parser.add_argument("--python", type=Path, default=Path(sys.executable).resolve(), help="the hooks' interpreter")
    args = parser.parse_args(argv)
    rounds = 30 if args.quick else 150
    with tempfile.TemporaryDirectory() as tmp:
        root = Path(tmp)
        bench = Bench.make(root, archive(root), args.python)
        for line in table(bench, rounds):
            print(line, flush=True)
    return 0


def archive(root: Path) -> Path:
    """`$HOOK_PYZ` when it is set, else the archive built now."""
    given = os.environ.get("HOOK_PYZ")
    if given is not None:
        return Path(given)
    subprocess.run([sys.executable, ROOT / "build.py", "--output", root / "built.pyz"], check=True, capture_output=True)
    return root / "built.pyz"


def table(bench: Bench, rounds: int) -> list[str]:
    """The rows of the table, as Markdown."""
    bare = bench.bare()
    shiv = bench.default_shiv()
    cases = [bare, bench.skip(), bench.precompact(), bench.lint(10), bench.plain_script(), default_shiv(bench, shiv)]
    run_side_by_side(cases, rounds)
    best, middle = min(bare.seconds) * 1000, bare.median() * 1000
    lines = [
        f"{rounds} rounds, interleaved; Python {python_version(bench.python)}",
        f"bare start: min {best:.1f} ms, median {middle:.1f} ms",
        "",
        "| path | min | median | promised |",
        "|---|---|---|---|",
    ]
    for case in cases:
        low, middle = case.ratio(bare)
        lines.append(f"| {case.name} | {low:.2f} | {middle:.2f} | {PROMISED.get(case.name, '')} |")
    lines += ["", *absolute(bench, max(5, rounds // 10))]
    return lines


def absolute(bench: Bench, rounds: int) -> list[str]:
    """What is promised in milliseconds or bytes rather than as a ratio."""
    bare = bench.bare()
    both = [bench.whole_ledger(340), large_event(bench)]
    run_side_by_side([bare, *both], rounds, warm_up=1)
    with zipfile.ZipFile(bench.pyz) as archive:
        entries = len(archive.namelist())
    over = [(case.median() - bare.median()) * 1000 for case in both]
    return [
        "| what | measured | promised |",
        "|---|---|---|",
        f"| questions.md and tasks.md of 340 KB each, both linted, over a bare start | {over[0]:.0f} ms | 60 ms |",
        f"| a 16 MB event | {both[1].median() * 1000:.0f} ms | 1000 ms |",
        f"| the archive | {bench.pyz.stat().st_size / 1000:.0f} KB, {entries} entries | 900 KB, under 300 entries |",
    ]


def large_event(bench: Bench) -> Case:
    target = bench.target("small")
    event = write_event(target / ".dreamwork" / "tasks.md", target, tool_response={"content": "x" * (16 << 20)})
    return Case("a 16 MB event", [bench.pyz, "posttooluse"], bench.event("large", event), bench.env)


def default_shiv(bench: Bench, shiv: Path) -> Case:
    case = bench.skip(shiv)
    return Case("default shiv build of the same code, same event", case.command, case.stdin, case.env)


def python_version(python: Path) -> str:
    ran = subprocess.run([python, "-V"], capture_output=True, text=True, check=True)
    return ran.stdout.split()[-1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
