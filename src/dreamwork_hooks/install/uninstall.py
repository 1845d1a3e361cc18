"""Uninstalling: our handlers out of every settings file we wired, then the file itself, and our state when asked."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field

from dreamwork_hooks.errors import Failed, Refused
from dreamwork_hooks.install import plan, preflight, program, receipts
from dreamwork_hooks.install.places import Places, claude_directory, places
from dreamwork_hooks.install.recorded import refuse_recorded
from dreamwork_hooks.install.request import Outcome, Request, World, own_command, place_of
from dreamwork_hooks.install.survey import WrongShape, beside_others, located, survey
from dreamwork_hooks.settings import editing as settings_file
from dreamwork_hooks.settings.jsontext import Document, JsonSyntaxError, parse
from dreamwork_hooks.settings.snapshot import Snapshot, decode, encode
from dreamwork_hooks.settings.snapshot import read as read_file
from dreamwork_hooks.settings.writing import locked


@dataclass
class _Taking:
    """What is taken out of one file. `plan` is the last one made."""

    file: str
    receipt: Mapping[str, object] | None
    plan: plan.Plan = field(default_factory=lambda: plan.Plan(""))

    def change(self, snapshot: Snapshot) -> bytes:
        was = self.receipt.get("was") if self.receipt else None
        emptied = receipts.emptied_of(self.receipt)
        with located(snapshot.path, "take our handlers out of it by hand, and name the other files with --settings"):
            self.plan = plan.uninstall(snapshot.text, emptied, was if isinstance(was, str) else None)
        return encode(self.plan.text)


def uninstall(world: World, request: Request) -> Outcome:
    """Take our handlers out, and the program with them when no settings file names it any more.

    Without a scope or a file named: out of every file a receipt tells of. Raises Refused and Failed.
    """
    here, place = places(world.env), place_of(world, request)
    config = receipts.read(here.config_file)
    known = [str(one["file"]) for one in config.receipts if isinstance(one.get("file"), str)]
    user, _ = claude_directory(world.env, world.cwd)
    known.append(os.path.join(user, "settings.json"))
    others = _without(known, place.path)
    named = request.settings is not None or request.scope != "user"
    takings = [_Taking(file, config.receipt_for(file)) for file in [place.path, *([] if named else others)]]

    diffs: list[str] = []
    for taking in takings:  # look at all before touching one
        snapshot = preflight.settled(taking.file, world.patience)
        refuse_recorded(taking.file, snapshot.text, own_command(here.program))
        after = taking.change(snapshot)
        if after != (snapshot.data or b""):
            preflight.check_settings(snapshot)
        diffs.append(plan.unified(snapshot.text, decode(after), taking.file))
    preflight.check_person(here)
    answer: dict[str, object] = {"ok": True, "action": "uninstall", "changed": False, "settings": place.path}
    if request.dry_run:
        diff = "".join(diffs)
        return Outcome(
            {**answer, "dry_run": True, "diff": diff},
            [diff or "No handler of ours is wired.", "Nothing was written (--dry-run)."],
        )

    with locked(here.state) if os.path.isdir(here.state) else contextlib.nullcontext():
        done: list[dict[str, object]] = []
        sentences: list[str] = []
        for taking in takings:
            done += _take(world, here, taking, config.backups, sentences)
            config = config.without_receipt(taking.file)
        config = config.with_backups(*(str(one["backup"]) for one in done if one["backup"]))
        removed = purged = False
        still = [file for file in (others if named else []) if _has_ours(file)]
        if still:
            sentences.append(f"Kept {here.program}: it is still wired in {', '.join(still)}.")
        else:
            removed = program.remove(here.program)
            config = config.with_choice("evidence", None).with_choice("lint", None)
            purged = request.purge and _purge(here, config.backups)
        if removed:
            sentences.append(f"Removed {here.program}.")
        if purged:
            sentences.append(f"Removed the state in {here.state}, and {_counted(config.backups, 'backup')}.")
        elif os.path.lexists(here.config_file):
            receipts.write(here.config_file, config, receipts.read(here.config_file))
        if not still:
            made = [
                os.path.dirname(taking.file) for taking in takings if taking.receipt and taking.receipt.get("created")
            ]
            _remove_empty(os.path.dirname(here.program), here.config, *(made if purged else []))
    if removed and not purged and os.path.isdir(here.state):
        kept = f"Kept the logs in {here.state}"
        if config.backups:
            kept += f", and {_counted(config.backups, 'backup')}: {', '.join(config.backups)}"
        sentences.append(f"{kept}; uninstall --purge removes all of it.")
    changed = removed or purged or any(one["changes"] for one in done)
    answer.update(changed=changed, files=done, removed=here.program if removed else None, purged=purged)
    if not changed:
        sentences.append("Nothing of ours was wired or installed; nothing was changed.")
    return Outcome(answer, sentences)


def _take(
    world: World, here: Places, taking: _Taking, backups: list[str], sentences: list[str]
) -> list[dict[str, object]]:
    """Take our handlers out of one file and say so; nothing for a file that is not there."""
    file = taking.file
    if not os.path.lexists(file):
        return []
    edited = settings_file.edit(
        file,
        taking.change,
        spare_backups=here.backups,
        now=world.now,
        known_backups=backups,
        remove_empty=bool(taking.receipt and taking.receipt.get("created")),
    )
    document = parse(edited.after.text)
    if survey(document):
        raise Failed(f"{file}: a handler of ours is still there; another program put it back")
    changes = taking.plan.changes if edited.method != "none" else []
    if changes:
        backup = f" (backup: {edited.backup})" if edited.backup else ""
        handlers = "1 handler" if len(changes) == 1 else f"{len(changes)} handlers"
        sentences.append(f"Took {handlers} of ours out of {file}{backup}.")
    sentences += _left_over(document, file)
    return [{"file": file, "changes": changes, "backup": edited.backup}]


def _without(files: list[str], path: str) -> list[str]:
    """The files but for `path`, each once, links followed."""
    seen = {os.path.realpath(path)}
    kept = []
    for file in files:
        if os.path.realpath(file) not in seen:
            seen.add(os.path.realpath(file))
            kept.append(file)
    return kept


def _has_ours(file: str) -> bool:
    try:
        return bool(survey(parse(read_file(file).text)))
    except (Refused, JsonSyntaxError, WrongShape):
        return False


def _left_over(document: Document, file: str) -> list[str]:
    return [
        f"Left in {file}, since it also runs something of yours: {one.event}: {one.value.get('command')}"
        for one in beside_others(document)
    ]


def _purge(here: Places, backups: list[str]) -> bool:
    """Remove our backups and our state directory; a link in its place is removed as a link."""
    for path in backups:
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.lstat(path).st_mode):
                os.unlink(path)
    try:
        info = os.lstat(here.state)
    except OSError:
        return False
    if stat.S_ISLNK(info.st_mode):
        os.unlink(here.state)
    else:
        shutil.rmtree(here.state)
    return True


def _remove_empty(*directories: str) -> None:
    """Remove those of these directories that nothing is left in."""
    for path in directories:
        with contextlib.suppress(OSError):
            os.rmdir(path)


def _counted(things: list[str], one: str) -> str:
    return f"1 {one}" if len(things) == 1 else f"{len(things)} {one}s"
