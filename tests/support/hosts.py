"""Hooks written as shell lines, and a project to run them in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.contract.event import sample_event
from dreamwork_hooks.host import HookHost, LayerFile

Load = Callable[..., HookHost]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    path.mkdir()
    return path


@pytest.fixture
def load(project: Path, tmp_path: Path) -> Iterator[Load]:
    """Load a host from `{event: [handler or command, ...]}`, all in one group without a matcher."""
    hosts: list[HookHost] = []

    def load_one(hooks: dict[str, list[Any]], layer: str = "user", **options: Any) -> HookHost:
        groups = {
            event: [{"hooks": [e if isinstance(e, dict) else {"type": "command", "command": e} for e in entries]}]
            for event, entries in hooks.items()
        }
        file = LayerFile(layer, str(project / f"{layer}.json"), text=json.dumps({"hooks": groups}))
        options.setdefault("files", [file])
        options.setdefault("env", {"PATH": "/usr/bin:/bin", "SECRET": "no"})
        options.setdefault("trust", "all")
        host = HookHost.load(project, home=str(tmp_path), **options)
        hosts.append(host)
        return host

    yield load_one
    for host in hosts:
        host.close()


@pytest.fixture
def event(project: Path) -> Callable[..., dict[str, object]]:
    def make(name: str, tool: str = "Bash", **changes: object) -> dict[str, object]:
        return sample_event(name, str(project), tool, **changes)

    return make


def answer(**parts: object) -> str:
    """A shell line that prints an answer."""
    return f"cat <<'END'\n{json.dumps(parts)}\nEND"


def specific(event: str, **parts: object) -> str:
    """A shell line that prints an answer with `hookSpecificOutput`."""
    return answer(hookSpecificOutput={"hookEventName": event, **parts})
