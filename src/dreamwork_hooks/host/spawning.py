"""From a handler and an event to a finished run: its environment, its command or its http call, its reading."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from dreamwork_hooks.contract.answer import validate_output
from dreamwork_hooks.contract.event import Event
from dreamwork_hooks.host.outcome import HookRun
from dreamwork_hooks.host.policies import Policies
from dreamwork_hooks.processes.running import Cancel, Ended, Job, run_jobs
from dreamwork_hooks.settings.shape import HTTP, Handler

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
        return filled_in(text, project=project, plugin_root=handler.plugin_root, plugin_data=handler.plugin_data)

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
    if ended.cancelled and reading.status == "cancelled":
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
            headers = with_variables(handler.headers, handler.allowed_env, job.env)
            self._answer = post_event(handler.url, headers, stdin, self._limit, policies.output_cap)

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


ALLOWED = frozenset(
    {
        "COLORTERM",
        "HOME",
        "LANG",
        "LANGUAGE",
        "LOGNAME",
        "PATH",
        "PYTHONDONTWRITEBYTECODE",
        "SHELL",
        "SSL_CERT_DIR",
        "SSL_CERT_FILE",
        "TEMP",
        "TERM",
        "TMP",
        "TMPDIR",
        "TZ",
        "USER",
        "VIRTUAL_ENV",
    }
)
"""Names a hook gets from the host; with them `LC_*`, `XDG_*`, `CLAUDE_*` and `DREAMWORK_*`."""

_PREFIXES = ("LC_", "XDG_", "CLAUDE_", "DREAMWORK_")


def base_environment(env: Mapping[str, str], policies: Policies) -> dict[str, str]:
    """The part of the host's own environment that every hook gets."""
    if policies.inherit_env:
        return dict(env)
    wanted = ALLOWED.union(policies.pass_env)
    return {key: value for key, value in env.items() if key in wanted or key.startswith(_PREFIXES)}


def hook_environment(
    base: Mapping[str, str],
    event: Event,
    handler: Handler,
    *,
    project: str,
    env_file: str | None = None,
) -> dict[str, str]:
    """`base` with the variables the client sets (measured), and the plugin's root where there is one."""
    env = dict(base)
    env["CLAUDE_PROJECT_DIR"] = project
    env["CLAUDECODE"] = "1"
    env["CLAUDE_CODE_SESSION_ID"] = event.session_id
    env["CLAUDE_PID"] = str(os.getpid())
    env.setdefault("CLAUDE_CODE_ENTRYPOINT", "dreamwork-hooks")
    env["PWD"] = event.cwd
    if "CLAUDE_EFFORT" in event.spec.exported:
        effort = event.raw.get("effort")
        if isinstance(effort, Mapping) and isinstance(effort.get("level"), str):
            env["CLAUDE_EFFORT"] = str(effort["level"])
    env.pop("CLAUDE_ENV_FILE", None)
    if env_file is not None and "CLAUDE_ENV_FILE" in event.spec.exported:
        env["CLAUDE_ENV_FILE"] = env_file
    if handler.plugin_root is not None:
        env["CLAUDE_PLUGIN_ROOT"] = handler.plugin_root
    if handler.plugin_data is not None:
        env["CLAUDE_PLUGIN_DATA"] = handler.plugin_data
    return env


def filled_in(text: str, *, project: str | None, plugin_root: str | None, plugin_data: str | None = None) -> str:
    """A command or argument with `${CLAUDE_PROJECT_DIR}`, `${CLAUDE_PLUGIN_ROOT}` and `${CLAUDE_PLUGIN_DATA}` replaced
    where they are given; nothing else is."""
    values = {"PROJECT_DIR": project, "PLUGIN_ROOT": plugin_root, "PLUGIN_DATA": plugin_data}
    for name, value in values.items():
        if value is not None:
            text = text.replace("${CLAUDE_" + name + "}", value)
    return text


_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")


def refusal(url: str, allow_http: bool) -> str:
    """Why a URL is not called; empty when it is."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return f"not an http address: {url}"
    if allow_http or parts.hostname == "localhost":
        return ""
    try:
        if ipaddress.ip_address(parts.hostname).is_loopback:
            return ""
    except ValueError:
        pass
    return f"{parts.hostname} is not this machine; --allow-http calls it"


def post_event(url: str, headers: Mapping[str, str], body: bytes, timeout: float | None, output_cap: int) -> Ended:
    """Post an event. A status of 2xx reads as exit 0 with the body as output, anything else as exit 1."""
    import urllib.error
    import urllib.request  # a fifth of what a host takes to start, and few have http hooks

    class NoRedirect(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *given: Any) -> None:
            return None

    began = time.monotonic()
    request = urllib.request.Request(
        url, data=body, headers={"Content-Type": "application/json", **headers}, method="POST"
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirect)
    try:
        with opener.open(request, timeout=timeout) as response:
            data = response.read(output_cap + 1)
    except urllib.error.HTTPError as error:
        error.close()
        return _failed(f"HTTP status {error.code}", began)
    except socket.timeout:  # TimeoutError by its older name
        return _failed("no answer in time", began, timed_out=True)
    except (OSError, ValueError) as error:
        late = isinstance(getattr(error, "reason", None), socket.timeout)
        return _failed(str(error), began, timed_out=late)
    now = time.monotonic()
    return Ended(0, data[:output_cap], b"", now - began, now, stdout_size=len(data))


def with_variables(headers: Mapping[str, str], allowed: tuple[str, ...], env: Mapping[str, str]) -> dict[str, str]:
    """Headers with `$NAME` filled in, for allowed names alone; others become empty."""

    def value(match: re.Match[str]) -> str:
        return env.get(match[1], "") if match[1] in allowed else ""

    return {key: _VARIABLE.sub(value, text) for key, text in headers.items()}


def _failed(said: str, began: float, timed_out: bool = False) -> Ended:
    now = time.monotonic()
    return Ended(1, b"", said.encode("utf-8", "replace"), now - began, now, timed_out=timed_out)


class Background:
    """The detached runs of one host."""

    def __init__(self, output_cap: int, grace: float) -> None:
        self._output_cap = output_cap
        self._grace = grace
        self._lock = threading.Lock()
        self._live: dict[threading.Thread, Cancel] = {}

    def start(self, job: Job, done: Callable[[Ended], None]) -> None:
        """Run a job in a thread of its own; `done` is called there when it has ended."""
        cancel = Cancel()

        def run() -> None:
            try:
                ended = run_jobs([job], output_cap=self._output_cap, grace=self._grace, cancel=cancel)[0]
                done(ended)
            finally:
                with self._lock:
                    self._live.pop(thread, None)
                cancel.close()

        thread = threading.Thread(target=run, name="async hook", daemon=True)
        with self._lock:
            self._live[thread] = cancel
        thread.start()

    @property
    def running(self) -> int:
        """How many have not ended yet."""
        with self._lock:
            return len(self._live)

    def drain(self, seconds: float) -> None:
        """Wait that long for all to end, then end the others: the client, too, kills them when the run ends."""
        until = time.monotonic() + seconds
        with self._lock:
            live = dict(self._live)
        for thread in live:
            thread.join(max(0.0, until - time.monotonic()))
        for thread, cancel in live.items():
            if thread.is_alive():
                cancel.throw()
        for thread in live:
            thread.join()
