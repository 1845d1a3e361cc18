"""Installing: the steps in their order. The faces (`install.py` of the checkout, the commands) only print.

A request is looked at whole before anything is written: what is refused has changed nothing. Then the program, then
the settings, then the receipt; uninstalling goes the other way round, so that the settings never name a file that is
not there for longer than one step.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from dreamwork_hooks import __version__
from dreamwork_hooks.errors import Failed, Refused
from dreamwork_hooks.files import make_private
from dreamwork_hooks.install import handlers as snippet
from dreamwork_hooks.install import interpreter, plan, preflight, program, receipts
from dreamwork_hooks.install.places import Places, SettingsPlace, places
from dreamwork_hooks.install.recorded import refuse_recorded
from dreamwork_hooks.install.request import Outcome, Request, World, own_command, place_of
from dreamwork_hooks.install.survey import beside_others, located, survey
from dreamwork_hooks.settings import editing as settings_file
from dreamwork_hooks.settings.jsontext import Document, parse
from dreamwork_hooks.settings.reading import read_document
from dreamwork_hooks.settings.snapshot import Snapshot, decode, encode
from dreamwork_hooks.settings.writing import locked


@dataclass
class _Edit:
    """The last plan made for the settings file, and how the file looked before there was anything of ours in it."""

    plan: plan.Plan = field(default_factory=lambda: plan.Plan(""))
    options: frozenset[str] = frozenset()
    fresh: bool = False  # nothing of ours was there: what an earlier receipt says of the layout is history
    emptied: dict[str, str] = field(default_factory=dict)
    was: str | None = None
    created: bool = False
    made: dict[object, bytes] = field(default_factory=dict)  # what the plan makes of which bytes

    def look(self, snapshot: Snapshot, document: Document) -> None:
        """Take note of the layout. A later look, at a file with our handlers in it, only adds to it."""
        if survey(document):
            self.emptied = {**self.plan.emptied, **self.emptied}
            return
        self.fresh = True
        self.emptied = self.plan.emptied
        self.was = snapshot.text if document.root is None else None
        self.created = snapshot.data is None


def show_snippet(world: World, request: Request) -> Outcome:
    """The snippet as it would be written into an empty settings file."""
    here = places(world.env)
    place = place_of(world, request)
    options = (request.add - request.drop) & frozenset(snippet.WIRED_OPTIONS)
    answer = snippet.snippet(_wording(here, place, request), options)
    command = own_command(here.program, world.checkout)("install")
    sentences = [f"The snippet for {place.path}; nothing was written. Merge it by hand, or run:\n  {command}"]
    if not os.path.exists(here.program):
        sentences.append(f"{here.program} is not there yet; that command puts it there.")
    for option in snippet.SWITCHES:
        if option in request.add - request.drop:
            sentences.append(f"`{option}` adds no handler: that command with --with {option} switches it on.")
    return Outcome(answer, sentences)


def install(world: World, request: Request) -> Outcome:
    """Wire the hooks. Raises Refused and Failed."""
    here, place = places(world.env), place_of(world, request)
    lint = _lint(request.lint, world.cwd)
    config = receipts.read(here.config_file)
    wording = _wording(here, place, request)
    edit = _Edit()

    def change(snapshot: Snapshot) -> bytes:
        return _install_plan(snapshot, request, wording, receipts.emptied_of(config.receipt_for(place.path)), edit)

    before = preflight.settled(place.path, world.patience)
    refuse_recorded(place.path, before.text, own_command(here.program))
    after = change(before)
    source = program.load(program.find_source(world.checkout))
    python, remarks = program.interpreter_for(request.python, here.program, world.env, world.cwd)
    program.pinned(source.data, python.path if python else None)
    preflight.check_person(here)
    preflight.check_places(here, len(source.data) + 2 * len(after))
    if after != (before.data or b""):
        preflight.check_settings(before)

    answer: dict[str, object] = {
        "ok": True,
        "action": "install",
        "changed": False,
        "settings": place.path,
        "scope": place.scope,
        "program": here.program,
        "sha256": source.sha256,
        "python": python.path if python else None,
        "options": sorted(edit.options | _switched_on(config, request)),
        "changes": edit.plan.changes,
        "backup": None,
    }
    warnings = _warnings(world, place, python, remarks)
    if request.dry_run:
        diff = plan.unified(before.text, decode(after), place.path)
        answer.update({"dry_run": True, "diff": diff, "warnings": warnings})
        return Outcome(answer, [diff or f"{place.path}: nothing to change.", "Nothing was written (--dry-run)."])

    with preflight.undone_when_refused(here.program, here.config_file), locked(make_private(here.state)):
        config = receipts.read(here.config_file)
        new_program = program.put(source, python.path if python else None, here.program)
        receipt = _receipt(world, place, source, python, edit, config)
        aside = None
        if after != (before.data or b""):
            # Before the settings: a kill in between must not lose how the empty places looked.
            aside = receipts.write(here.config_file, config.with_receipt({**receipt, "pending": True}), config)
        edited = settings_file.edit(
            place.path, change, spare_backups=here.backups, now=world.now, known_backups=config.backups
        )
        current = receipts.read(here.config_file)
        receipt = _receipt(world, place, source, python, edit, current)
        final = _choices(config.with_receipt(_keep_date(receipt, config)), lint, request)
        if edited.backup:
            final = final.with_backups(edited.backup)
        aside = receipts.write(here.config_file, final, current) or aside

    known = edit.plan.document if edited.after.text == edit.plan.text else None
    document = known or parse(edited.after.text)
    gone = plan.missing(document, wording, edit.options)
    if gone:
        raise Failed(f"{place.path}: these handlers are not there after all: {', '.join(gone)}")
    inactive = _inactive(document, place)
    warnings += _remarks(document, aside, inactive)
    answer.update(
        changed=edited.method != "none" or new_program or final.data != config.data,
        wired=not inactive,
        method=edited.method,
        backup=edited.backup,
        changes=edit.plan.changes if edited.method != "none" else [],
        warnings=warnings,
    )
    if os.path.realpath(place.path) != place.path:
        answer["real"] = edited.after.real
    sentences = _installed_sentences(place, here, edited, edit, new_program, bool(inactive))
    sentences += _chosen(_switched_on(config, request), request) + [f"Note: {warning}." for warning in warnings]
    return Outcome(answer, sentences)


def _warnings(
    world: World, place: SettingsPlace, python: interpreter.Interpreter | None, remarks: list[str]
) -> list[str]:
    """What is to be said whether or not anything is written."""
    elsewhere = ""
    if world.env.get("DREAMWORK_HOOKS_CONFIG", "").strip():
        elsewhere = (
            "DREAMWORK_HOOKS_CONFIG is set here; start Claude Code with it too, or the hooks keep their state elsewhere"
        )
    found = [note for note in (place.note, elsewhere, python.remark if python else "", *remarks) if note]
    if python is None:
        found.append("no usable Python was found to pin; the hooks will look for python3 on PATH at every start")
    return found


def _wording(here: Places, place: SettingsPlace, request: Request) -> snippet.Wording:
    """How the commands name the file. A project's settings go to people with another home, or without the file."""
    shared = place.scope == "project"
    wording = snippet.Wording(here.program, here.home, portable=shared or request.portable, guarded=shared)
    try:
        wording.command("")
    except ValueError as error:
        raise Refused(f"{error}; set DREAMWORK_HOOKS_CONFIG to another directory") from None
    return wording


