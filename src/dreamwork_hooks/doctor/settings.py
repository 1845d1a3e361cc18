"""Checks of the settings: which files apply, where we are wired, what is in the way, and every hook in them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dreamwork_hooks.check.check import findings
from dreamwork_hooks.doctor.checks import FAIL, NOTE, OK, WARN, Check
from dreamwork_hooks.install import plan
from dreamwork_hooks.install.handlers import Wording, wanted
from dreamwork_hooks.install.ours import EVENTS
from dreamwork_hooks.install.places import Places, claude_directory, home_of
from dreamwork_hooks.install.receipts import Config
from dreamwork_hooks.install.recorded import told_of
from dreamwork_hooks.install.request import OwnCommand
from dreamwork_hooks.install.survey import Found, WrongShape, beside_others, survey
from dreamwork_hooks.install.wrapping import MARK
from dreamwork_hooks.settings import found as found_in
from dreamwork_hooks.settings import reading
from dreamwork_hooks.settings.layers import LayerFile
from dreamwork_hooks.settings.sources import layer_files


@dataclass(frozen=True)
class Layer(found_in.Layer):
    """A settings file that applies in a directory, with what it holds of ours."""

    ours: list[Found] = field(default_factory=list)

    @property
    def scope(self) -> str:
        return self.file.layer

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def unreadable(self) -> str:
        """Why the file could not be read, "" when it could."""
        return next((problem.message for problem in self.problems if problem.rule == "settings/unreadable"), "")


def layers(env: Mapping[str, str], directory: str, managed: str | None = None) -> list[Layer]:
    """The files that count for a session started in `directory`, highest last. Raises Refused without a HOME."""
    return [_read(file) for file in layer_files(directory, env=env, home=home_of(env), managed=managed)]


def _read(file: LayerFile) -> Layer:
    read = reading.read_layer(file)
    try:
        ours = survey(read.document) if read.document is not None else []
    except WrongShape:
        ours = []
    return Layer(**vars(read), ours=ours)


def active(layers: Sequence[Layer]) -> list[tuple[Layer, Found]]:
    """Our handlers in files that Claude Code reads, under the event their argument answers."""
    return [
        (layer, one)
        for layer in layers
        if not layer.void
        for one in layer.ours
        if one.handler_index is not None and (not one.role or EVENTS[one.role] == one.event)
    ]


def wired_events(layers: Sequence[Layer]) -> list[str]:
    return list(dict.fromkeys(one.event for _, one in active(layers)))


def missing_events(layers: Sequence[Layer]) -> list[str]:
    """Of the events that are always installed, those that are wired in no file that is read."""
    events = wired_events(layers)
    return [group.event for group in wanted(frozenset()) if group.event not in events]


def install_words(layers: Sequence[Layer]) -> str:
    """The `install` that completes what is wired here; in another scope each hook would run twice."""
    scopes = {layer.scope for layer, _ in active(layers)}
    for scope in ("user", "project", "local"):
        if scope in scopes:
            return "install" if scope == "user" else f"install --scope {scope}"
    return "install"


def _wired_above(layers: Sequence[Layer]) -> str | None:
    """The nearest settings file above the project's that wires our hooks: read by sessions started there alone."""
    project = next((layer.path for layer in layers if layer.scope == "project"), None)
    directory = os.path.dirname(os.path.dirname(os.path.dirname(project))) if project else os.sep
    while True:
        for name in ("settings.json", "settings.local.json"):
            path = os.path.join(directory, ".claude", name)
            if os.path.isfile(path) and active([_read(LayerFile("project", path))]):
                return path
        if directory == os.path.dirname(directory):
            return None
        directory = os.path.dirname(directory)


def check_settings(
    env: Mapping[str, str],
    directory: str,
    here: Places,
    layers: Sequence[Layer],
    config: Config,
    own: OwnCommand,
    wanted_here: bool = True,
) -> list[Check]:
    """All checks of this module. `own` makes the command lines of the remedies.

    `wanted_here`: whether anything asks for our hooks: a project, a receipt, an installed file.
    """
    return [
        *_files(env, directory, layers),
        *_wiring(here, layers, own, wanted_here),
        *_receipts(config, layers, own),
        *_switches(layers),
        *_hooks(env, directory, layers),
    ]


