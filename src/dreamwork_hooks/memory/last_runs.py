"""When each hook last ran for a target, last succeeded and last failed: what the doctor shows. Harmless when lost."""

from __future__ import annotations

from dreamwork_hooks.files import Unreadable
from dreamwork_hooks.jsonlite import dumps, loads_shallow
from dreamwork_hooks.memory.state import StateDir
from dreamwork_hooks.quoting import one_line

RUNS = "last-runs.json"
_MAX_BYTES = 16384


def note_run(state: StateDir, word: str, target: str, stamp: str, error: str | None) -> None:
    """Note one run in the locked state directory.

    Args:
        word: the event's word, e.g. `precompact`.
        stamp: UTC, as in the focus log.
        error: why it failed; None when it did not.

    Raises:
        OSError: nothing was changed.
    """
    try:
        runs = loads_shallow(state.read(RUNS, _MAX_BYTES).decode("utf-8", "replace"))
    except (ValueError, RecursionError, OSError, Unreadable):
        runs = None
    if not isinstance(runs, dict):
        runs = {}
    last = runs.get(word)
    if not isinstance(last, dict):
        last = {}
    last["run"] = stamp
    if error is None:
        last["ok"] = stamp
    else:
        last["failure"] = stamp
        last["error"] = one_line(error, 200)
    runs[word] = last
    runs["target"] = target
    data = dumps(runs).encode("ascii") + b"\n"
    if len(data) > _MAX_BYTES:  # what another put there must not keep us from ever noting a run
        data = dumps({word: {"run": stamp, "failure" if error else "ok": stamp}}).encode("ascii") + b"\n"
    state.replace(RUNS, data)
