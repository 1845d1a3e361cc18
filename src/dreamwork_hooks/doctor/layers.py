"""The settings files that apply in a directory, read once, with what each of them holds of ours."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from dreamwork_hooks.errors import Refused
from dreamwork_hooks.install.places import claude_directory
from dreamwork_hooks.install.survey import Found, WrongShape, survey
from dreamwork_hooks.settings.jsontext import Document, JsonSyntaxError, Node, parse
from dreamwork_hooks.settings.judge import FILE, Finding, judge_text
from dreamwork_hooks.settings.managed import managed_path
from dreamwork_hooks.settings.snapshot import read


@dataclass(frozen=True)
class Layer:
    """One settings file. `problem` says why it could not be read; `void` that Claude Code reads nothing of it."""

    scope: str
    path: str
    present: bool = False
    problem: str = ""
    document: Document | None = None
    findings: list[Finding] = field(default_factory=list)
    ours: list[Found] = field(default_factory=list)

    @property
    def void(self) -> bool:
        return bool(self.problem) or any(finding.takes == FILE for finding in self.findings)

    def flag(self, key: str) -> bool | None:
        """The boolean under a top-level key, None when it is absent, no boolean, or the file is void."""
        root = self.document.root if self.document is not None and not self.void else None
        node: Node | None = root.get(key) if root is not None else None
        if node is None or self.document is None or node.kind != "constant":
            return None
        return {"true": True, "false": False}.get(self.document.source(node))


def layers(env: Mapping[str, str], directory: str, managed: str | None = None) -> list[Layer]:
    """The files that count for a session started in `directory`; one reached by two names is listed once.

    Highest last: what a later file says about `disableAllHooks` stands.
    """
    user, _ = claude_directory(env, directory)
    project = os.path.join(directory, ".claude")
    files = [
        ("user", os.path.join(user, "settings.json")),
        ("project", os.path.join(project, "settings.json")),
        ("local", os.path.join(project, "settings.local.json")),
        ("managed", managed if managed is not None else managed_path()),
    ]
    if os.path.realpath(project) == os.path.realpath(user):
        files = [one for one in files if one[0] != "local"]  # below the user's directory it is not read
    seen: set[str] = set()
    found = []
    for scope, path in files:
        real = os.path.realpath(path)
        if real not in seen:
            seen.add(real)
            found.append(read_layer(scope, path))
    return found


def read_layer(scope: str, path: str) -> Layer:
    """Read one file; never raises."""
    try:
        snapshot = read(path)
    except Refused as error:
        return Layer(scope, path, True, str(error).splitlines()[0])
    if snapshot.data is None:
        return Layer(scope, path)
    findings = judge_text(snapshot.text)
    try:
        document = parse(snapshot.text)
        ours = survey(document)
    except (JsonSyntaxError, WrongShape):
        return Layer(scope, path, True, "", None, findings)
    return Layer(scope, path, True, "", document, findings, ours)