def shown(path: str, home: str) -> str:
    """A path as a person reads it."""
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path


def _files(env: Mapping[str, str], directory: str, layers: Sequence[Layer]) -> list[Check]:
    home = env.get("HOME", "")
    found = []
    _, note = claude_directory(env, directory)
    if "CLAUDE_CONFIG_DIR" in env:
        line = f"CLAUDE_CONFIG_DIR is set: {env['CLAUDE_CONFIG_DIR']!r} is used, ~/.claude is not"
        found.append(Check("settings", NOTE, line))
    if note:
        found.append(Check("settings", WARN, note, "set it to an absolute path, or unset it"))
    for layer in layers:
        path = shown(layer.path, home)
        events = list(dict.fromkeys(one.event for one in layer.ours))
        if not layer.present:
            if layer.scope != "managed":
                found.append(Check("settings", OK, f"{layer.scope}: {path} (no such file)"))
        elif layer.unreadable:
            line = f"{layer.scope}: {path} {layer.unreadable}"
            found.append(Check("settings", FAIL, line, "make it a file you can read"))
        elif layer.void and events:
            line = f"{layer.scope}: {path} is ignored as a whole, and with it our {', '.join(events)}"
            found.append(Check("settings", FAIL, line, "see the fault named below"))
        else:
            wired = f"wired: {', '.join(events)}" if events else "none of our hooks"
            found.append(Check("settings", OK, f"{layer.scope}: {path} ({wired})"))
    return found


def _wiring(here: Places, layers: Sequence[Layer], own: OwnCommand, wanted_here: bool) -> list[Check]:
    found = []
    events = wired_events(layers)
    lacking = missing_events(layers)
    above = _wired_above(layers) if not events else None
    if above is not None:
        line = f"our hooks are registered in {shown(above, here.home)}, which a session started here does not read"
        start = os.path.dirname(os.path.dirname(above))
        found.append(Check("wiring", FAIL, line, f"start sessions in {start}, or wire them for all", own("install")))
    elif not events and not wanted_here:
        line = "our own hooks are not wired, and nothing here asks for them"
        found.append(
            Check("wiring", NOTE, line, "in a project with a .dreamwork/ they would be of use", own("install"))
        )
    elif not events:
        found.append(Check("wiring", FAIL, "no settings file registers our hooks", "", own("install")))
    elif lacking:
        found.append(Check("wiring", FAIL, f"not wired: {', '.join(lacking)}", "", own(install_words(layers))))
    else:
        found.append(Check("wiring", OK, f"wired: {', '.join(events)}"))
    for event in events:
        here_too = [(layer, one) for layer, one in active(layers) if one.event == event]
        files = list(dict.fromkeys(layer.path for layer, _ in here_too))
        if len(files) > 1:
            texts = {(str(one.value.get("command")), one.value.get("if")) for _, one in here_too}
            rules = {rule for _, rule in texts}
            line = f"{event} is wired in {len(files)} files: {', '.join(shown(f, here.home) for f in files)}"
            if len(texts) == len(rules):
                line += "; the handlers are identical, so each runs once"
                found.append(
                    Check(
                        "wiring",
                        NOTE,
                        line,
                        "unless both are meant, one of them can go (here the project's)",
                        own("uninstall --scope project"),
                    )
                )
            else:
                line += "; each of them runs"
                found.append(
                    Check(
                        "wiring",
                        WARN,
                        line,
                        "one of them is enough; take the other out (here the project's)",
                        own("uninstall --scope project"),
                    )
                )
    for layer in layers:
        if layer.document is not None and MARK in layer.document.text:
            found.append(_recorded(here, layer, own))
        elif layer.document is not None and not layer.void and layer.ours:
            found += _differing(here, layer, own)
    return found


def _recorded(here: Places, layer: Layer, own: OwnCommand) -> Check:
    line = f"{shown(layer.path, here.home)}: its hooks are being recorded{told_of(layer.path, here)}"
    end = own(f"record --remove --settings {shlex.quote(layer.path)}")
    return Check("wiring", WARN, line, "they run as ever; end it when there is enough", end)


