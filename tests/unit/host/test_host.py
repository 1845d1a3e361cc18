"""Dispatching: what runs, with what around it, and what is decided."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.contract.event import EventError
from dreamwork_hooks.host import HookHost, LayerFile, Policies, PolicyError
from dreamwork_hooks.host.policies import SNAKE_CASE
from tests.support.hosts import Load, answer, specific

MakeEvent = Callable[..., dict[str, object]]


def deny(reason: str = "no") -> str:
    return specific("PreToolUse", permissionDecision="deny", permissionDecisionReason=reason)


def test_a_hook_sees_the_event_as_one_line_and_the_client_s_environment(
    load: Load, event: MakeEvent, project: Path
) -> None:
    host = load({"PreToolUse": [f"cat > {project}/in; env > {project}/env; pwd > {project}/pwd"]})
    given = event("PreToolUse", effort={"level": "high"}, prompt_id="é")
    host.dispatch(given)
    raw = (project / "in").read_bytes()
    assert raw.endswith(b"}\n")
    assert raw.count(b"\n") == 1
    assert "é".encode() in raw
    assert json.loads(raw) == given
    env = dict(line.split("=", 1) for line in (project / "env").read_text().splitlines() if "=" in line)
    assert (env["CLAUDE_PROJECT_DIR"], env["CLAUDE_EFFORT"], env["CLAUDECODE"]) == (str(project), "high", "1")
    assert env["CLAUDE_CODE_SESSION_ID"] == given["session_id"]
    assert "SECRET" not in env
    assert str(project) == (project / "pwd").read_text().strip()


def test_a_lone_surrogate_in_the_event_reaches_the_hook(load: Load, event: MakeEvent) -> None:
    outcome = load({"UserPromptSubmit": ["cat"]}).dispatch(event("UserPromptSubmit", prompt="\ud800"))
    assert "ud800" in outcome.runs[0].ended.stdout.decode()


def test_the_environment_is_widened_by_policy(load: Load, event: MakeEvent) -> None:
    hooks = {"SessionStart": ["echo $SECRET"]}
    for policies in (Policies(pass_env=("SECRET",)), Policies(inherit_env=True)):
        assert load(hooks, policies=policies).dispatch(event("SessionStart")).model == ("no",)


def test_placeholders_are_filled_and_the_exec_form_uses_no_shell(load: Load, event: MakeEvent, project: Path) -> None:
    entry = {
        "type": "command",
        "command": "/bin/echo",
        "args": ["$HOME", "*", "~", "$CLAUDE_PROJECT_DIR", "${CLAUDE_PROJECT_DIR}"],
    }
    outcome = load({"SessionStart": [entry]}).dispatch(event("SessionStart"))
    assert outcome.model == (f"$HOME * ~ $CLAUDE_PROJECT_DIR {project}",)


def test_in_a_shell_s_single_quotes_nothing_is_filled_in(load: Load, event: MakeEvent) -> None:
    outcome = load({"SessionStart": ["echo '${CLAUDE_PROJECT_DIR}'"]}).dispatch(event("SessionStart"))
    assert outcome.decision.context == "${CLAUDE_PROJECT_DIR}"


@pytest.mark.parametrize("word", ["${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_DATA}"])
def test_a_plugin_s_word_outside_of_a_plugin_is_not_started(load: Load, event: MakeEvent, word: str) -> None:
    outcome = load({"PreToolUse": [f"echo {word}; exit 2"]}).dispatch(event("PreToolUse"))
    assert (outcome.blocked, outcome.runs) == (False, ())
    assert "comes with no plugin" in outcome.warnings[0]


def test_an_empty_args_list_makes_the_command_one_program(load: Load, event: MakeEvent) -> None:
    entry = {"type": "command", "command": "/bin/echo x", "args": []}
    run = load({"SessionStart": [entry]}).dispatch(event("SessionStart")).runs[0]
    assert "/bin/echo x" in run.misbehaviour[-1]


def test_a_plugin_s_root_is_filled_in_and_exported(event: MakeEvent, project: Path, tmp_path: Path) -> None:
    root = tmp_path / "plugin"
    (root / "hooks").mkdir(parents=True)
    command = 'echo "${CLAUDE_PLUGIN_ROOT}"; printenv CLAUDE_PLUGIN_ROOT'
    hooks = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": command}]}]}}
    (root / "hooks/hooks.json").write_text(json.dumps(hooks))
    with HookHost.load(project, plugins=[str(root)], home=str(tmp_path), managed="/none", trust="all") as host:
        assert host.dispatch(event("SessionStart")).model == (f"{root}\n{root}",)


def test_identical_handlers_run_once_across_files(event: MakeEvent, project: Path, tmp_path: Path) -> None:
    def file(layer: str, **more: object) -> LayerFile:
        entry = {"type": "command", "command": f"echo x >> {project}/log", **more}
        text = json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}})
        return LayerFile(layer, f"{layer}.json", text=text)

    files = [file("user"), file("project", timeout=5, statusMessage="s"), file("local", **{"if": "Bash"})]
    with HookHost.load(project, files=files, home=str(tmp_path), trust="all") as host:
        outcome = host.dispatch(event("PreToolUse"))
    assert (project / "log").read_text() == "x\nx\n"
    assert "identical to user" in outcome.not_run[0].why


def test_deny_beats_defer_beats_ask_beats_allow(load: Load, event: MakeEvent) -> None:
    order = ["allow", "ask", "defer", "deny"]
    for count in range(1, 5):
        hooks = [specific("PreToolUse", permissionDecision=word) for word in order[:count]]
        outcome = load({"PreToolUse": hooks}).dispatch(event("PreToolUse"))
        assert outcome.decision.permission == order[count - 1]
        assert [handler.index for handler in outcome.decided_by] == [count - 1]
    assert outcome.blocked


def test_contexts_are_joined_in_configuration_order_or_as_they_finish(load: Load, event: MakeEvent) -> None:
    hooks = {
        "PostToolUse": [
            "sleep 0.3; " + specific("PostToolUse", additionalContext="slow"),
            specific("PostToolUse", additionalContext="fast"),
        ]
    }
    assert load(hooks).dispatch(event("PostToolUse")).decision.context == "slow\nfast"
    as_client = load(hooks, policies=Policies(context_order="finish")).dispatch(event("PostToolUse"))
    assert as_client.decision.context == "fast\nslow"
    assert as_client.model == ("fast", "slow")


def test_the_input_rewritten_last_counts_and_the_conflict_is_reported(load: Load, event: MakeEvent) -> None:
    hooks = [
        "sleep 0.3; " + specific("PreToolUse", updatedInput={"command": "slow"}),
        specific("PreToolUse", updatedInput={"command": "fast"}),
    ]
    outcome = load({"PreToolUse": hooks}).dispatch(event("PreToolUse"))
    assert outcome.decision.updated_input == {"command": "slow"}
    assert "finished last" in outcome.conflicts[0]
    assert load({"PreToolUse": [*hooks, deny()]}).dispatch(event("PreToolUse")).decision.updated_input is None


def test_a_rewritten_input_is_checked(load: Load, event: MakeEvent, project: Path) -> None:
    partial = load({"PreToolUse": [specific("PreToolUse", updatedInput={"timeout": 1})]})
    assert "lacks command" in partial.dispatch(event("PreToolUse")).conflicts[0]
    guard = {"type": "command", "command": deny("guard"), "if": "Bash(rm *)"}
    hooks = {"PreToolUse": [specific("PreToolUse", updatedInput={"command": "rm x"}), guard]}
    given = event("PreToolUse", tool_input={"command": "ls"})
    outcome = load(hooks).dispatch(given)
    assert not outcome.blocked
    assert "not seen by" in outcome.warnings[0]
    assert load(hooks, policies=Policies(recheck_input=True)).dispatch(given).decision.reason == "guard"


def test_precompact_output_follows_the_person_s_words_in_order(load: Load, event: MakeEvent) -> None:
    outcome = load({"PreCompact": ["sleep 0.2; echo one", "echo '{\"preserve\":1}'"]}).dispatch(
        event("PreCompact", custom_instructions="mine")
    )
    assert outcome.summarizer == 'mine\n\none\n\n{"preserve":1}'


def test_a_time_out_blocks_nothing_even_after_a_printed_block(load: Load, event: MakeEvent) -> None:
    entry = {"type": "command", "command": answer(decision="block") + "\nsleep 60", "timeout": 0.3}
    outcome = load({"PreToolUse": [entry]}).dispatch(event("PreToolUse"))
    assert (outcome.blocked, outcome.runs[0].verdict) == (False, "timed out")
    assert outcome.person == ("A hook didn't answer in time",)


def test_serial_runs_one_after_the_other(load: Load, event: MakeEvent, project: Path) -> None:
    log = project / "log"
    hooks = {"Stop": [f"echo a >> {log}; sleep 0.2; echo b >> {log}", f"echo c >> {log}"]}
    load(hooks, serial=True).dispatch(event("Stop"))
    assert log.read_text() == "a\nb\nc\n"


def test_types_that_are_not_run_are_listed_loudly(load: Load, event: MakeEvent) -> None:
    outcome = load(
        {
            "Stop": [
                {"type": "prompt", "prompt": "x"},
                {"type": "agent", "prompt": "x"},
                {"type": "mcp_tool", "server": "s", "tool": "t"},
            ]
        }
    ).dispatch(event("Stop"))
    assert [skipped.loud for skipped in outcome.not_run] == [True, True, True]
    assert len(outcome.warnings) == 3


# -- stopping


def test_a_stop_hook_that_always_blocks_is_overridden(load: Load, event: MakeEvent) -> None:
    host = load({"Stop": ["echo go on >&2; exit 2"]}, policies=Policies(stop_limit=2))
    first = host.dispatch(event("Stop", stop_hook_active=False))
    assert (first.continues, first.model) == (True, ("go on",))
    assert host.dispatch(event("Stop", stop_hook_active=True)).continues
    last = host.dispatch(event("Stop", stop_hook_active=True))
    assert not last.continues
    assert "2 times in a row" in last.warnings[0]


def test_the_limit_of_the_client_is_taken_from_its_variable(load: Load, event: MakeEvent) -> None:
    env = {"PATH": "/usr/bin:/bin", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "1"}
    host = load({"Stop": ["exit 2"]}, env=env)
    assert host.dispatch(event("Stop")).continues
    assert not host.dispatch(event("Stop", stop_hook_active=True)).continues


def test_a_new_turn_counts_anew(load: Load, event: MakeEvent) -> None:
    host = load({"Stop": ["exit 2"]}, policies=Policies(stop_limit=1))
    assert all(host.dispatch(event("Stop", stop_hook_active=False)).continues for _ in range(3))


# -- once and async


def test_once_has_no_effect_unless_a_policy_says_so(load: Load, event: MakeEvent) -> None:
    hooks: dict[str, list[Any]] = {"SessionStart": [{"type": "command", "command": "echo x", "once": True}]}
    plain, strict = load(hooks), load(hooks, policies=Policies(honour_once=True))
    assert [len(plain.dispatch(event("SessionStart")).runs) for _ in range(2)] == [1, 1]
    assert [len(strict.dispatch(event("SessionStart")).runs) for _ in range(2)] == [1, 0]
    assert len(strict.dispatch(event("SessionStart", session_id="other")).runs) == 1


def eventually(dispatch: Callable[[], Any], ready: Callable[[Any], bool]) -> Any:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        outcome = dispatch()
        if ready(outcome):
            return outcome
        time.sleep(0.02)
    raise AssertionError("nothing came")


def test_an_async_hook_blocks_nothing_and_speaks_with_the_next_event(load: Load, event: MakeEvent) -> None:
    entry = {"type": "command", "async": True, "command": specific("PostToolUse", additionalContext="late")}
    host = load({"PostToolUse": [entry]})
    first = host.dispatch(event("PostToolUse"))
    assert (first.runs, first.late) == ((), ())
    later = eventually(lambda: host.dispatch(event("Stop")), lambda outcome: bool(outcome.late))
    assert later.model == ("late",)


def test_a_rewaking_hook_gives_its_words_and_asks_for_a_turn(load: Load, event: MakeEvent) -> None:
    host = load({"Stop": [{"type": "command", "asyncRewake": True, "command": "echo look >&2; exit 2"}]})
    assert not host.dispatch(event("Stop")).continues
    later = eventually(lambda: host.dispatch(event("SessionEnd")), lambda outcome: bool(outcome.late))
    assert (later.rewake, later.model) == (True, ("look",))


def test_closing_drains_async_hooks_then_ends_them(load: Load, event: MakeEvent, project: Path) -> None:
    quick = {"type": "command", "async": True, "command": f"sleep 0.1; echo x > {project}/quick"}
    slow = {"type": "command", "async": True, "command": f"echo x > {project}/began; sleep 60"}
    host = load({"Stop": [quick, slow]}, policies=Policies(grace=0.2))
    host.dispatch(event("Stop"))
    left = host.close(drain=1.0)
    assert (project / "quick").exists()
    assert sorted(run.verdict for run in left) == ["cancelled", "silent"]


# -- files the session keeps


def test_exports_of_a_session_go_to_its_env_file(load: Load, event: MakeEvent) -> None:
    host = load({"SessionStart": ['echo "export A=1" > "$CLAUDE_ENV_FILE"']})
    given = event("SessionStart")
    host.dispatch(given)
    path = Path(host.env_file(str(given["session_id"])))
    assert path.read_text() == "export A=1\n"
    host.close()
    assert not path.exists()


def test_watched_paths_are_remembered(load: Load, event: MakeEvent) -> None:
    hooks = {
        "SessionStart": [specific("SessionStart", watchPaths=["/srv/x"])],
        "FileChanged": [{"type": "command", "command": "true"}],
    }
    host = load(hooks)
    changed = event("FileChanged", file_path="/srv/x")
    assert host.dispatch(changed).runs == ()
    assert host.dispatch(event("SessionStart")).decision.watch_paths == ("/srv/x",)
    assert len(host.dispatch(changed).runs) == 1


# -- policies


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param("exit 1", id="crash"),
        pytest.param("kill -9 $$", id="killed"),
        pytest.param({"type": "command", "command": "sleep 60", "timeout": 0.2}, id="time-out"),
        pytest.param("echo '{\"systemMessage\":1}'", id="void answer"),
        pytest.param({"type": "prompt", "prompt": "x"}, id="a type that is not run"),
        pytest.param({"type": "command", "command": "true", "if": "Edit|Write"}, id="a broken rule"),
    ],
)
@pytest.mark.parametrize("name", ["PreToolUse", "UserPromptSubmit"])
def test_fail_closed_denies_what_would_slip_through(name: str, entry: Any, load: Load, event: MakeEvent) -> None:
    assert not load({name: [entry]}).dispatch(event(name)).blocked
    outcome = load({name: [entry]}, policies=Policies(fail_closed="always")).dispatch(event(name))
    assert outcome.blocked
    assert "must not fail" in outcome.decision.reason


def test_fail_closed_denies_when_the_file_of_the_guards_is_void(load: Load, event: MakeEvent) -> None:
    hooks = {"PreToolUse": [{"type": "command"}, {"type": "command", "command": "true", "fail_closed": True}]}
    for policy, blocked in (
        (Policies(), False),
        (Policies(fail_closed="marked"), True),
        (Policies(fail_closed="always"), True),
    ):
        outcome = load(hooks, policies=policy).dispatch(event("PreToolUse"))
        assert outcome.blocked == blocked


def test_fail_closed_can_be_for_marked_hooks_alone(load: Load, event: MakeEvent) -> None:
    marked = Policies(fail_closed="marked")
    assert not load({"PreToolUse": ["exit 1"]}, policies=marked).dispatch(event("PreToolUse")).blocked
    entry = {"type": "command", "command": "exit 1", "fail_closed": True}
    assert load({"PreToolUse": [entry]}, policies=marked).dispatch(event("PreToolUse")).blocked


def test_fail_closed_leaves_good_hooks_and_other_events_alone(load: Load, event: MakeEvent) -> None:
    host = load({"PreToolUse": ["true"], "PostToolUse": ["exit 1"]}, policies=Policies(fail_closed="always"))
    assert not host.dispatch(event("PreToolUse")).blocked
    assert not host.dispatch(event("PostToolUse")).blocked


def test_full_match_by_policy(project: Path, tmp_path: Path, event: MakeEvent) -> None:
    text = json.dumps({"hooks": {"PreToolUse": [{"matcher": "E.it", "hooks": [{"type": "command", "command": "x"}]}]}})
    given = event("PreToolUse", "NotebookEdit")
    for policies, fires in ((Policies(), True), (Policies(full_match=True), False)):
        with HookHost.load(
            project, files=[LayerFile("user", "s", text=text)], home=str(tmp_path), policies=policies, trust="all"
        ) as host:
            assert [found.fires for found in host.explain(given)] == [fires]


def test_a_regular_expression_on_the_command_by_policy(load: Load, event: MakeEvent) -> None:
    hooks: dict[str, list[Any]] = {"PreToolUse": [{"type": "command", "command": deny(), "if": r"re:\brm\b"}]}
    given = event("PreToolUse", tool_input={"command": "cd x && rm y"})
    assert not load(hooks).dispatch(given).blocked
    host = load(hooks, policies=Policies(command_regex=True))
    assert host.dispatch(given).blocked
    assert not host.dispatch(event("PreToolUse", tool_input={"command": "ls"})).blocked


def test_default_timeout_and_output_cap_by_policy(load: Load, event: MakeEvent) -> None:
    slow = load({"Stop": ["sleep 60"]}, policies=Policies(default_timeout=0.2))
    assert slow.dispatch(event("Stop")).runs[0].verdict == "timed out"
    loud = load({"SessionStart": ["head -c 5000 /dev/zero"]}, policies=Policies(output_cap=1024))
    assert "1024 were kept" in loud.dispatch(event("SessionStart")).runs[0].misbehaviour[-1]


def test_tool_names_of_another_agent_by_policy(load: Load, event: MakeEvent) -> None:
    rewrite = specific("PreToolUse", updatedInput={"file_path": "b", "old_string": "x", "new_string": "y"})
    hooks: dict[str, list[Any]] = {"PreToolUse": [{"type": "command", "command": rewrite, "if": "Edit(*.md)"}]}
    given = event("PreToolUse", tool_name="edit_file", tool_input={"path": "a.md", "old_str": "x", "new_str": "y"})
    outcome = load(hooks, policies=Policies(tool_names=SNAKE_CASE)).dispatch(given)
    assert outcome.event.raw["tool_name"] == "Edit"
    assert outcome.agent_input == {"path": "b", "old_str": "x", "new_str": "y"}
    there = SNAKE_CASE.reversed().to_hook(SNAKE_CASE.to_hook(given))
    assert there == given


@pytest.mark.parametrize(
    "wrong",
    [{"fail_closed": "yes"}, {"stop_limit": 0}, {"stop_limit": 11}, {"default_timeout": 0}, {"output_cap": 1}],
)
def test_a_policy_with_an_impossible_value_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(PolicyError, match=next(iter(wrong))):
        Policies(**wrong)


# -- http


class _Server(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen = (json.loads(body), dict(self.headers))  # type: ignore[attr-defined]
        if self.path == "/trickle":
            self.send_response(200)
            self.end_headers()
            try:
                while not self.server.stopping:  # type: ignore[attr-defined]
                    self.wfile.write(b" ")
                    time.sleep(0.05)
            except OSError:
                return
        if self.path == "/missing":
            self.send_error(500)
            return
        self.send_response(200)
        self.end_headers()
        text = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "over http"}}
        self.wfile.write(json.dumps(text).encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Any:
    with HTTPServer(("127.0.0.1", 0), _Server) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        made.stopping = False  # type: ignore[attr-defined]
        yield made
        made.stopping = True  # type: ignore[attr-defined]
        made.shutdown()
        thread.join()


def test_an_http_hook_on_this_machine_runs(load: Load, event: MakeEvent, server: Any) -> None:
    entry = {
        "type": "http",
        "url": f"http://127.0.0.1:{server.server_port}/",
        "headers": {"X-Token": "Bearer $TOKEN", "X-Other": "$PATH"},
        "allowedEnvVars": ["TOKEN"],
    }
    host = load({"PostToolUse": [entry]}, env={"TOKEN": "t", "PATH": "/bin"})
    given = event("PostToolUse")
    assert host.dispatch(given).model == ("over http",)
    body, headers = server.seen
    assert body == given
    assert (headers["X-Token"], headers["X-Other"]) == ("Bearer t", "")


def test_an_http_failure_blocks_nothing(load: Load, event: MakeEvent, server: Any) -> None:
    entry = {"type": "http", "url": f"http://localhost:{server.server_port}/missing"}
    run = load({"PostToolUse": [entry]}).dispatch(event("PostToolUse")).runs[0]
    assert (run.verdict, run.ended.stderr) == ("failed", b"HTTP status 500")


def test_an_http_answer_that_trickles_runs_out_of_time(load: Load, event: MakeEvent, server: Any) -> None:
    entry = {"type": "http", "url": f"http://localhost:{server.server_port}/trickle", "timeout": 0.3}
    host = load({"PreToolUse": [entry]})
    outcome = host.dispatch(event("PreToolUse"))
    assert (outcome.runs[0].verdict, outcome.blocked) == ("timed out", False)


@pytest.mark.parametrize("url", ["http://example.com/", "ftp://localhost/", "http://10.0.0.1/", "http:nothing"])
def test_other_machines_are_not_called(url: str, load: Load, event: MakeEvent) -> None:
    outcome = load({"Stop": [{"type": "http", "url": url}]}).dispatch(event("Stop"))
    assert (outcome.runs, outcome.not_run[0].loud) == ((), True)


# -- asyncio and cancelling


def test_dispatch_from_asyncio_runs_events_side_by_side(load: Load, event: MakeEvent, project: Path) -> None:
    """Each waits for a file the other makes."""
    wait = f"touch {project}/$1; while [ ! -e {project}/$2 ]; do sleep 0.01; done"
    host = load({"Stop": [f"set -- a b; {wait}"], "PostToolUse": [f"set -- b a; {wait}"]})

    async def both() -> tuple[Any, Any]:
        return await asyncio.gather(host.dispatch_async(event("Stop")), host.dispatch_async(event("PostToolUse")))

    assert [len(outcome.runs) for outcome in asyncio.run(both())] == [1, 1]


def test_cancelling_a_task_ends_its_hooks(load: Load, event: MakeEvent, project: Path) -> None:
    host = load({"Stop": [f"echo $$ > {project}/pid; sleep 60"]}, policies=Policies(grace=0.2))

    async def cancelled() -> None:
        async with host:
            task = asyncio.ensure_future(host.dispatch_async(event("Stop")))
            while not (project / "pid").exists() or not (project / "pid").read_text().endswith("\n"):
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(cancelled())
    pid = int((project / "pid").read_text())
    assert not Path(f"/proc/{pid}").exists()


def test_what_is_no_event_is_refused(load: Load) -> None:
    with pytest.raises(EventError):
        load({}).dispatch(b"{}")
