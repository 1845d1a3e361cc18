"""`trust`: consent to the hooks that come with a repository."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from dreamwork_hooks.cli import options, words
from dreamwork_hooks.host import HookHost, TrustStore, Verdict
from dreamwork_hooks.host.reports import trust_lines, verdict_data

WORDS = {
    "trusted": "trusted",
    "untrusted": "not trusted: nobody has said so yet",
    "changed": "not trusted: something changed since it was",
    "denied": "refused",
}
NEXT = {
    "untrusted": "`trust --allow` trusts what is listed here, `trust --deny` refuses it",
    "changed": "`trust --allow` trusts it as it is now, `trust --deny` refuses it",
    "denied": "`trust --allow` trusts it after all, `trust --forget` drops the answer",
}


@click.command()
@options.sources
@click.option("--allow", "action", flag_value="allow", help="Trust them as they are now")
@click.option("--deny", "action", flag_value="deny", help="Never run them")
@click.option("--forget", "action", flag_value="forget", help="Drop the answer given")
@click.option("--show", "action", flag_value="show", help="Show what would be trusted, and the answer")
@options.as_json
def command(project: str | None, action: str | None, as_json: bool, **given: Any) -> None:
    """Trust, or refuse, the hooks that come with a repository.

    The answer is kept on this machine and holds for exactly these hooks, this `env`, and the bytes of what they run as
    far as their words tell: `.claude/`, every file they name, and the directory of every script. After any change it
    has to be given again. What it does not cover is listed. Without an option: asks on a terminal, else shows.
    """
    wanted = options.Wanted.of(given)
    store = TrustStore.default(os.environ, os.environ.get("HOME") or os.path.expanduser("~"))
    with wanted.host(project or os.getcwd()) as host:
        verdict = host.verdict
        assert verdict is not None
        if action is None and verdict.asks and not verdict.runs and sys.stdin.isatty() and not as_json:
            action = {True: "allow", False: "deny", None: None}[options.ask(verdict)]
        if action == "allow" or action == "deny":
            store.set(verdict, "allow" if action == "allow" else "deny")
        elif action == "forget":
            store.forget(host.project)
        now = _again(host, store)
        if as_json:
            words.say_json(verdict_data(now))
        else:
            options.warn_of_problems(host)
            words.say(shown(now))


def _again(host: HookHost, store: TrustStore) -> Verdict:
    """The verdict after what was just done, on the same hooks."""
    assert host.verdict is not None
    before = host.verdict
    return store.verdict(host.project, before.handlers, before.env, before.switches)


def shown(verdict: Verdict) -> str:
    """A verdict for a person."""
    if not verdict.asks:
        return f"{verdict.project}: no hooks come with it"
    colour = words.GOOD if verdict.runs else words.DOUBT
    lines = [f"{verdict.project}: {words.style(WORDS[verdict.state], colour)}", *trust_lines(verdict)]
    if verdict.state in NEXT and not verdict.fingerprint.refused:
        lines.append(NEXT[verdict.state])
    return "\n".join(lines)
