"""`trust`: consent to the hooks that come with a repository."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from dreamwork_hooks.cli import options, words
from dreamwork_hooks.host import HookHost, TrustStore, Verdict
from dreamwork_hooks.host.reports import handler_data

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

    The answer is kept on this machine and holds for exactly these hooks and the bytes of every script they reference;
    after any change it has to be given again. Without an option: asks on a terminal, else shows.
    """
    wanted = options.Wanted.of(given)
    store = TrustStore.default(os.environ, os.environ.get("HOME") or os.path.expanduser("~"))
    with wanted.host(project or os.getcwd()) as host:
        verdict = host.verdict
        assert verdict is not None
        if action is None and verdict.handlers and not verdict.runs and sys.stdin.isatty() and not as_json:
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
    return store.verdict(host.project, host.verdict.handlers, host.verdict.env)


def verdict_data(verdict: Verdict) -> dict[str, object]:
    """A verdict as plain data."""
    return {
        "project": verdict.project,
        "state": verdict.state,
        "fingerprint": verdict.fingerprint.digest,
        "hooks": [handler_data(handler) for handler in verdict.handlers],
        "scripts": list(verdict.fingerprint.scripts),
        "missing": list(verdict.fingerprint.missing),
        "env": sorted(verdict.env),
    }


def shown(verdict: Verdict) -> str:
    """A verdict for a person."""
    if not verdict.handlers and not verdict.env:
        return f"{verdict.project}: no hooks come with it"
    colour = words.GOOD if verdict.runs else words.DOUBT
    lines = [f"{verdict.project}: {words.style(WORDS[verdict.state], colour)}"]
    for handler in verdict.handlers:
        lines.append(f"  {handler.event}: {handler.shown()}  ({handler.place})")
    lines += [f"  script: {path}" for path in verdict.fingerprint.scripts]
    lines += [f"  missing: {path}" for path in verdict.fingerprint.missing]
    if verdict.env:
        lines.append("  env: " + ", ".join(sorted(verdict.env)))
    if verdict.state in NEXT:
        lines.append(NEXT[verdict.state])
    return "\n".join(lines)
