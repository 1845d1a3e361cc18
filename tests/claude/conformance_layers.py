"""Settings files: merged, switched off, voided, and with malformed parts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from tests.claude.conformance_bench import EVERY_EVENT, Bench, Compared, Pair
from tests.support.messages_api import say, use

Json = dict[str, Any]
LAYERS = ("user", "project", "local", "flag")

SWITCHED: dict[str, dict[str, bool]] = {
    "off in user": {"user": True},
    "off in project": {"project": True},
    "off in local": {"local": True},
    "off in --settings": {"flag": True},
    "off in user, on in project": {"user": True, "project": False},
    "on in user, off in project": {"user": False, "project": True},
    "off in project, on in local": {"project": True, "local": False},
    "on in project, off in local": {"project": False, "local": True},
    "off in local, on in --settings": {"local": True, "flag": False},
    "on in local, off in --settings": {"local": False, "flag": True},
}
MERGED: dict[str, dict[str, Json]] = {
    "each layer has its own": {},
    "one handler in every layer": {layer: {} for layer in LAYERS},
    "with another timeout": {"user": {}, "project": {"timeout": 9}},
    "with another message": {"user": {}, "project": {"statusMessage": "x"}},
    "with another `if`": {"user": {"if": "Bash"}, "local": {"if": "Bash(*)"}},
    "with another matcher": {"user": {"group": {"matcher": "Bash"}}, "local": {"group": {"matcher": "B.*"}}},
    "with and without args": {"user": {"exec_form": True}, "local": {}},
    "twice with args": {"user": {"exec_form": True}, "local": {"exec_form": True}},
    "async in the second": {"user": {}, "flag": {"async": True}},
    "with another shell": {"user": {}, "project": {"shell": "bash"}},
    "once in the first": {"user": {"once": True}, "project": {}},
}

# What may be wrong with an entry, as a group that takes the place of a good one; GOOD is a good handler.
GOOD: Json = {"type": "command", "command": "true"}


def _handler(**wrong: object) -> Json:
    return {"hooks": [{**GOOD, **wrong}]}


MALFORMED: dict[str, object] = {
    "no hooks in a group": {"matcher": "Bash"},
    "hooks as an object": {"hooks": GOOD},
    "a group that is a string": "true",
    "a bare handler": GOOD,
    "matcher a number": {"matcher": 1, "hooks": [GOOD]},
    "matcher null": {"matcher": None, "hooks": [GOOD]},
    "no command": {"hooks": [{"type": "command"}]},
    "no type": {"hooks": [{"command": "true"}]},
    "type unknown": _handler(type="shell"),
    "handler a string": {"hooks": ["true"]},
    "timeout 0": _handler(timeout=0),
    "timeout a string": _handler(timeout="5"),
    "timeout null": _handler(timeout=None),
    "if a number": _handler(**{"if": 1}),
    "async a string": _handler(**{"async": "yes"}),
    "once a number": _handler(once=1),
    "args a string": _handler(args="x"),
    "args of numbers": _handler(args=[1]),
    "shell sh": _handler(shell="sh"),
    "statusMessage a number": _handler(statusMessage=1),
    "http without url": {"hooks": [{"type": "http"}]},
    "http with a bare word": {"hooks": [{"type": "http", "url": "nowhere"}]},
    "prompt without prompt": {"hooks": [{"type": "prompt"}]},
}
SOUND: dict[str, object] = {
    "if that does not parse": _handler(**{"if": "Edit|Write"}),
    "command empty": _handler(command=""),
    "extra keys": {"comment": "x", "hooks": [{**GOOD, "note": 1}]},
    "timeout a fraction": _handler(timeout=0.5),
    "hooks empty": {"hooks": []},
}
FILES: dict[str, str] = {
    "a comment": '// first\n{"hooks": HOOKS}',
    "a trailing comma": '{"hooks": HOOKS,}',
    "truncated": '{"hooks": HOOKS',
    "empty": "",
    "a byte order mark": '\ufeff{"hooks": HOOKS}',
    "a key twice": '{"hooks": {}, "hooks": HOOKS}',
    "a key twice, the last one empty": '{"hooks": HOOKS, "hooks": {}}',
    "hooks a list": '{"hooks": [HOOKS]}',
    "hooks null": '{"hooks": null}',
    "permissions a list": '{"permissions": [], "hooks": HOOKS}',
    "permissions.allow a string": '{"permissions": {"allow": "Bash"}, "hooks": HOOKS}',
    "model a number": '{"model": 1, "hooks": HOOKS}',
    "env a list": '{"env": [], "hooks": HOOKS}',
    "an unknown event": '{"hooks": {"BeforeTool": [{"hooks": [1]}], "PostToolUse": GROUPS}}',
    "an event null": '{"hooks": {"Stop": null, "PostToolUse": GROUPS}}',
    "an event an object": '{"hooks": {"Stop": {}, "PostToolUse": GROUPS}}',
    "an unknown key": '{"colour": {"deep": [1]}, "hooks": HOOKS}',
    "disableAllHooks a string": '{"disableAllHooks": "yes", "hooks": HOOKS}',
    "a list": "[]",
    "an event that guards an object": '{"hooks": {"PreToolUse": {}, "PostToolUse": GROUPS}}',
    "env null": '{"env": null, "hooks": HOOKS}',
    "env of numbers": '{"env": {"A": 1}, "hooks": HOOKS}',
    "permissions.allow a list of numbers": '{"permissions": {"allow": [1]}, "hooks": HOOKS}',
    "cleanupPeriodDays a string": '{"cleanupPeriodDays": "x", "hooks": HOOKS}',
    "statusLine a string": '{"statusLine": "x", "hooks": HOOKS}',
    "enabledPlugins a string": '{"enabledPlugins": "x", "hooks": HOOKS}',
    "apiKeyHelper a number": '{"apiKeyHelper": 1, "hooks": HOOKS}',
}


def voiding_cases() -> list[str]:
    return [f"PreToolUse: {name}" for name in (*MALFORMED, *SOUND)] + [f"the file: {name}" for name in FILES]


def dropping_cases() -> list[str]:
    return [f"PostToolUse: {name}" for name in (*MALFORMED, *SOUND)]


def _play(bench: Bench, client: Path) -> Compared:
    return bench.compare(client, prompts=["go"], turns=[use("Bash", command="true"), say("done")])


def judge_switched(client: Path, root: Path) -> dict[str, Pair]:
    """`disableAllHooks` here and there, a hook in every file."""
    pairs = {}
    for number, (case, switches) in enumerate(SWITCHED.items()):
        bench = Bench.make(root / str(number))
        for layer in LAYERS:
            hooks = {"PreToolUse": [{"hooks": [bench.handler(f"h.{layer}")]}]}
            switch = {"disableAllHooks": switches[layer]} if layer in switches else {}
            bench.write(layer, {**switch, "hooks": hooks})
        pairs[case] = _seen_anyway(bench, client)
    return pairs


def _seen_anyway(bench: Bench, client: Path) -> Pair:
    """Where every hook may be off, the host is given the event that another session had."""
    compared = _play(bench, client)
    ran = {hook for dispatch in compared.client for hook in dispatch.hooks}
    event = {
        "session_id": "s", "transcript_path": "", "cwd": str(bench.place.project), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "true"}, "tool_use_id": "t",
    }  # fmt: skip
    by_host = {hook for hook in bench.dispatch(event) if hook}
    return compared.pair("h", ", ".join(sorted(ran)), ", ".join(sorted(by_host)))


def judge_merged(client: Path, root: Path) -> dict[str, Pair]:
    """One handler in several files, a little different; how often it runs."""
    bench = Bench.make(root)
    names = {case: f"h{number}" for number, case in enumerate(MERGED)}
    tables: dict[str, list[Json]] = {layer: [] for layer in LAYERS}
    for layer in LAYERS:
        tables[layer].append(_group(bench, f"h0.{layer}"))
        for case, variants in MERGED.items():
            if layer in variants:
                tables[layer].append(_group(bench, names[case], **variants[layer]))
    tables["flag"] += bench.witness("PreToolUse")["PreToolUse"]
    for layer in LAYERS:
        bench.write(layer, {"hooks": {"PreToolUse": tables[layer]}})
    compared = _play(bench, client)
    pairs = {EVERY_EVENT: compared.every_event}
    for case, name in names.items():
        counts = [sum(d.runs.get(name, 0) for d in side) for side in (compared.client, compared.host)]
        pairs[case] = compared.pair(name, *(f"{count} times" for count in counts))
    return pairs


def _group(bench: Bench, name: str, group: Json | None = None, exec_form: bool = False, **keys: Any) -> Json:
    handler = bench.handler(name, **keys)
    if exec_form:
        command, *args = handler["command"].split()
        handler.update(command=command, args=args)
    return {**(group or {}), "hooks": [handler]}


def judge_voiding(client: Path, root: Path) -> dict[str, Pair]:
    """Malformed entries under PreToolUse and malformed files: whether good hooks of the same file run."""
    texts: dict[str, str] = {}
    for name, entry in {**MALFORMED, **SOUND}.items():
        texts[f"PreToolUse: {name}"] = json.dumps({"hooks": {"PreToolUse": [entry], "PostToolUse": "GROUPS"}})
    texts.update({f"the file: {name}": text for name, text in FILES.items()})
    pairs: dict[str, Pair] = {}
    remaining = iter(texts.items())
    while three := dict(islice(remaining, 3)):
        bench = Bench.make(root / str(len(pairs)))
        names = dict(zip(three, ("h0", "h1", "h2")))
        for layer, (case, text) in zip(LAYERS, three.items()):
            groups = json.dumps([{"hooks": [bench.handler(names[case])]}])
            text = text.replace('"GROUPS"', groups).replace("GROUPS", groups)
            bench.write(layer, text.replace("HOOKS", f'{{"PostToolUse": {groups}}}'))
        bench.write("flag", {"hooks": bench.witness("PostToolUse")})
        compared = _play(bench, client)
        for case, name in names.items():
            pairs[case] = compared.pair(name)
    return pairs


def judge_dropping(client: Path, root: Path) -> dict[str, Pair]:
    """Malformed entries under PostToolUse: a good handler beside each, and a good group after each."""
    bench = Bench.make(root)
    groups: list[object] = []
    for number, entry in enumerate({**MALFORMED, **SOUND}.values()):
        if isinstance(entry, Mapping) and isinstance(entry.get("hooks"), list):
            entry = {**entry, "hooks": [*entry["hooks"], bench.handler(f"h{number}.beside")]}
        groups += [entry, {"hooks": [bench.handler(f"h{number}.after")]}]
    bench.write("user", {"hooks": {"PostToolUse": [*groups, *bench.witness("PostToolUse")["PostToolUse"]]}})
    compared = _play(bench, client)
    pairs = {case: compared.pair(f"h{number}") for number, case in enumerate(dropping_cases())}
    return {**pairs, EVERY_EVENT: compared.every_event}
