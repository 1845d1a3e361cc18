"""The parser agrees with Python's own on what is JSON, and every span is where it says."""

from __future__ import annotations

import json
import math
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dreamwork_hooks.install import handlers as snippet
from dreamwork_hooks.install import plan
from dreamwork_hooks.settings import textedit
from dreamwork_hooks.settings.jsontext import Document, JsonSyntaxError, Node, parse, position, walk

PROGRAM = snippet.Wording("/h/.config/dreamwork/bin/dreamwork-hooks.pyz")
ALL = frozenset(snippet.WIRED_OPTIONS)

# How long an example takes says how busy the machine is.
settings.register_profile("calm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("calm")

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=()), max_size=12)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
spaces = st.text(" \t\n\r", max_size=3)
# Groups of the person's own, and events that are ours, others', and empty.
groups = st.fixed_dictionaries(
    {
        "hooks": st.lists(
            st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=8)}), max_size=2
        )
    },
    optional={"matcher": st.sampled_from(["", "Bash", "Write|Edit", "compact"]), "note": scalars},
)
hooks = st.dictionaries(
    st.sampled_from(["PreCompact", "PostToolUse", "SessionStart", "Stop", "Other"]), st.lists(groups, max_size=2)
)
objects = st.builds(
    lambda rest, wired, first: {**wired, **rest} if first else {**rest, **wired},
    st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), values, max_size=4),
    st.one_of(st.just({}), st.builds(lambda value: {"hooks": value}, hooks)),
    st.booleans(),
)


@st.composite
def written(draw: st.DrawFn, content: st.SearchStrategy[object]) -> str:
    """JSON text of the content in one of many layouts, down to a different blank at every place."""
    value = draw(content)
    if draw(st.booleans()):
        indent = draw(st.sampled_from([None, 0, 1, 2, 4, "\t"]))
        separators = draw(st.sampled_from([None, (",", ":"), (" , ", " : "), (",", ": ")]))
        text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
        text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    else:
        text = _scattered(draw, value)
    return draw(st.sampled_from(["", "\ufeff"])) + draw(spaces) + text + draw(spaces)


def _scattered(draw: st.DrawFn, value: object) -> str:
    if isinstance(value, dict):
        members = [
            f"{draw(spaces)}{json.dumps(key)}{draw(spaces)}:{draw(spaces)}{_scattered(draw, item)}{draw(spaces)}"
            for key, item in value.items()
        ]
        return "{" + (",".join(members) or draw(spaces)) + "}"
    if isinstance(value, list):
        items = [f"{draw(spaces)}{_scattered(draw, item)}{draw(spaces)}" for item in value]
        return "[" + (",".join(items) or draw(spaces)) + "]"
    return json.dumps(value)


def value_of(document: Document, node: Node) -> object:
    """The data that the spans of a node come to: only strings and scalars are read by Python's own parser."""
    if node.kind == "object":
        return {member.key: value_of(document, member.value) for member in node.members}
    if node.kind == "array":
        return [value_of(document, item) for item in node.items]
    return json.loads(document.source(node))


@given(written(values))
def test_every_json_text_is_read_as_python_reads_it(text: str) -> None:
    document = parse(text)
    assert document.root is not None
    assert value_of(document, document.root) == json.loads(text.lstrip("\ufeff"))
    for node in walk(document.root):
        assert value_of(document, node) == json.loads(document.source(node))


@given(st.text('{}[]",:/*ab01-+.eE\\u \n', max_size=24))
def test_text_that_python_refuses_is_refused_and_the_other_way_round(text: str) -> None:
    try:
        root = parse(text).root if not parse(text).comments else None
    except JsonSyntaxError:
        with pytest.raises(ValueError):
            json.loads(text)
        return
    if root is not None:
        json.loads(text)


@settings(max_examples=300)
@given(written(objects), st.sampled_from([frozenset(), ALL, frozenset({"bash"})]))
def test_any_settings_survive_outside_our_spans(text: str, options: frozenset[str]) -> None:
    """Installing leaves every byte of the person's in order, and uninstalling gives the text back."""
    done = plan.install(text, PROGRAM, options)
    assert done.differing == []
    assert plan.missing(parse(done.text), PROGRAM, options) == []
    assert plan.install(done.text, PROGRAM, options).text == done.text
    assert plan.uninstall(done.text, done.emptied).text == text
    # What is not ours reads the same, as the client would read it.
    before, after = json.loads(text.lstrip("\ufeff")), json.loads(done.text.lstrip("\ufeff"))
    own = after.pop("hooks")
    theirs = before.pop("hooks", {})
    assert _same(before, after)
    for event, groups in theirs.items():
        assert own[event][: len(groups)] == groups


def _same(left: object, right: object) -> bool:
    if isinstance(left, float) and math.isnan(left):
        return isinstance(right, float) and math.isnan(right)
    return left == right


@given(written(objects))
def test_options_come_and_go_without_a_trace(text: str) -> None:
    base = plan.install(text, PROGRAM, frozenset())
    more = plan.install(base.text, PROGRAM, ALL, base.emptied)
    less = plan.install(more.text, PROGRAM, frozenset(), {**more.emptied, **base.emptied})
    assert less.text == base.text
    assert plan.uninstall(more.text, {**more.emptied, **base.emptied}).text == text


