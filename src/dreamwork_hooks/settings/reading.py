"""One settings file: its hooks, what is wrong in it, and what the client therefore leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dreamwork_hooks.contract import permission_rule
from dreamwork_hooks.contract.event import type_name
from dreamwork_hooks.contract.events import EVENTS, VOIDING_EVENTS, Evidence, measured, nearest, unverified
from dreamwork_hooks.settings.handler import Handler
from dreamwork_hooks.settings.jsonmap import Document, JsonPath, NotJson, parse
from dreamwork_hooks.settings.layers import LayerFile
from dreamwork_hooks.settings.shape import COMMAND, group_fault, handler_fault, setting_faults, shown

# What a problem takes with it.
FILE = "file"
EVENT = "event"
GROUP = "group"
HANDLER = "handler"
NOTHING = "nothing"

LOST = {
    FILE: "nothing of this file counts: no hooks, no env, no permissions",
    EVENT: "everything under this event is ignored",
    GROUP: "this group is left out",
    HANDLER: "this handler is left out",
    NOTHING: "the rest stands",
}


@dataclass(frozen=True)
class Problem:
    """Something wrong in a settings file. `takes` is what the client leaves out for it (`LOST`)."""

    path: str
    line: int
    where: str
    message: str
    takes: str
    evidence: Evidence = measured

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        return f"{self.path}:{self.line}: {where}{self.message}; {LOST[self.takes]}"


@dataclass(frozen=True)
class Layer:
    """A settings file, read. When `void`, everything else in it is empty."""

    file: LayerFile
    present: bool = True
    handlers: tuple[Handler, ...] = ()
    lost: tuple[Handler, ...] = ()
    """Handlers that stand in a void file, as far as they can be read."""
    env: Mapping[str, str] | None = None
    disable_all_hooks: bool | None = None
    managed_only: bool = False
    problems: tuple[Problem, ...] = ()
    void: bool = False


def read_layer(file: LayerFile) -> Layer:
    """Read a file by the measured rules. Never raises: what is wrong is in `problems`."""
    try:
        data = file.read()
    except OSError as error:
        problem = Problem(file.path, 1, "", f"cannot be read: {error.strerror or error}", FILE, unverified)
        return Layer(file, problems=(problem,), void=True)
    if data is None:
        return Layer(file, present=False)
    try:
        document = parse(data)
    except NotJson as error:
        problem = Problem(file.path, error.line, "", f"column {error.column}: {error.problem}", FILE)
        return Layer(file, problems=(problem,), void=True)
    return _Reader(file, document).layer()


class _Reader:
    def __init__(self, file: LayerFile, document: Document) -> None:
        self.file = file
        self.document = document
        self.problems: list[Problem] = []
        self.handlers: list[Handler] = []

    def layer(self) -> Layer:
        value = self.document.value
        if not isinstance(value, dict):
            self._problem((), f"settings must be an object, this is {type_name(value)}", FILE, unverified)
            return Layer(self.file, problems=tuple(self.problems), void=True)
        for keys, wrong in setting_faults(value):
            self._problem(keys, wrong, FILE)
        self._hooks(value.get("hooks", {}))
        void = any(problem.takes == FILE for problem in self.problems)
        if void:
            lost = tuple(self.handlers)
            return Layer(self.file, lost=lost, problems=tuple(self.problems), void=True)
        disable = value.get("disableAllHooks")
        return Layer(
            self.file,
            handlers=tuple(self.handlers),
            env=self._env(value.get("env")),
            disable_all_hooks=disable if isinstance(disable, bool) else None,
            managed_only=value.get("allowManagedHooksOnly") is True,
            problems=tuple(self.problems),
        )

    def _env(self, env: object) -> dict[str, str]:
        if not isinstance(env, dict):
            return {}
        return {key: value for key, value in env.items() if isinstance(value, str)}

    def _hooks(self, hooks: object) -> None:
        if not isinstance(hooks, dict):
            return  # said by setting_faults
        for event, groups in hooks.items():
            path: JsonPath = ("hooks", event)
            if event not in EVENTS:
                close = nearest(event)
                hint = f"; `{close}`?" if close else ""
                self._problem(path, f"the client has no event `{event}`{hint}", EVENT)
            elif groups is None:
                self._problem(path, "is null", EVENT)
            elif not isinstance(groups, list):
                self._malformed(event, path, f"must be a list of groups, is {shown(groups)}", EVENT)
            else:
                for number, group in enumerate(groups):
                    self._group(event, number, group, (*path, number))

    def _group(self, event: str, number: int, group: object, path: JsonPath) -> None:
        fault = group_fault(group)
        if fault is not None:
            key, message = fault
            self._malformed(event, (*path, key) if key else path, message, GROUP)
            return
        assert isinstance(group, dict)
        entries = group["hooks"]
        for index, entry in enumerate(entries):
            where = (*path, "hooks", index)
            fault = handler_fault(entry)
            if fault is not None:
                key, message = fault
                self._malformed(event, (*where, key) if key else where, message, HANDLER)
                continue
            assert isinstance(entry, dict)
            self._handler(event, group.get("matcher"), entry, number, index, where)

    def _handler(
        self,
        event: str,
        matcher: str | None,
        entry: dict[str, object],
        group: int,
        index: int,
        where: JsonPath,
    ) -> None:
        args = entry.get("args")
        headers = entry.get("headers")
        allowed = entry.get("allowedEnvVars")
        timeout = entry.get("timeout")
        handler = Handler(
            event=event,
            layer=self.file.layer,
            path=self.file.path,
            line=self.document.line(where),
            group=group,
            index=index,
            type=str(entry["type"]),
            matcher=matcher,
            command=str(entry.get("command", "")),
            args=tuple(args) if isinstance(args, list) else None,
            url=str(entry.get("url", "")),
            headers={k: str(v) for k, v in headers.items()} if isinstance(headers, dict) else {},
            allowed_env=tuple(map(str, allowed)) if isinstance(allowed, list) else (),
            rule=str(entry.get("if", "")),
            timeout=_seconds(timeout),
            shell=str(entry["shell"]) if "shell" in entry else None,
            background=entry["type"] == COMMAND and (entry.get("async") is True or entry.get("asyncRewake") is True),
            rewake=entry.get("asyncRewake") is True,
            once=entry.get("once") is True,
            status_message=str(entry.get("statusMessage", "")),
            fail_closed=entry.get("fail_closed") is True,
            plugin_root=self.file.plugin_root,
        )
        if handler.type == COMMAND and not handler.command.strip():
            self._problem((*where, "command"), "is empty, so nothing runs", HANDLER)
            return
        try:
            permission_rule.parse(handler.rule)
        except permission_rule.InvalidRule as error:
            self._problem((*where, "if"), f"{error}; the handler never runs", NOTHING)
        self.handlers.append(handler)

    def _malformed(self, event: str, path: JsonPath, message: str, takes: str) -> None:
        self._problem(path, message, FILE if event in VOIDING_EVENTS else takes)

    def _problem(self, path: JsonPath, message: str, takes: str, evidence: Evidence = measured) -> None:
        where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")
        self.problems.append(Problem(self.file.path, self.document.line(path), where, message, takes, evidence))


def _seconds(value: object) -> float | None:
    if not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:  # an integer of hundreds of digits
        return float("inf")
