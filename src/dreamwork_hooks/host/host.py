"""The hook host: load a configuration once, dispatch events to it, close it.

    with HookHost.load("/path/to/project") as host:
        outcome = host.dispatch(event)
        if outcome.blocked:
            print(outcome.decision.reason)

It behaves as the client does (`contract`), except where `Policies` says otherwise and in two things named there: the
order of contexts, and the environment. POSIX only. A host may be used from several threads.
"""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dreamwork_hooks.contract import matcher as matchers
from dreamwork_hooks.contract.decision import Decision
from dreamwork_hooks.contract.event import Event, StopEvent, ToolEvent, parse_event
from dreamwork_hooks.host import folding, spawning
from dreamwork_hooks.host.choosing import Match, Status, match, skill_used, status
from dreamwork_hooks.host.folding import Folded, StopGuard, client_limit, fold
from dreamwork_hooks.host.outcome import HookRun, NotRun, Outcome
from dreamwork_hooks.host.policies import Policies
from dreamwork_hooks.host.spawning import Background, base_environment
from dreamwork_hooks.host.trust import Ask, Consent, TrustStore, Verdict
from dreamwork_hooks.processes.running import Cancel, Ended, Job
from dreamwork_hooks.settings.configuration import Configuration, load_configuration
from dreamwork_hooks.settings.doubts import about_rule
from dreamwork_hooks.settings.layers import LayerFile
from dreamwork_hooks.settings.shape import HTTP, Handler
from dreamwork_hooks.settings.sources import layer_files


@dataclass(frozen=True)
class _Chosen:
    """What an event comes to before anything runs."""

    firing: list[Handler]
    not_run: list[NotRun]
    denials: list[tuple[Handler | None, str]]
    refused: bool


