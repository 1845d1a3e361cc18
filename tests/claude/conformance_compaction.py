"""Answers to the events of a compaction, one compaction a case, and what the summarizer is told."""

from __future__ import annotations

import re
from pathlib import Path

from tests.claude.conformance_bench import EVERY_EVENT, Bench, Pair, Says
from tests.claude.conformance_cases import forms, stops, without
from tests.support.messages_api import Request

LESS = ("exit-3", "string", "ctx-before-noise", "long-ctx", "system-message-and-suppressed", "stop-and-block")
BEFORE: dict[str, Says] = {
    **without(LESS, forms("PreCompact")),
    **without(LESS, stops()),
    "long-stdout": Says("[%/out]" + "x" * 9_000 + "[%/end]"),
    "two-lines": Says("  [%/out]\nand a second line \n\n"),
}
AFTER: dict[str, Says] = {**without(LESS, forms("PostCompact")), **without(LESS, stops())}
SETTINGS_ORDER = "three hooks, the last first to finish"


def judge_before(client: Path, root: Path) -> dict[str, Pair]:
    """PreCompact: whether there is a compaction, what the summarizer is told, what is shown."""
    return _judge(client, root, "PreCompact", BEFORE)


def judge_after(client: Path, root: Path) -> dict[str, Pair]:
    """PostCompact: what is shown."""
    return _judge(client, root, "PostCompact", AFTER)


def _judge(client: Path, root: Path, event: str, cases: dict[str, Says]) -> dict[str, Pair]:
    bench = Bench.make(root)
    hooks = bench.witness(event)
    hooks[event].append({"hooks": [bench.handler("a", cases)]})
    bench.write("user", {"hooks": hooks})
    prompts = [prompt for key in cases for prompt in ("go", f"/compact the words of case:{key}.")]
    compared = bench.compare(client, prompts=[*prompts, "last"], summarizer=_remembers_the_words)
    assert len(compared.of(event)) == len(cases)
    told = {_key(r.additional_instructions): r.additional_instructions for r in compared.ran.of_kind("summary")}
    pairs = {EVERY_EVENT: compared.every_event}
    for key in cases:
        [(_, _, outcome)] = compared.of(event, key)
        by_host = "not compacted" if outcome.blocked else outcome.summarizer
        by_client = told.get(key, "not compacted")
        pairs[key] = compared.pair(key, *((by_client, by_host) if event == "PreCompact" else ("", "")))
    return pairs


def judge_order(client: Path, root: Path) -> dict[str, Pair]:
    """The words of a person and of several hooks."""
    bench = Bench.make(root)
    says = [Says("one", after=0.2), Says("two", after=0.1), Says("three")]
    groups = [{"matcher": "manual", "hooks": [bench.handler(f"h{i}", s) for i, s in enumerate(says)]}]
    bench.write("user", {"hooks": {"PreCompact": groups}})
    compared = bench.compare(client, prompts=["go", "/compact my own words"])
    told = [request.additional_instructions for request in compared.ran.of_kind("summary")]
    by_host = [outcome.summarizer for outcome in compared.outcomes]
    return {SETTINGS_ORDER: compared.pair("h", str(told), str(by_host)), EVERY_EVENT: compared.every_event}


def _key(text: str) -> str:
    found = re.search(r"the words of case:([\w-]+)", text)
    return found[1] if found else ""


def _remembers_the_words(request: Request) -> str:
    """The words of the command alone, for PostCompact hooks to tell the cases apart."""
    return f"the words of case:{_key(request.additional_instructions)}."
