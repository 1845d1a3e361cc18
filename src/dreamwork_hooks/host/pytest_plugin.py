"""A pytest plugin for people who write hooks: the `hook_runner` fixture.

    def test_a_clean_ledger_adds_nothing(hook_runner):
        ran = hook_runner("./my-hook.sh", "PostToolUse-Edit", cwd=project).check(exit=0, budget=5.0)
        assert ran.answer["ok"] is True
        assert ran.reading.model == ()

An event is a mapping, the path of a recording, the name of one in the directory that the ini option `hook_events`
names, or the name of an event, for which a small one is made.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from dreamwork_hooks.contract import answer_shape
from dreamwork_hooks.contract.answer import validate_output
from dreamwork_hooks.contract.decision import Reading, exit_words
from dreamwork_hooks.contract.event import EventError, parse_event, sample_event
from dreamwork_hooks.contract.events import EVENTS, nearest
from dreamwork_hooks.files import read_regular
from dreamwork_hooks.host.replaying import placed, without_effect
from dreamwork_hooks.processes.running import Ended, Job, run_jobs
from dreamwork_hooks.quoting import one_line

if TYPE_CHECKING:
    pytest: Any  # its own sources do not parse on the oldest Python this package is checked for
else:
    import pytest

LIMIT = 60.0
"""Seconds after which a hook under test is ended; a test of a slow hook gives its own `timeout`."""


@dataclass(frozen=True)
class RanHook:
    """A hook that has run on an event."""

    event: Mapping[str, object]
    ended: Ended
    shown: str = ""
    """What was run, in a few words."""

    @property
    def exit(self) -> int | None:
        """Its exit status: negative for a signal, None when it could not be started."""
        return self.ended.exit_code

    @property
    def stdout(self) -> bytes:
        """All it printed."""
        return self.ended.stdout

    @property
    def stderr(self) -> bytes:
        """All it complained."""
        return self.ended.stderr

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended.seconds

    @cached_property
    def answer(self) -> dict[str, object]:
        """The one JSON object it printed. Fails the test when it printed anything else."""
        seen = answer_shape.read_stdout(self.stdout)
        if seen.form != "json" or seen.answer is None:
            _fail(f"expected one JSON object, got {seen.form}: {seen.remark or ''}\n{self._told()}")
        return seen.answer

    @cached_property
    def reading(self) -> Reading:
        """What Claude Code would do with it: `decision`, `model`, `person`, `summarizer`, `dropped`, `misbehaviour`."""
        event = parse_event(self.event, cwd_must_exist=False)
        over = self.ended.timed_out
        return validate_output(event, self.stdout, self.stderr, self.exit, cancelled=over, held=self.ended.held)

    def check(self, *, exit: int | None = 0, budget: float | None = None) -> RanHook:
        """Fail the test unless it ended with that status, within `budget` seconds, and behaved: no process left on its
        output, no answer that is void, no verdict without effect, no shell or interpreter that ended for it."""
        faults = [fault for fault in self._misbehaviour() if fault != exit_words(exit)]
        if self.ended.timed_out:
            faults.append(f"did not end within {self.seconds:.1f} s")
        elif self.exit != exit:
            faults.append(f"exit status {self.exit}, expected {exit}")
        if budget is not None and self.seconds > budget:
            faults.append(f"took {self.seconds:.2f} s of {budget:g} s")
        if self.ended.held:
            faults.append("left a process that keeps its output open")
        if faults:
            where = f"on {self.event.get('hook_event_name')}, in {self.event.get('cwd')}"
            _fail(f"the hook {self.shown} {where}: " + "; ".join(dict.fromkeys(faults)) + f"\n{self._told()}")
        return self

    def _misbehaviour(self) -> list[str]:
        if self.ended.timed_out:
            return []
        try:
            reading = self.reading
        except EventError:  # half an event is enough for a hook that does not look at the rest
            return []
        return [
            *(fault for fault in reading.misbehaviour if "keeps its standard output open" not in fault),
            *without_effect(reading, self.ended),
        ]

    def _told(self) -> str:
        said = [f"--- {name}\n{data[-2000:].decode('utf-8', 'backslashreplace')}" for name, data in self._streams()]
        return "\n".join(said) or "it printed nothing"

    def _streams(self) -> list[tuple[str, bytes]]:
        return [(name, data) for name, data in (("stdout", self.stdout), ("stderr", self.stderr)) if data]


class HookRunner:
    """Runs hooks on events: see the module. `home` is the hooks' HOME, `events` the directory of recordings, `root`
    where they run when nothing else is said."""

    def __init__(self, home: Path, events: Path | None = None, root: Path | None = None) -> None:
        self.home = home
        self.events = events
        self.root = root if root is not None else home

    def __call__(
        self,
        command: str | Sequence[str],
        event: str | os.PathLike[str] | Mapping[str, object],
        *,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float = LIMIT,
        stdin: bytes | None = None,
        **changes: object,
    ) -> RanHook:
        """Run a hook and wait. A string goes to `/bin/sh -c`, a list is run as it is.

        `cwd` becomes the event's directory too, the recording's paths moved into it; `env` is laid over PATH and HOME,
        which is all a hook gets here; `changes` are laid over the event's keys, and a sample fits the `tool_name` among
        them; `stdin` replaces the event's bytes. A key that the event does not have fails the test.
        """
        place = os.path.abspath(cwd if cwd is not None else self.root)
        data = self.event(event, place, str(changes.get("tool_name", "Bash")))
        _refuse_unknown(data, changes)
        data.update(changes)
        argv = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
        raw = stdin if stdin is not None else json.dumps(data, ensure_ascii=False).encode() + b"\n"
        around = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.home),
            "CLAUDE_PROJECT_DIR": place,
            **(env or {}),
        }
        shown = command if isinstance(command, str) else " ".join(command)
        return RanHook(data, run_jobs([Job(argv, raw, place, around, timeout)])[0], one_line(shown, 80))

    def event(
        self, event: str | os.PathLike[str] | Mapping[str, object], cwd: str, tool: str = "Bash"
    ) -> dict[str, object]:
        """The event meant, in that directory. Fails the test when there is none."""
        if isinstance(event, Mapping):
            return dict(event)
        name = os.fspath(event)
        files = [Path(name)]
        if self.events is not None:
            files.append(self.events / f"{name}.json")
        for file in files:
            if file.is_file():
                return placed(json.loads(read_regular(str(file), 64 << 20)), cwd, cwd)[0]
        if name not in EVENTS:
            close = nearest(name)
            hint = f"; did you mean {close}?" if close else ""
            _fail(f"no event {name}: not a file, not in {self.events}, and no event of Claude Code is called so{hint}")
        return sample_event(name, cwd, tool)


def _refuse_unknown(event: Mapping[str, object], changes: Mapping[str, object]) -> None:
    """Fail the test for a key that is misspelt: the hook would never see it."""
    spec = EVENTS.get(str(event.get("hook_event_name")))
    known = {*event, *(field.name for field in spec.fields)} if spec is not None else {*event, *changes}
    for key in changes:
        if key not in known:
            close = difflib.get_close_matches(key, sorted(known), n=1)
            _fail(f"{event['hook_event_name']} has no `{key}`" + (f"; did you mean `{close[0]}`?" if close else ""))


def pytest_addoption(parser: Any) -> None:
    """The ini option."""
    parser.addini("hook_events", "a directory of recorded hook events, for the hook_runner fixture", default="")


def _hook_runner(tmp_path: Path, pytestconfig: Any) -> HookRunner:
    """Runs a hook on an event in a process of its own."""
    named = str(pytestconfig.getini("hook_events"))
    home = tmp_path / "hook-home"
    home.mkdir(exist_ok=True)
    return HookRunner(home, pytestconfig.rootpath / named if named else None, pytestconfig.rootpath)


hook_runner = pytest.fixture(name="hook_runner")(_hook_runner)


def _fail(said: str) -> NoReturn:
    pytest.fail(said, pytrace=False)
    raise AssertionError(said)
