"""Hook runs added up, command by command, in memory that does not grow with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dreamwork_hooks.history.runs import Compaction, Run

MOST_HOOKS = 10_000
"""Commands that are told apart. A session that makes up a new command for each run must not fill the memory."""

MOST_SESSIONS = 100_000
LEFT_TOGETHER = "(commands after the first 10,000)"
NOT_NAMED = "(the client does not say which)"


@dataclass
class Hook:
    """What is known of one command at one event.

    Attributes:
        runs: runs seen; a silent success leaves no trace but at Stop.
        failures: runs that ended with another status than 0 and 2, or by a signal.
        timeouts: runs that the client ended at their time limit.
        blocks: runs that blocked.
        last_success: of a run that did not fail, UTC; None when there is none.
    """

    event: str
    command: str
    runs: int = 0
    failures: int = 0
    timeouts: int = 0
    blocks: int = 0
    last_success: str | None = None
    last_failure: str | None = None
    first_stderr: str | None = None
    last_exit: int | None = None
    sessions: set[str] = field(default_factory=set)
    _times: Counter[float] = field(default_factory=Counter)

    def add(self, run: Run) -> None:
        """Count one run."""
        self.runs += 1
        if len(self.sessions) < MOST_SESSIONS:
            self.sessions.add(run.session)
        if run.milliseconds is not None:
            self._times[float(f"{run.milliseconds:.3g}")] += 1  # to three digits: so many different ones there are
        if run.ended in ("failed", "timed out"):
            self.failures += run.ended == "failed"
            self.timeouts += run.ended == "timed out"
            self.last_failure = max(self.last_failure or "", run.at) or None
            self.last_exit = run.exit
            line = next((line.strip() for line in run.stderr.splitlines() if line.strip()), None)
            self.first_stderr = self.first_stderr or line
        elif run.ended != "cancelled":
            self.blocks += run.ended == "blocked"
            self.last_success = max(self.last_success or "", run.at) or None

    def percentile(self, share: float) -> float | None:
        """The time in milliseconds that `share` of the runs stayed within; None where no time is written down."""
        wanted = share * sum(self._times.values())
        for spent in sorted(self._times):
            wanted -= self._times[spent]
            if wanted <= 0:
                return spent
        return None


@dataclass
class Summary:
    """All that was seen.

    Attributes:
        hooks: (event, command) -> what is known of it, in the order first seen.
        sessions: the ids of all sessions with a hook run or a compaction.
        compactions: how many compactions there were.
    """

    hooks: dict[tuple[str, str], Hook] = field(default_factory=dict)
    sessions: set[str] = field(default_factory=set)
    compactions: int = 0

    def take(self, seen: Iterable[Run | Compaction]) -> Iterator[Run]:
        """Count what is seen; gives back each run that failed or timed out, as it comes."""
        for one in seen:
            if len(self.sessions) < MOST_SESSIONS:
                self.sessions.add(one.session)
            if isinstance(one, Compaction):
                self.compactions += 1
                continue
            self._hook(one.event, one.command or NOT_NAMED).add(one)
            if one.ended in ("failed", "timed out"):
                yield one

    def _hook(self, event: str, command: str) -> Hook:
        key = (event, command)
        if key not in self.hooks and len(self.hooks) >= MOST_HOOKS:
            key = (event, LEFT_TOGETHER)
        return self.hooks.setdefault(key, Hook(*key))
