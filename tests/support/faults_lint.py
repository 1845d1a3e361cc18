"""Faults of the core lint: what it does, how long it takes, what it leaves behind, and where it lies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.support.faults import Row, Scene, both
from tests.support.faults_limits import wait_for

LINT = "import os, signal, subprocess, sys, time\n"
SLEEPER = "[sys.executable, '-c', 'import time; time.sleep(300)']"


def _lint(text: str, timeout: str | None = None) -> Callable[[Scene], None]:
    """A core lint of this text, asked for by the environment."""

    def prepare(scene: Scene) -> None:
        scene.env["DREAMWORK_LINT"] = str(lint_script(scene.aside, text))
        if timeout is not None:
            scene.env["DREAMWORK_LINT_TIMEOUT"] = timeout

    return prepare


def lint_script(directory: Path, text: str) -> Path:
    path = directory / "lint.py"
    path.write_text(LINT + text)
    return path


def _asked_for(path: Callable[[Scene], str]) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        scene.env["DREAMWORK_LINT"] = path(scene)

    return prepare


def _record(scene: Scene, lint: object) -> None:
    (scene.state.parent / "config.json").write_text(json.dumps({"lint": lint}))


def _recorded(lint: object) -> Callable[[Scene], None]:
    return lambda scene: _record(scene, lint)


def _recorded_script(scene: Scene) -> None:
    _record(scene, str(lint_script(scene.aside, "print('OK')\n")))


def _in_the_target(scene: Scene) -> Path:
    """A lint of the target's own, which would be seen to have run."""
    return lint_script(scene.target, f"open({str(scene.root / 'ran')!r}, 'w')\n")


def _linked_into_the_target(scene: Scene) -> str:
    link = scene.aside / "link.py"
    link.symlink_to(_in_the_target(scene))
    return str(link)


def _recorded_in_the_target(scene: Scene) -> None:
    _record(scene, str(lint_script(scene.target, "print('OK')\n")))


def _terminated_while_linting(scene: Scene) -> None:
    up = scene.aside / "up"
    _lint(f"subprocess.Popen({SLEEPER})\nopen({str(up)!r}, 'w')\ntime.sleep(300)\n")(scene)

    def during(process: subprocess.Popen[bytes]) -> None:
        wait_for(up)
        os.kill(process.pid, signal.SIGTERM)

    scene.during = during


MANY_ROWS = """
for at in range(500):
    if at == 250:
        print('ERROR .dreamwork/tasks.md:7: two entries claim #5')
    print('WARN  briefs/%d.md: something long and of no concern here, again and again' % at)
sys.exit(1)
"""
CORE_CLEAN = '"linter": "core"'
LATE = "did not finish in"

