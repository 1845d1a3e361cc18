"""Many questions in one session: every handler of a set against every tool call of a turn.

A session costs half a second and a hook four milliseconds: ask it of many configurations at once. Where
answers interact (two decisions for one call), give each case a file of its own, named in its handlers' `if`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.messages_api import Turn, say, use_all
from tests.support.recorder import Recorder
from tests.support.session import Place, Ran, ToolResult, run_session

Json = dict[str, Any]

_ABSENT = object()


@dataclass(frozen=True)
class Wired:
    """A recording handler to wire for one event: its group's matcher, and the handler's further keys.

    `matcher` and `if_` are left out of the settings when not given, which is not the same as empty.
    """

    matcher: object = _ABSENT
    if_: object = _ABSENT
    answer: str = ""
    code: int = 0
    keys: tuple[tuple[str, object], ...] = ()

    def group(self, name: str, recorder: Recorder) -> Json:
        """Return the settings' matcher group that holds this handler, recording under `name`."""
        handler = {**recorder.handler(name, self.answer, self.code), **dict(self.keys)}
        if self.if_ is not _ABSENT:
            handler["if"] = self.if_
        matcher = {} if self.matcher is _ABSENT else {"matcher": self.matcher}
        return {**matcher, "hooks": [handler]}


@dataclass(frozen=True)
class Grid:
    """Which handler ran for which call (by index), what each call gave the model, and the session itself."""

    ran_for: dict[str, set[int]]
    results: dict[int, ToolResult]
    session: Ran


def run_grid(
    client: Path,
    place: Place,
    wired: Mapping[str, Wired],
    calls: Sequence[tuple[str, Json]],
    *,
    event: str = "PreToolUse",
    before: Sequence[Turn] = (),
    cwd: Path | None = None,
) -> Grid:
    """Wire all of `wired` for one tool event, let the model make all `calls` in one turn, and see what ran.

    `before` are turns played first (a Read that an Edit needs, a `cd`); hooks' runs for them are not counted.
    The user settings of `place` are written by this. Raises SessionFailed as run_session does.
    """
    recorder = Recorder(place.home / "recorded")
    place.hook(**{event: [handler.group(name, recorder) for name, handler in wired.items()]})
    turns = [*before, use_all(calls), say("done")]
    ran = run_session(client, place, prompts=["go"], turns=turns, cwd=cwd)
    asked = f"toolu_{len(before) + 1:04}_"
    ran_for: dict[str, set[int]] = {name: set() for name in wired}
    for record in recorder.records():
        use_id = str(record.event["tool_use_id"])
        if use_id.startswith(asked):
            ran_for[record.name].add(int(use_id[len(asked) :]))
    results = {int(k[len(asked) :]): v for k, v in ran.tool_results.items() if k.startswith(asked)}
    return Grid(ran_for, results, ran)
