"""How often an install reads and parses the settings file, and that it stays linear in its size."""

from __future__ import annotations

import json
import os
import time

import pytest

from dreamwork_hooks.install import plan
from dreamwork_hooks.install.handlers import Wording
from dreamwork_hooks.settings import jsontext
from dreamwork_hooks.settings.configuration import merge
from dreamwork_hooks.settings.reading import read_text
from tests.support.bench import Bench

OTHERS = {"hooks": {"PostToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "true"}]}]}}
ALL = frozenset({"restore", "audit", "bash"})


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How many texts were parsed, how many plans made, and how often the settings file was opened to be read."""
    counts = {"parsed": 0, "planned": 0, "read": 0}
    parse, planned, opened = jsontext._Parser.document, plan.install, os.open

    def parsing(parser: jsontext._Parser) -> jsontext.Document:
        counts["parsed"] += 1
        return parse(parser)

    def planning(*args: object, **keys: object) -> plan.Plan:
        counts["planned"] += 1
        return planned(*args, **keys)  # type: ignore[arg-type]

    def opening(path: object, flags: int, *args: object, **keys: object) -> int:
        if str(path).endswith("/settings.json") and not flags & (os.O_WRONLY | os.O_RDWR):
            counts["read"] += 1
        return opened(path, flags, *args, **keys)  # type: ignore[arg-type]

    monkeypatch.setattr(jsontext._Parser, "document", parsing)
    monkeypatch.setattr(plan, "install", planning)
    monkeypatch.setattr(os, "open", opening)
    return counts


@pytest.mark.parametrize("before", [None, "", "{}", json.dumps(OTHERS), json.dumps(OTHERS, indent=2)])
@pytest.mark.parametrize("add", [frozenset[str](), ALL])
def test_an_install_parses_the_settings_at_most_three_times(
    bench: Bench, counted: dict[str, int], before: str | None, add: frozenset[str]
) -> None:
    if before is not None:
        bench.write(before.encode())
    assert bench.install(add=add).status == 0
    assert counted["parsed"] <= 3
    assert counted["planned"] == 1


def test_an_install_that_has_nothing_to_do_parses_the_settings_once(bench: Bench, counted: dict[str, int]) -> None:
    bench.install(add=ALL)
    counted.update(parsed=0, planned=0)
    assert bench.install(add=ALL).answer["changed"] is False
    assert (counted["parsed"], counted["planned"]) == (1, 1)


def large(groups: int) -> str:
    handlers = [{"matcher": "Write", "hooks": [{"type": "command", "command": f"x{at}"}]} for at in range(groups)]
    return json.dumps({"hooks": {"PostToolUse": handlers, "Stop": [7] * groups}}, indent=1)


def test_large_settings_are_read_and_planned_in_linear_time() -> None:
    """Eight times the groups in about eight times the time: all that is done with them, malformed ones too."""

    def seconds(groups: int) -> float:
        text = large(groups)
        begun = time.process_time()
        layer = read_text(text)
        merged = merge([layer])
        assert (len(layer.handlers), len(layer.problems)) == (groups, groups)
        assert not any(handler in merged.lost_handlers for handler in layer.handlers)
        done = plan.install(text, Wording("/p/dreamwork-hooks.pyz"), ALL)
        plan.uninstall(done.text, done.emptied)
        return time.process_time() - begun

    seconds(100)
    assert seconds(4_000) < 24 * seconds(500)
