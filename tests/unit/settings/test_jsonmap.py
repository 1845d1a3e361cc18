"""Where values stand, and what is not JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamwork_hooks.settings.jsonmap import NotJson, parse

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(value=values, indent=st.none() | st.integers(0, 4))
def test_every_span_holds_its_value(value: object, indent: int | None) -> None:
    document = parse(json.dumps(value, indent=indent))
    assert value == document.value
    for path, (start, end) in document.spans.items():
        found: object = value
        for key in path:
            found = found[key]  # type: ignore[index]
        assert found == json.loads(document.text[start:end])


def test_lines_count_from_one() -> None:
    document = parse('{\n  "hooks": {\n    "Stop": [\n      {}\n    ]\n  }\n}')
    assert [document.line(p) for p in [(), ("hooks",), ("hooks", "Stop"), ("hooks", "Stop", 0)]] == [1, 2, 3, 4]
    assert document.line(("hooks", "Stop", 0, "matcher")) == 4


def test_the_last_of_a_duplicate_key_counts() -> None:
    document = parse('{"a": {"x": 1},\n "a": 2}')
    assert document.value == {"a": 2}
    assert document.line(("a",)) == 2
    assert ("a", "x") not in document.spans


def test_a_byte_order_mark_is_no_fault() -> None:
    assert parse(b"\xef\xbb\xbf{}").value == {}


@pytest.mark.parametrize(
    ("text", "word", "line"),
    [
        pytest.param("", "empty", 1, id="empty"),
        pytest.param('{"a": 1,\n}', "trailing comma", None, id="comma in an object"),
        pytest.param('{"a": [1,\n]}', "trailing comma", None, id="comma in a list"),
        pytest.param('{\n // note\n "a": 1}', "comments", 2, id="comment"),
        pytest.param('{"a": 1} // note', "comments", 1, id="comment after the end"),
        pytest.param('{"a": ', "ends too early", 1, id="cut off"),
        pytest.param('{"a": NaN}', "NaN", 1, id="not a number"),
        pytest.param("[" * 100_000, "nested too deep", 1, id="too deep"),
    ],
)
def test_what_is_not_json_says_why_and_where(text: str, word: str, line: int | None) -> None:
    with pytest.raises(NotJson) as caught:
        parse(text)
    assert word in caught.value.problem
    assert line in (None, caught.value.line)
