"""`hooks`: every configured hook."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from dreamwork_hooks.check.check import about_handlers
from dreamwork_hooks.check.rules import read_rules
from dreamwork_hooks.cli import options, words
from dreamwork_hooks.host import HookHost
from dreamwork_hooks.host.choosing import needed_to_fire
from dreamwork_hooks.host.reports import handler_data
from dreamwork_hooks.install.wrapping import MARK
from dreamwork_hooks.settings.doubts import about, about_matcher
from dreamwork_hooks.settings.shape import Handler

COLOURS = {
    "user": words.GOOD,
    "trusted": words.GOOD,
    "untrusted": words.DOUBT,
    "disabled": words.DOUBT,
    "broken": words.BAD,
}


@click.command()
@options.sources
@options.as_json
def command(project: str | None, as_json: bool, **given: Any) -> None:
    """List every configured hook: where it is defined, what it waits for, whether it may run.

    Nothing is run. What is wrong in the settings goes to standard error.
    """
    with options.Wanted.of(given).host(project or os.getcwd()) as host:
        if as_json:
            words.say_json(listing(host))
            return
        options.warn_of_problems(host)
        for layer in host.configuration.layers:
            if layer.document is not None and MARK in layer.document.text:
                words.warn(f"{layer.file.path}: its hooks are being recorded; `status` says how to end that")
        words.say(listed(host))


def listing(host: HookHost) -> dict[str, object]:
    """All hooks and all problems as plain data."""
    configuration = host.configuration
    told = doubts(host, (*configuration.handlers, *configuration.lost))
    return {
        "project": host.project,
        "files": [
            {"layer": layer.file.layer, "path": layer.file.path, "present": layer.present, "void": layer.void}
            for layer in configuration.layers
        ],
        "hooks": [
            {
                **handler_data(handler),
                "status": host.status(handler).word,
                "why": host.status(handler).why,
                "fires": needed_to_fire(handler),
                "doubts": told[handler],
            }
            for handler in (*configuration.handlers, *configuration.lost)
        ],
        "problems": [
            {
                "file": problem.path,
                "line": problem.line,
                "where": problem.where,
                "rule": problem.rule,
                "problem": problem.message,
                "takes": problem.takes,
                "evidence": str(problem.evidence),
            }
            for problem in configuration.problems
        ],
    }


def listed(host: HookHost) -> str:
    """All hooks for a person, a block each."""
    configuration = host.configuration
    told = doubts(host, (*configuration.handlers, *configuration.lost))
    blocks: list[str] = []
    for handler in (*configuration.handlers, *configuration.lost):
        status = host.status(handler)
        timeout = f"{handler.timeout:g} s" if handler.timeout is not None else "default"
        lines = [
            words.style(status.word.ljust(10), COLOURS[status.word])
            + words.style(handler.event, bold=True)
            + f"  {handler.shown()}",
            f"  {handler.place}  ({handler.layer})",
            f"  matcher {_quoted(handler.matcher)}  if {_quoted(handler.rule)}  timeout {timeout}",
            f"  fires: {needed_to_fire(handler)}",
        ]
        if status.why:
            lines.append(f"  {words.style(status.why, COLOURS[status.word])}")
        lines.extend(f"  {words.style('doubt: ' + doubt, words.DOUBT)}" for doubt in told[handler])
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) or f"no hooks are configured for {host.project}"


def doubts(host: HookHost, handlers: Sequence[Handler]) -> dict[Handler, list[str]]:
    """What of each hook does not do what its author meant, as `check` and the doctor say it too."""
    env = {**os.environ, **host.configuration.env}
    return {
        handler: [
            *(doubt.problem for doubt in about_matcher(handler.event, handler.matcher)),
            *(doubt.problem for doubt in about(handler, env=env)),
            *(remark.problem for _, remark in remarks if read_rules()[remark.rule].severity != "advice"),
        ]
        for handler, remarks in about_handlers(handlers, host.project, env).items()
    }


def _quoted(text: str | None) -> str:
    return repr(text) if text else "-"
