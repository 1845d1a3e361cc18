"""The branch and commit a target stands on, read from `.git` without running git (and so without its configuration)."""

from __future__ import annotations

import os

from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.secrets import shown

_SMALL = 4096
_PACKED = 16 << 20


def read_head(target: str) -> dict[str, str | None] | None:
    """`{"branch", "commit"}` of the work tree around `target`; None outside a repository.

    A detached HEAD has no branch; an unborn branch, or a ref store this does not read, has no commit.
    """
    git = _git_directory(target)
    if git is None:
        return None
    try:
        head = _read(os.path.join(git, "HEAD"))
    except Unreadable:
        return None
    if not head.startswith("ref:"):
        return {"branch": None, "commit": head if _is_commit(head) else None}
    ref = head[4:].strip()
    branch = ref[len("refs/heads/") :] if ref.startswith("refs/heads/") else ref
    return {"branch": shown(branch, 100, random=False), "commit": _resolve(git, ref) if _is_ref(ref) else None}


def _git_directory(target: str) -> str | None:
    """Where HEAD is: `.git` itself, or what a worktree's or submodule's `.git` file names."""
    directory = target
    while True:
        git = os.path.join(directory, ".git")
        if os.path.isdir(git):
            return git
        if os.path.isfile(git):
            try:
                line = _read(git)
            except Unreadable:
                return None
            return os.path.join(directory, line[7:].strip()) if line.startswith("gitdir:") else None
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent


def _resolve(git: str, ref: str) -> str | None:
    places = [git]
    try:
        places.append(os.path.join(git, _read(os.path.join(git, "commondir"))))  # a worktree shares its refs
    except Unreadable:
        pass
    for place in places:
        try:
            commit = _read(os.path.join(place, ref))
        except Unreadable:
            continue
        return commit if _is_commit(commit) else None
    try:
        packed = read_regular(os.path.join(places[-1], "packed-refs"), _PACKED)
    except Unreadable:
        return None
    at = packed.find(b" " + ref.encode("utf-8", "surrogateescape") + b"\n")
    commit = packed[packed.rfind(b"\n", 0, max(at, 0)) + 1 : max(at, 0)].decode("ascii", "replace")
    return commit if _is_commit(commit) else None


def _read(path: str) -> str:
    return read_regular(path, _SMALL).decode("utf-8", "surrogateescape").strip()


def _is_ref(ref: str) -> bool:
    """Whether `ref` stays below the git directory when used as a path."""
    return ref.startswith("refs/") and ".." not in ref and "\0" not in ref


def _is_commit(text: str) -> bool:
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")
