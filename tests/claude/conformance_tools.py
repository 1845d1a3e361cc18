"""Answers to the events of a tool call, and several hooks on one call: each case has a command or a file of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dreamwork_hooks.host import Outcome, Policies
from tests.claude.conformance_bench import EVERY_EVENT, Bench, Compared, Pair, Says
from tests.claude.conformance_cases import STOP, forms, specific, stops, without
from tests.support.messages_api import Turn, say, use, use_all

PRE, POST, FAILED = "PreToolUse", "PostToolUse", "PostToolUseFailure"
FINISH_ORDER = Policies(context_order="finish")


def permission(word: str, after: float = 0.0, **parts: object) -> Says:
    return Says(specific(PRE, permissionDecision=word, permissionDecisionReason="[%/reason]", **parts), after=after)


def context(event: str, after: float = 0.0) -> Says:
    return Says(specific(event, additionalContext="[%/ctx]"), after=after)


def rewrite(command: str, after: float = 0.0, **parts: object) -> Says:
    return Says(specific(PRE, updatedInput={"command": command}, **parts), after=after)


def block(after: float = 0.0) -> Says:
    return Says({"decision": "block", "reason": "[%/reason]"}, after=after)


def exit_2(after: float = 0.0) -> Says:
    return Says(err="[%/err]", code=2, after=after)


def result(text: str, after: float = 0.0) -> Says:
    shape = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    return Says(specific(POST, updatedToolOutput=shape), after=after)


ALONE: dict[str, dict[str, Says]] = {
    PRE: {
        **forms(PRE),
        "deny": permission("deny"),
        "deny-without-reason": Says(specific(PRE, permissionDecision="deny")),
        "deny-and-ctx": permission("deny", additionalContext="[%/ctx]"),
        "deny-exit-1": Says(permission("deny").out, "[%/err]", 1),
        "deny-exit-2": Says(permission("deny").out, "[%/err]", 2),
        "ask": permission("ask"),
        "ask-exit-2": Says(permission("ask").out, "[%/err]", 2),
        "allow": permission("allow"),
        "allow-exit-2": Says(permission("allow").out, "[%/err]", 2),
        "permission-unknown": permission("perhaps"),
    },
    POST: forms(POST),
    FAILED: without(("array", "string", "null", "ctx-before-noise", "ctx-at-the-top", "long-ctx"), forms(FAILED)),
}

LATE = 0.15  # seconds, so that the other hook has surely ended
FOLDED: dict[str, tuple[str, Sequence[Says]]] = {
    "deny-allow": (PRE, [permission("deny"), permission("allow")]),
    "allow-deny": (PRE, [permission("allow"), permission("deny")]),
    "deny-ask": (PRE, [permission("deny"), permission("ask")]),
    "deny-defer": (PRE, [permission("deny"), permission("defer")]),
    "block-allow": (PRE, [block(), permission("allow")]),
    "block-ask": (PRE, [block(), permission("ask")]),
    "first-deny-late": (PRE, [permission("deny", LATE), permission("deny")]),
    "second-deny-late": (PRE, [permission("deny"), permission("deny", LATE)]),
    "deny-late-exit-2": (PRE, [permission("deny", LATE), exit_2()]),
    "deny-exit-2-late": (PRE, [permission("deny"), exit_2(LATE)]),
    "block-late-exit-2": (PRE, [block(LATE), exit_2()]),
    "exit-2-twice": (PRE, [exit_2(LATE), exit_2()]),
    "crash-deny": (PRE, [Says(err="[%/err]", code=1), permission("deny")]),
    "void-deny": (PRE, [Says({"systemMessage": 3}), permission("deny")]),
    "ctx-deny": (PRE, [context(PRE), permission("deny")]),
    "two-contexts": (PRE, [context(PRE, LATE), context(PRE)]),
    "two-messages": (PRE, [Says({"systemMessage": "[%/sys]"}), Says({"systemMessage": "[%/sys]"})]),
    "rewrite": (PRE, [rewrite("echo rewritten")]),
    "rewrite-and-allow": (PRE, [rewrite("echo rewritten", permissionDecision="allow")]),
    "rewrite-twice": (PRE, [rewrite("echo first", LATE), rewrite("echo second")]),
    "rewrite-deny": (PRE, [rewrite("echo rewritten"), permission("deny")]),
    "rewrite-to-nothing": (PRE, [Says(specific(PRE, updatedInput={}))]),
    "two-contexts-after": (POST, [context(POST, LATE), context(POST)]),
    "block-and-ctx-after": (POST, [block(), context(POST)]),
    "two-blocks-after": (POST, [block(LATE), exit_2()]),
    "result": (POST, [result("[%/new]")]),
    "result-of-another-shape": (POST, [Says(specific(POST, updatedToolOutput="[%/new]"))]),
    "result-twice": (POST, [result("[%/new]", LATE), result("[%/new]")]),
}
ASKED = {
    "ask-allow": [permission("ask"), permission("allow")],
    "first-ask-late": [permission("ask", LATE), permission("ask")],
    "second-ask-late": [permission("ask"), permission("ask", LATE)],
    "rewrite-ask": [rewrite("echo rewritten"), permission("ask")],
}
FOLDED.update({name: (PRE, says) for name, says in ASKED.items()})

# Whether the turn ends there must be known beforehand: the model's next words are for another prompt then.
_STOPS = {
    f"{event}-{name}": (event, [says], event != FAILED and name != "stop-reason-alone")
    for event in (PRE, POST, FAILED)
    for name, says in stops().items()
}
ENDING: dict[str, tuple[str, Sequence[Says], bool]] = {
    **_STOPS,
    "PreToolUse-stop-late-deny": (PRE, [Says(STOP, after=LATE), permission("deny")], True),
    "PreToolUse-deny-late-stop": (PRE, [permission("deny", LATE), Says(STOP)], True),
    "PostToolUse-stop-late-block": (POST, [Says(STOP, after=LATE), block()], True),
    "PostToolUse-block-late-stop": (POST, [block(LATE), Says(STOP)], True),
    "PostToolUse-ctx-late-stop": (POST, [context(POST, LATE), Says(STOP)], True),
    "PreToolUse-ask-defer": (PRE, [permission("ask"), permission("defer")], True),
    "PreToolUse-defer": (PRE, [permission("defer")], True),
}


def alone_cases() -> list[str]:
    return [f"{event}-{name}" for event, table in ALONE.items() for name in table]


def judge_alone(client: Path, root: Path) -> dict[str, Pair]:
    """One hook, one answer."""
    bench = Bench.make(root)
    hooks = bench.witness(*ALONE)
    calls: list[tuple[str, dict[str, Any]]] = []
    for event, table in ALONE.items():
        for name, says in table.items():
            case = f"{event}-{name}"
            if event == FAILED:
                call, rule = ("Bash", {"command": f"false {case}"}), f"Bash(false {case})"
            else:
                file = str(bench.place.project / case)
                call, rule = ("Write", {"file_path": file, "content": "x"}), f"Write(/{file})"
            hooks[event].append({"hooks": [bench.handler(case, says, if_=rule)]})
            calls.append(call)
    bench.write("user", {"hooks": hooks})
    compared = bench.compare(client, prompts=["go"], turns=[use_all(calls), say("done")])
    pairs = {case: compared.pair(case, *_call(compared, f"toolu_0001_{i:03}")) for i, case in enumerate(alone_cases())}
    return {**pairs, EVERY_EVENT: compared.every_event}


def judge_folded(client: Path, root: Path) -> dict[str, Pair]:
    """Several hooks of one call, their answers at odds."""
    bench = Bench.make(root)
    hooks = bench.witness(PRE, POST)
    for name, (event, all_say) in FOLDED.items():
        handlers = [bench.handler(f"{name}.{i}", says, if_=f"Bash(echo {name})") for i, says in enumerate(all_say)]
        hooks[event].append({"hooks": handlers})
    bench.write("user", {"hooks": hooks})
    calls = [("Bash", {"command": f"echo {name}"}) for name in FOLDED]
    compared = bench.compare(client, FINISH_ORDER, prompts=["go"], turns=[use_all(calls), say("done")])
    pairs = {EVERY_EVENT: compared.every_event}
    for i, name in enumerate(FOLDED):
        by_client, by_host = _call(compared, f"toolu_0001_{i:03}")
        if name.startswith("two-contexts"):
            by_client += f", in order: {_order(name, [compared.ran.of_kind('turn')[-1].news])}"
            by_host += f", in order: {_order(name, [text for o in compared.outcomes for text in o.model])}"
        pairs[name] = compared.pair(name, by_client, by_host)
    return pairs


def judge_ending(client: Path, root: Path) -> dict[str, Pair]:
    """Answers after which the run goes no further."""
    bench = Bench.make(root)
    hooks = bench.witness(PRE, POST, FAILED)
    turns: list[Turn] = []
    for name, (event, all_say, ends) in ENDING.items():
        command = f"{'false' if event == FAILED else 'true'} {name}"
        handlers = [bench.handler(f"{name}.{i}", says, if_=f"Bash({command})") for i, says in enumerate(all_say)]
        hooks[event].append({"hooks": handlers})
        turns.append(use("Bash", command=command))
        if not ends:
            turns.append(say("and on"))
    bench.write("user", {"hooks": hooks})
    prompts = [f"the prompt of {name}." for name in (*ENDING, "nothing")]
    compared = bench.compare(client, prompts=prompts, turns=turns)
    last = [re.findall(r"the prompt of ([\w-]+)\.", request.text)[-1] for request in compared.ran.of_kind("turn")]
    pairs = {EVERY_EVENT: compared.every_event}
    for name in ENDING:
        ended = [o.ends_turn for d, o in zip(compared.client, compared.outcomes) if f"{name}.0" in d.hooks]
        by_client = "goes on" if last.count(name) > 1 else "ends"
        pairs[name] = compared.pair(name, by_client, "ends" if any(ended) else "goes on")
    return pairs


def _call(compared: Compared, use_id: str) -> tuple[str, str]:
    """Whether a call ran, and with which input, by both."""
    rows = [
        (dispatch, outcome)
        for dispatch, outcome in zip(compared.client, compared.outcomes)
        if dispatch.event["tool_use_id"] == use_id
    ]
    ran = [dispatch.event["tool_input"] for dispatch, _ in rows if dispatch.name in (POST, FAILED)]
    outcome = rows[0][1]
    return (f"ran {ran[0]}" if ran else "refused"), _by_host(outcome)


def _by_host(outcome: Outcome) -> str:
    # Print mode asks nobody, and refuses what would be asked.
    if outcome.blocked or outcome.decision.permission == "ask":
        return "refused"
    updated = outcome.decision.updated_input
    if any("updated input lacks" in conflict for conflict in outcome.conflicts):
        return "refused"
    return f"ran {dict(updated) if updated is not None else outcome.event.raw['tool_input']}"


def _order(name: str, texts: Sequence[str]) -> list[str]:
    return [found for text in texts for found in re.findall(r"\[([\w.-]+)/ctx\]", text) if found.startswith(f"{name}.")]
