"""Timing whole processes side by side: every round runs each command once, so that a machine's moods hit all alike."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Case:
    """One command to time.

    Attributes:
        stdin: a file that is its standard input.
        prepare: files to put back before each run: path -> bytes.
        seconds: wall times, filled in by `run_side_by_side`.
    """

    name: str
    command: Sequence[str | Path]
    stdin: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    prepare: Mapping[Path, bytes] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    def ratio(self, base: Case) -> tuple[float, float]:
        """(minimum, median) as ratios to those of `base`."""
        return min(self.seconds) / min(base.seconds), self.median() / base.median()

    def median(self) -> float:
        return statistics.median(self.seconds)


def run_side_by_side(cases: Sequence[Case], rounds: int, warm_up: int = 2) -> None:
    """Run all cases in turn, `rounds` counted times after `warm_up` uncounted ones.

    Raises:
        subprocess.CalledProcessError: a command failed; a benchmark of failures would be worth nothing.
    """
    for at in range(warm_up + rounds):
        for case in cases:
            for path, data in case.prepare.items():
                path.write_bytes(data)
            with open(case.stdin or os.devnull, "rb") as stdin:
                started = time.perf_counter()
                ran = subprocess.run(
                    [str(word) for word in case.command],
                    stdin=stdin,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={"PATH": os.defpath, **case.env},
                )
                seconds = time.perf_counter() - started
            if ran.returncode != 0:
                raise subprocess.CalledProcessError(ran.returncode, [str(word) for word in case.command])
            if at >= warm_up:
                case.seconds.append(seconds)
