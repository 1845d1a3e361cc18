"""One configuration, two judges: the real client plays a session, the host is given the events the client had.

Hooks write down what they were given and say what they are told to say; every text they say carries a mark
(`[hook/part]`), so that what reached the model can be told from what did not, hook by hook.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from dreamwork_hooks.host import HookHost, Outcome, Policies, layer_files
from tests.support.session import ALLOWED, Place, Ran, run_session

Json = dict[str, Any]

# `$event` goes to a file before anything is said, so that a hook that is killed has still been seen.
SCRIPT = """\
#!/bin/sh
# hook DIR NAME: what it says is in DIR/answers/NAME.KEY, KEY being what follows `case:` in the event, or in NAME.
event=$(cat)
printf %s "$event" >"$1/runs/$2.$$"
key=
case $event in *case:*) key=${event#*case:} key=.${key%%[!a-z0-9-]*} ;; esac
at=$1/answers/$2$key
[ -e "$at.code" ] || at=$1/answers/$2
[ -e "$at.code" ] || exit 0
read -r code after <"$at.code"
[ "$after" = 0 ] || sleep "$after"
[ -s "$at.out" ] && cat "$at.out"
[ -s "$at.err" ] && cat "$at.err" >&2
case $code in -*) kill "$code" $$ ;; esac
exit "$code"
"""

EVERY_EVENT = "which hooks ran together, and what they were given"

_MARK = re.compile(r"\[([\w.-]+/[a-z]+)\]")


def mark(hook: str, part: str) -> str:
    """A text to be found again."""
    return f"[{hook}/{part}]"


def marks(texts: Iterable[str]) -> frozenset[str]:
    """The marks in some texts, as `hook/part`."""
    return frozenset(found for text in texts for found in _MARK.findall(text))


@dataclass(frozen=True)
class Says:
    """What a hook says, with `%` for its own name in the marks (`[%/ctx]`), and its exit status, negative for a signal.

    `after` is the seconds it takes.
    """

    out: str | Json = ""
    err: str = ""
    code: int = 0
    after: float = 0.0

    def of(self, name: str) -> tuple[str, str]:
        """Both streams, for a hook of that name."""
        out = self.out if isinstance(self.out, str) else json.dumps(self.out)
        return out.replace("[%/", f"[{name}/"), self.err.replace("[%/", f"[{name}/")


@dataclass(frozen=True)
class Seen:
    """What came of one case, as one of the two judges saw it."""

    hooks: frozenset[str] = frozenset()
    decision: str = ""
    model: frozenset[str] = frozenset()
    person: frozenset[str] = frozenset()

    @classmethod
    def of(cls, prefix: str, hooks: Iterable[str], decision: str, model: Iterable[str], person: Iterable[str]) -> Seen:
        """Of all that was seen, what concerns the hooks called `PREFIX` or `PREFIX.x`."""

        def ours(names: Iterable[str]) -> frozenset[str]:
            return frozenset(n for n in names if n.partition("/")[0] == prefix or n.startswith(f"{prefix}."))

        return cls(ours(hooks), decision, ours(model), ours(person))


@dataclass(frozen=True)
class Pair:
    """Both judges on one case."""

    client: Seen
    host: Seen


@dataclass(frozen=True)
class Dispatch:
    """One event, the bytes its hooks were given, and how often each of them ran."""

    event: Json
    text: str
    runs: Mapping[str, int]

    @property
    def hooks(self) -> frozenset[str]:
        """The hooks that ran."""
        return frozenset(self.runs)

    @property
    def name(self) -> str:
        """The client's name of the event."""
        return str(self.event["hook_event_name"])


@dataclass(frozen=True)
class Compared:
    """A session as the client ran it, and the host's answer to each event of it, in order."""

    ran: Ran
    client: list[Dispatch]
    host: list[Dispatch]
    outcomes: list[Outcome]

    def of(self, event: str, key: str = "") -> list[tuple[Dispatch, Dispatch, Outcome]]:
        """Client's dispatch, host's dispatch and outcome of the events of that name that say `case:KEY`."""
        wanted = f"case:{key}" if key else ""
        return [
            (client, host, outcome)
            for client, host, outcome in zip(self.client, self.host, self.outcomes)
            if client.name == event and (not wanted or re.search(re.escape(wanted) + r"(?![a-z0-9-])", client.text))
        ]

    def pair(self, prefix: str, client: str = "", host: str = "") -> Pair:
        """What came of the hooks called `PREFIX` or `PREFIX.x`, with a word of each judge for the decision."""
        hooks = [frozenset(hook for dispatch in side for hook in dispatch.hooks) for side in (self.client, self.host)]
        return Pair(
            Seen.of(prefix, hooks[0], client, self.client_model, self.client_person),
            Seen.of(prefix, hooks[1], host, self.host_model, self.host_person),
        )

    @property
    def every_event(self) -> Pair:
        """Which hooks ran together, event by event, and what each was given."""

        def told(dispatches: list[Dispatch]) -> str:
            return "\n".join(f"{d.name}: {sorted(d.runs.items())}: {d.text}" for d in dispatches)

        return Pair(Seen(decision=told(self.client)), Seen(decision=told(self.host)))

    @cached_property
    def client_model(self) -> frozenset[str]:
        """The marks the model was sent, summaries left out."""
        return marks(request.text for request in self.ran.of_kind("turn"))

    @cached_property
    def host_model(self) -> frozenset[str]:
        """The marks the host says the model gets, a replaced tool result included."""
        replaced = [json.dumps(outcome.decision.updated_output) for outcome in self.outcomes]
        return marks([*(text for outcome in self.outcomes for text in outcome.model), *replaced])

    @cached_property
    def client_person(self) -> frozenset[str]:
        """The marks in what the client told the person of its own accord, after a command, and on its way out."""
        told = [m for m in self.ran.stream if m.get("type") == "system" and m.get("subtype") != "hook_response"]
        shown = [
            m for m in self.ran.stream if m.get("type") == "user" and "<local-command-stdout>" in str(m["message"])
        ]
        return marks([*(json.dumps(message) for message in (*told, *shown)), self.ran.stderr])

    @cached_property
    def host_person(self) -> frozenset[str]:
        """The marks the host says the person sees."""
        return marks(text for outcome in self.outcomes for text in outcome.person)


