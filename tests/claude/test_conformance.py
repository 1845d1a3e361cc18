"""The host against the real client: the same settings, the same events, and what came of them.

A difference fails, unless it is in `EXCEPTIONS` with its reason; an exception that is none any more fails too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.claude import conformance_commands as commands
from tests.claude import conformance_compaction as compaction
from tests.claude import conformance_filters as filters
from tests.claude import conformance_layers as layers
from tests.claude import conformance_sources as sources
from tests.claude import conformance_tools as tools
from tests.claude import conformance_turn as turn
from tests.claude.conformance_bench import EVERY_EVENT, Pair

Judge = Callable[[Path, Path], "dict[str, Pair]"]

GROUPS: dict[str, tuple[Iterable[str], Judge]] = {
    "a tool call": (tools.alone_cases(), tools.judge_alone),
    "hooks at odds": (tools.FOLDED, tools.judge_folded),
    "the end of a run": (tools.ENDING, tools.judge_ending),
    "a prompt": (turn.PROMPTS.cases, turn.PROMPTS.judge),
    "a batch": (turn.BATCHES.cases, turn.BATCHES.judge),
    "a stop": (turn.STOPPINGS.cases, turn.STOPPINGS.judge),
    "a subagent's stop": (turn.SUBAGENT_STOPPINGS.cases, turn.SUBAGENT_STOPPINGS.judge),
    "a session": (turn.quiet_cases(), turn.judge_quiet),
    "before a compaction": (compaction.BEFORE, compaction.judge_before),
    "after a compaction": (compaction.AFTER, compaction.judge_after),
    "a filter on tools": (filters.matcher_cases(), filters.judge_tools),
    "a filter on others": (filters.other_cases(), filters.judge_others),
    "settings merged": (layers.MERGED, layers.judge_merged),
    "hooks switched off": (layers.SWITCHED, layers.judge_switched),
    "a file voided": (layers.voiding_cases(), layers.judge_voiding),
    "an entry dropped": (layers.dropping_cases(), layers.judge_dropping),
    "a command": (commands.CASES, commands.judge),
    "a plugin": ([*sources.PLUGINS, sources.SAME], sources.judge_plugins),
    "an installed plugin": (sources.INSTALLED, sources.judge_installed),
    "a skill": (sources.SKILLS, sources.judge_skills),
    "an agent": (sources.AGENTS, sources.judge_agents),
    "the summarizer": ([compaction.SETTINGS_ORDER], compaction.judge_order),
}
CASES = [(group, case) for group, (cases, _) in GROUPS.items() for case in cases]
CASES += [(group, EVERY_EVENT) for group in GROUPS if group not in ("hooks switched off", "a file voided")]

_ASKS = "print mode asks nobody: the client refuses with the reason, the host leaves the asking to the agent"
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("a tool call", "PreToolUse-ask"): _ASKS,
    **{("hooks at odds", name): _ASKS for name in tools.ASKED},
}


@pytest.fixture(scope="module")
def judged(
    client: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Callable[[str], dict[str, Pair]]]:
    """The sessions of all groups that are asked about, two at a time: most of a session is waiting."""
    asked = [getattr(item, "callspec", None) for item in request.session.items if item.path == Path(__file__)]
    wanted = {spec.params["group"] for spec in asked if spec is not None}
    with ThreadPoolExecutor(2) as pool:
        playing = {
            name: pool.submit(judge, client, tmp_path_factory.mktemp("conformance"))
            for name, (_, judge) in GROUPS.items()
            if name in wanted
        }
        yield lambda name: playing[name].result()
        for future in playing.values():
            future.cancel()


@pytest.mark.parametrize(("group", "case"), CASES, ids=[f"{group}: {case}" for group, case in CASES])
def test_the_host_does_what_the_client_did(judged: Callable[[str], dict[str, Pair]], group: str, case: str) -> None:
    pair = judged(group)[case]
    if (group, case) in EXCEPTIONS:
        assert pair.host != pair.client, "no exception any more"
    else:
        assert pair.host == pair.client


def test_there_are_enough_cases() -> None:
    assert len(set(CASES)) == len(CASES) >= 80
    assert set(EXCEPTIONS) <= set(CASES)