def _install_plan(
    snapshot: Snapshot,
    request: Request,
    wording: snippet.Wording,
    emptied: Mapping[str, str],
    edit: _Edit,
) -> bytes:
    planned_for = (snapshot.data, *sorted(emptied.items()))
    if planned_for in edit.made:
        return edit.made[planned_for]
    with located(snapshot.path, "merge the snippet by hand:  the same command with --print"):
        document = parse(snapshot.text)
        edit.options = (plan.options_in(document) | (request.add & frozenset(snippet.WIRED_OPTIONS))) - request.drop
        edit.plan = plan.install(snapshot.text, wording, edit.options, emptied, document)
        edit.look(snapshot, document)
    if edit.plan.differing and not request.force:
        raise Refused(
            f"{snapshot.path} has handlers of ours, but not as this version writes them; nothing was changed:\n"
            + "".join(f"  {line}\n" for line in edit.plan.differing)
            + "  To bring them up to date, the same command with --force. The change would be:",
            diff=plan.unified(snapshot.text, edit.plan.text, snapshot.path),
        )
    edit.made = {planned_for: encode(edit.plan.text)}
    return edit.made[planned_for]


def _lint(asked: str | None, cwd: str) -> str | None:
    if asked is None or asked == "embedded":
        return asked
    path = os.path.normpath(os.path.join(cwd, os.path.expanduser(asked)))
    if not os.path.isfile(path):
        raise Refused(f"--lint {asked}: {path} is no file; nothing was changed. `--lint embedded` needs none")
    return path