@dataclass
class Bench:
    """A home, a project, and the hooks wired there. `witness` hooks see to it that every event is recorded."""

    place: Place
    root: Path
    flags: list[Path] = field(default_factory=list)
    plugins: list[Path] = field(default_factory=list)

    @classmethod
    def make(cls, root: Path) -> Bench:
        """Set one up below `root`."""
        bench = cls(Place.make(root / "place"), root / "bench")
        for name in ("runs", "answers"):
            (bench.root / name).mkdir(parents=True)
        bench._script.write_text(SCRIPT)
        bench._script.chmod(0o755)
        return bench

    @property
    def _script(self) -> Path:
        return self.root / "hook"

    def handler(self, name: str, says: Says | Mapping[str, Says] | None = None, **keys: object) -> Json:
        """A hook for the settings (`if` is written `if_`).

        A mapping is by the `case:KEY` of the event; the hook's name in the marks is then `KEY.NAME`.
        """
        if isinstance(says, Says):
            self._learn(name, says, name)
        for key, said in says.items() if isinstance(says, Mapping) else ():
            self._learn(f"{name}.{key}", said, f"{key}.{name}")
        further = {key.rstrip("_"): value for key, value in keys.items()}
        return {"type": "command", "command": shlex.join([str(self._script), str(self.root), name]), **further}

    def _learn(self, file: str, says: Says, name: str) -> None:
        at = self.root / "answers" / file
        out, err = says.of(name)
        for ending, text in (("out", out), ("err", err), ("code", f"{says.code} {says.after:g}\n")):
            at.with_name(f"{at.name}.{ending}").write_text(text)

    def write(self, layer: str, settings: Json | str) -> Path:
        """Write the settings file of a layer: `user`, `project`, `local`, or `flag` (passed with `--settings`)."""
        project = self.place.project / ".claude"
        path = {
            "user": self.place.settings,
            "project": project / "settings.json",
            "local": project / "settings.local.json",
            "flag": self.root / "flag.json",
        }[layer]
        path.parent.mkdir(exist_ok=True)
        path.write_text(settings if isinstance(settings, str) else json.dumps(settings))
        if layer == "flag":
            self.flags = [path]
        return path

    def witness(self, *events: str) -> dict[str, list[Json]]:
        """Hooks that see every one of those events and say nothing."""
        return {event: [{"hooks": [self.handler("witness")]}] for event in events}

    def compare(self, client: Path, policies: Policies | None = None, **session: Any) -> Compared:
        """Play a session, then give the host every event a hook of it was given."""
        arguments = [*session.pop("arguments", ALLOWED), *(w for f in self.flags for w in ("--settings", str(f)))]
        arguments += [word for root in self.plugins for word in ("--plugin-dir", str(root))]
        ran = run_session(client, self.place, arguments=arguments, **session)
        seen = self._take()
        host_seen: list[Dispatch] = []
        outcomes: list[Outcome] = []
        with self._host(policies) as host:
            for dispatch in seen:
                outcomes.append(host.dispatch(dispatch.event))
                again = self._take()
                assert len(again) <= 1, "the host gave hooks of one event different input"
                host_seen.append(again[0] if again else Dispatch(dispatch.event, "", {}))
        return Compared(ran, seen, host_seen, outcomes)

    def dispatch(self, event: Json) -> frozenset[str]:
        """The hooks the host runs for an event of which the client told nobody."""
        with self._host() as host:
            host.dispatch(event)
        return frozenset(hook for dispatch in self._take() for hook in dispatch.hooks)

    def _host(self, policies: Policies | None = None) -> HookHost:
        env = {"PATH": "/usr/bin:/bin", "HOME": str(self.place.home)}
        home, flags = str(self.place.home), [str(path) for path in self.flags]
        plugins = [str(root) for root in self.plugins]
        files = layer_files(str(self.place.project), env=env, home=home, settings=flags, plugins=plugins)
        return HookHost.load(self.place.project, files=files, home=home, env=env, policies=policies, trust="all")

    def _take(self) -> list[Dispatch]:
        """The runs so far, those of one event together (they are given the same bytes), and forget them."""
        grouped: dict[str, Counter[str]] = {}
        for path in sorted((self.root / "runs").iterdir(), key=lambda path: path.stat().st_mtime_ns):
            grouped.setdefault(path.read_text(), Counter())[path.name.rpartition(".")[0]] += 1
            path.unlink()
        return [Dispatch(json.loads(text), text, runs) for text, runs in grouped.items()]
