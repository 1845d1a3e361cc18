"""`python -m benchmarks.page`: measure everything and write benchmarks/README.md anew (about ten minutes)."""

from __future__ import annotations

import io
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from benchmarks.__main__ import archive, python_version, table
from benchmarks.timing import Case, run_side_by_side
from benchmarks.workload import Bench
from builder.environments import find_interpreters, supported_versions
from tests.support.targets import precompact_event, write_event

INTRODUCTION = """\
Written by `python -m benchmarks.page`; do not edit. Every figure is a ratio to `python3 -I -S -c pass` of the same
interpreter: whole processes, all commands of a table taken in turns in one run, min and median."""
PAGE = Path(__file__).with_name("README.md")
TRIED = Path(__file__).with_name("TRIED.md")


def main() -> int:
    pythons = find_interpreters()
    default = pythons.get("3.11") or next(iter(pythons.values()))
    with tempfile.TemporaryDirectory() as tmp:
        built = archive(Path(tmp))
        bench = Bench.make(Path(tmp, "main"), built, default)
        sections = [
            "# Benchmarks",
            INTRODUCTION,
            f"Measured on {platform.system()} {platform.machine()}, {platform.python_implementation()}.",
            "## The event path",
            *_joined(table(bench, 100)),
            "## Every Python found here",
            *_joined(every_python(Path(tmp), built, pythons)),
            "## Growth",
            *_joined(growth(bench)),
            "## Entries of the archive",
            *_joined(entries(bench)),
            "## The embedded lint by itself",
            "Without event, target and answer; beside it the limit that the core lint has in the hook.",
            *_printed("benchmarks.ledger_cost"),
            *_printed("benchmarks.ledger_growth"),
            "## The focus log under load",
            *_printed("tests.support.soak"),
            "## The commands",
            *_printed("benchmarks.commands", fenced=False),
            "## The hook host",
            *_printed("benchmarks.host_dispatch"),
            TRIED.read_text("utf-8").strip(),
        ]
    PAGE.write_text("\n\n".join(sections) + "\n", "utf-8")
    return 0


def _joined(lines: list[str]) -> list[str]:
    return ["\n".join(lines)]


def _printed(module: str, fenced: bool = True) -> list[str]:
    """What a module prints, as it stands, or as the Markdown it is."""
    root = PAGE.parents[1]
    env = {**os.environ, "PYTHONPATH": str(root / "src")}
    command = [sys.executable, "-m", module]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root, env=env)
    said = ran.stdout.strip("\n")
    return ["\n".join([f"`python -m {module}`:", "", *(["```", said, "```"] if fenced else [said])])]


def every_python(tmp: Path, built: Path, pythons: dict[str, Path]) -> list[str]:
    """The three paths under each interpreter, against that interpreter's own bare start."""
    lines = ["| Python | bare start | skip | precompact | lint of 10 KB |", "|---|---|---|---|---|"]
    for version, python in pythons.items():
        bench = Bench.make(tmp / version, built, python)
        bare, *cases = bench.bare(), bench.skip(), bench.precompact(), bench.lint(10)
        run_side_by_side([bare, *cases], 60)
        cells = [f"{case.ratio(bare)[0]:.2f} / {case.ratio(bare)[1]:.2f}" for case in cases]
        lines.append(f"| {python_version(python)} | {bare.median() * 1000:.1f} ms | {' | '.join(cells)} |")
    return [*lines, "", f"Not found here: {', '.join(set(supported_versions()) - set(pythons)) or 'none'}."]


def growth(bench: Bench) -> list[str]:
    """What each path costs as its input grows."""
    bare = bench.bare()
    ledgers = [bench.whole_ledger(size) for size in (10, 50, 340, 1000, 5000)]
    events = [_event_of(bench, size) for size in (0, 64, 1024, 4096, 16384)]
    logs = [_log_of(bench, records) for records in (0, 50, 199, 200)]
    run_side_by_side([bare, *ledgers, *events, *logs], 15)
    lines = ["| input | min | median | over the bare start, median |", "|---|---|---|---|"]
    for case in [*ledgers, *events, *logs]:
        low, middle = case.ratio(bare)
        over = (case.median() - bare.median()) * 1000
        lines.append(f"| {case.name} | {low:.2f} | {middle:.2f} | {over:.1f} ms |")
    return lines


def _event_of(bench: Bench, kilobytes: int) -> Case:
    target = bench.target("small")
    event = write_event(target / ".dreamwork" / "tasks.md", target, tool_response={"content": "x" * (kilobytes << 10)})
    path = bench.event(f"event-{kilobytes}", event)
    return Case(f"a ledger edit's event of {kilobytes} KB", [bench.pyz, "posttooluse"], path, bench.env)


def _log_of(bench: Bench, records: int) -> Case:
    target = bench.target(f"log-{records}")
    event = bench.event(f"log-{records}", precompact_event(target))
    with event.open("rb") as stdin:
        subprocess.run([bench.pyz, "precompact"], stdin=stdin, env=bench.env, check=True, capture_output=True)
    (log,) = (bench.root / "home").rglob(f"{target.name}-*/precompact-focus.jsonl")
    line = log.read_bytes().replace(b'"ts":"2', b'"ts":"1', 1)  # a thousand years ago: not this compaction again
    name = f"precompact with {records} records in the log"
    return Case(name, [bench.pyz, "precompact"], event, bench.env, {log: line * records})


def entries(bench: Bench) -> list[str]:
    """Start-up with entries added to the archive: through the bundle, and as a zip import would have it."""
    bare = bench.bare()
    cases = []
    for extra in (0, 200, 800):
        copy = bench.root / f"entries-{extra}.pyz"
        _with_entries(bench.pyz, copy, extra)
        case = bench.skip(copy)
        cases.append(Case(f"{extra} entries more, as shipped", case.command, case.stdin, case.env))
        program = "import sys; sys.path.insert(0, sys.argv[1]); import dreamwork_hooks.cli"
        zipped = [str(bench.python), "-I", "-S", "-c", program, str(copy)]
        cases.append(Case(f"{extra} entries more, one import through the zip's directory", zipped))
    run_side_by_side([bare, *cases], 60)
    lines = ["| archive | min | median |", "|---|---|---|"]
    for case in cases:
        low, middle = case.ratio(bare)
        lines.append(f"| {case.name} | {low:.2f} | {middle:.2f} |")
    return lines


def _with_entries(archive: Path, copy: Path, extra: int) -> None:
    """Copy the archive with `extra` empty entries more, and the places of its bundles in the prefix put right."""
    data = archive.read_bytes()
    with zipfile.ZipFile(archive) as old:
        prefix = data[: min(entry.header_offset for entry in old.infolist())]
        grown = io.BytesIO()
        with zipfile.ZipFile(grown, "w") as new:
            for at in range(extra):
                new.writestr(f"padding/{at}.py", "")
            for entry in old.infolist():
                new.writestr(entry, old.read(entry))
    more = _directory_size(grown.getvalue()) - _directory_size(data)
    place = re.compile(rb'("cpython-[0-9]+": \()([0-9]+)')
    prefix = place.sub(lambda found: found[1] + str(int(found[2]) + more).encode(), prefix)
    copy.write_bytes(prefix + grown.getvalue())
    copy.chmod(0o755)


def _directory_size(data: bytes) -> int:
    """How many bytes follow the last entry of a zip: its directory, which lies behind the bundles."""
    end = data.rindex(b"PK\x05\x06")
    return int.from_bytes(data[end + 12 : end + 16], "little")


if __name__ == "__main__":
    sys.exit(main())