def _receipt(
    world: World,
    place: SettingsPlace,
    source: program.Program,
    python: interpreter.Interpreter | None,
    edit: _Edit,
    config: receipts.Config,
) -> dict[str, object]:
    old = {} if edit.fresh else config.receipt_for(place.path) or {}
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
    emptied = {**edit.emptied, **receipts.emptied_of(old)}
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


def _switched_on(config: receipts.Config, request: Request) -> frozenset[str]:
    """The options of config.json that are on after this installation."""
    held = {option for option in snippet.SWITCHES if config.data.get(option) is True}
    return frozenset((held - request.drop) | (request.add & frozenset(snippet.SWITCHES)))


def _choices(config: receipts.Config, lint: str | None, request: Request) -> receipts.Config:
    on = _switched_on(config, request)
    for option in snippet.SWITCHES:
        config = config.with_choice(option, True if option in on else None)
    return config if lint is None else config.with_choice("lint", lint)


def _inactive(document: Document, place: SettingsPlace) -> str:
    """Why what this file holds is not in force, "" when it is."""
    reason = read_document(document, exists=lambda path: True).void_reason
    if reason:
        return (
            f"NOT ACTIVE: Claude Code silently ignores all of {place.path} ({reason}). The handlers are "
            "written, but nothing of this file is in force until that is put right"
        )
    off = document.root.get("disableAllHooks") if document.root is not None else None
    if off is not None and document.source(off) == "true":
        return f"NOT ACTIVE: disableAllHooks is true in {place.path}, so no hook runs until that is removed"
    return ""


def _remarks(document: Document, aside: str | None, inactive: str) -> list[str]:
    found = [inactive] if inactive else []
    if aside:
        found.append(f"the former config.json could not be read and lies now in {aside}")
    for one in beside_others(document):
        found.append(
            f"{one.event} has a handler that runs our program together with something of yours, and was left "
            f"alone: {one.value.get('command')}"
        )
    return found


def _installed_sentences(
    place: SettingsPlace,
    here: Places,
    edited: settings_file.Edited,
    edit: _Edit,
    new_program: bool,
    inactive: bool,
) -> list[str]:
    events = ", ".join(dict.fromkeys(group.event for group in snippet.wanted(edit.options)))
    sentences = [f"Installed {here.program}." if new_program else f"{here.program} is this build already."]
    if edited.method == "none":
        sentences.append(f"{place.path} has our handlers already ({events}); it was not touched.")
    else:
        verb = "Wrote" if inactive else "Wired"
        sentences.append(f"{verb} {events} in {place.path}.")
        if edited.backup:
            sentences.append(f"The file as it was: {edited.backup}")
        if edited.method == "in place":
            names = edited.before.links
            why = "replacing it would have cut a mount or changed its owner"
            if names > 1:
                why = f"it has {names} names (hard links), and each of them has the change"
            sentences.append(f"The file was written in place: {why}.")
        if not inactive:
            sentences.append(
                "Running sessions of Claude Code take it up at once; restart those of an older version. "
                "`doctor` shows whether the hooks answer."
            )
    return sentences


def _chosen(on: frozenset[str], request: Request) -> list[str]:
    """The choices that lie in config.json, where the settings do not show them: said when they were asked for."""
    said = []
    for option, sentence in snippet.SWITCHES.items():
        if option in request.add | request.drop:
            said.append(sentence.format("" if option in on else "not "))
    if request.lint is not None:
        said.append(
            "Only the embedded lint runs."
            if request.lint == "embedded"
            else f"After the embedded lint {request.lint} runs."
        )
    return said
