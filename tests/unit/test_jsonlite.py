"""JSON without the `json` module reads and writes what `json` does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamwork_hooks.jsonlite import dumps, loads, loads_shallow

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_what_json_writes_is_read_as_json_reads_it(value: Any) -> None:
    assert loads(json.dumps(value)) == value
    assert loads(json.dumps(value, ensure_ascii=False, indent=1)) == value


@given(values)
def test_what_is_written_is_one_line_of_ascii_that_json_reads(value: Any) -> None:
    text = dumps(value)
    assert text.isascii()
    assert "\n" not in text
    assert json.loads(text) == value


@given(st.text(alphabet='[]{}",:\\ntruefalsenull0123456789.eE+- \t\n\ud800é'))
def test_what_json_refuses_is_refused(text: str) -> None:
    try:
        expected = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        with pytest.raises((ValueError, RecursionError)):
            loads(text)
    else:
        assert loads(text) == expected


@pytest.mark.parametrize(
    "text", ["", " ", "NaN", "[Infinity]", '{"a":-Infinity}', "{} {}", "[1,]", "{'a':1}", "\ufeff{}"]
)
def test_a_refusal_says_why(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        loads(text)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000])
def test_deep_nesting_is_an_error_that_can_be_caught(text: str) -> None:
    with pytest.raises((RecursionError, ValueError)):
        loads(text)


def test_of_a_key_named_twice_the_last_wins() -> None:
    assert loads('{"a":1,"a":2}') == {"a": 2}


def test_a_number_too_long_to_be_one_is_read_in_no_time() -> None:
    assert loads("9" * 2_000_000) == float("inf")
    assert loads("1" * 999) == int("1" * 999)
    assert loads("-" + "9" * 2_000_000) == float("-inf")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_has_not_is_written_as_null(value: float) -> None:
    assert dumps({"a": value}) == '{"a":null}'


@pytest.mark.parametrize("value", [b"x", {1}, object()])
def test_what_is_not_json_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        dumps(value)


def test_what_we_wrote_ourselves_is_nested_only_so_deep() -> None:
    shallow = {"a": [[i, str(i)] for i in range(500)], "b": {"c": [{}] * 30}}
    assert loads_shallow(json.dumps(shallow)) == shallow
    assert loads_shallow(json.dumps("[{" * 300)) == "[{" * 300
    for deep in ("[" * 700 + "]" * 700, '{"a":' * 30 + "1" + "}" * 30, '{"a":[1,' + "[" * 25 + "]" * 26 + "}"):
        with pytest.raises(ValueError, match="nested deeper than 20"):
            loads_shallow(deep)