class HookHost:
    """Runs the hooks of one project. Make it with `load`; `close` it, or use it in a `with`."""

    def __init__(
        self,
        configuration: Configuration,
        project: str,
        *,
        home: str,
        env: Mapping[str, str],
        policies: Policies | None = None,
        trust: TrustStore | Literal["all"] | None = None,
        ask: Ask | None = None,
        serial: bool = False,
    ) -> None:
        self.configuration = configuration
        self.project = project
        self.home = home
        self.policies = policies or Policies()
        self.serial = serial
        if trust is None:
            trust = TrustStore.default(env, home)
        self._consent = Consent(configuration, self.project, None if trust == "all" else trust, ask)
        self._base_env = base_environment(env, self.policies)
        self._own_env = dict(env)
        self._stops = StopGuard(self.policies.stop_limit or client_limit(env))
        self._background = Background(self.policies.output_cap, self.policies.grace)
        self._lock = threading.Lock()
        self._late: list[HookRun] = []
        self._once: set[tuple[object, ...]] = set()
        self._watched: set[str] = set()
        self._skills: dict[str, set[str]] = {}
        self._env_files: str | None = None

    @classmethod
    def load(
        cls,
        project: str | os.PathLike[str],
        *,
        files: Sequence[LayerFile] | None = None,
        settings: Sequence[str] = (),
        plugins: Sequence[str] = (),
        managed: str | None = None,
        home: str | None = None,
        env: Mapping[str, str] | None = None,
        policies: Policies | None = None,
        trust: TrustStore | Literal["all"] | None = None,
        ask: Ask | None = None,
        serial: bool = False,
    ) -> HookHost:
        """Read the configuration of a session started in `project`.

        `files` names the layers explicitly; without it they are found as the client finds them, with `settings`
        (paths or JSON, as `--settings` takes), `plugins` (directories) and `managed` (instead of the system's file).
        `home` and `env` default to the real ones. The repository's own hooks run only when the `trust` store says so
        (the person's own, when none is given), or when `ask` does; `trust="all"` runs them all. Raises PolicyError,
        TrustError and, where `project` is none, NotADirectoryError.
        """
        real_env = os.environ if env is None else env
        real_home = home if home is not None else real_env.get("HOME") or os.path.expanduser("~")
        root = os.path.abspath(project)
        if not os.path.isdir(root):
            raise NotADirectoryError(f"{root}: no such directory")
        if files is None:
            files = layer_files(root, env=real_env, home=real_home, settings=settings, plugins=plugins, managed=managed)
        return cls(
            load_configuration(files),
            root,
            home=real_home,
            env=real_env,
            policies=policies,
            trust=trust,
            ask=ask,
            serial=serial,
        )

    # -- dispatching

    def dispatch(self, event: Event | Mapping[str, object] | bytes | str, *, cancel: Cancel | None = None) -> Outcome:
        """Run the hooks an event fires and fold their answers.

        A thrown `cancel` ends the hooks as a time-out would; the outcome then has them as cancelled. Raises EventError
        for input that is no event.
        """
        given = event.raw if isinstance(event, Event) else event
        agent_tool = given.get("tool_name") if isinstance(given, Mapping) else None
        parsed = self._parsed(event)
        # Before anything is started: a hook of this event that is fast still speaks with the next one.
        late = self._take_late()
        if isinstance(parsed, StopEvent):
            self._stops.before(parsed)
        used = skill_used(parsed)
        if used and parsed.name == "PostToolUse":
            self._skills.setdefault(parsed.session_id, set()).add(used)
        chosen = self._choose(parsed)
        if used:  # of a prompt that names a skill, the skill's own hooks do not hear
            self._skills.setdefault(parsed.session_id, set()).add(used)
        runs = self._run(chosen.firing, parsed, cancel)
        folded = fold(parsed, runs, self.policies)
        warnings = [f"{skipped.handler.label} did not run: {skipped.why}" for skipped in chosen.not_run if skipped.loud]
        runs, folded = self._recheck(parsed, chosen, runs, folded, warnings, cancel)
        decision, deciders = folded.decision, folded.decided_by
        model = folded.model
        for handler, reason in chosen.denials:
            if not decision.block:
                denied = folding.denial(parsed.name, reason)
                decision = replace(denied, context=decision.context, system_message=decision.system_message)
                deciders = (handler,) if handler is not None else ()
                model = (*model, reason)
        outcome = Outcome(
            event=parsed,
            runs=tuple(runs),
            not_run=tuple(chosen.not_run),
            decision=decision,
            decided_by=deciders,
            model=(*(text for run in late for text in self._late_texts(run)), *model),
            person=folded.person,
            summarizer=folded.summarizer,
            conflicts=folded.conflicts,
            warnings=tuple(warnings),
            late=tuple(late),
            rewake=any(run.handler.rewake and run.ended.exit_code == 2 for run in late),
            refused=chosen.refused,
        )
        return self._finished(outcome, agent_tool if isinstance(agent_tool, str) else None)

    async def dispatch_async(self, event: Event | Mapping[str, object] | bytes | str) -> Outcome:
        """As `dispatch`, from asyncio. Cancelling the task ends the hooks before the cancellation goes on."""
        import asyncio  # which takes longer than loading a configuration

        with Cancel() as cancel:
            loop = asyncio.get_running_loop()
            work = loop.run_in_executor(None, functools.partial(self.dispatch, event, cancel=cancel))
            try:
                return await asyncio.shield(work)
            except asyncio.CancelledError:
                cancel.throw()
                await asyncio.wait([work])
                raise

    def explain(self, event: Event | Mapping[str, object] | bytes | str) -> list[Match]:
        """For every configured hook whether it would fire, and why; nothing is run. Raises EventError."""
        parsed = self._parsed(event)
        runnable = [handler for handler in self.configuration.handlers if self.status(handler).runs]
        verdicts = {found.handler: found for found in self._match(runnable, parsed)}
        for handler in (*self.configuration.handlers, *self.configuration.lost):
            if handler not in verdicts:
                now = self.status(handler)
                verdicts[handler] = Match(handler, False, f"{now.word}: {now.why}")
        return [verdicts[handler] for handler in (*self.configuration.handlers, *self.configuration.lost)]

    def status(self, handler: Handler) -> Status:
        """Whether a hook may run at all: `user`, `trusted`, `untrusted`, `disabled` or `broken`."""
        verdict = self._consent.verdict
        found = status(handler, self.configuration, verdict, self._consent.off(), rules=not self.policies.command_regex)
        if found.word == "trusted" and self.policies.strict:
            uncovered = self._consent.uncovered(handler)
            if uncovered:
                return Status("untrusted", f"{uncovered[0]} is not covered by trust, and --strict refuses that")
        if found.runs and handler.type == HTTP:
            refusal = spawning.refusal(handler.url, self.policies.allow_http)
            if refusal:
                return Status("broken", refusal)
        return found

    @property
    def verdict(self) -> Verdict | None:
        """What the trust store says of the hooks that come with the project; None with `trust="all"`."""
        return self._consent.verdict

    # -- leaving

    def close(self, drain: float = 0.0) -> list[HookRun]:
        """End what still runs: `async` hooks get `drain` seconds, then SIGTERM. Returns those nobody has seen yet."""
        self._background.drain(drain)
        with self._lock:
            folder, self._env_files = self._env_files, None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        return self._take_late()

    def __enter__(self) -> HookHost:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def __aenter__(self) -> HookHost:
        return self

    async def __aexit__(self, *exc: object) -> None:
        import asyncio

        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def env_file(self, session_id: str) -> str:
        """The `CLAUDE_ENV_FILE` of a session: what its hooks export is there, for the agent's shell to read."""
        with self._lock:
            if self._env_files is None:
                self._env_files = tempfile.mkdtemp(prefix="dreamwork-hooks-env-")
            return os.path.join(self._env_files, session_id.replace(os.sep, "_") or "session")

    # -- the parts of a dispatch

    def _parsed(self, event: Event | Mapping[str, object] | bytes | str) -> Event:
        if isinstance(event, Event):
            return event
        table = self.policies.tool_names
        if table is not None and isinstance(event, Mapping):
            return parse_event(table.to_hook(event))
        return parse_event(event)

    def _match(self, handlers: Sequence[Handler], event: Event) -> list[Match]:
        return match(
            handlers,
            event,
            home=self.home,
            policies=self.policies,
            watched=self._watched,
            used=self._skills.get(event.session_id, ()),
        )

    def _choose(self, event: Event) -> _Chosen:
        self._consent.refresh()
        ours = [handler for handler in self.configuration.handlers if handler.event == event.name]
        states = {handler: self._status_in(handler, event.cwd) for handler in ours}
        firing: list[Handler] = []
        not_run: list[NotRun] = []
        denials: list[tuple[Handler | None, str]] = []
        refused = False
        for found in self._match([handler for handler in ours if states[handler].runs], event):
            if found.fires and not self._spent(found.handler, event):
                firing.append(found.handler)
            else:
                not_run.append(NotRun(found.handler, found.why if not found.fires else "ran once already"))
        for handler in ours:
            state = states[handler]
            if state.runs:
                continue
            wanted = self._would_fire(handler, event, state)
            not_run.append(NotRun(handler, state.why, loud=wanted and state.word != "disabled"))
            if not wanted or not folding.guards(handler, self.policies):
                continue
            if state.word == "untrusted":
                refused = True
                denials.append((handler, f"{handler.label} must run and is untrusted: {state.why}"))
            elif state.word == "broken":
                denials.append((handler, f"{handler.label} must not fail and is broken: {state.why}"))
        for path, why in folding.broken_configuration(self.configuration, event, self.policies):
            denials.append((None, f"hooks in {path} must not fail and are broken: {why}"))
        return _Chosen(firing, not_run, denials, refused)

    def _status_in(self, handler: Handler, cwd: str) -> Status:
        """As `status`, for an event in `cwd`: there a relative path may be of another file."""
        state = self.status(handler)
        why = self._consent.elsewhere(handler, cwd) if state.word == "trusted" else ""
        return Status("untrusted", why) if why else state

    def _would_fire(self, handler: Handler, event: Event, state: Status) -> bool:
        """Whether a hook that may not run is meant by the event; of a broken filter nobody can tell, so yes.

        A regular expression in `if` is not tried before its hook is trusted: it could take for ever.
        """
        if self.policies.command_regex and handler.rule.startswith("re:"):
            handler = replace(handler, rule="")
        if state.word == "broken":
            if matchers.read(handler.matcher).form == "invalid":
                return True
            if about_rule(handler.event, handler.matcher, handler.rule):
                handler = replace(handler, rule="")
        return self._match([handler], event)[0].fires

    def _spent(self, handler: Handler, event: Event) -> bool:
        # The client heeds `once` in a skill alone, and there only of a group whose matcher names something (measured).
        heeded = handler.scope[:1] == ("skill",) and matchers.read(handler.matcher).form != "every"
        if not (handler.once and (heeded or self.policies.honour_once)):
            return False
        key = (event.session_id, handler.identity)
        with self._lock:
            spent = key in self._once
            self._once.add(key)
        return spent

    def _run(self, firing: Sequence[Handler], event: Event, cancel: Cancel | None) -> list[HookRun]:
        if not firing:
            return []
        stdin = spawning.standard_input(event)
        env_file = self.env_file(event.session_id) if "CLAUDE_ENV_FILE" in event.spec.exported else None
        base_env = {**self._base_env, **self._consent.env()}
        jobs = {
            handler: spawning.job_for(
                handler,
                event,
                stdin,
                {**self._with_allowed(handler, base_env), **self._consent.added_env(handler)},
                self.policies,
                project=self.project,
                env_file=env_file,
            )
            for handler in firing
        }
        waited = [handler for handler in firing if not handler.background]
        for handler in firing:
            if handler.background:
                self._detach(handler, event, jobs[handler])
        ended = spawning.run_all(waited, jobs, stdin, self.policies, serial=self.serial, cancel=cancel)
        runs = [spawning.judged(handler, event, done, self.policies) for handler, done in zip(waited, ended)]
        return [folding.closed(run, self.policies) for run in runs]

    def _with_allowed(self, handler: Handler, env: dict[str, str]) -> dict[str, str]:
        """For an `http` handler, with the variables it may put into its headers."""
        named = [name for name in handler.allowed_env if name in self._own_env]
        return {**env, **{name: self._own_env[name] for name in named}} if handler.type == HTTP else env

    def _detach(self, handler: Handler, event: Event, job: Job) -> None:
        def done(ended: Ended) -> None:
            run = spawning.judged(handler, event, ended, self.policies)
            with self._lock:
                self._late.append(run)

        self._background.start(job, done)

    def _recheck(
        self,
        event: Event,
        chosen: _Chosen,
        runs: list[HookRun],
        folded: Folded,
        warnings: list[str],
        cancel: Cancel | None,
    ) -> tuple[list[HookRun], Folded]:
        """Hold the hooks that did not run against the rewritten input, so that no rewrite slips past a guard."""
        updated = folded.decision.updated_input
        if updated is None or not isinstance(event, ToolEvent) or event.name != "PreToolUse":
            return runs, folded
        try:
            rewritten = parse_event({**event.raw, "tool_input": updated})
        except ValueError:
            return runs, folded  # fold() has said that the input is not one
        others = [skipped.handler for skipped in chosen.not_run if self._status_in(skipped.handler, event.cwd).runs]
        seen = {handler.identity for handler in chosen.firing}
        fresh = [m.handler for m in self._match(others, rewritten) if m.fires and m.handler.identity not in seen]
        if not fresh:
            return runs, folded
        if not self.policies.recheck_input:
            names = ", ".join(handler.label for handler in fresh)
            warnings.append(f"the rewritten input was not seen by {names}, which would run for it")
            return runs, folded
        more = [*runs, *self._run(fresh, rewritten, cancel)]
        return more, fold(rewritten, more, self.policies)

    def _take_late(self) -> list[HookRun]:
        with self._lock:
            late, self._late = self._late, []
        return late

    def _late_texts(self, run: HookRun) -> list[str]:
        """What of an `async` hook reaches the model: its context and its system message; blocking it cannot."""
        decision = run.reading.decision
        texts = [text for text in (decision.context, decision.system_message) if text]
        if run.handler.rewake and run.ended.exit_code == 2 and decision.reason:
            texts.append(decision.reason)
        return texts

    def _finished(self, outcome: Outcome, agent_tool: str | None) -> Outcome:
        event, decision = outcome.event, outcome.decision
        self._watched.update(decision.watch_paths)
        if isinstance(event, StopEvent) and self._stops.after(event, outcome.continues):
            said = f"the hooks kept the agent going {self.policies.stop_limit} times in a row: it stops all the same"
            outcome = replace(outcome, decision=Decision(), decided_by=(), warnings=(*outcome.warnings, said))
        if decision.updated_input is not None and self.policies.tool_names is not None and agent_tool is not None:
            back = self.policies.tool_names.input_from_hook(agent_tool, decision.updated_input)
            outcome = replace(outcome, agent_input=back)
        return outcome
