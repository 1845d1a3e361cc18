"""Installing, uninstalling, upgrading: the steps in their order. The faces (`install.py`, the commands) only print.

A request is looked at whole before anything is written: what is refused has changed nothing. Then the program, then
the settings, then the receipt; taking away goes the other way round, so that the settings never name a file that is
not there for longer than one step.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dreamwork_hooks import __version__
from dreamwork_hooks.wiring import interpreter, plan, program, receipts, settings_file, snippet
from dreamwork_hooks.wiring.errors import Failed, Refused
from dreamwork_hooks.wiring.filelock import locked
from dreamwork_hooks.wiring.jsontext import Document, JsonSyntaxError, parse
from dreamwork_hooks.wiring.judge import void_reason
from dreamwork_hooks.wiring.places import Places, SettingsPlace, places, settings_place
from dreamwork_hooks.wiring.survey import WrongShape, beside_others, survey


@dataclass(frozen=True)
class World:
    """What a run is given from outside: the environment, the directory it was started in, the clock."""

    env: Mapping[str, str]
    cwd: str
    now: Callable[[], float] = time.time
    checkout: str | None = None  # the directory of install.py, where dist/ is looked for


@dataclass(frozen=True)
class Request:
    """What the person asked for."""

    scope: str = "user"
    target: str | None = None
    settings: str | None = None
    add: frozenset[str] = frozenset()
    drop: frozenset[str] = frozenset()
    force: bool = False
    lint: str | None = None
    python: str | None = None
    dry_run: bool = False
    purge: bool = False


@dataclass
class Outcome:
    """What came of it: `answer` goes to stdout as JSON, `sentences` are for the person."""

    answer: dict[str, object]
    sentences: list[str] = field(default_factory=list)
    status: int = 0


@dataclass
class _Edit:
    """The last plan made for the settings file, and what went into it."""

    plan: plan.Plan = field(default_factory=lambda: plan.Plan(""))
    options: frozenset[str] = frozenset()
    was: str | None = None
    created: bool = False


def guarded(action: str, work: Callable[[], Outcome]) -> Outcome:
    """Run `work` and turn its refusal or failure into an outcome: exit status 2 and 1."""
    try:
        return work()
    except Refused as error:
        answer: dict[str, object] = {"ok": False, "action": action, "refused": True, "error": str(error)}
        if error.diff:
            answer["diff"] = error.diff
        return Outcome(answer, [f"Refused: {error}", *([error.diff] if error.diff else [])], 2)
    except Failed as error:
        return Outcome({"ok": False, "action": action, "error": str(error)}, [f"Failed: {error}"], 1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        text = f"{where}{error.strerror or error}"
        return Outcome({"ok": False, "action": action, "error": text}, [f"Failed: {text}"], 1)


def show_snippet(world: World, request: Request) -> Outcome:
    """The snippet as it would be written into an empty settings file."""
    here = places(world.env)
    place = _place(world, request)
    options = (request.add - request.drop) & frozenset(snippet.WIRED_OPTIONS)
    answer = snippet.snippet(_shell_program(here, place), options)
    return Outcome(
        answer,
        [
            f"The snippet for {place.path}. Merge it by hand, or let `install` do it; nothing was written.",
            *([] if os.path.exists(here.program) else [f"{here.program} is not there yet; `install` puts it there."]),
        ],
    )


def install(world: World, request: Request) -> Outcome:
    """Wire the hooks. Raises Refused and Failed."""
    here, place = places(world.env), _place(world, request)
    lint = _lint(request.lint, world.cwd)
    config = receipts.read(here.config_file)
    shell = _shell_program(here, place)
    edit = _Edit()

    def change(snapshot: settings_file.Snapshot) -> bytes:
        return _install_plan(snapshot, request, shell, receipts.emptied_of(config.receipt_for(place.path)), edit)

    before = settings_file.read(place.path)
    after = change(before)
    source = program.load(program.find_source(world.checkout))
    python, remarks = _interpreter(world, request, here)

    answer: dict[str, object] = {
        "ok": True,
        "action": "install",
        "changed": False,
        "settings": place.path,
        "scope": place.scope,
        "program": here.program,
        "sha256": source.sha256,
        "python": python.path if python else None,
        "options": sorted(edit.options | (frozenset({"evidence"}) if _evidence(config, request) else frozenset())),
        "changes": edit.plan.changes,
        "backup": None,
    }
    warnings = [note for note in (place.note, python.remark if python else "", *remarks) if note]
    if python is None:
        warnings.append("no usable Python was found to pin; the hooks will look for python3 on PATH at every start")
    if request.dry_run:
        diff = plan.unified(before.text, settings_file.decode(after), place.path)
        answer.update({"dry_run": True, "diff": diff, "warnings": warnings})
        return Outcome(answer, [diff or f"{place.path}: nothing to change.", "Nothing was written (--dry-run)."])

    settings_file.private_directory(here.state)
    with locked(here.state):
        config = receipts.read(here.config_file)
        new_program = program.put(source, python.path if python else None, here.program)
        receipt = _receipt(world, place, source, python, edit, config)
        aside = None
        if after != (before.data or b""):
            # Before the settings: a kill in between must not lose how the empty places looked.
            aside = receipts.write(here.config_file, config.with_receipt({**receipt, "pending": True}), config)
        edited = settings_file.edit(place.path, change, spare_backups=here.backups, now=world.now)
        receipt = _receipt(world, place, source, python, edit, config)
        final = _choices(config.with_receipt(_keep_date(receipt, config)), lint, request)
        current = receipts.read(here.config_file)
        aside = receipts.write(here.config_file, final, current) or aside

    document = parse(edited.after.text)
    gone = plan.missing(document, shell, edit.options)
    if gone:
        raise Failed(f"{place.path}: these handlers are not there after all: {', '.join(gone)}")
    voided = void_reason(document)
    warnings += _remarks(document, place, aside, voided)
    answer.update(
        changed=edited.method != "none" or new_program or final.data != config.data,
        wired=not voided,
        method=edited.method,
        backup=edited.backup,
        changes=edit.plan.changes if edited.method != "none" else [],
        warnings=warnings,
    )
    if os.path.realpath(place.path) != place.path:
        answer["real"] = edited.after.real
    return Outcome(answer, _installed_sentences(place, here, edited, edit, new_program, warnings, bool(voided)))


def uninstall(world: World, request: Request) -> Outcome:
    """Take our handlers out, and the program with them when no settings file names it any more."""
    here, place = places(world.env), _place(world, request)
    config = receipts.read(here.config_file)
    named = request.settings is not None or request.scope != "user"
    files = [place.path]
    if not named:
        known = [str(one["file"]) for one in config.receipts if isinstance(one.get("file"), str)]
        files += [file for file in known if os.path.realpath(file) != os.path.realpath(place.path)]

    def changing(file: str) -> tuple[_Edit, Callable[[settings_file.Snapshot], bytes]]:
        edit, receipt = _Edit(), config.receipt_for(file)

        def change(snapshot: settings_file.Snapshot) -> bytes:
            return _uninstall_plan(snapshot, receipt, edit)

        return edit, change

    diffs: list[str] = []
    for file in files:  # look at all before touching one
        _, change = changing(file)
        snapshot = settings_file.read(file)
        diffs.append(plan.unified(snapshot.text, settings_file.decode(change(snapshot)), file))
    answer: dict[str, object] = {"ok": True, "action": "uninstall", "changed": False, "settings": place.path}
    if request.dry_run:
        diff = "".join(diffs)
        return Outcome(
            {**answer, "dry_run": True, "diff": diff},
            [diff or "No handler of ours is wired.", "Nothing was written (--dry-run)."],
        )

    done: list[dict[str, object]] = []
    sentences: list[str] = []
    for file in files:
        if not os.path.lexists(file):
            config = config.without_receipt(file)
            continue
        edit, change = changing(file)
        receipt = config.receipt_for(file)
        edited = settings_file.edit(
            file,
            change,
            spare_backups=here.backups,
            now=world.now,
            remove_empty=bool(receipt and receipt.get("created")),
        )
        left = settings_file.read(file)
        if left.data is not None and survey(parse(left.text)):
            raise Failed(f"{file}: a handler of ours is still there; another program put it back")
        config = config.without_receipt(file)
        done.append(
            {"file": file, "changes": edit.plan.changes if edited.method != "none" else [], "backup": edited.backup}
        )
        if edited.method != "none":
            backup = f" (backup: {edited.backup})" if edited.backup else ""
            sentences.append(f"Took {len(edit.plan.changes)} handlers of ours out of {file}{backup}.")
        if left.data is not None:
            sentences += _left_over(parse(left.text), file)

    removed = False
    still = [str(one.get("file")) for one in config.receipts]
    if not still:
        removed = program.remove(here.program)
        if removed:
            sentences.append(f"Removed {here.program}.")
    else:
        sentences.append(f"Kept {here.program}: it is still wired in {', '.join(still)}.")
    purged = request.purge and _purge(here)
    if purged:
        sentences.append(f"Removed the state in {here.state}.")
    elif os.path.lexists(here.config_file):
        receipts.write(here.config_file, config, receipts.read(here.config_file))
    changed = removed or bool(purged) or any(one["changes"] for one in done)
    answer.update(changed=changed, files=done, removed=here.program if removed else None, purged=bool(purged))
    if not changed:
        sentences.append("Nothing of ours was wired or installed; nothing was changed.")
    return Outcome(answer, sentences)


def upgrade(world: World, request: Request) -> Outcome:
    """Replace the installed file by this one, keep its interpreter, drop what older builds unpacked."""
    here = places(world.env)
    source = program.load(program.find_source(world.checkout))
    before = program.installed_hash(here.program)
    if before is None and not os.path.lexists(here.program):
        raise Refused(f"{here.program} is not installed, so there is nothing to upgrade; `install` puts it there")
    if os.path.realpath(source.source) == os.path.realpath(here.program):
        raise Refused("this is the installed file itself. Run the new one:  python3 NEW/dreamwork-hooks.pyz upgrade")
    python, remarks = _interpreter(world, request, here)
    root = os.path.expanduser(world.env.get("SHIV_ROOT") or os.path.join(here.home, ".shiv"))
    caches = program.old_caches(root, program.build_id(source))
    answer: dict[str, object] = {
        "ok": True,
        "action": "upgrade",
        "program": here.program,
        "sha256": source.sha256,
        "before": before,
        "python": python.path if python else None,
        "version": __version__,
        "caches": caches,
        "warnings": remarks,
    }
    if request.dry_run:
        return Outcome({**answer, "changed": False, "dry_run": True}, ["Nothing was written (--dry-run)."])
    settings_file.private_directory(here.state)
    with locked(here.state):
        changed = program.put(source, python.path if python else None, here.program)
        config = receipts.read(here.config_file)
        new = receipts.Config(dict(config.data))
        for one in config.receipts:
            new = new.with_receipt({**one, "sha256": source.sha256, "version": __version__})
        if config.receipts:
            receipts.write(here.config_file, new, config)
        gone = program.drop_caches(caches)
    sentence = (
        f"{here.program} is now {__version__} ({source.sha256[:12]})." if changed else "It is this build already."
    )
    return Outcome(
        {**answer, "changed": changed or bool(gone), "caches": gone},
        [sentence, *(f"Removed {path}, unpacked by an older build." for path in gone)],
    )


# The parts ----------------------------------------------------------------------------------------------------------


def _place(world: World, request: Request) -> SettingsPlace:
    return settings_place(world.env, world.cwd, scope=request.scope, target=request.target, settings=request.settings)


def _shell_program(here: Places, place: SettingsPlace) -> str:
    """The program as the command names it: absolute, but through $HOME in a file that a team shares."""
    try:
        return snippet.shell_path(here.program, here.home if place.scope == "project" else None)
    except ValueError as error:
        raise Refused(f"{error}; set DREAMWORK_HOOKS_CONFIG to another directory") from None


def _install_plan(
    snapshot: settings_file.Snapshot,
    request: Request,
    shell: str,
    emptied: Mapping[str, str],
    edit: _Edit,
) -> bytes:
    with _located(snapshot.path):
        document = parse(snapshot.text)
        edit.options = (plan.options_in(document) | (request.add & frozenset(snippet.WIRED_OPTIONS))) - request.drop
        edit.plan = plan.install(snapshot.text, shell, edit.options, emptied)
    if document.root is None:
        edit.was = snapshot.text
        edit.created = snapshot.data is None
    if edit.plan.differing and not request.force:
        raise Refused(
            f"{snapshot.path} already has handlers of ours that differ from what we write; nothing was changed:\n"
            + "".join(f"  {line}\n" for line in edit.plan.differing)
            + "  To bring them up to date, the same command with --force. The change would be:",
            diff=plan.unified(snapshot.text, edit.plan.text, snapshot.path),
        )
    return settings_file.encode(edit.plan.text)


def _uninstall_plan(snapshot: settings_file.Snapshot, receipt: Mapping[str, object] | None, edit: _Edit) -> bytes:
    was = receipt.get("was") if receipt else None
    with _located(snapshot.path):
        edit.plan = plan.uninstall(snapshot.text, receipts.emptied_of(receipt), was if isinstance(was, str) else None)
    return settings_file.encode(edit.plan.text)


@contextlib.contextmanager
def _located(path: str):  # type: ignore[no-untyped-def]
    """Turn what is wrong with the text into a refusal with file, line and column."""
    try:
        yield
    except JsonSyntaxError as error:
        raise Refused(
            f"{path}:{error.line}:{error.column}: not valid JSON: {error.problem}; nothing was changed.\n"
            f"  Claude Code ignores the whole file while it is like this. Put it right and run this again,\n"
            f"  or merge the snippet by hand:  the same command with --print"
        ) from None
    except WrongShape as error:
        raise Refused(
            f"{path}:{error.line}:{error.column}: {error.problem}; nothing was changed.\n"
            f"  Put it right and run this again, or merge the snippet by hand:  the same command with --print"
        ) from None


def _lint(asked: str | None, cwd: str) -> str | None:
    if asked is None or asked == "embedded":
        return asked
    path = os.path.normpath(os.path.join(cwd, os.path.expanduser(asked)))
    if not os.path.isfile(path):
        raise Refused(f"--lint {asked}: {path} is no file; nothing was changed. `--lint embedded` needs none")
    return path


def _interpreter(world: World, request: Request, here: Places) -> tuple[interpreter.Interpreter | None, list[str]]:
    """The interpreter to pin: the one asked for, else the one pinned already while it works, else a found one."""
    if request.python is None:
        with contextlib.suppress(OSError):
            with open(here.program, "rb") as file:
                pinned = program.pin_of(file.read(8192))
            if pinned is not None:
                found = interpreter.probe(pinned)
                if not found.problem:
                    return interpreter.Interpreter(pinned, ".".join(str(part) for part in found.version)), []
    return interpreter.choose(request.python, world.env, world.cwd)


def _receipt(
    world: World,
    place: SettingsPlace,
    source: program.Program,
    python: interpreter.Interpreter | None,
    edit: _Edit,
    config: receipts.Config,
) -> dict[str, object]:
    old = config.receipt_for(place.path) or {}
    receipt: dict[str, object] = {
        "when": receipts.stamp(world.now()),
        "file": place.path,
        "scope": place.scope,
        "events": sorted({group.event for group in snippet.wanted(edit.options)}),
        "options": sorted(edit.options),
        "sha256": source.sha256,
        "python": python.path if python else None,
        "version": __version__,
    }
    if place.target:
        receipt["target"] = place.target
    emptied = {**edit.plan.emptied, **receipts.emptied_of(old)}
    if emptied:
        receipt["emptied"] = emptied
    was = old.get("was", edit.was)
    if isinstance(was, str):
        receipt["was"] = was
        if old.get("created", edit.created):
            receipt["created"] = True
    return receipt


def _keep_date(receipt: dict[str, object], config: receipts.Config) -> dict[str, object]:
    """The same receipt again is the old one: a second install changes nothing."""
    old = config.receipt_for(str(receipt["file"]))
    if old and {**old, "when": ""} == {**receipt, "when": ""}:
        return old
    return receipt


def _evidence(config: receipts.Config, request: Request) -> bool:
    if "evidence" in request.add:
        return True
    return "evidence" not in request.drop and config.data.get("evidence") is True


def _choices(config: receipts.Config, lint: str | None, request: Request) -> receipts.Config:
    config = config.with_choice("evidence", True if _evidence(config, request) else None)
    return config if lint is None else config.with_choice("lint", lint)


def _remarks(document: Document, place: SettingsPlace, aside: str | None, voided: str) -> list[str]:
    found = []
    if voided:
        found.append(
            f"NOT ACTIVE: Claude Code silently ignores all of {place.path} ({voided}). The handlers are "
            "written, but nothing of this file is in force until that is put right"
        )
    if aside:
        found.append(f"the former config.json could not be read and lies now in {aside}")
    for one in beside_others(document):
        found.append(
            f"{one.event} has a handler that runs our program together with something of yours, and was left "
            f"alone: {one.value.get('command')}"
        )
    return found


def _left_over(document: Document, file: str) -> list[str]:
    return [
        f"Left in {file}, since it also runs something of yours: {one.event}: {one.value.get('command')}"
        for one in beside_others(document)
    ]


def _installed_sentences(
    place: SettingsPlace,
    here: Places,
    edited: settings_file.Edited,
    edit: _Edit,
    new_program: bool,
    warnings: list[str],
    voided: bool,
) -> list[str]:
    events = ", ".join(dict.fromkeys(group.event for group in snippet.wanted(edit.options)))
    sentences = [f"Installed {here.program}." if new_program else f"{here.program} is this build already."]
    if edited.method == "none":
        sentences.append(f"{place.path} has our handlers already ({events}); it was not touched.")
    else:
        verb = "Wrote" if voided else "Wired"
        sentences.append(f"{verb} {events} in {place.path}.")
        if edited.backup:
            sentences.append(f"The file as it was: {edited.backup}")
        if edited.method == "in place":
            sentences.append("The file was written in place, since replacing it would have cut a link or a mount.")
        sentences.append(
            "Running sessions of Claude Code take it up at once; restart those of an older version. "
            "`doctor` shows whether the hooks answer."
        )
    return sentences + [f"Note: {warning}." for warning in warnings]


def _purge(here: Places) -> bool:
    """Remove our state directory; a link in its place is removed as a link."""
    try:
        info = os.lstat(here.state)
    except OSError:
        return False
    if stat.S_ISLNK(info.st_mode):
        os.unlink(here.state)
    else:
        shutil.rmtree(here.state)
    return True
