"""`explain`: which hooks an event fires, and why the others stay silent."""

from __future__ import annotations

import os
from typing import Any

import click

from dreamwork_hooks.cli import options, words
from dreamwork_hooks.cli.hooks import doubts
from dreamwork_hooks.contract.event import parse_event
from dreamwork_hooks.host.replaying import load_events, placed
from dreamwork_hooks.host.reports import handler_data


@click.command()
@options.sources
@options.as_json
@click.argument("event", metavar="EVENT.json")
def command(event: str, project: str | None, as_json: bool, **given: Any) -> None:
    """Say which hooks fire for an event and which do not, and why. Nothing is run.

    EVENT.json is a recorded event, or - for standard input. Where its directory does not exist it is read as if it
    were of this project.
    """
    wanted = options.Wanted.of(given)
    found: list[dict[str, object]] = []
    for recorded in load_events(event):
        data, root = placed(recorded.data, project, os.getcwd())
        parsed = parse_event(data)
        with wanted.host(root) as host:
            matches = host.explain(parsed)
            if not as_json:
                options.warn_of_problems(host)
        found.append(
            {
                "source": recorded.name,
                "event": parsed.name,
                "kind": parsed.kind,
                "subject": parsed.subject,
                "hooks": [{**handler_data(m.handler), "fires": m.fires, "why": m.why} for m in matches],
            }
        )
        if as_json:
            continue
        about = f" ({parsed.subject})" if parsed.subject else ""
        words.say(words.style(f"{parsed.name}{about}", bold=True) + f"  {recorded.name}")
        # Hooks of other events would bury the answer; they stay in --json.
        near = [m for m in matches if m.handler.event == parsed.name]
        told = doubts(host, [match.handler for match in near])
        for match in near:
            mark = words.style("fires ", words.GOOD) if match.fires else words.style("silent", words.DOUBT)
            words.say(f"  {mark}  {match.handler.shown()}  ({match.handler.place})")
            words.say(f"          {match.why}")
            for doubt in told[match.handler]:
                words.say(f"          {words.style('doubt: ' + doubt, words.DOUBT)}")
        others = len(matches) - len(near)
        if others or not near:
            counted = f"{others} {'hook' if others == 1 else 'hooks'} of other events"
            words.say(f"  no hook of this event; {counted}" if not near else f"  {counted}")
    if as_json:
        words.say_json({"events": found})
