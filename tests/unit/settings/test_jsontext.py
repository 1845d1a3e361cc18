"""The parser agrees with Python's own on what is JSON, and every span is where it says."""

from __future__ import annotations

import json
import math

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
