"""Faults of standard output and error: who reads them, and whether anybody does."""

from __future__ import annotations

import os
from collections.abc import Callable

from tests.support.faults import Row, Scene, both, fill


def _redirected(how: str) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        scene.command = ["/bin/sh", "-c", f'exec "$@" {how}', "sh", *scene.command]

    return prepare


def _nobody_reads(scene: Scene) -> None:
    read, write = os.pipe()
    os.close(read)
    scene.popen["stdout"] = scene.keep_open(write)


def _full_pipe(blocking: bool) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        read, write = os.pipe()
        scene.keep_open(read)
        scene.popen["stdout"] = scene.keep_open(write)
        fill(write)
        os.set_blocking(write, blocking)

    return prepare


def _to_a_file(scene: Scene) -> None:
    scene.capture = scene.aside / "out"


def _all_closed(scene: Scene) -> None:
    # The event comes by a name, since stdin is closed too; so it is none, and that is what is answered to nobody.
    _redirected("<&- >&- 2>&-")(scene)


ROWS = [
    Row("stdout is closed", _redirected(">&-"), both(), answered=False),
    Row("stdout is /dev/full", _redirected(">/dev/full"), both(), answered=False),
    Row("stdout is /dev/null", _redirected(">/dev/null"), both(), answered=False),
    Row("stdout can only be read", _redirected("1</dev/null"), both(), answered=False),
    Row("stdout is a directory", _redirected("1</"), both(), answered=False),
    Row("nobody reads stdout", _nobody_reads, both(), answered=False),
    Row("stdout is a full pipe that nobody empties", _full_pipe(True), both(), answered=False),
    Row("stdout is a full pipe that does not block", _full_pipe(False), both(), answered=False),
    Row("stdout is a file", _to_a_file, both(True)),
    Row("stderr is closed", _redirected("2>&-"), both(True)),
    Row("stderr is /dev/full", _redirected("2>/dev/full"), both(True)),
    Row("stderr is a directory", _redirected("2</"), both(True)),
    Row("all streams are closed", _all_closed, both(), answered=False),
    Row("stderr and stdin are closed", _redirected("<&- 2>&-"), both(False), "not one JSON event"),
    Row("stdout is stdin's own pipe, the wrong way round", _redirected("1<&0"), both(), answered=False),
]
