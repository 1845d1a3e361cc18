"""Every recorded event through every hook of the built archive, by the package's own `hook_runner`.

A hook may be wired under the wrong event, and any client may send an event that was never seen: whatever comes, the
hook gives one JSON object in time, exits 0, blocks nothing, and tells the model nothing it was not asked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.host.pytest_plugin import HookRunner, RanHook
from tests.conftest import EVENTS
from tests.support.spawn import BUDGETS, Beside, Starved, fed

pytestmark = pytest.mark.every

OWN_EVENT = {
    "precompact": "PreCompact",
    "posttooluse": "PostToolUse",
    "sessionstart": "SessionStart",
    "postcompact": "PostCompact",
}
# Plain text, JSON or not, is read by the model at these events: a hook wired there by mistake is seen to be.
SHOWING = ("PreCompact-manual", "PostCompact")
RECORDED = sorted(path.stem for path in EVENTS.glob("*.json"))


@pytest.fixture
def run(hook_runner: HookRunner, pyz: Path, target: Path) -> Any:
    def run_one(word: str, event: str) -> RanHook:
        runs: list[RanHook] = []

        def attempt(number: int) -> None:
            with Beside() as beside:
                runs.append(hook_runner([str(pyz), word], event, cwd=target).check(exit=0))
            try:
                runs[-1].check(budget=BUDGETS[word])
            except pytest.fail.Exception as late:
                if beside.starved:
                    raise Starved(str(late)) from None
                raise

        fed(attempt)
        return runs[-1]

    return run_one


def test_there_is_a_recording_for_each_hook() -> None:
    assert OWN_EVENT.keys() == BUDGETS.keys()
    for event in OWN_EVENT.values():
        assert any(name.startswith(event) for name in RECORDED)


@pytest.mark.parametrize("word", OWN_EVENT)
def test_a_hook_answers_every_event_of_its_own_and_blocks_none(run: Any, word: str) -> None:
    names = [name for name in RECORDED if name.partition("-")[0] == OWN_EVENT[word]]
    for name in names:
        ran = run(word, name)
        assert ran.answer["ok"] is True, (name, ran)
        assert ran.reading.status == "ok", (name, ran.reading)
        assert ran.reading.misbehaviour == (), (name, ran.reading)
        assert not ran.reading.decision.block, name


@pytest.mark.parametrize("word", OWN_EVENT)
def test_a_hook_wired_under_another_event_says_so_and_harms_nothing(run: Any, word: str) -> None:
    for name in RECORDED:
        if name.partition("-")[0] == OWN_EVENT[word]:
            continue
        ran = run(word, name)
        assert ran.answer["ok"] is False, (name, ran)
        assert "error" in ran.answer, (name, ran)
        assert not ran.reading.decision.block, name
        assert ran.reading.misbehaviour == (), (name, ran.reading)
        if not name.startswith(SHOWING):
            assert ran.reading.model == (), name
