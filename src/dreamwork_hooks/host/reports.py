"""Host results as plain data (for `--json`) and as JUnit XML."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from dreamwork_hooks.asdata import of
from dreamwork_hooks.host.replaying import EventReport, HookReport
from dreamwork_hooks.settings.shape import Handler

_SHOWN_OUTPUT = 2000
_UNWRITABLE = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def handler_data(handler: Handler) -> dict[str, object]:
    """A handler, by its place and its text; the keys are the words of a settings file where that has one."""
    return {
        "hook": handler.label,
        "file": handler.path,
        "line": handler.line,
        "layer": handler.layer,
        "event": handler.event,
        "matcher": handler.matcher,
        "if": handler.rule or None,
        "type": handler.type,
        "command": handler.shown(),
        "timeout": handler.timeout,
        "async": handler.background,
    }


def hook_data(report: HookReport) -> dict[str, object]:
    """One hook of a replay. Times are seconds, sizes bytes."""
    ended = report.run.ended
    return {
        **handler_data(report.run.handler),
        "seconds": round(report.median, 4),
        "slowest": round(max(report.seconds), 4),
        "runs": len(report.seconds),
        "exit": ended.exit_code,
        "timed_out": ended.timed_out,
        **of(report.run, "budget", "verdict"),
        **of(report.run.reading, "model", "person", "summarizer", "dropped"),
        "misbehaviour": report.faults,
        "stdout_bytes": ended.stdout_size,
        "stderr": ended.stderr[-_SHOWN_OUTPUT:].decode("utf-8", "replace"),
    }


def event_data(report: EventReport) -> dict[str, object]:
    """One event of a replay."""
    outcome = report.outcome
    return {
        "source": report.name,
        "event": outcome.event.name,
        "kind": outcome.event.kind,
        "ok": report.ok,
        "hooks": [hook_data(hook) for hook in report.hooks],
        "not_run": [{**handler_data(skipped.handler), **of(skipped, "why", "loud")} for skipped in outcome.not_run],
        "decided_by": [handler.label for handler in outcome.decided_by],
        **of(outcome, "decision", "blocked", "continues", "ends_turn", "refused"),
        **of(outcome, "model", "person", "summarizer", "conflicts", "warnings"),
    }


def junit(reports: Sequence[EventReport]) -> bytes:
    """The replay as JUnit XML: a suite for each event, a case for each hook."""
    root = ET.Element("testsuites", name="dreamwork-hooks replay")
    for report in reports:
        cases = [_case(report, hook) for hook in report.hooks]
        cases += [_broken_case(report, handler, why) for handler, why in report.broken]
        silent = {handler for handler, _ in report.broken}
        skipped = [skip for skip in report.outcome.not_run if skip.loud and skip.handler not in silent]
        for skip in skipped:
            case = ET.Element("testcase", classname=report.outcome.event.name, name=_clean(skip.handler.label))
            ET.SubElement(case, "skipped", message=_clean(skip.why))
            cases.append(case)
        suite = ET.SubElement(
            root,
            "testsuite",
            name=_clean(report.name),
            tests=str(len(cases)),
            failures=str(sum(case.find("failure") is not None for case in cases)),
            skipped=str(len(skipped)),
            time=f"{sum(hook.median for hook in report.hooks):.4f}",
        )
        suite.extend(cases)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _case(report: EventReport, hook: HookReport) -> ET.Element:
    name = f"{hook.run.handler.label} {hook.run.handler.shown()}"
    case = ET.Element("testcase", classname=report.outcome.event.name, name=_clean(name), time=f"{hook.median:.4f}")
    if hook.faults:
        failure = ET.SubElement(case, "failure", message=_clean(hook.faults[0]))
        failure.text = _clean("\n".join(hook.faults))
    for tag, data in (("system-out", hook.run.ended.stdout), ("system-err", hook.run.ended.stderr)):
        if data:
            ET.SubElement(case, tag).text = _clean(data[:_SHOWN_OUTPUT].decode("utf-8", "replace"))
    return case


def _broken_case(report: EventReport, handler: Handler, why: str) -> ET.Element:
    case = ET.Element("testcase", classname=report.outcome.event.name, name=_clean(handler.label))
    ET.SubElement(case, "failure", message=_clean(why))
    return case


def _clean(text: str) -> str:
    """Without the characters XML has no way to write."""
    return _UNWRITABLE.sub("\ufffd", text)
