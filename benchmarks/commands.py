"""`python -m benchmarks.commands [--quick]`: what the commands cost, as ratios to a bare interpreter start.

And what reading 200 MB of transcripts costs, beside `wc -l` over the same files.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.__main__ import archive
from benchmarks.timing import Case, run_side_by_side
from benchmarks.workload import Bench
from tests.support.history import RECORDED

MEGABYTES = 200
FILLER = (
    json.dumps({"type": "user", "message": {"role": "user", "content": "the hook said nothing of it " * 60}}) + "\n"
)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commands", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few rounds, and 20 MB")
    quick = parser.parse_args(argv).quick
    with tempfile.TemporaryDirectory() as tmp:
        root = Path(tmp)
        bench = Bench.make(root / "bench", archive(root), Path(sys.executable).resolve())
        for line in [*commands(bench, 3 if quick else 15), "", *history(bench, root, 20 if quick else MEGABYTES)]:
            print(line, flush=True)
    return 0


def commands(bench: Bench, rounds: int) -> list[str]:
    """The rows of the commands, wired in a home of their own."""
    home = bench.root / "wired"
    home.mkdir()
    env = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    subprocess.run([bench.pyz, "install"], env=env, cwd=home, check=True, capture_output=True)
    named = (["--help"], ["install"], ["status"], ["doctor"], ["hooks"], ["lint", "--help"])
    bare = bench.bare()
    # Whatever it finds: a benchmark of `doctor` is not about the machine being well.
    shell = 'cd "$HOME" && "$0" "$@"; exit 0'
    cases = [Case(" ".join(words), ["/bin/sh", "-c", shell, bench.pyz, *words], env=env) for words in named]
    run_side_by_side([bare, *cases], rounds, warm_up=1)
    lines = ["| command | min | median |", "|---|---|---|"]
    for case in cases:
        low, middle = case.ratio(bare)
        lines.append(f"| `{case.name}` | {low:.1f} | {middle:.1f} |")
    return lines


def history(bench: Bench, root: Path, megabytes: int) -> list[str]:
    """`history` over so many megabytes of transcripts, and `wc -l` over them."""
    home = root / "person"
    directory = home / ".claude" / "projects" / "-p"
    directory.mkdir(parents=True)
    recorded = (RECORDED / "2.1.332.jsonl").read_text("utf-8")
    numbers = itertools.count()
    size = 0
    while size < megabytes << 20:
        text = re.sub(r'"uuid":"[^"]*"', lambda found: f'"uuid":"{next(numbers):032x}"', recorded) + FILLER * 600
        (directory / f"{next(numbers)}.jsonl").write_text(text, "utf-8")
        size += len(text)
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    files = sorted(str(path) for path in directory.iterdir())
    cases = [
        Case("wc -l", [shutil.which("wc") or "wc", "-l", *files]),
        Case("history", [bench.pyz, "history"], env=env),
    ]
    run_side_by_side(cases, 3, warm_up=1)
    low, middle = cases[1].ratio(cases[0])
    spent = cases[1].median()
    return [
        f"`history` of {megabytes} MB of transcripts: {spent:.1f} s, {low:.0f} / {middle:.0f} times `wc -l` of them."
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
