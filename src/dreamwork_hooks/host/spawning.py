"""From a handler and an event to a finished run."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence

from dreamwork_hooks.contract.answer import validate_output
from dreamwork_hooks.contract.event import Event
from dreamwork_hooks.contract.reading import CANCELLED
from dreamwork_hooks.host import http_running
from dreamwork_hooks.host.environment import filled_in, hook_environment
from dreamwork_hooks.host.outcome import HookRun
from dreamwork_hooks.host.policies import Policies
from dreamwork_hooks.processes.cancel import Cancel
from dreamwork_hooks.processes.running import Ended, Job, run_jobs
from dreamwork_hooks.settings.handler import Handler
from dreamwork_hooks.settings.shape import HTTP

LAST_RESORT_SECONDS = 600.0
"""The limit of a handler without `timeout` where the client's own was not measured (documented default)."""


def budget_of(handler: Handler, event: Event, policies: Policies) -> float | None:
    """The seconds a handler has; None when neither it nor the policy nor the table says."""
    if handler.timeout is not None:
        return handler.timeout
    return policies.default_timeout if policies.default_timeout is not None else event.spec.timeout.value


def standard_input(event: Event) -> bytes:
    """The event as the client writes it: one line of JSON and a newline, non-ASCII as it is."""
    try:
        return json.dumps(event.raw, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate has no UTF-8; its escape does
        return json.dumps(event.raw, separators=(",", ":")).encode() + b"\n"


def job_for(
    handler: Handler,
    event: Event,
    stdin: bytes,
    base_env: Mapping[str, str],
    policies: Policies,
    *,
    project: str,
    env_file: str | None,
) -> Job:
    """The command of a handler, ready to run in the event's directory."""

    def filled(text: str, project: str | None = None) -> str:
        return filled_in(text, project=project, plugin_root=handler.plugin_root)

    # `shell: "bash"` makes no difference: it is /bin/sh all the same (measured). With `args`, even empty, no shell.
    # A shell finds the project in its environment, so that in single quotes nothing is filled in (measured).
    if handler.args is None:
        argv = ["/bin/sh", "-c", filled(handler.command)]
    else:
        argv = [filled(word, project) for word in (handler.command, *handler.args)]
    return Job(
        argv,
        stdin,
        event.cwd,
        hook_environment(base_env, event, handler, project=project, env_file=env_file),
        budget_of(handler, event, policies) or LAST_RESORT_SECONDS,
    )


def run_all(
    handlers: Sequence[Handler],
    jobs: Mapping[Handler, Job],
    stdin: bytes,
    policies: Policies,
    *,
    serial: bool,
    cancel: Cancel | None,
) -> list[Ended]:
    """Run handlers side by side, or one after the other, and wait; results in their order."""
    if serial:
        ended: list[Ended] = []
        for handler in handlers:
            ended.extend(run_all([handler], jobs, stdin, policies, serial=False, cancel=cancel))
        return ended
    answers: dict[Handler, Ended] = {}
    calls = [_Call(handler, jobs[handler], stdin, policies) for handler in handlers if handler.type == HTTP]
    commands = [handler for handler in handlers if handler.type != HTTP]
    results = run_jobs(
        [jobs[handler] for handler in commands],
        output_cap=policies.output_cap,
        grace=policies.grace,
        kill_leftovers=policies.kill_leftovers,
        cancel=cancel,
    )
    answers.update(zip(commands, results))
    answers.update((call.handler, call.wait(cancel)) for call in calls)
    return [answers[handler] for handler in handlers]


def judged(handler: Handler, event: Event, ended: Ended, policies: Policies) -> HookRun:
    """A finished run, read as the client reads it."""
    over = ended.timed_out or ended.cancelled
    reading = validate_output(event, ended.stdout, ended.stderr, ended.exit_code, cancelled=over, held=ended.held)
    faults = list(reading.misbehaviour)
    if ended.start_error:
        faults.append(ended.start_error)
    if ended.truncated:
        faults.append(f"printed {ended.stdout_size} bytes, of which {len(ended.stdout)} were kept")
    if ended.cancelled and reading.status == CANCELLED:
        faults = ["was cancelled by the host"]
    return HookRun(handler, ended, reading, budget_of(handler, event, policies), tuple(faults))


class _Call:
    """An `http` handler under way, in a thread that is left behind when the answer comes too late."""

    def __init__(self, handler: Handler, job: Job, stdin: bytes, policies: Policies) -> None:
        self.handler = handler
        self._began = time.monotonic()
        self._limit = job.timeout or LAST_RESORT_SECONDS
        self._answer: Ended | None = None

        def call() -> None:
            headers = http_running.with_variables(handler.headers, handler.allowed_env, job.env)
            self._answer = http_running.call(handler.url, headers, stdin, self._limit, policies.output_cap)

        self._thread = threading.Thread(target=call, name="http hook", daemon=True)
        self._thread.start()

    def wait(self, cancel: Cancel | None) -> Ended:
        """The answer, or that there was none in time: a server that trickles would outlast any socket's limit."""
        until = self._began + self._limit
        while self._thread.is_alive() and time.monotonic() < until and not (cancel is not None and cancel.thrown):
            self._thread.join(min(0.05, max(0.0, until - time.monotonic())))
        answer = self._answer
        if answer is not None:
            return answer
        now = time.monotonic()
        cancelled = cancel is not None and cancel.thrown
        return Ended(None, b"", b"", now - self._began, now, timed_out=not cancelled, cancelled=cancelled)
