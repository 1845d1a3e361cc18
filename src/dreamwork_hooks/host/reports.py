"""Host results as plain data (for `--json`) and as JUnit XML."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from dreamwork_hooks.contract.asdata import of
from dreamwork_hooks.host.replaying import EventReport, HookReport
from dreamwork_hooks.host.trust import Verdict
from dreamwork_hooks.quoting import literal
from dreamwork_hooks.settings.shape import Handler

_SHOWN_OUTPUT = 2000
_SHOWN_CHANGES = 20
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


def trust_lines(verdict: Verdict) -> list[str]:
    """What a person is asked to trust, a line each: all that comes with the project, and what trust does not cover.

    Every text of the project stands in quotation marks, with nothing in it hidden.
    """
    now = verdict.fingerprint
    lines = [f"  {handler.event}: {_what_runs(handler)}  ({_bare(handler.place)})" for handler in verdict.handlers]
    lines += [f"  env: {_name(name)}={literal(value)}" for name, value in verdict.env.items()]
    lines += [f"  {name}: {json.dumps(value)}" for name, value in verdict.switches.items()]
    lines += [f"  script: {_bare(path)}" for path in now.scripts]
    lines += [f"  missing: {_bare(path)}" for path in now.missing]
    lines += [f"  all of {_bare(path)}/" for path in now.directories if path != verdict.project]
    if verdict.project in now.directories:
        lines.append(f"  the code in {_bare(verdict.project)}/, not in its directories")
    lines += [f"  not covered: {_bare(gap)}" for gap in dict.fromkeys(gap for _, gap in now.gaps)]
    if verdict.handlers and now.scripts:
        lines.append("  not covered: what these scripts load from anywhere else")
    if now.refused:
        lines.append(f"  cannot be trusted: {_bare(now.refused)}")
    shown = verdict.changes[:_SHOWN_CHANGES]
    lines += [f"  changed: {_bare(name)}" for name in shown]
    if len(verdict.changes) > len(shown):
        lines.append(f"  changed: {len(verdict.changes) - len(shown)} more")
    return lines


def verdict_data(verdict: Verdict) -> dict[str, object]:
    """A verdict as plain data."""
    now = verdict.fingerprint
    return {
        "project": verdict.project,
        "state": verdict.state,
        "fingerprint": now.digest,
        "hooks": [handler_data(handler) for handler in verdict.handlers],
        "scripts": list(now.scripts),
        "missing": list(now.missing),
        "directories": list(now.directories),
        "env": dict(verdict.env),
        "switches": dict(verdict.switches),
        "not_covered": list(dict.fromkeys(gap for _, gap in now.gaps)),
        "refused": now.refused or None,
        "changes": list(verdict.changes),
    }


def _what_runs(handler: Handler) -> str:
    if handler.args is None:
        return literal(handler.shown())
    return " ".join(literal(word) for word in (handler.command, *handler.args))


def _name(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else literal(name)


def _bare(text: str) -> str:
    """A path or sentence without quotation marks where nothing in it is hidden, else in them."""
    quoted = literal(text)
    return text if quoted == f'"{text}"' or quoted.replace('\\"', '"') == f'"{text}"' else quoted


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
        cases += [_broken_case(report, handler, f"not run: {why}") for handler, why in report.withheld]
        for why in report.ignored:
            case = ET.Element("testcase", classname=report.outcome.event.name, name="settings")
            ET.SubElement(case, "failure", message=_clean(why))
            cases.append(case)
        silent = {handler for handler, _ in (*report.broken, *report.withheld)}
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
