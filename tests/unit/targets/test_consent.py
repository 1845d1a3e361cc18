"""Consent: which plugins a DREAMWORK.md declares, and when it declares none at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks import PLUGIN
from dreamwork_hooks.targets.consent import Unresolvable, refusal, resolve

DATA = Path(__file__).parents[2] / "data" / "consent"
EXPECTED: dict[str, dict[str, Any]] = json.loads((DATA / "expected.json").read_text("utf-8"))
FILES = sorted(name for name in EXPECTED if name.endswith(".md"))


def test_every_sample_has_its_expectation() -> None:
    assert sorted(path.name for path in DATA.glob("*.md")) == FILES


@pytest.mark.parametrize("name", FILES)
def test_a_file_declares_what_the_resolver_says(name: str) -> None:
    expected = EXPECTED[name]
    data = (DATA / name).read_bytes()
    if expected["error"] is not None:
        with pytest.raises(Unresolvable) as failed:
            resolve(data)
        assert failed.value.rule == expected["error"]
    else:
        assert resolve(data) == expected["plugins"]


@pytest.mark.parametrize("name", FILES)
def test_the_plugin_is_loaded_exactly_where_the_resolver_loads_it(name: str, tmp_path: Path) -> None:
    (tmp_path / "DREAMWORK.md").write_bytes((DATA / name).read_bytes())
    assert (refusal(str(tmp_path)) is None) is EXPECTED[name]["consent"]


def test_no_file_is_no_consent(tmp_path: Path) -> None:
    assert EXPECTED["(missing file)"]["consent"] is False
    assert refusal(str(tmp_path)) == "there is no DREAMWORK.md"


GOOD = f"- Load: `{PLUGIN}`"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"##Plugins\n{GOOD}\n", id="no white space after the hashes"),
        pytest.param(f"## Plugins:\n{GOOD}\n", id="a colon in the heading"),
        pytest.param(f"## Plugins\n## Other\n{GOOD}\n", id="another heading in between"),
        pytest.param(f"## Plugins\n> {GOOD}\n", id="a quotation"),
        pytest.param(f"## Plugins\n1. Load: `{PLUGIN}`\n", id="a numbered list"),
        pytest.param(f"## Plugins\n- Load `{PLUGIN}`\n", id="no colon"),
        pytest.param(f"## Plugins\n- Load: `{PLUGIN}`.\n", id="a full stop after it"),
        pytest.param(f"## Plugins\n- Load: `{PLUGIN}\n", id="an unclosed back-tick"),
        pytest.param(f"## Plugins\n- Load: ``{PLUGIN}``\n", id="two back-ticks"),
        pytest.param(f"## Plugins\n- Load: ` {PLUGIN}`\n", id="a space inside"),
        pytest.param(f"## Plugins\n- Load: `{PLUGIN.upper()}`\n", id="capitals"),
        pytest.param(f"## Plugins\n- Load: `{PLUGIN}\u0301`\n", id="a combining mark"),
        pytest.param(f"## Plugins\n- Load: `{PLUGIN}x`\n", id="a longer name"),
        pytest.param(f"## Plugins\n- Load: `ud-dreamwork-`\n{GOOD}\n", id="an empty group in another line"),
        pytest.param(f"## Plugins\n{GOOD}\n- Load: `x`\n", id="a bad line after the good one"),
        pytest.param(f"## Plugins\n{GOOD}\n{GOOD}\n", id="twice"),
    ],
)
def test_a_near_miss_is_no_consent(text: str, tmp_path: Path) -> None:
    (tmp_path / "DREAMWORK.md").write_text(text, "utf-8", newline="")
    assert refusal(str(tmp_path)) is not None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"##\tPLUGINS \n{GOOD}", id="a tab, capitals and no final newline"),
        pytest.param(f"## Plugins\n   -Load:`{PLUGIN}`\n", id="no optional space, and some before"),
        pytest.param(f"## Plugins\n{GOOD} because of the ledger\n", id="words after white space"),
        pytest.param(f"## Plugins\u2028{GOOD}\u2028", id="the wide cut of lines"),
        pytest.param(f"## Plugins\n### More\n{GOOD}\n", id="a deeper heading does not end the section"),
    ],
)
def test_what_the_grammar_allows_is_consent(text: str, tmp_path: Path) -> None:
    (tmp_path / "DREAMWORK.md").write_text(text, "utf-8", newline="")
    assert refusal(str(tmp_path)) is None


RIGHT = "- Load: `ud-dreamwork-hooks`"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("## Plugins\n- Load: ud-dreamwork-hooks\n", 2, id="no backticks"),
        pytest.param("# A\n\n## Plugins\n* Load: `ud-dreamwork-hooks`\n", 4, id="another bullet"),
        pytest.param("## Plugins\n- load: `ud-dreamwork-hooks`\n", 2, id="lower case"),
        pytest.param("## Plugins\n- Load `ud-dreamwork-hooks`\n", 2, id="no colon"),
        pytest.param("## Plugins\n- Load: `ud-dreamwork-hooks`, please\n", 2, id="something after it"),
        pytest.param("## Plugins\n- Load: `dreamwork-hooks`\n", 2, id="half the name"),
        pytest.param("## Plugins\nud_dreamwork_hooks\n", 2, id="the name alone"),
        pytest.param("## Plugins\n- [x] Load: `ud-dreamwork-hooks`\n", 2, id="a checkbox"),
    ],
)
def test_a_line_that_is_nearly_it_is_pointed_at(tmp_path: Path, text: str, line: int) -> None:
    (tmp_path / "DREAMWORK.md").write_text(text, "utf-8")
    why = refusal(str(tmp_path))
    assert why is not None
    if "does not resolve" not in why:
        assert f"line {line} is nearly it and must read {RIGHT}" in why


def test_the_right_line_in_the_wrong_place_is_pointed_at(tmp_path: Path) -> None:
    (tmp_path / "DREAMWORK.md").write_text(f"# A\n\n{RIGHT}\n", "utf-8")
    assert refusal(str(tmp_path)) == (
        "DREAMWORK.md does not load this plugin: line 3 would, below a `## Plugins` heading"
    )


OTHERS = ["# A\n", "We use dreamwork-hooks here.\n", "## Plugins\n- Load: `ud-dreamwork-other`\n"]


@pytest.mark.parametrize("text", OTHERS)
def test_other_words_are_no_near_miss(tmp_path: Path, text: str) -> None:
    (tmp_path / "DREAMWORK.md").write_text(text, "utf-8")
    assert refusal(str(tmp_path)) == "DREAMWORK.md does not load this plugin"
