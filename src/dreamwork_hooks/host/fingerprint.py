"""What a trusted configuration is: its hook entries and `env`, and the bytes of everything their words lead to.

Covered are `.claude/` whole, every file a command or an `env` value names, and the directory of every script; of the
project's own directory the code in it alone, since there and below lies all that is worked on. Logs are left out, which
hooks write as they run. `following` reads the words.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.host.following import Followed, TooMuch, follow, follow_env
from dreamwork_hooks.settings.layers import LOCAL, PROJECT
from dreamwork_hooks.settings.shape import Handler

MOST_FILES = 4000
"""Files and directories that are looked at for one project."""
MOST_BYTES = 64 << 20
"""Bytes of them that are read."""

# Of `.claude/`: the settings count by their entries, and worktrees are other people's checkouts of the same project.
_LEFT_OUT = ("settings.json", "settings.local.json", "worktrees")
BYTECODE = "__pycache__"
_LOG = ".log"
# What counts as code in the project's own directory, with all that is executable there.
_CODE = tuple(
    "." + suffix
    for suffix in (
        *("bash", "cjs", "cts", "fish", "jar", "js", "lua", "mjs", "mts", "php", "pl", "pm", "ps1", "pth", "py"),
        *("pyc", "pyd", "pyz", "rb", "sh", "so", "ts", "zsh"),
    )
)


@dataclass(frozen=True)
class Fingerprint:
    """What is covered, part by part, and what is not."""

    parts: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The hash of each part by its name: `hooks`, `env`, or a path."""
    scripts: tuple[str, ...] = ()
    """Files the words name. All paths are absolute."""
    missing: tuple[str, ...] = ()
    """Files they name that are not there, as far as a person would take them for files."""
    directories: tuple[str, ...] = ()
    """Directories that are covered with what is in them."""
    gaps: tuple[tuple[Handler | None, str], ...] = ()
    """What is not covered, a sentence each, with the hook it is about (None for `env`)."""
    refused: str = ""
    """Why nothing here can be trusted, when it is more than is looked at."""
    bytecode: bool = False

    @property
    def digest(self) -> str:
        """One hash of all parts."""
        return _hash(json.dumps(dict(self.parts), sort_keys=True).encode())

    @functools.cached_property
    def named(self) -> frozenset[str]:
        """Every path that is a part of its own."""
        return frozenset(self.parts)

    def covers(self, path: str, project: str) -> bool:
        """Whether a file or directory is a part, or lies in a directory that is covered."""
        if path in self.named:
            return True
        return any(
            path == one or (os.path.dirname(path) == one if one == project else path.startswith(one + "/"))
            for one in self.directories
        )


def fingerprint(
    handlers: Iterable[Handler], env: Mapping[str, str], project: str, *, switches: Mapping[str, object] | None = None
) -> Fingerprint:
    """Of the handlers a repository brings, with the `env` and the `switches` of its settings.

    `project` is a real path; words are read as in an event that happens there.
    """
    handlers = list(handlers)
    found: list[tuple[Handler | None, Followed]] = []
    parts = {
        "hooks": _hash(b"\n".join(json.dumps(_entry(handler), sort_keys=True).encode() for handler in handlers)),
        "env": _hash(json.dumps(dict(env), sort_keys=True).encode()),
    }
    if switches:
        parts["switches"] = _hash(json.dumps(dict(switches), sort_keys=True).encode())
    if not handlers and not env:
        return Fingerprint(parts)
    directories: dict[str, None] = {os.path.join(project, ".claude"): None}
    files: dict[str, bool] = {}
    try:
        found.append((None, follow_env(project, project, env)))
        found.extend((handler, follow(handler, project, project, env)) for handler in handlers)
        bytecode = any(one.bytecode for _, one in found)
        for _, one in found:
            directories.update(one.directories)
            for path, shown in one.files.items():
                files[path] = shown or files.get(path, False)
        kept = _outermost(directories, project)
        _read_parts(parts, files, kept, project, bytecode)
    except TooMuch as error:
        return Fingerprint(parts, refused=str(error))
    return Fingerprint(
        parts,
        scripts=tuple(path for path in files if os.path.isfile(path)),
        missing=tuple(path for path, shown in files.items() if shown and not os.path.exists(path)),
        directories=tuple(kept),
        gaps=tuple((handler, gap) for handler, one in found for gap in one.gaps),
        bytecode=bytecode,
    )


def comes_with_repository(handler: Handler, project: str) -> bool:
    """Whether a handler comes with the project: from its settings, from a plugin that they switch on, or from a plugin,
    a skill or an agent inside it."""
    if handler.layer in (PROJECT, LOCAL) or handler.brought:
        return True
    if not handler.source and handler.plugin_root is None:
        return False
    root = os.path.realpath(project)
    inside = [os.path.realpath(path) for path in (handler.plugin_root or handler.path, handler.path)]
    return any(path == root or path.startswith(root.rstrip("/") + "/") for path in inside)


