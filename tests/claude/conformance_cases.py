"""What hooks may say, for any event, and the cases made of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.claude.conformance_bench import Says

Json = dict[str, Any]


def specific(event: str, **parts: object) -> Json:
    """An answer with `hookSpecificOutput`."""
    return {"hookSpecificOutput": {"hookEventName": event, **parts}}


def forms(event: str) -> dict[str, Says]:
    """Every form of an answer that means something, or ought to mean nothing, for most events."""
    ctx = specific(event, additionalContext="[%/ctx]")
    block: Json = {"decision": "block", "reason": "[%/reason]"}
    other = "PostToolUse" if event != "PostToolUse" else "PreToolUse"
    return {
        "exit-0": Says("[%/out]", "[%/err]"),
        "exit-1": Says("[%/out]", "[%/err]", 1),
        "exit-2": Says("[%/out]", "[%/err]", 2),
        "exit-2-silent": Says(code=2),
        "exit-3": Says("[%/out]", "[%/err]", 3),
        "exit-127": Says("[%/out]", "[%/err]", 127),
        "signal": Says("[%/out]", "[%/err]", -9),
        "ctx": Says(ctx),
        "ctx-exit-1": Says(ctx, "[%/err]", 1),
        "ctx-exit-2": Says(ctx, "[%/err]", 2),
        "ctx-among-unknown-keys": Says({**specific(event, additionalContext="[%/ctx]", flavour=1), "flavour": 1}),
        "ctx-is-a-list": Says(specific(event, additionalContext=["[%/ctx]"])),
        "ctx-at-the-top": Says({"additionalContext": "[%/ctx]"}),
        "ctx-of-another-event": Says(specific(other, additionalContext="[%/ctx]")),
        "ctx-of-no-event": Says({"hookSpecificOutput": {"additionalContext": "[%/ctx]"}}),
        "ctx-after-a-byte-order-mark": Says("\ufeff" + _text(ctx)),
        "ctx-after-noise": Says("[%/out]\n" + _text(ctx)),
        "ctx-before-noise": Says(_text(ctx) + "\n[%/out]"),
        "two-documents": Says(_text(ctx) + "\n" + _text(ctx)),
        "long-ctx": Says(specific(event, additionalContext="[%/ctx]" + "x" * 11_000 + "[%/end]")),
        "block": Says(block),
        "block-exit-1": Says(block, "[%/err]", 1),
        "block-exit-2": Says(block, "[%/err]", 2),
        "block-without-reason": Says({"decision": "block"}),
        "block-without-reason-exit-2": Says({"decision": "block"}, "[%/err]", 2),
        "block-and-ctx": Says({**block, **ctx}),
        "approve": Says({"decision": "approve", "reason": "[%/reason]"}),
        "decision-unknown": Says({"decision": "deny", "reason": "[%/reason]"}),
        "system-message": Says({"systemMessage": "[%/sys]"}),
        "system-message-and-suppressed": Says({"systemMessage": "[%/sys]", "suppressOutput": True}),
        "system-message-is-a-number": Says({"systemMessage": 7, **ctx}),
        "ok": Says({"ok": True, "note": "[%/note]"}),
        "array": Says('["[%/out]"]'),
        "string": Says('"[%/out]"'),
        "null": Says("null"),
        "broken-json": Says('{"systemMessage": "[%/sys]"'),
    }


STOP: Json = {"continue": False, "stopReason": "[%/stop]"}


def stops() -> dict[str, Says]:
    """Answers that ask for the run to end."""
    return {
        "stop": Says(STOP),
        "stop-and-exit-1": Says(STOP, code=1),
        "stop-and-exit-2": Says(STOP, "[%/err]", 2),
        "stop-and-block": Says({**STOP, "decision": "block", "reason": "[%/reason]"}),
        "stop-without-reason": Says({"continue": False}),
        "stop-reason-alone": Says({"stopReason": "[%/stop]"}),
    }


def without(names: Iterable[str], table: dict[str, Says]) -> dict[str, Says]:
    """The other rows."""
    left_out = set(names)
    return {name: says for name, says in table.items() if name not in left_out}


def _text(answer: Json) -> str:
    return json.dumps(answer)
