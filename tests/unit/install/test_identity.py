"""Our handlers in every form, anywhere: brought up to date whole, each once, and nothing of anybody else's touched."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamwork_hooks.install import plan
from dreamwork_hooks.install.handlers import GROUPS, WIRED_OPTIONS, Wording
from dreamwork_hooks.install.ours import EVENTS, role_of
from dreamwork_hooks.settings.jsontext import parse
from tests.support.bench import Bench

HOME = "/home/a b"
PATH = f"{HOME}/.config/dreamwork/bin/dreamwork-hooks.pyz"
BELOW = ".config/dreamwork/bin/dreamwork-hooks.pyz"
LINES = [
    f"'{PATH}' WORD",
    f'"$HOME"/{BELOW} WORD',
    f'"$HOME/{BELOW}" WORD',
    f"~/{BELOW} WORD",
    f'[ ! -x "$HOME"/{BELOW} ] || exec "$HOME"/{BELOW} WORD',
    f"/home/other/{BELOW} WORD",
    f"python3 '{PATH}' WORD",
    f"/usr/bin/env '{PATH}' WORD",
    f"timeout 5 nice -n 5 '{PATH}' WORD",
    f"sh -c '~/{BELOW} WORD'",
    f"[ -x ~/{BELOW} ] && ~/{BELOW} WORD || true",
    f"'{PATH}'",
    "python3 ~/ud-dreamwork-hooks/hooks/precompact_focus.py",
]
WORDS = [
    [PATH, "WORD"],
    ["/usr/bin/env", PATH, "WORD"],
    ["/usr/bin/env", "-S", f"python3 '{PATH}' WORD"],
    ["python3", PATH, "WORD"],
    ["timeout", "5", "env", PATH, "WORD"],
    ["/bin/sh", "-c", f"'{PATH}' WORD"],
]
THEIRS: list[dict[str, object]] = [
    {"type": "command", "command": "/usr/bin/env", "args": ["python3", "/x.py"]},
    {"type": "command", "command": "echo dreamwork-hooks.pyz precompact"},
    {"type": "command", "command": f"'{PATH}' lint"},
    {"command": "make  lint", "type": "command", "timeout": 7},
    {"type": "prompt", "prompt": "well?"},
]


def in_words(words: list[str], word: str) -> dict[str, Any]:
    command, *args = [part.replace("WORD", word) for part in words]
    return {"type": "command", "command": command, "args": args}


words = st.sampled_from(list(EVENTS))
ours = st.one_of(
    st.builds(lambda line, word: {"type": "command", "command": line.replace("WORD", word)},
              st.sampled_from(LINES), words),
    st.builds(in_words, st.sampled_from(WORDS), words),
    st.builds(lambda base, more: {**base, **more}, st.builds(in_words, st.sampled_from(WORDS), words),
              st.sampled_from([{"async": True}, {"timeout": 1}, {"if": "Bash"}, {"shell": "bash"}, {"once": True}])),
)  # fmt: skip
groups = st.builds(
    lambda matcher, hooks: {**matcher, "hooks": hooks},
    st.sampled_from([{}, {"matcher": "Write|Edit"}, {"matcher": "*"}, {"matcher": "Bash"}]),
    st.lists(st.one_of(ours, st.sampled_from(THEIRS)), min_size=1, max_size=4),
)
files = st.dictionaries(
    st.sampled_from([*EVENTS.values(), "Stop"]), st.lists(groups, min_size=1, max_size=3), max_size=4
)


def handlers_of(text: str) -> list[tuple[str, object, dict[str, Any]]]:
    hooks = json.loads(text).get("hooks", {})
    return [
        (event, group.get("matcher") if group.get("matcher") != "*" else None, handler)
        for event, listed in hooks.items()
        for group in listed
        for handler in group["hooks"]
    ]


def foreign(text: str) -> list[str]:
    return [json.dumps((event, handler)) for event, _, handler in handlers_of(text) if role_of(handler) is None]


@settings(max_examples=80, deadline=None)
@given(
    files,
    st.sampled_from([frozenset[str](), frozenset({"bash"}), frozenset(WIRED_OPTIONS)]),
    st.sampled_from([None, 2]),
)
def test_each_of_our_handlers_stands_once_and_nothing_else_is_touched(
    hooks: dict[str, object], options: frozenset[str], indent: int | None
) -> None:
    text = json.dumps({"model": "m", "hooks": hooks}, indent=indent)
    wording = Wording(PATH, HOME)
    options = options | plan.options_in(parse(text))
    done = plan.install(text, wording, options)
    wanted = [
        (group.event, group.matcher, group.role, rule)
        for group in GROUPS
        if not group.option or group.option in options
        for rule in group.rules
    ]
    found = [
        (event, matcher, role_of(handler), handler.get("if"))
        for event, matcher, handler in handlers_of(done.text)
        if role_of(handler) is not None
    ]
    assert Counter(found) == Counter(wanted)
    assert foreign(done.text) == foreign(text)
    assert plan.missing(parse(done.text), wording, options) == []
    assert plan.install(done.text, wording, options).changes == []
    for _, _, handler in handlers_of(done.text):  # no launcher is left without what it launched
        if role_of(handler) is None:
            assert handler in THEIRS
    taken = plan.uninstall(done.text, {})
    assert all(role_of(handler) is None for _, _, handler in handlers_of(taken.text))
    assert foreign(taken.text) == foreign(text)
    if foreign(text):
        assert all(f'"{word}"' in taken.text for word in ("model", "hooks"))


def test_a_launcher_in_exec_form_is_replaced_whole_and_works(bench: Bench) -> None:
    event = {"hooks": [in_words(["/usr/bin/env", str(bench.program), "WORD"], "precompact")]}
    bench.write(json.dumps({"hooks": {"PreCompact": [event]}}, indent=2))
    refused = bench.install()
    assert refused.status == 2
    assert str(refused.answer["error"]).count("PreCompact") == 1
    assert bench.install(force=True).status == 0
    for _, _, handler in handlers_of(bench.settings.read_text()):
        assert "args" not in handler
        ran = subprocess.run(["/bin/sh", "-c", handler["command"]], capture_output=True, env=bench.env, check=True)
        assert json.loads(ran.stdout)["ok"] is True


@pytest.mark.parametrize("scope", ["user", "local"])
def test_the_portable_form_is_written_on_request_and_then_kept(bench: Bench, scope: str) -> None:
    target = None if scope == "user" else str(bench.root)
    assert bench.install(scope=scope, target=target, portable=True).status == 0
    file = bench.settings if scope == "user" else bench.root / ".claude" / "settings.local.json"
    assert '"$HOME"/' in json.loads(file.read_text())["hooks"]["PreCompact"][0]["hooks"][0]["command"]
    assert bench.install(scope=scope, target=target).answer["changed"] is False


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_a_project_s_command_is_silent_where_the_file_is_not_and_runs_it_where_it_is(bench: Bench, shell: str) -> None:
    assert bench.install(scope="project", target=str(bench.root)).status == 0
    hooks = json.loads((bench.root / ".claude" / "settings.json").read_text())["hooks"]
    command = hooks["PreCompact"][0]["hooks"][0]["command"]
    elsewhere = {"HOME": "/nowhere", "PATH": os.defpath}
    for env, said in ((elsewhere, b""), (bench.env, b'"ok":true')):
        ran = subprocess.run([shell, "-c", command], capture_output=True, env=env)
        assert ran.returncode == 0
        assert said in ran.stdout
        assert bool(ran.stdout) is bool(said)
        assert ran.stderr == b""


def test_every_form_here_is_one_of_ours() -> None:
    for line in LINES:
        assert role_of({"command": line.replace("WORD", "precompact")}) in ("precompact", "")
    for form in WORDS:
        assert role_of(in_words(form, "precompact")) == "precompact"
    assert all(role_of(handler) is None for handler in THEIRS)
    assert Path(PATH).name == "dreamwork-hooks.pyz"