def test_depth_is_no_limit() -> None:
    text = "[" * 200_000 + "]" * 200_000
    node: Node | None = parse(text).root
    assert node is not None
    assert (node.start, node.end) == (0, 400_000)


def test_a_long_string_that_never_ends_is_refused_at_once() -> None:
    """A pattern that tries every way to split the string would take until the end of days."""
    with pytest.raises(JsonSyntaxError, match="not closed"):
        parse('{"a": "' + "x\\n" * 200_000)


def test_positions_count_from_one_and_the_byte_order_mark_takes_no_column() -> None:
    assert position('\ufeff{"a"', 1) == (1, 1)
    assert position("a\nbc", 3) == (2, 2)


@pytest.mark.parametrize(
    ("text", "index", "left"),
    [
        ("[1, 2, 3]", 0, "[2, 3]"),
        ("[1, 2, 3]", 1, "[1, 3]"),
        ("[1, 2, 3]", 2, "[1, 2]"),
        ("[1]", 0, "[]"),
        ("[\n  1,\n  2\n]", 0, "[\n  2\n]"),
        ("[\n  1,\n  2\n]", 1, "[\n  1\n]"),
        ("[ 1 , 2 ]", 1, "[ 1 ]"),
        ("[\n  1, // one\n  2 // two\n]", 1, "[\n  1 // one // two\n]"),
        ("[\n  // one\n  1, 2\n]", 0, "[\n  // one\n  2\n]"),
        ("[1 /* , */, 2]", 0, "[ /* , */2]"),
        ("[ /* kept */ 1 ]", 0, "[ /* kept */ ]"),
    ],
)
def test_an_item_is_taken_out_with_its_comma_and_the_comments_stay(text: str, index: int, left: str) -> None:
    document = parse(text)
    assert document.root is not None
    after = textedit.remove(document, document.root, index)
    assert after == left
    parse(after)


@given(value=values, indent=st.none() | st.integers(0, 4))
def test_every_span_holds_its_value(value: object, indent: int | None) -> None:
    document = parse(json.dumps(value, indent=indent))
    assert document.root is not None
    assert document.value(document.root, 99) == value
    for node in walk(document.root):
        assert document.value(node, 99) == json.loads(document.source(node))


def test_lines_count_from_one() -> None:
    document = parse('{\n  "hooks": {\n    "Stop": [\n      {}\n    ]\n  }\n}')
    assert document.root is not None
    starts = [document.position(node.start)[0] for node in walk(document.root)]
    assert starts == [1, 2, 3, 4]
    assert [document.position(offset) for offset in range(len(document.text))] == [
        position(document.text, offset) for offset in range(len(document.text))
    ]


def test_the_last_of_a_duplicate_key_counts() -> None:
    document = parse('{"a": {"x": 1},\n "a": 2}')
    assert document.root is not None
    assert document.value(document.root) == {"a": 2}
    last = document.root.get("a")
    assert last is not None
    assert document.position(last.start)[0] == 2


def test_a_byte_order_mark_is_no_fault() -> None:
    document = parse("\ufeff{}")
    assert document.root is not None
    assert document.value(document.root) == {}
    with pytest.raises(JsonSyntaxError):  # two of them are one (measured)
        parse("\ufeff\ufeff{}")


@pytest.mark.parametrize(
    ("text", "word", "line"),
    [
        pytest.param('{"a": 1,\n}', "trailing comma", 1, id="comma in an object"),
        pytest.param('{"a": [1,\n]}', "trailing comma", 1, id="comma in a list"),
        pytest.param('{"a": ', "the end of the file", 1, id="cut off"),
        pytest.param('{"a": NaN}', "NaN", 1, id="not a number"),
        pytest.param('{"a": 01}', "not a JSON number", 1, id="a leading zero"),
        pytest.param("[" * 100_000, "the end of the file", 1, id="never closed"),
    ],
)
def test_what_is_not_json_says_why_and_where(text: str, word: str, line: int) -> None:
    with pytest.raises(JsonSyntaxError) as caught:
        parse(text)
    assert word in caught.value.problem
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("9" * 5000, math.inf),
        ("-" + "9" * 5000, -math.inf),
        ("0." + "1" * 5000, 1 / 9),
        ("1e400", math.inf),
        ("12", 12),
    ],
    ids=["digits", "negative", "fraction", "exponent", "small"],
)
def test_a_number_is_what_javascript_makes_of_it(source: str, value: float) -> None:
    document = parse(source)
    assert document.root is not None
    assert document.value(document.root) == value


def test_a_large_text_is_read_in_linear_time() -> None:
    """Four times the text in about four times the time, also where it repeats a key or asks for every position."""

    def seconds(groups: int) -> float:
        begun = time.process_time()
        document = parse("{\n" + ",\n".join(['"a": {"b": [1, "x"]}'] * groups) + "}")
        assert document.root is not None
        assert document.position(document.root.members[-1].start) == (groups + 1, 1)
        for node in walk(document.root):
            document.position(node.start)
        return time.process_time() - begun

    assert min(seconds(20_000) for _ in range(2)) < 12 * min(seconds(5_000) for _ in range(3))
