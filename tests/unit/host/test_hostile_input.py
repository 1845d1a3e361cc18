"""Whatever stands in a settings file or comes out of a hook, the host answers; it does not crash."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dreamwork_hooks.contract.answer import validate_output
from dreamwork_hooks.contract.event import sample_event
from dreamwork_hooks.contract.events import EVENTS
from dreamwork_hooks.host import HookHost, LayerFile, Policies, TrustStore
from dreamwork_hooks.host.reports import trust_lines
from tests.support.hosts import Load

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
)
junk = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = ("type", "command", "args", "if", "timeout", "shell", "async", "once", "url", "headers", "allowedEnvVars")
handlers = st.fixed_dictionaries(
    {}, optional={key: junk | st.sampled_from(["command", "http", "x", "Edit(*.md)", "bash", 5]) for key in KEYS}
)
groups = st.fixed_dictionaries(
    {},
    optional={
        "matcher": junk | st.sampled_from(["Edit|Write", "(", "E.*"]),
        "hooks": junk | st.lists(handlers, max_size=3),
    },
)
files = st.fixed_dictionaries(
    {},
    optional={
        "hooks": junk
        | st.dictionaries(
            st.sampled_from([*EVENTS, "Nope", ""]), junk | st.lists(groups | junk, max_size=3), max_size=4
        ),
        "env": junk,
        "permissions": junk,
        "model": junk,
        "disableAllHooks": junk,
        "allowManagedHooksOnly": junk,
    },
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=files, layer=st.sampled_from(["user", "project", "managed", "plugin"]))
def test_any_settings_file_is_read_and_explained(value: object, layer: str, tmp_path: Path) -> None:
    file = LayerFile(layer, "s.json", text=json.dumps(value), plugin_root="/x" if layer == "plugin" else None)
    with HookHost.load(tmp_path, files=[file], home=str(tmp_path), env={}, trust="all") as host:
        found = host.explain(sample_event("PreToolUse", str(tmp_path), "Edit"))
        every = (*host.configuration.handlers, *host.configuration.lost)
        assert [match.handler for match in found] == list(every)
        assert {host.status(handler).word for handler in every} <= {"user", "disabled", "broken"}
        for problem in host.configuration.problems:
            assert str(problem)


PARTS = ("continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput", "x")
INNER = (
    "hookEventName",
    "additionalContext",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "updatedToolOutput",
    "updatedMCPToolOutput",
    "decision",
    "watchPaths",
    "worktreePath",
)
words = st.sampled_from(["block", "approve", "deny", "allow", "ask", *EVENTS])
inner = st.fixed_dictionaries({}, optional=dict.fromkeys(INNER, junk | words))
answers = st.fixed_dictionaries({}, optional=dict.fromkeys(PARTS, junk | words | inner))


@given(
    answer=answers,
    event=st.sampled_from(sorted(EVENTS)),
    exit_code=st.sampled_from([0, 1, 2, 127, -9, None]),
    held=st.booleans(),
)
def test_any_answer_is_read(answer: object, event: str, exit_code: int | None, held: bool) -> None:
    reading = validate_output(event, json.dumps(answer), "err", exit_code, held=held)
    assert reading.form == "json"
    assert reading.status in ("ok", "failed")
    if reading.decision.permission == "allow":
        assert '"allow"' in json.dumps(answer), "nothing is allowed that no hook allowed"


@given(out=st.binary(max_size=40), event=st.sampled_from(sorted(EVENTS)), exit_code=st.sampled_from([0, 1, 2]))
def test_any_bytes_are_read(out: bytes, event: str, exit_code: int) -> None:
    validate_output(event, out, out, exit_code)


@pytest.mark.parametrize(
    "command",
    [
        "printf '\\000\\377'",
        "head -c 200000 /dev/zero | tr '\\0' '['",
        "head -c 200000 /dev/zero | tr '\\0' '{'",
        "printf '{\"a\":'; head -c 100000 /dev/zero | tr '\\0' '['",
        "printf '{\"continue\":1e999}'",
        'printf \'{"systemMessage":"\\\\ud800"}\'',
        "exec >&-; exec 2>&-; sleep 0.05",
    ],
)
def test_hostile_output_of_a_real_hook(command: str, load: Load, event: Callable[..., dict[str, Any]]) -> None:
    for name in ("UserPromptSubmit", "PreToolUse", "PreCompact"):
        outcome = load({name: [command]}).dispatch(event(name))
        assert (len(outcome.runs), outcome.runs[0].ended.exit_code) == (1, 0)


# Beyond what JavaScript's numbers hold the handler is malformed (measured).
@pytest.mark.parametrize(("timeout", "exits"), [("1e300", [0]), ("1e999", []), ("9" * 400, [])])
def test_a_timeout_beyond_all_clocks_is_none(
    timeout: str, exits: list[int], project: Path, event: Callable[..., dict[str, Any]]
) -> None:
    text = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true","timeout":TIME}]}]}}'.replace(
        "TIME", timeout
    )
    with HookHost.load(project, files=[LayerFile("user", "s", text=text)], home="/", env={}, trust="all") as host:
        assert [run.ended.exit_code for run in host.dispatch(event("Stop")).runs] == exits


@pytest.mark.parametrize(
    "rule",
    [
        "Bash(*a*a*a*a*a*b)",
        "Bash(*git*push*origin*main*)",
        "Edit(*a*a*a*a*a*a*a*a*a*a*b)",
        "Edit(" + "a*" * 20 + "b)",
        "Edit(" + "**/a*/" * 20 + "b)",
        "WebFetch(domain:*a*a*a*a*a*a*b)",
    ],
)
def test_no_if_takes_long(rule: str, load: Load, event: Callable[..., dict[str, Any]]) -> None:
    host = load({"PreToolUse": [{"type": "command", "command": "true", "if": rule}]})
    given = [
        event("PreToolUse", tool_input={"command": "git push origin " * 600 + "a" * 10_000}),
        event("PreToolUse", "Edit", tool_input={"file_path": "/x/" + "a/" * 200 + "a" * 4000}),
        event("PreToolUse", "WebFetch", tool_input={"url": "http://" + "a" * 10_000}),
    ]
    began = time.process_time()
    for one in given:
        host.explain(one)
    assert time.process_time() - began < 3


def test_substitutions_within_each_other_take_no_long_time(load: Load, event: Callable[..., dict[str, Any]]) -> None:
    host = load({"PreToolUse": [{"type": "command", "command": "true", "if": "Bash(rm *)"}]})
    command = "x " + "$(" * 900 + "a " * 40_000 + ")" * 900
    began = time.process_time()
    assert host.explain(event("PreToolUse", tool_input={"command": command}))[0].fires
    assert time.process_time() - began < 5


@pytest.mark.parametrize("layer", ["user", "project"])
@pytest.mark.parametrize("where", ["command", "args", "env", "matcher", "if"])
def test_a_lone_surrogate_is_carried(
    where: str, layer: str, project: Path, tmp_path: Path, event: Callable[..., dict[str, Any]]
) -> None:
    odd = "x\ud800y"
    entry: dict[str, object] = {"type": "command", "command": "true"}
    if where == "args":
        entry["args"] = [odd]
    elif where in ("command", "if"):
        entry[where] = f"echo {odd}" if where == "command" else f"Bash({odd})"
    group = {"hooks": [entry], **({"matcher": odd} if where == "matcher" else {})}
    text = json.dumps({"hooks": {"PreToolUse": [group]}, "env": {"A": odd} if where == "env" else {}})
    store = TrustStore(tmp_path / "state" / "trust.json")
    for trust in ("all", store):
        with HookHost.load(
            project,
            files=[LayerFile(layer, "s", text=text)],
            home=str(tmp_path),
            env={},
            trust=trust,
            ask=lambda verdict: True,
        ) as host:
            host.explain(event("PreToolUse"))
            host.dispatch(event("PreToolUse"))
            if host.verdict is not None:
                "\n".join(trust_lines(host.verdict)).encode()


BROKEN_GUARDS: list[dict[str, object]] = [
    {"type": "command", "command": "true", "timeout": 0},
    {"type": "command", "command": "true", "timeout": "soon"},
    {"type": "command", "command": ""},
    {"type": "command", "command": 7},
    {"type": "command"},
    {"type": "nothing", "command": "true"},
    {"type": "command", "command": "/nonexistent/guard"},
    {"type": "command", "command": "true", "if": "Bash("},
    {"type": "command", "command": "true", "if": "re:("},
    {"type": "command", "command": "true", "args": "x"},
    {"type": "prompt", "prompt": "x"},
]


@pytest.mark.parametrize("entry", BROKEN_GUARDS)
@pytest.mark.parametrize("regex", [True, False])
@pytest.mark.parametrize("mark", [True, "yes", 1])
def test_a_guard_that_cannot_be_understood_denies_what_it_might_match(
    entry: dict[str, object], regex: bool, mark: object, project: Path, event: Callable[..., dict[str, Any]]
) -> None:
    policies = Policies(fail_closed="marked", command_regex=regex)

    def blocked(matcher: str | None, **more: object) -> bool:
        group = {"hooks": [{**entry, **more}], **({"matcher": matcher} if matcher else {})}
        text = json.dumps({"hooks": {"PreToolUse": [group]}})
        files = [LayerFile("user", "s", text=text)]
        with HookHost.load(
            project, files=files, home="/", env={"PATH": "/bin"}, policies=policies, trust="all"
        ) as host:
            return host.dispatch(event("PreToolUse")).blocked

    assert blocked(None, fail_closed=mark)
    assert blocked("Bash|Edit", fail_closed=mark)
    assert blocked("Ba(", fail_closed=mark)
    assert not blocked(None, fail_closed=False)
    assert not blocked(None)
