"""What a trusted configuration is, in one hash: its hook entries and the bytes of every script they
reference."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.host.spawning import filled_in
from dreamwork_hooks.settings.layers import LOCAL, PROJECT
from dreamwork_hooks.settings.shape import Handler

_PROJECT_VARIABLE = re.compile(r"\$\{?CLAUDE_PROJECT_DIR\}?")
_LIMIT = 64 << 20  # bytes of a script that are read
_WORD = re.compile(r"[^\s;|&<>()'\"=,]+")


@dataclass(frozen=True)
class Fingerprint:
    """The hash, and the absolute paths of what it covers beside the entries themselves."""

    digest: str
    scripts: tuple[str, ...]
    missing: tuple[str, ...] = ()


def fingerprint(handlers: Iterable[Handler], env: Mapping[str, str], project: str) -> Fingerprint:
    """Of the handlers a repository brings, with the `env` of its settings.

    Every word of a command that names an existing file counts as a script; so does one that could (it holds
    a slash) but does not exist, which makes its appearance a change.
    """
    digest = hashlib.sha256()
    scripts: dict[str, None] = {}
    missing: dict[str, None] = {}
    for handler in handlers:
        digest.update(json.dumps(_entry(handler), sort_keys=True).encode() + b"\n")
        for path in referenced(handler, project):
            (scripts if os.path.isfile(path) else missing)[path] = None
    digest.update(json.dumps(dict(env), sort_keys=True).encode() + b"\n")
    for path in scripts:
        digest.update(b"script " + os.fsencode(path) + b" " + _hash_of(path).encode() + b"\n")
    for path in missing:
        digest.update(b"missing " + os.fsencode(path) + b"\n")
    return Fingerprint(digest.hexdigest(), tuple(scripts), tuple(missing))


def comes_with_repository(handler: Handler, project: str) -> bool:
    """Whether a handler comes with the project: from its settings, or from a plugin inside it."""
    if handler.layer in (PROJECT, LOCAL):
        return True
    if handler.plugin_root is None:
        return False
    root, inside = os.path.realpath(project), os.path.realpath(handler.plugin_root)
    return inside == root or inside.startswith(root.rstrip("/") + "/")


def referenced(handler: Handler, project: str) -> list[str]:
    """Absolute paths of the files a handler's command names, in order; also of those that are not there."""
    found: dict[str, None] = {}
    whole, torn = _words(handler, project)
    for words, likely in ((whole, True), (torn, False)):
        for word in words:
            path = os.path.normpath(os.path.join(project, os.path.expanduser(word)))
            if os.path.isfile(path) or (likely and "/" in word and not os.path.isdir(path) and _looks_like_path(word)):
                found[path] = None
    return list(found)


def _words(handler: Handler, project: str) -> tuple[list[str], list[str]]:
    """The words as the shell reads them with the words within those, and the pieces that ignoring the quotes gives:
    of `"$DIR"/x.sh` the pieces are the directory and `/x.sh`, which nobody names."""
    texts = [handler.command, *(handler.args or ())]
    whole: list[str] = []
    torn: list[str] = []
    for text in texts:
        text = filled_in(text, project=project, plugin_root=handler.plugin_root)
        # A function, since a path may hold what a replacement text would take for a group.
        text = _PROJECT_VARIABLE.sub(lambda _: project, text)
        torn += [text, *_WORD.findall(text)]
        # Twice: words within words, as in `sh -c 'exec "./x.sh"'`; and `--file=./x`.
        for word in _shell_words(text):
            whole += [word, *(piece for inner in _shell_words(word) for piece in _WORD.findall(inner))]
    return _usable(whole), _usable(torn)


def _shell_words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return [text]


def _usable(words: list[str]) -> list[str]:
    return [word for word in words if word and "\0" not in word and len(word) < 4096]


def _looks_like_path(word: str) -> bool:
    return not any(letter in word for letter in " \n*?$`:") and not word.startswith("//")


def _hash_of(path: str) -> str:
    try:
        return hashlib.sha256(read_regular(path, _LIMIT)).hexdigest()
    except Unreadable as error:
        try:
            status = os.stat(path)
        except OSError:
            return f"unreadable: {error}"
        # Too large to be read at every start: any write to it moves these, and nobody can set the change time.
        return f"unread: {status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


def _entry(handler: Handler) -> dict[str, object]:
    return {
        "event": handler.event,
        "matcher": handler.matcher,
        "type": handler.type,
        "command": handler.command,
        "args": handler.args,
        "url": handler.url,
        "headers": dict(handler.headers),
        "allowedEnvVars": handler.allowed_env,
        "if": handler.rule,
        "timeout": handler.timeout,
        "shell": handler.shell,
        "async": handler.background,
        "asyncRewake": handler.rewake,
        "once": handler.once,
        "fail_closed": handler.fail_closed,
        "root": handler.plugin_root,
    }
