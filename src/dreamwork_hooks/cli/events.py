"""`events`: the table of hook events."""

from __future__ import annotations

import os
from typing import Any

import click

from dreamwork_hooks.cli import options, words
from dreamwork_hooks.contract import events
from dreamwork_hooks.contract.asdata import of
from dreamwork_hooks.contract.event import sample_event
from dreamwork_hooks.contract.events import CLIENT, EVENTS, SUPPORT, TRAITS, Cell, EventSpec, Evidence, nearest
from dreamwork_hooks.errors import UserError

WIDE = 120  # columns that show enough of the last one beside all the others


@click.command()
@options.as_json
@click.option("--sample", is_flag=True, help="Print such an event, to replay or to begin a test with")
@click.option("--tool", default="Bash", show_default=True, metavar="NAME", help="The tool of a sample")
@click.argument("event", required=False)
def command(event: str | None, as_json: bool, sample: bool, tool: str) -> None:
    """Show the hook events of Claude Code: input, matcher, and what each part of an answer does.

    With EVENT all that is known of one. Every statement says what it rests on: measured on a version of the client,
    documented, or unverified.
    """
    if event is None:
        if sample:
            raise UserError("--sample: of which event? `events` lists them")
        if as_json:
            words.say_json({"client": CLIENT, "events": [spec_data(spec) for spec in EVENTS.values()]})
        else:
            words.say(overview())
        return
    if event not in EVENTS:
        close = nearest(event)
        raise UserError(f"no event is called {event}" + (f"; {close}?" if close else ""))
    if sample:
        words.say_document(sample_event(event, os.getcwd(), tool))
    elif as_json:
        words.say_json(spec_data(EVENTS[event]))
    else:
        words.say(details(EVENTS[event]))


def overview(width: int | None = None) -> str:
    """All events, a line each; on a terminal too narrow for all columns the ones a person looks for first."""
    width = width or words.terminal_width()
    rows: list[tuple[str, ...]] = [
        (
            spec.name,
            spec.kind,
            _matcher(spec) + _doubt(spec.matcher.evidence),
            ("yes" if spec.blocking.value else "no") + _doubt(spec.blocking.evidence),
            _timeout(spec),
            spec.support,
            spec.about,
        )
        for spec in EVENTS.values()
    ]
    heads: tuple[str, ...] = ("event", "kind", "matcher", "blocks", "timeout", "support", "when")
    told = f"Measured on Claude Code {CLIENT}; ? is unverified, (d) documented."
    if width is not None and width < WIDE:
        columns = [heads.index(head) for head in ("event", "blocks", "when")]
        rows = [tuple(row[at] for at in columns) for row in rows]
        heads = tuple(heads[at] for at in columns)
        told += "\nA wider terminal shows more, and `events EVENT` all of one."
    return words.table(rows, heads, width) + "\n\n" + told


def details(spec: EventSpec) -> str:
    """One event, all of it."""
    lines = [
        words.style(spec.name, bold=True) + f": {spec.about}",
        f"  kind      {spec.kind}",
        f"  matcher   {_matcher(spec)}  [{spec.matcher.evidence}]" + _note(spec.matcher),
        f"  blocks    {'yes' if spec.blocking.value else 'no'}  [{spec.blocking.evidence}]",
        f"  timeout   {_timeout(spec)}  [{spec.timeout.evidence}]" + _note(spec.timeout),
        f"  support   {spec.support}: {SUPPORT[spec.support]}",
        *([f"  since     {spec.since}"] if spec.since else []),
        *(f"  note      {TRAITS[trait]}" for trait in sorted(spec.traits)),
        "",
        words.table(
            [
                (
                    field.name,
                    " or ".join(field.types) if len(field.types) < 6 else "any",
                    "yes" if field.required else "",
                    ", ".join(field.values) + ("" if field.closed or not field.values else ", ..."),
                    str(field.evidence),
                )
                for field in spec.fields
            ],
            ("input field", "type", "required", "values", "evidence"),
        ),
        "",
        words.table(
            [
                (part, cell.value, str(cell.evidence), events.MEANING[cell.value] + _note(cell))
                for part, cell in spec.answers.items()
            ],
            ("answer", "effect", "evidence", "meaning"),
        ),
    ]
    return "\n".join(lines)


def spec_data(spec: EventSpec) -> dict[str, object]:
    """An event as plain data."""
    return {
        "event": spec.name,
        "environment": spec.exported,
        **of(spec, "kind", "about", "since", "support", "traits"),
        **of(spec, "matcher", "blocking", "timeout", "fields", "answers"),
    }


def _matcher(spec: EventSpec) -> str:
    return spec.matcher.value or "-"


def _timeout(spec: EventSpec) -> str:
    if spec.timeout.value is not None:
        return f"{spec.timeout.value:g} s"
    return "long" if spec.timeout.evidence.level == "measured" else "?"


def _doubt(evidence: Evidence) -> str:
    return {"measured": "", "documented": " (d)"}.get(evidence.level, " ?")


def _note(cell: Cell[Any]) -> str:
    return f" ({cell.note})" if cell.note else ""
