"""The soak: many writers, few targets, torn lines, killed processes; and at the end nothing acknowledged is lost.

`python -m tests.support.soak` runs 10,000 events and prints how fast they went beside the upper bound: bare interpreter
starts, by the same writers on the same machine. The speed is reported, never asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dreamwork_hooks.memory.focus_log import KEPT, LOG, damaged_name
from dreamwork_hooks.memory.ledger_seen import SEEN
from dreamwork_hooks.memory.notes import RUNS
from dreamwork_hooks.memory.state import LOCK, slug
from tests.support.spawn import clean_env, pin, run_hook
from tests.support.targets import make_target, precompact_event, snapshot, write_event

WRITER = Path(__file__).with_name("soak_writer.py")
OURS = {LOCK, LOG, RUNS, SEEN}


@dataclass(frozen=True)
class Happened:
    """One event: between `started` and `ended` (seconds, one clock for all) its hook ran."""

    target: int
    session: str
    started: float
    ended: float
    killed: bool
    status: int
    printed: str

    @property
    def answer(self) -> dict[str, Any] | None:
        """What it printed, when that is a whole answer."""
        return json.loads(self.printed) if self.printed.endswith("\n") else None

    @property
    def acknowledged(self) -> bool:
        answer = self.answer
        return answer is not None and answer["ok"] is True and answer.get("wrote") is True


@dataclass
class Soak:
    """What came of one soak.

    Attributes:
        events: all but the last ones, which only tidy up.
        seconds: how long they took.
        bare: bare interpreter starts a second.
        logs: for each target the lines of its log.
        faults: what should not be.
    """

    events: list[Happened]
    seconds: float
    bare: float
    logs: list[list[bytes]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def report(self) -> str:
        killed = sum(one.killed for one in self.events)
        locked = sum("locked" in one.printed for one in self.events)
        rate = len(self.events) / self.seconds
        return (
            f"{len(self.events)} events in {self.seconds:.0f} s on {os.cpu_count()} processors: {rate:.0f} a second, "
            f"{rate / self.bare:.2f} of {self.bare:.0f} bare interpreter starts a second\n"
            f"{sum(one.acknowledged for one in self.events)} records acknowledged, {killed} hooks killed, "
            f"{locked} told that the log was locked; {sum(map(len, self.logs))} records kept in {len(self.logs)} logs"
        )


def soak(pyz: Path, python: Path, root: Path, events: int, writers: int = 16, targets: int = 20, seed: int = 1) -> Soak:
    """Run a soak below `root` and check it."""
    home = root / "home"
    home.mkdir(exist_ok=True)
    env = clean_env(home)
    made = [make_target(root / f"target {number}") for number in range(targets)]
    states = [home / ".config/dreamwork/hooks" / slug(os.path.realpath(target)) for target in made]
    first = [run_hook([pyz, "precompact"], event(target, "first"), env=env).answer()["wrote"] for target in made]
    assert all(first)
    untouched = [snapshot(target) for target in made]

    pairs = list(zip(map(str, made), map(str, states)))
    orders = {
        "pyz": str(pyz),
        "env": env,
        "bare": [str(python), "-I", "-S", "-c", "pass"],
        "precompact": precompact_event("@TARGET@"),
        "posttooluse": write_event("@TARGET@/.dreamwork/tasks.md", "@TARGET@"),
    }
    warm, bare_seconds = _run({**orders, "targets": []}, writers, max(events // 10, writers), seed)
    happened, seconds = _run({**orders, "targets": pairs}, writers, events, seed)
    done = Soak(happened, seconds, len(warm) / bare_seconds)

    for target in made:  # the last event, which finds what the killed ones left
        run_hook([pyz, "precompact"], event(target, "last"), env=env)
        edit = write_event(target / ".dreamwork/tasks.md", target)
        run_hook([pyz, "posttooluse"], json.dumps(edit).encode(), env=env)
    for number, target in enumerate(made):
        done.logs.append((states[number] / LOG).read_bytes().split(b"\n")[:-1])
        found = of_target([one for one in happened if one.target == number], done.logs[-1])
        listed = set(os.listdir(states[number]))
        if listed - {damaged_name(LOG)} != OURS:  # lines that were torn are kept aside
            found.append(f"the state directory holds {sorted(listed)}")
        if snapshot(target) != untouched[number]:
            found.append("the target was touched")
        done.faults += [f"target {number}: {fault}" for fault in found]
    done.faults += [f"{one}" for one in happened if not _sound(one)]
    return done


def of_target(happened: list[Happened], lines: list[bytes]) -> list[str]:
    """What is wrong with a target's log, given all that happened to it between a first and a last event.

    The log's order is that of the appends, of which only this is known: each lies between its process's start and end.
    So a record that is missing was lost, unless it may have come before all that are there and these are 200.
    """
    faults = []
    kept = []
    for line in lines:
        try:
            kept.append(json.loads(line)["session_id"])
        except (ValueError, KeyError, TypeError):
            faults.append(f"a line that is no record: {line[:80]!r}")
    if len(lines) > KEPT:
        faults.append(f"{len(lines)} records are kept")
    if len(set(kept)) != len(kept):
        faults.append("a record stands there twice")
    if kept[-1:] != ["last"]:
        faults.append("the last record is not there")
    known = {one.session: one for one in happened}
    there = [known[session] for session in kept if session in known]
    earliest_end = min([one.ended for one in there], default=0.0)
    for one in happened:
        if one.acknowledged and one.session not in kept and (len(lines) < KEPT or one.started > earliest_end):
            faults.append(f"{one.session} was acknowledged and is lost")
    latest_start = 0.0
    for one in there:
        if one.ended < latest_start:
            faults.append(f"{one.session} stands after one that began when it had ended")
        latest_start = max(latest_start, one.started)
    return faults


def event(target: Path, session: str) -> bytes:
    return json.dumps(precompact_event(target, session_id=session)).encode()


def _sound(one: Happened) -> bool:
    """Whether a hook that was not killed left with 0 after an answer: done, or held up by the lock."""
    if one.killed:
        return one.status in (0, -9)
    answer = one.answer
    return one.status == 0 and answer is not None and (answer["ok"] is True or "locked" in answer["error"])


def _run(orders: dict[str, Any], writers: int, events: int, seed: int) -> tuple[list[Happened], float]:
    """Give each writer its share of `events`; returns what happened and the seconds it took."""
    started = time.monotonic()
    running = []
    for number in range(writers):
        share = events // writers + (number < events % writers)
        mine = {**orders, "name": f"writer-{number}", "seed": seed * 1000 + number, "events": share}
        process = subprocess.Popen(
            [sys.executable, "-S", str(WRITER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(mine))
        process.stdin.close()
        running.append(process)
    happened = []
    for process in running:
        assert process.stdout is not None
        happened += [Happened(*fields) for fields in json.loads(process.stdout.read() or "[]")]
        process.stdout.close()
        if process.wait() != 0:
            raise AssertionError(f"a writer left with status {process.returncode}")
    return happened, time.monotonic() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--writers", type=int, default=16)
    parser.add_argument("--targets", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1, help="what is done to whom; the timing differs each time")
    parser.add_argument("--pyz", type=Path, default=os.environ.get("HOOK_PYZ", "dist/dreamwork-hooks.pyz"))
    args = parser.parse_args()
    python = Path(sys.executable).resolve()
    with tempfile.TemporaryDirectory(prefix="soak-") as root:
        pyz = Path(root, "dreamwork-hooks.pyz")
        pin(Path(args.pyz), pyz, python)
        done = soak(pyz, python, Path(root), args.events, args.writers, args.targets, args.seed)
    print(done.report())
    for fault in done.faults:
        print("FAULT", fault)
    return 1 if done.faults else 0


if __name__ == "__main__":
    sys.exit(main())
