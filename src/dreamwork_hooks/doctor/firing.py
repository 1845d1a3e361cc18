"""Do the hooks fire: what they noted themselves, held against what Claude Code's own transcripts show."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from dreamwork_hooks.doctor.checks import FAIL, Check
from dreamwork_hooks.history.runs import Compaction, Reader, Run, seconds
from dreamwork_hooks.history.transcripts import transcripts
from dreamwork_hooks.install.ours import role_of
from dreamwork_hooks.install.receipts import Config

MOST_RUNS = 50
MOST_TRANSCRIPTS = 200  # the newest
_DAY = 86400.0


def check_firing(
    client: str,
    target: str,
    files: Sequence[str],
    config: Config,
    runs: Mapping[str, object],
    now: float,
) -> list[Check]:
    """The checks for one target that the hooks do not skip.

    Args:
        client: Claude Code's own directory.
        files: the settings files that wire our hooks there.
        runs: what our hooks noted for the target; see memory/last_runs.
    """
    installed = _installed(config, files)
    compactions = 0
    last: deque[Run] = deque(maxlen=MOST_RUNS)
    reader = Reader(since=installed)
    for path in transcripts(Path(client), Path(target), installed)[-MOST_TRANSCRIPTS:]:
        for seen in reader.read(path):
            if isinstance(seen, Compaction):
                compactions += not seen.subagent
            elif role_of({"command": seen.command}) is not None:
                last.append(seen)
    found = _never_fired(installed, compactions, runs, now) if installed is not None else []
    failed = [run for run in last if run.ended in ("failed", "timed out", "cancelled")]
    if failed:
        worst = failed[-1]
        said = worst.stderr.strip().splitlines()
        why = f": {said[0][:160]}" if said else ""
        line = f"failed in {len(failed)} of the last {len(last)} runs that Claude Code wrote down; "
        line += f"the last, {worst.event} at {worst.at[:19]}Z, {worst.ended}{why}"
        found.append(Check("runs", FAIL, line, "see the commands above, which were run just now"))
    return found


def _installed(config: Config, files: Sequence[str]) -> float | None:
    """When the hooks were wired in one of these files, in seconds since 1970; None where no receipt tells."""
    stamps = [config.receipt_for(file) for file in files]
    times = [seconds(str(receipt.get("when"))) for receipt in stamps if receipt is not None]
    return min((at for at in times if at is not None), default=None)


def _never_fired(installed: float, compactions: int, runs: Mapping[str, object], now: float) -> list[Check]:
    noted = runs.get("precompact")
    ran = seconds(str(noted.get("run"))) if isinstance(noted, dict) else None
    if not compactions or (ran is not None and ran >= installed - 1):
        return []
    times = "one compaction" if compactions == 1 else f"{compactions} compactions"
    line = f"installed {_ago(now - installed)}, {times} of this project since, and the PreCompact hook never ran"
    remedy = "end the sessions that were running before the installation; if it stays so, see the commands above"
    return [Check("runs", FAIL, line, remedy)]


def _ago(passed: float) -> str:
    if passed < -_DAY:
        return "at a time that is still to come, by its receipt"
    days = int(max(0.0, passed) // _DAY)
    return "today" if days < 1 else "yesterday" if days == 1 else f"{days} days ago"
