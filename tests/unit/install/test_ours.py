"""A handler is ours by the program it runs, however it is written; a name in its text is nothing."""

from __future__ import annotations

import pytest

from dreamwork_hooks.install.ours import role_of, runs_ours
from dreamwork_hooks.settings.shellwords import simple_commands

P = "/home/u/.config/dreamwork/bin/dreamwork-hooks.pyz"

OURS = [
    (f"{P} precompact", "precompact"),
    (f"'{P}' posttooluse", "posttooluse"),
    (f'"{P}" sessionstart', "sessionstart"),
    ("'/home/a b/c'\"'\"'d/dreamwork-hooks.pyz' postcompact", "postcompact"),
    ("~/.config/dreamwork/bin/dreamwork-hooks.pyz precompact", "precompact"),
    ('"$HOME/.config/dreamwork/bin/dreamwork-hooks.pyz" precompact', "precompact"),
    ('"${HOME}"/.config/dreamwork/bin/dreamwork-hooks.pyz precompact', "precompact"),
    (P, ""),
    (f"python3 {P} precompact", "precompact"),
    (f"/usr/bin/python3.11 -I -S -W ignore -X utf8 {P} precompact", "precompact"),
    (f"pypy3 {P} precompact", "precompact"),
    (f"py -3 {P} precompact", "precompact"),
    (f"sh {P} precompact", "precompact"),
    (f"bash -lc '{P} precompact'", "precompact"),
    (f"bash -o pipefail -c '{P} precompact'", "precompact"),
    (f"env -u BAR FOO=1 {P} precompact", "precompact"),
    (f"/usr/bin/env -S python3 -I {P} precompact", "precompact"),
    (f"FOO=1 BAR='x y' exec {P} precompact", "precompact"),
    (f"timeout -k 1 5 nice -n 10 {P} precompact", "precompact"),
    (f"nohup setsid {P} precompact", "precompact"),
    (f"uv run --python 3.12 {P} precompact", "precompact"),
    (f"pyenv exec python3 {P} precompact", "precompact"),
    (f"[ -x {P} ] && {P} precompact || true", "precompact"),
    (f"test -f {P} && exec {P} precompact", "precompact"),
    (f"if [ -x {P} ]; then {P} precompact; fi", "precompact"),
    (f"cd / && {P} precompact 2>/dev/null", "precompact"),
    (f"{P} precompact >> /tmp/log 2>&1", "precompact"),
    (f"{P} precompact # the focus", "precompact"),
    ("python3 /x/ud-dreamwork-hooks/hooks/precompact_focus.py", "precompact"),
    ("'/x y/ud-dreamwork-hooks/hooks/posttooluse_ledger_lint.py'", "posttooluse"),
    (r'"C:\Users\u\dreamwork-hooks.pyz" precompact', "precompact"),
]

NOT_OURS = [
    ("/home/u/dreamwork-notes/x.py", "a directory that sounds like us"),
    ("/home/u/dreamwork-hooks.pyz/run precompact", "our name as a directory"),
    (f"{P}.bak precompact", "a longer name"),
    ("/x/my-dreamwork-hooks.pyz precompact", "a name that ends in ours"),
    (f"echo {P} precompact", "our path as an argument"),
    (f"cat {P}", "our file as data"),
    (f"grep precompact {P}", "our file searched"),
    (f"python3 wrap.py {P} precompact", "another script that is given our path"),
    (f"python3 -c 'print(1)' {P} precompact", "code on the command line"),
    (f"python3 -m json.tool {P}", "a module on the command line"),
    (f"{P} lint .", "one of the commands, not an event"),
    (f"{P} precompact; notify-send done", "something of the person's beside it"),
    (f"{P} precompact | tee /tmp/log", "piped into something of the person's"),
    (f"{P} precompact && my-backup", "followed by something of the person's"),
    (f"# {P} precompact", "a comment"),
    (f"echo '{P} precompact'", "quoted text"),
    (f"$({P} precompact)", "a substitution"),
    (f"{P} 'precompact", "a quote that is not closed"),
    ("python3 /x/hooks/precompact_focus.py", "the old script's name in another project"),
    ("python3 /x/ud-dreamwork-hooks/hooks/other.py", "another script in the old directory"),
    ("python3 /x/ud-dreamwork-hooks/precompact_focus.py", "the old script one directory up"),
    ("", "nothing"),
    ("timeout 5", "a launcher of nothing"),
]


@pytest.mark.parametrize(("command", "role"), OURS)
def test_ours(command: str, role: str) -> None:
    assert role_of({"type": "command", "command": command}) == role


@pytest.mark.parametrize("command", [pytest.param(command, id=why) for command, why in NOT_OURS])
def test_not_ours(command: str) -> None:
    assert role_of({"type": "command", "command": command}) is None


@pytest.mark.parametrize(
    ("command", "args"),
    [
        (P, ["precompact"]),
        ("python3", [P, "precompact"]),
        ("env", ["A=1", "python3", P, "precompact"]),
        ("sh", ["-c", f"'{P}' precompact"]),
    ],
)
def test_the_form_with_args_is_recognised(command: str, args: list[str]) -> None:
    assert role_of({"type": "command", "command": command, "args": args}) == "precompact"


@pytest.mark.parametrize(
    "handler",
    [
        {"type": "prompt", "command": f"{P} precompact"},
        {"type": "command"},
        {"type": "command", "command": 7},
        {"type": "command", "command": "cat", "args": [P, "precompact"]},
        {"type": "command", "command": P, "args": [7]},
        {"type": "command", "command": P, "args": "precompact"},
    ],
)
def test_a_handler_of_another_kind_is_not_ours(handler: dict[str, object]) -> None:
    assert role_of(handler) is None


def test_a_handler_that_also_runs_something_else_is_known_as_such() -> None:
    assert runs_ours({"command": f"{P} precompact; notify-send done"})
    assert not runs_ours({"command": f"echo {P} precompact; notify-send done"})


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("a b", [["a", "b"]]),
        ("a 'b c' \"d $X\" e\\ f", [["a", "b c", "d $X", "e f"]]),
        ("a;b&&c||d|e&f\ng", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]),
        ("a >x 2>&1 <y b", [["a", "b"]]),
        ("(a b)", [["a", "b"]]),
        ("a $(b; c) `d;e` ${f:-g h}", [["a", "$(b; c)", "`d;e`", "${f:-g h}"]]),
        ("a '' b", [["a", "", "b"]]),
        ("a\\\nb", [["ab"]]),
        ("a#b # c", [["a#b"]]),
    ],
)
def test_a_line_is_split_as_the_shell_would(line: str, commands: list[list[str]]) -> None:
    assert simple_commands(line) == commands


@pytest.mark.parametrize("line", ["'a", '"a', "`a", "$(a", "${a"])
def test_what_is_not_closed_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match="not closed"):
        simple_commands(line)
