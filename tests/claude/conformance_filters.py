"""Which hooks run: matchers on every kind of subject, and `if` rules on tool calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.claude.conformance_bench import EVERY_EVENT, Bench, Compared, Pair, Seen
from tests.support.messages_api import say, use, use_all

Json = dict[str, Any]

MATCHERS: tuple[str | None, ...] = (
    None, "", "*", ".*", "Edit", "edit", "Edit ", "Edit|", "Write|Edit", "Write,Edit", "Write, Bash", "Write | Edit",
    "Write Edit", "dit", "Note", "_Edit", "^Edit$", "^(Write|Edit)$", r"\bEdit", "Edit.*", "E.it", r"Edit\b",
    "Write|E.*",
    "^(?!Edit).*$", "(Edit", "[", "*Edit", "(?i)edit", "!Edit", "Edit(**/x)", "Task", "Agent", "Bash|Task", "mcp__x__y",
)  # fmt: skip

RULES: tuple[str, ...] = (
    "", "*", "Write", "Write(*)", "Write(**)", "Edit", "Edit|Write", "Edit Write", "(Edit)", "write(x.md)", "MultiEdit",
    "Write(a.md", "Write(a.md) Edit(a.md)", "Read", "Read(*.md)",
    "Write(a.md)", "Write(/a.md)", "Write(./a.md)", "Write(//a.md)", "Write(**/a.md)", "Write(//**/a.md)",
    "Write(/**/a.md)",
    "Write(*.md)", "Write(*.txt)", "Write(sub/*)", "Write(sub/**)", "Write(sub)", "Write(**/sub/*.md)",
    "Write(~/out/*)",
    "Write(~/**)", "Write(A.MD)", "Write([ab].md)", "Write({a,b}.md)", "Write(!a.md)", "Write(?.md)",
    "Write(//PROJECT/a.md)", "Write(/PROJECT/a.md)", "Write(PROJECT/a.md)", "Write(PROJECT/sub/../a.md)",
    "Edit(a.md)", "Edit(**/*.md)", "NotebookEdit(*.ipynb)", "Edit(*.ipynb)",
    "Bash", "Bash(*)", "Bash(true)", "Bash(true *)", "Bash(true:*)", "Bash(echo *)", "Bash(echo hi)", "Bash(*hi)",
    "Bash(FOO=1 echo *)", "Bash(ls)", "Bash(git *)", "bash(true)", "Agent", "Task", "Nope(x)",
)  # fmt: skip

# Each with a matcher of its own, on an event whose subject is no tool.
OTHER_MATCHERS: dict[str, tuple[str | None, ...]] = {
    "SessionStart": (None, "startup", "start", "start.*", "resume", "resume|startup", "Startup", "compact", "comp.*"),
    "SubagentStart": (None, "general-purpose", "general", "general.*", "Explore", "general-purpose,Explore", "[", "*"),
    "SubagentStop": ("general-purpose", "gener.l", "Explore", ""),
    "UserPromptSubmit": ("nothing", "[", "go"),
    "Stop": ("nothing", ""),
    "PostToolBatch": ("Agent", "nothing"),
    "PreCompact": (None, "manual", "auto", "man.*", "manual|auto"),
    "PostCompact": ("manual", "auto"),
    "SessionEnd": ("other", "clear", "oth.r"),
}


COMMANDS = ("true", "true x", "echo hi", "FOO=1 echo hi", "ls; true", "echo `ls`")
NOTEBOOK: Json = {
    "cells": [{"cell_type": "code", "id": "c1", "source": "1", "metadata": {}, "outputs": [], "execution_count": None}],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def matcher_cases() -> list[str]:
    return [f"matcher {matcher!r}" for matcher in MATCHERS] + [f"if {rule!r}" for rule in RULES]


def other_cases() -> list[str]:
    return [f"{event} {matcher!r}" for event, matchers in OTHER_MATCHERS.items() for matcher in matchers]


def judge_tools(client: Path, root: Path) -> dict[str, Pair]:
    """Every matcher and every rule on a turn of many calls; a case's word is the calls its hook ran for."""
    bench = Bench.make(root)
    project, home = bench.place.project, bench.place.home
    hooks = bench.witness("PreToolUse")
    names = {f"h{i}": case for i, case in enumerate(matcher_cases())}
    for name, matcher in zip(names, (*MATCHERS, *("" for _ in RULES))):
        hooks["PreToolUse"].append({} if matcher is None else {"matcher": matcher})
        hooks["PreToolUse"][-1]["hooks"] = [bench.handler(name)]
    for group, rule in zip(hooks["PreToolUse"][1 + len(MATCHERS) :], RULES):
        group["hooks"][0]["if"] = rule.replace("PROJECT", str(project))
    bench.write("user", {"hooks": hooks})
    (project / "n.ipynb").write_text(json.dumps(NOTEBOOK))
    within = [project / name for name in ("a.md", "b.md", "sub/a.md", "sub/x.txt")]
    files = (*within, home / "out/a.md", root / "far/a.md")
    calls: list[tuple[str, Json]] = [("Write", {"file_path": str(file), "content": "one"}) for file in files]
    calls += [
        ("Write", {"file_path": f"{project}/sub/../b.md", "content": "one"}),
        ("Edit", {"file_path": str(project / "a.md"), "old_string": "one", "new_string": "two"}),
        ("Read", {"file_path": str(project / "b.md")}),
        ("NotebookEdit", {"notebook_path": str(project / "n.ipynb"), "cell_id": "c1", "new_source": "2"}),
        *(("Bash", {"command": command}) for command in COMMANDS),
        ("Agent", {"description": "d", "prompt": "p", "subagent_type": "general-purpose"}),
    ]  # fmt: skip
    turns = [use("Read", file_path=str(project / "n.ipynb")), use_all(calls), say("done")]
    compared = bench.compare(client, prompts=["go"], turns=turns)
    assert len(compared.client) == len(calls) + 1
    return {**{case: _ran_for(compared, name) for name, case in names.items()}, EVERY_EVENT: compared.every_event}


def judge_others(client: Path, root: Path) -> dict[str, Pair]:
    """Matchers on sources, agent types, triggers, reasons, and where there is nothing to match."""
    bench = Bench.make(root)
    hooks = bench.witness(*OTHER_MATCHERS)
    names = {f"h{i}": case for i, case in enumerate(other_cases())}
    matchers = [(event, matcher) for event, all_of in OTHER_MATCHERS.items() for matcher in all_of]
    for name, (event, matcher) in zip(names, matchers):
        hooks[event].append({} if matcher is None else {"matcher": matcher})
        hooks[event][-1]["hooks"] = [bench.handler(name)]
    bench.write("user", {"hooks": hooks})
    agent = use("Agent", description="d", prompt="p", subagent_type="general-purpose", run_in_background=False)
    compared = bench.compare(client, prompts=["go", "/compact"], turns=[agent, say("sub"), say("done")])
    assert {dispatch.name for dispatch in compared.client} == set(OTHER_MATCHERS)
    return {**{case: _ran_for(compared, name) for name, case in names.items()}, EVERY_EVENT: compared.every_event}


def _ran_for(compared: Compared, name: str) -> Pair:
    def numbers(side: list[Any]) -> Seen:
        return Seen(decision=" ".join(str(i) for i, dispatch in enumerate(side) if name in dispatch.hooks))

    return Pair(numbers(compared.client), numbers(compared.host))
