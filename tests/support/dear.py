"""Modules that no event may load: each costs a third of an interpreter start or more, or brings one that does."""

from __future__ import annotations

DEAR = {
    "__future__",
    "argparse",
    "click",
    "collections",
    "contextlib",
    "dataclasses",
    "datetime",
    "enum",
    "functools",
    "hashlib",
    "importlib",
    "inspect",
    "json",
    "locale",
    "logging",
    "pathlib",
    "random",
    "re",
    "shutil",
    "signal",
    "subprocess",
    "tempfile",
    "threading",
    "typing",
    "warnings",
}