def _differing(here: Places, layer: Layer, own: OwnCommand) -> list[Check]:
    assert layer.document is not None
    found = []
    wording = Wording(here.program, here.home)
    try:
        options = plan.options_in(layer.document)
        planned = plan.install(layer.document.text, wording, options, document=layer.document)
    except WrongShape as error:
        line = f"{layer.path}: install would refuse this file: {error}"
        return [Check("wiring", WARN, line, "fix it on that line")]
    where = "install" if layer.scope == "user" else f"install --scope {layer.scope}"
    for difference in planned.differing:
        line = f"{shown(layer.path, here.home)}: not as this version writes it: {difference}"
        found.append(Check("wiring", WARN, line, "", own(f"{where} --force")))
    copies = sum(change.startswith("remove a second copy") for change in planned.changes)
    if copies:
        line = f"{shown(layer.path, here.home)}: {copies} surplus copies of our handlers"
        found.append(Check("wiring", WARN, line, "", own(where)))
    for one in beside_others(layer.document):
        line = f"{one.event} also runs our program together with something else: {one.value.get('command')}"
        found.append(Check("wiring", NOTE, line))
    return found


def _receipts(config: Config, layers: Sequence[Layer], own: OwnCommand) -> list[Check]:
    found = []
    if config.damaged:
        found.append(Check("wiring", FAIL, f"config.json: {config.damaged}", "", own("install")))
    by_path = {os.path.realpath(layer.path): layer for layer in layers}
    for receipt in config.receipts:
        file, events = receipt.get("file"), receipt.get("events")
        if not isinstance(file, str) or not isinstance(events, list):
            continue
        layer = by_path.get(os.path.realpath(file)) or _read(LayerFile(str(receipt.get("scope")), file))
        if not layer.present and not os.path.isdir(os.path.dirname(os.path.dirname(file))):
            line = f"installed on {receipt.get('when')} in {file}, whose project is gone"
            found.append(Check("wiring", NOTE, line, "", own(f"uninstall --settings {shlex.quote(file)}")))
            continue
        present = {one.event for one in layer.ours}
        gone = [str(event) for event in events if event not in present]
        if gone and not layer.unreadable:
            line = f"installed on {receipt.get('when')} in {layer.path}, but now missing there: {', '.join(gone)}"
            remedy = "install" if receipt.get("scope") == "user" else f"install --settings {shlex.quote(layer.path)}"
            found.append(Check("wiring", FAIL, line, "", own(remedy)))
    return found


def _switches(layers: Sequence[Layer]) -> list[Check]:
    found = []
    saying = [(layer, layer.disable_all_hooks) for layer in layers]
    decided = [(layer, value) for layer, value in saying if value is not None]
    if decided and decided[-1][1]:
        layer = decided[-1][0]
        line = f"disableAllHooks is true in {layer.path}: no hook of any file runs"
        found.append(Check("wiring", FAIL, line, f"remove it there, or ask whoever set it ({layer.scope} settings)"))
    elif any(value for _, value in decided):
        found.append(Check("wiring", NOTE, f"disableAllHooks is true in a file that {decided[-1][0].path} overrules"))
    for layer in layers:
        if layer.scope == "managed" and layer.managed_only:
            line = f"allowManagedHooksOnly is set in {layer.path}: hooks of other files do not run"
            state = NOTE if layer.ours else FAIL
            found.append(Check("wiring", state, line, "" if layer.ours else "ask whoever manages this machine"))
    return found


_STATES = {"error": FAIL, "warning": WARN, "advice": NOTE}


def _hooks(env: Mapping[str, str], directory: str, layers: Sequence[Layer]) -> list[Check]:
    found = []
    for one in findings(layers, directory, env):
        if one.rule not in ("settings/unreadable", "settings/switched-off"):  # said with the files, and the switches
            found.append(
                Check("hooks", _STATES[one.severity], f"{one.path}:{one.line}: {one.message} ({one.rule})", one.fix)
            )
    if not found and any(layer.present for layer in layers):
        found.append(Check("hooks", OK, "every hook in these files is one Claude Code understands"))
    return found
