"""Imports the modules an event loads from one bytecode bundle, without reading the archive's directory.

A zip's directory is read whole at the first import and costs start-up by the entry (0.04 of a bare start for 100), and
five interpreters' bytecode would be most of the entries. So the bytecode for each interpreter is one stored entry: 16
bytes that say so, then a marshalled dictionary of module name -> marshalled code, compressed where only
some events load it (0.05 to 0.09 at a ledger edit, for half the archive's size). This module stands in it under "", and
under "packages" the names of those that are one.

Executed by boot.py and __main__.py in their own globals: `codes` is that dictionary, `archive` the path.
"""

from __future__ import annotations

import sys
from _frozen_importlib import ModuleSpec  # importlib.machinery's, without importing importlib
from marshal import loads
from types import ModuleType

codes: dict[str, bytes] = globals()["codes"]  # both given by who executes this
archive: str = globals()["archive"]


class BundleFinder:
    """Finder and loader for the names in the bundle."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name not in codes:
            return None
        spec = ModuleSpec(name, BundleFinder, origin=archive, is_package=name in packages)  # type: ignore[arg-type]
        if spec.submodule_search_locations is not None:  # for the modules that lie in the archive as source alone
            spec.submodule_search_locations.append(archive + "/" + name.replace(".", "/"))
        return spec

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        return None

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        code = codes[module.__name__]
        if code[:1] == b"x":  # how every zlib stream begins, and no marshalled code
            from zlib import decompressobj

            # With the modules that are stored as they are for a dictionary: an eighth smaller.
            code = decompressobj(zdict=b"".join([codes[name] for name in stored])).decompress(code)
        exec(loads(code), module.__dict__)

    @staticmethod
    def get_data(path: str) -> bytes:
        """RULES.md, the one file of data that an event reads; `path` is not looked at.

        Raises OSError: the archive is gone.
        """
        place = globals().get("PLACES", {}).get("RULES.md")
        if place is None:  # executed by __main__.py
            from zipimport import zipimporter

            return zipimporter(archive).get_data("dreamwork_hooks/ledger/RULES.md")
        from zlib import decompress

        with open(archive, "rb", 0) as file:
            file.seek(-place[0], 2)
            return decompress(file.read(place[1]), -15)  # as a zip holds it: no header


packages = frozenset(codes.pop("packages").decode().split())
stored = sorted([name for name in codes if codes[name][:1] != b"x"])
sys.meta_path.insert(0, BundleFinder)