ROWS = [
    Row("the core lint is clean", _lint("print('OK 12 checks')\n"), both(posttooluse=True), '"lint": "clean"'),
    Row("the core lint is silent", _lint(""), both(posttooluse=True), CORE_CLEAN),
    Row(
        "the core lint warns about the touched ledger",
        _lint("print('WARN .dreamwork/tasks.md:3: no date')\n"),
        both(posttooluse=True),
        '"lint": "warnings"',
    ),
    Row(
        "the core lint warns about another file",
        _lint("print('WARN briefs/7.md: no date')\n"),
        both(posttooluse=True),
        '"lint": "clean"',
    ),
    Row(
        "the core lint fails with 500 rows and one error about a ledger",
        _lint(MANY_ROWS),
        both(posttooluse=False),
        "two entries claim #5",
    ),
    Row("the core lint fails without a word", _lint("os._exit(1)\n"), both(posttooluse=False), "status 1"),
    Row("the core lint leaves with 2", _lint("os._exit(2)\n"), both(posttooluse=False), "status 2"),
    Row("the core lint does not parse", _lint("def\n"), both(posttooluse=False), "SyntaxError"),
    Row("the core lint dies of a signal", _lint("os.kill(os.getpid(), 11)\n"), both(posttooluse=False), "status -11"),
    Row("the core lint sleeps", _lint("time.sleep(300)\n", "0.3"), both(posttooluse=False), LATE),
    Row(
        "the core lint sleeps and no limit is set", _lint("time.sleep(300)\n"), both(posttooluse=False), LATE, once=True
    ),
    Row(
        "the core lint closes its streams and sleeps",
        _lint("os.close(1); os.close(2); time.sleep(300)\n", "0.3"),
        both(posttooluse=False),
        LATE,
    ),
    Row(
        "the core lint prints for ever", _lint("while True: print('x' * 9999)\n", "0.5"), both(posttooluse=False), LATE
    ),
    Row("the core lint prints 20 MB", _lint("print('y' * 20_000_000)\n"), both(posttooluse=True), CORE_CLEAN),
    Row(
        "the core lint prints bytes and escapes",
        _lint("os.write(1, bytes(range(256)) * 40)\nos._exit(1)\n"),
        both(posttooluse=False),
    ),
    Row(
        "the core lint ignores signals",
        _lint("signal.signal(15, signal.SIG_IGN)\nwhile True: time.sleep(9)\n", "0.3"),
        both(posttooluse=False),
        LATE,
    ),
    Row("the core lint waits for input", _lint("sys.stdin.read()\n"), both(posttooluse=True), CORE_CLEAN),
    Row(
        "the core lint leaves a child that holds the pipe",
        _lint(f"subprocess.Popen({SLEEPER})\n"),
        both(posttooluse=True),
        CORE_CLEAN,
    ),
    Row(
        "the core lint has a child and sleeps",
        _lint(f"subprocess.Popen({SLEEPER})\ntime.sleep(300)\n", "0.3"),
        both(posttooluse=False),
        LATE,
    ),
    Row(
        "the core lint leaves a child in another session that holds the pipe",
        _lint(f"subprocess.Popen({SLEEPER}, start_new_session=True)\n"),
        both(posttooluse=True),
        CORE_CLEAN,
        all_end=False,
    ),
    Row(
        "the core lint terminates the hook",
        _lint("os.kill(os.getppid(), 15)\ntime.sleep(300)\n"),
        both(posttooluse=False),
        "stopped by signal",
    ),
    Row("the core lint terminates its group", _lint("os.killpg(0, 15)\n"), both(posttooluse=False), "status -15"),
    Row(
        "the hook is terminated while the core lint runs",
        _terminated_while_linting,
        both(posttooluse=False),
        "signal 15",
    ),
    *[
        Row(f"the core lint's limit is {value!r}", _lint("print('OK')\n", value), both(posttooluse=True), CORE_CLEAN)
        for value in ("nan", "inf", "-1", "0", "1e9", "", "soon", "0x1", " 2 ", "9" * 5000)
    ],
    Row(
        "the core lint is not there",
        _asked_for(lambda scene: "/nonexistent/lint.py"),
        both(posttooluse=False),
        "there is no core lint",
    ),
    Row(
        "the core lint is a directory",
        _asked_for(lambda scene: str(scene.aside)),
        both(posttooluse=False),
        "there is no core lint",
    ),
    Row(
        "the core lint is a device",
        _asked_for(lambda scene: "/dev/zero"),
        both(posttooluse=False),
        "there is no core lint",
    ),
    Row(
        "the core lint's path is relative", _asked_for(lambda scene: "lint.py"), both(posttooluse=False), "not absolute"
    ),
    Row(
        "the core lint's path is not UTF-8",
        _asked_for(lambda scene: "/caf\udce9/lint.py"),
        both(posttooluse=False),
        "no core lint",
    ),
    Row(
        "the core lint's path is 5,000 characters",
        _asked_for(lambda scene: "/" + "x" * 5000),
        both(posttooluse=False),
        "core lint",
    ),
    Row("the embedded lint is asked for", _asked_for(lambda scene: "embedded"), both(posttooluse=True), "embedded"),
    Row(
        "the core lint lies in the target",
        _asked_for(lambda scene: str(_in_the_target(scene))),
        both(posttooluse=False),
        "inside the target",
    ),
    Row(
        "the core lint is a link into the target",
        _asked_for(_linked_into_the_target),
        both(posttooluse=False),
        "inside the target",
    ),
    Row("the recorded core lint lies in the target", _recorded_in_the_target, both(posttooluse=True), CORE_CLEAN),
    Row("the core lint is recorded", _recorded_script, both(posttooluse=True), CORE_CLEAN),
    *[
        Row(f"the recorded core lint is {what}", _recorded(value), both(posttooluse=None))
        for what, value in (
            ("a number", 7),
            ("null", None),
            ("a list", ["lint.py"]),
            ("empty", ""),
            ("a path with a NUL", "/tmp/\0lint.py"),
            ("a lone surrogate", "/tmp/\ud800"),
        )
    ],
]
