"""`config.json`: what was installed where, and the choices the hooks read. Only the installer writes it."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from dreamwork_hooks.errors import Refused
from dreamwork_hooks.install.handlers import WIRED_OPTIONS
from dreamwork_hooks.settings import snapshot
from dreamwork_hooks.settings.writing import replace_beside

_LIMIT = 256 * 1024  # bytes: what the hooks read at most
_MOST = 100  # receipts; each is for one settings file


@dataclass
class Config:
    """The file's content. `damaged` names what kept it from being read; it then counts as empty."""

    data: dict[str, object] = field(default_factory=dict)
    damaged: str = ""

    @property
    def receipts(self) -> list[dict[str, object]]:
        found = self.data.get("receipts")
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    def receipt_for(self, path: str) -> dict[str, object] | None:
        """The receipt of the settings file at `path`, links followed."""
        real = os.path.realpath(path)
        for one in self.receipts:
            file = one.get("file")
            if isinstance(file, str) and (file == path or os.path.realpath(file) == real):
                return one
        return None

    def with_receipt(self, receipt: Mapping[str, object]) -> Config:
        """A copy in which `receipt` stands for its file."""
        new = self.without_receipt(str(receipt["file"]))
        new.data["receipts"] = [*new.receipts, dict(receipt)][-_MOST:]
        return new.flagged()

    def without_receipt(self, path: str) -> Config:
        gone = self.receipt_for(path)
        kept = [one for one in self.receipts if one is not gone]
        data = {key: value for key, value in self.data.items() if key != "receipts"}
        if kept:
            data["receipts"] = kept
        return Config(data).flagged()

    def flagged(self) -> Config:
        """The same with `restore`, `audit` and `bash` true exactly where some settings file has them wired."""
        wired: set[str] = set()
        for one in self.receipts:
            options = one.get("options")
            wired.update(option for option in options if isinstance(option, str)) if isinstance(options, list) else None
        data = {key: value for key, value in self.data.items() if key not in WIRED_OPTIONS}
        data.update({option: True for option in WIRED_OPTIONS if option in wired})
        return Config(data)

    def with_choice(self, key: str, value: object) -> Config:
        """A copy with `key` set, or removed when `value` is None."""
        data = {name: old for name, old in self.data.items() if name != key}
        if value is not None:
            data[key] = value
        return Config(data)

    @property
    def backups(self) -> list[str]:
        """The backups of settings files that edits of ours made: no other file of such a name is ever removed."""
        found = self.data.get("backups")
        return [path for path in found if isinstance(path, str)] if isinstance(found, list) else []

    def with_backups(self, *paths: str | None) -> Config:
        """A copy that knows these backups too, and none that is gone."""
        known = dict.fromkeys([*self.backups, *(path for path in paths if path)])
        return self.with_choice("backups", [path for path in known if os.path.lexists(path)][-_MOST:] or None)

    def encoded(self) -> bytes:
        return (json.dumps({"version": 1, **self.data}, indent=2) + "\n").encode("ascii")


def read(path: str) -> Config:
    """The config file; an absent one is empty, a damaged one is empty and says so."""
    try:
        file = snapshot.read(path)
    except Refused as error:
        return Config({}, str(error))
    if file.data is None:
        return Config()
    try:
        data = json.loads(file.data)
    except (ValueError, RecursionError) as error:
        return Config({}, f"{path} is not valid JSON ({error})")
    if not isinstance(data, dict):
        return Config({}, f"{path} does not hold an object")
    return Config(data)


def write(path: str, config: Config, old: Config) -> str | None:
    """Write the config when it differs; a damaged one is kept aside, and where is returned."""
    aside = None
    if old.damaged and os.path.lexists(path):
        aside = f"{path}.{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}.damaged"
        with contextlib.suppress(OSError):
            os.rename(path, aside)
    elif config.data == old.data and os.path.exists(path):
        return None
    replace_beside(path, config.encoded(), swept=True)
    return aside


def emptied_of(receipt: Mapping[str, object] | None) -> dict[str, str]:
    """The containers that were there and empty before us, as the receipt tells."""
    found = receipt.get("emptied") if receipt else None
    if not isinstance(found, dict):
        return {}
    return {key: value for key, value in found.items() if isinstance(key, str) and isinstance(value, str)}


def stamp(seconds: float) -> str:
    """UTC to the second, as records are stamped."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
