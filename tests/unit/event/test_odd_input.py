"""Whatever an event or a log holds, the hooks of a compaction answer within their bounds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dreamwork_hooks.cli.main import main
from dreamwork_hooks.memory.focus_log import timestamp
from dreamwork_hooks.memory.state import StateDir
from tests.support.loop import SESSION, Loop
from tests.support.targets import make_target

Json = dict[str, Any]

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
ODD = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Loop:
    root = tmp_path_factory.mktemp("odd")
    loop = Loop(make_target(root / "project"), root / "home")
    loop.configure(evidence=True)
    return loop


def fields(*names: str) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries({}, optional=dict.fromkeys(names, VALUES))


@ODD
@given(fields("session_id", "transcript_path", "trigger", "source", "compact_summary", "custom_instructions"))
def test_any_event_is_answered(place: Loop, event: Json) -> None:
    for word in ("precompact", "sessionstart", "postcompact"):
        answer = place.run(word, {"source": "compact", **event, "cwd": str(place.target)})
        assert isinstance(answer["ok"], bool)


HELD = st.fixed_dictionaries(
    {"ts": st.just(timestamp(1_900_000_000)) | VALUES, "session_id": st.just(SESSION) | VALUES},
    optional={
        "current_task": VALUES,
        "current_task_ids": st.lists(VALUES, max_size=4) | VALUES,
        "goal": VALUES,
        "head": st.fixed_dictionaries({"branch": VALUES, "commit": VALUES}) | VALUES,
        "open_questions": VALUES,
        "awaiting_human": VALUES,
        "evidence": fields("files", "commands", "failing_tests", "numbers") | VALUES,
        "facts": VALUES,
        "lost": st.lists(st.lists(VALUES, min_size=2, max_size=2), max_size=3) | VALUES,
        "record": VALUES,
        "restored": VALUES,
        "steered": VALUES,
        "trigger": VALUES,
        "target": VALUES,
        "note": VALUES,
    },
)


@ODD
@given(st.lists(HELD, max_size=4), st.lists(HELD, max_size=4), VALUES)
def test_any_log_is_read(place: Loop, records: list[Json], audits: list[Json], told: Any) -> None:
    state = StateDir(place.env, str(place.target.resolve()))
    state.close()
    for name, lines in (("precompact-focus.jsonl", records), ("compaction-audit.jsonl", audits)):
        Path(state.path, name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    Path(state.path, "restored.json").write_text(json.dumps({SESSION: told}))
    place.start()
    place.postcompact("x")
    place.precompact()
    for words in ([], ["--json"], ["--survival"], ["--survival", "--json"]):
        ran = CliRunner(env=place.env).invoke(main, ["focus", "--target", str(place.target), *words])
        assert ran.exit_code == 0, (ran.output, ran.exception)
