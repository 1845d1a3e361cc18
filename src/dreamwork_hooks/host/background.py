"""`async` hooks: started and left alone, their words kept for the next dispatch, none left running at the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from dreamwork_hooks.processes.cancel import Cancel
from dreamwork_hooks.processes.running import Ended, Job, run_jobs


class Background:
    """The detached runs of one host."""

    def __init__(self, output_cap: int, grace: float) -> None:
        self._output_cap = output_cap
        self._grace = grace
        self._lock = threading.Lock()
        self._live: dict[threading.Thread, Cancel] = {}

    def start(self, job: Job, done: Callable[[Ended], None]) -> None:
        """Run a job in a thread of its own; `done` is called there when it has ended."""
        cancel = Cancel()

        def run() -> None:
            try:
                ended = run_jobs([job], output_cap=self._output_cap, grace=self._grace, cancel=cancel)[0]
                done(ended)
            finally:
                with self._lock:
                    self._live.pop(thread, None)
                cancel.close()

        thread = threading.Thread(target=run, name="async hook", daemon=True)
        with self._lock:
            self._live[thread] = cancel
        thread.start()

    @property
    def running(self) -> int:
        """How many have not ended yet."""
        with self._lock:
            return len(self._live)

    def drain(self, seconds: float) -> None:
        """Wait that long for all to end, then end the others: the client, too, kills them when the run ends."""
        until = time.monotonic() + seconds
        with self._lock:
            live = dict(self._live)
        for thread in live:
            thread.join(max(0.0, until - time.monotonic()))
        for thread, cancel in live.items():
            if thread.is_alive():
                cancel.throw()
        for thread in live:
            thread.join()