def elsewhere(handler: Handler, env: Mapping[str, str], project: str, cwd: str, trusted: Fingerprint) -> str:
    """What a trusted handler would run in `cwd` beyond what was trusted, as a sentence; empty when nothing."""
    try:
        found = [follow(handler, project, cwd, env), follow_env(project, cwd, env)]
    except TooMuch as error:
        return str(error)
    for one in found:
        for path in (*one.files, *one.directories):
            if os.path.exists(path) and not os.path.isdir(path) and not trusted.covers(path, project):
                return f"in {cwd} it would run {path}, which is not what was trusted"
        for path in one.directories:
            if os.path.isdir(path) and not trusted.covers(path, project):
                return f"in {cwd} it would run what is in {path}, which is not what was trusted"
    known = {gap for _, gap in trusted.gaps}
    for one in found:
        for gap in one.gaps:
            if gap not in known:
                return f"in {cwd}, {gap} is not what was trusted"
    return ""


def stamps(covered: Fingerprint, project: str, *more: str) -> list[tuple[object, ...]]:
    """What moves when anything covered, or one of `more`, is written, for a look at each. Raises TooMuch."""
    paths = [*more, *(path for path in covered.parts if path.startswith("/"))]
    found: list[tuple[object, ...]] = [_stamp(path) for path in paths]
    count = _Count()
    for directory in covered.directories:
        found.extend(_stamp(path) for path, _ in _inside(directory, project, covered.bytecode, count))
    return found


def newest(found: Iterable[tuple[object, ...]]) -> int:
    """The newest change among stamps, in nanoseconds."""
    return max((int(str(stamp[-1])) for stamp in found), default=0)


def _stamp(path: str) -> tuple[object, ...]:
    try:
        seen = os.stat(path)
    except (OSError, ValueError):
        return (path, 0)
    return (path, seen.st_mtime_ns, seen.st_size, seen.st_ino, seen.st_ctime_ns)


def _outermost(directories: Iterable[str], project: str) -> list[str]:
    """The directories without those inside another; the project's own holds no other."""
    kept: list[str] = []
    for path in sorted(directories):
        if not any(one != project and path.startswith(one + "/") for one in kept):
            kept.append(path)
    return kept


class _Count:
    """What has been looked at so far. Raises TooMuch."""

    def __init__(self) -> None:
        self.files = 0
        self.bytes = 0

    def one(self, directory: str) -> None:
        self.files += 1
        if self.files > MOST_FILES:
            raise TooMuch(
                f"{directory} and the other directories of hooks hold more than {MOST_FILES} files; "
                "keep the hooks' scripts in a directory of their own"
            )

    def read(self, path: str) -> str:
        try:
            data = read_regular(path, MOST_BYTES)
        except Unreadable as error:
            try:
                seen = os.stat(path)
            except (OSError, ValueError):
                return f"unreadable: {error}"
            if stat.S_ISREG(seen.st_mode) and seen.st_size > MOST_BYTES:
                raise _too_large(path) from None
            return f"unreadable: {error}"
        self.bytes += len(data)
        if self.bytes > MOST_BYTES:
            raise _too_large(path)
        return _hash(data)


def _too_large(path: str) -> TooMuch:
    return TooMuch(
        f"with {path} the hooks' files hold more than {MOST_BYTES >> 20} MiB; "
        "keep the scripts in a directory of their own"
    )


def _read_parts(
    parts: dict[str, str], files: Iterable[str], directories: Iterable[str], project: str, bytecode: bool
) -> None:
    count = _Count()
    for path in files:
        count.one(os.path.dirname(path))
        if os.path.isdir(path):
            parts[path] = "a directory"
        else:
            parts[path] = count.read(path) if os.path.lexists(path) else "missing"
    for directory in directories:
        lines = [
            f"{path[len(directory) :]}\0{link}\0{'' if os.path.isdir(path) else count.read(path)}"
            for path, link in _inside(directory, project, bytecode, count)
        ]
        parts[directory + "/"] = _hash("\n".join(sorted(lines)).encode("utf-8", "surrogateescape"))


def _inside(directory: str, project: str, bytecode: bool, count: _Count) -> Iterator[tuple[str, str]]:
    """Paths in a directory, each with where it leads when it is a link; links to directories are followed."""
    seen: set[tuple[int, int]] = set()
    left_out = _LEFT_OUT if directory == os.path.join(project, ".claude") else ()
    todo = [directory]
    while todo:
        here = todo.pop()
        try:
            status = os.stat(here)
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            with os.scandir(here) as entries:
                names = []
                for entry in entries:
                    count.one(directory)
                    names.append(entry.name)
        except OSError:
            continue
        for name in names:
            path = os.path.join(here, name)
            if (here == directory and name in left_out) or name == ".git" or (name == BYTECODE and not bytecode):
                continue
            try:
                link = os.readlink(path) if os.path.islink(path) else ""
            except OSError:
                link = "?"
            is_directory = os.path.isdir(path)
            if name.endswith(_LOG) and not is_directory:
                continue
            if directory == project:
                if (
                    not is_directory
                    and not name.endswith(_CODE)
                    and name != "package.json"
                    and not os.access(path, os.X_OK)
                ):
                    continue
            elif is_directory:
                todo.append(path)
            if not is_directory or link:
                yield path, link


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


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
        "scope": handler.scope,
    }
