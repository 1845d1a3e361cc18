"""Upgrading: this file in the installed one's place, the settings untouched."""

from __future__ import annotations

import os

from dreamwork_hooks import __version__
from dreamwork_hooks.errors import Refused
from dreamwork_hooks.files import make_private
from dreamwork_hooks.install import preflight, program, receipts
from dreamwork_hooks.install.places import places
from dreamwork_hooks.install.request import Outcome, Request, World
from dreamwork_hooks.settings.writing import locked


def upgrade(world: World, request: Request) -> Outcome:
    """Replace the installed file by this one and keep its interpreter."""
    here = places(world.env)
    source = program.load(program.find_source(world.checkout))
    before = program.installed_hash(here.program)
    if before is None and not os.path.lexists(here.program):
        raise Refused(f"{here.program} is not installed, so there is nothing to upgrade; `install` puts it there")
    if os.path.realpath(source.source) == os.path.realpath(here.program):
        raise Refused("this is the installed file itself. Run the new one:  python3 NEW/dreamwork-hooks.pyz upgrade")
    python, remarks = program.interpreter_for(request.python, here.program, world.env, world.cwd)
    program.pinned(source.data, python.path if python else None)
    preflight.check_person(here)
    preflight.check_places(here, len(source.data))
    answer: dict[str, object] = {
        "ok": True,
        "action": "upgrade",
        "program": here.program,
        "sha256": source.sha256,
        "before": before,
        "python": python.path if python else None,
        "version": __version__,
        "warnings": remarks,
    }
    if request.dry_run:
        return Outcome({**answer, "changed": False, "dry_run": True}, ["Nothing was written (--dry-run)."])
    make_private(here.state)
    with locked(here.state):
        changed = program.put(source, python.path if python else None, here.program)
        config = receipts.read(here.config_file)
        new = receipts.Config(dict(config.data))
        for one in config.receipts:
            new = new.with_receipt({**one, "sha256": source.sha256, "version": __version__})
        if config.receipts:
            receipts.write(here.config_file, new, config)
    sentence = (
        f"{here.program} is now {__version__} ({source.sha256[:12]})." if changed else "It is this build already."
    )
    return Outcome({**answer, "changed": changed}, [sentence])
