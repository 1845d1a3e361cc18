"""Any settings file: refused untouched, or edited so that every byte outside our own handlers stays."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dreamwork_hooks.install import handlers as snippet
from dreamwork_hooks.install import plan
from dreamwork_hooks.install.survey import WrongShape, survey
from dreamwork_hooks.settings.jsontext import Document, JsonSyntaxError, Node, parse
from tests.support.bench import STAND_IN, Bench
from tests.support.machine import budget
from tests.support.shapes import DATA, as_json, changed, damaged

PATH = "/h/.config/dreamwork/bin/dreamwork-hooks.pyz"
PROGRAM = snippet.Wording(PATH)
ANY = ("utf-8", "surrogateescape")  # how a settings file's bytes become text and bytes again
OPTIONS = [frozenset[str](), frozenset(snippet.WIRED_OPTIONS), frozenset({"bash"})]
FILES = [
    (path / "before.json").read_bytes().replace(b"@PROGRAM@", PATH.encode())
    for path in sorted((DATA / "settings").iterdir())
    if path.is_dir()
]


def _json_files() -> list[object]:
    found = []
    for data in FILES:
        try:
            found.append(json.loads(data.decode(*ANY).lstrip("\ufeff")))
        except (ValueError, RecursionError):
            continue
    return found


settings_files = st.one_of(
    st.sampled_from(FILES).flatmap(damaged),
    st.sampled_from(_json_files()).flatmap(changed).flatmap(as_json),
)


def leaves_outside(document: Document) -> list[str]:
    """The text of every key and every scalar that is no part of a handler of ours or of what was made for it."""
    ours = {one.handler.start for one in survey(document)}
    for one in survey(document):
        inner = one.group.get("hooks")
        whole = inner is not None and all(item.start in ours for item in inner.items)
        if whole and {member.key for member in one.group.members} <= {"matcher", "hooks"}:
            ours.add(one.group.start)
        matcher = one.group.get("matcher")
        if whole and matcher is not None:  # it steers nothing but ours, and is brought up to date with them
            ours.add(matcher.start)
    found: list[str] = []

    def visit(node: Node) -> bool:
        """Note what is in `node`; returns whether anything but ours was."""
        if node.start in ours:
            return False
        here = len(found)
        if node.kind in ("object", "array"):
            theirs = False
            for member in node.members:
                at = len(found)
                if visit(member.value):
                    found.insert(at, document.text[member.start : member.key_end])
                    theirs = True
            for item in node.items:
                theirs = visit(item) or theirs
            if not theirs:
                del found[here:]
            return theirs
        found.append(document.text[node.start : node.end])
        return True

    assert document.root is None or document.root.kind == "object"
    if document.root is not None:
        visit(document.root)
    return found


def is_within(small: str, large: str) -> bool:
    """Whether `small` comes of `large` by taking characters out."""
    rest = iter(large)
    return all(char in rest for char in small)


@budget(6)
@given(settings_files, st.sampled_from(OPTIONS))
@example(b"", OPTIONS[0])
@example(b"\xef\xbb\xbf{}", OPTIONS[1])
@example(b'{"a":"\xff"}', OPTIONS[0])
@example(b'{"hooks":{"PreCompact":[{"hooks":[]}],"PreCompact":[]}}', OPTIONS[0])
@example(b"[" * 100_000 + b"]" * 100_000, OPTIONS[0])
@example(b'{"a":' + b"[" * 5_000 + b"]" * 5_000 + b"}", OPTIONS[0])
def test_any_text_is_refused_or_kept_outside_our_handlers(data: bytes, options: frozenset[str]) -> None:
    refused: JsonSyntaxError | WrongShape | None
    text = data.decode(*ANY)
    assert text.encode(*ANY) == data
    try:
        before = parse(text)
        clean = not survey(before)
        done = plan.install(text, PROGRAM, options)
    except (JsonSyntaxError, WrongShape) as error:
        refused = error
    else:
        refused = None
    if refused is not None:
        assert 1 <= refused.line <= text.count("\n") + 1
        assert refused.column >= 1
        return
    after = parse(done.text)
    assert plan.missing(after, PROGRAM, options) == []
    assert plan.install(done.text, PROGRAM, options).text == done.text
    if clean:
        assert done.differing == []
        assert is_within(text, done.text) or before.root is None
        assert plan.uninstall(done.text, done.emptied, text if before.root is None else None).text == text
    else:
        there = iter(leaves_outside(after))
        assert all(leaf in there for leaf in leaves_outside(before))


@budget(0.6)
@given(settings_files)
def test_any_file_is_left_alone_or_given_back(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    root = tmp_path_factory.getbasetemp() / "settings-machine"
    shutil.rmtree(root, ignore_errors=True)
    (root / "home").mkdir(parents=True)
    (root / "bin").mkdir()
    (root / "bin" / "python3").symlink_to(Path(getattr(sys, "_base_executable", sys.executable)))
    (root / "checkout" / "dist").mkdir(parents=True)
    (root / "checkout" / "dist" / "dreamwork-hooks.pyz").write_bytes(STAND_IN)
    bench = Bench(root, {"HOME": str(root / "home"), "PATH": f"{root / 'bin'}:/usr/bin:/bin"})
    file = bench.write(data)
    done = bench.install()
    assert done.status in (0, 2), done
    if done.status == 2:
        assert file.read_bytes() == data
        assert bench.backups() == []
        assert not bench.program.exists()
    elif file.read_bytes() != data:
        assert [path.read_bytes() for path in bench.backups()] == ([data] if data else [])
        if not survey(parse(data.decode(*ANY))):
            assert bench.uninstall().status == 0
            assert file.read_bytes() == data
    assert bench.strays() == []
