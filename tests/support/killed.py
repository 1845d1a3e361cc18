"""Run an installation again and again, killed before its n-th system call each time; report what lay there after.

    python killed.py SRC ROOT KIND ACTION

KIND is how the settings file lies there, ACTION is install or uninstall. For every n one child is forked, which counts
the calls below and sends itself SIGKILL before the n-th. One JSON line per n goes to stdout:
{"step": n, "call": name, "settings": text or null, "strays": [...], "again": text after a run that was left alone}.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

CALLS = ["open", "close", "fsync", "fchmod", "fchown", "pwrite", "ftruncate"]
CALLS += ["mkdir", "rename", "link", "unlink", "listdir", "setxattr"]


def main(src: str, root: str, kind: str, action: str) -> None:
    sys.path.insert(0, src)
    from dreamwork_hooks.install import program
    from dreamwork_hooks.install.install import install
    from dreamwork_hooks.install.request import Request, World
    from dreamwork_hooks.install.uninstall import uninstall

    # Nothing is started here: a child process of a killed one would outlive it.
    program.does_not_answer = lambda file: ""
    program.interpreter_for = lambda *given: (None, [])

    before = Path(root, "before.json").read_text("utf-8")
    step = 0
    while True:
        step += 1
        box = Path(root, "box")
        shutil.rmtree(box, ignore_errors=True)
        settings = prepare(box, kind, before)
        env = {"HOME": str(box / "home"), "PATH": os.defpath}
        world = World(env, str(box), now=lambda: 1_700_000_000.0, checkout=str(Path(root, "checkout")))

        def run(what: str = action, world: Any = world) -> int:
            request = Request()
            work = install if what == "install" else uninstall
            return work(world, request).status

        if action == "uninstall":
            run("install")
        out, into = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(out)
            arm(step, into)
            run()
            os._exit(0)
        os.close(into)
        with open(out, "rb") as pipe:
            call = pipe.read().decode()
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status)
        assert killed == bool(call), (status, call)
        found = settings.read_text("utf-8") if settings.exists() else None
        strays = [path.name for path in box.rglob("*.tmp")]
        link = settings.is_symlink() == (kind == "link")
        again = run()
        report = {
            "step": step,
            "call": call,
            "settings": found,
            "link": link,
            "strays": strays,
            "status": again,
            "again": settings.read_text("utf-8") if settings.exists() else None,
            "strays_after": [path.name for path in box.rglob("*.tmp")],
        }
        run("uninstall")
        report["back"] = settings.read_text("utf-8") if settings.exists() else None
        print(json.dumps(report))
        if not killed:
            return


def prepare(box: Path, kind: str, before: str) -> Path:
    settings = box / "home" / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    if kind == "link":
        (box / "real.json").write_text(before, "utf-8")
        settings.symlink_to(box / "real.json")
    elif kind != "absent":
        settings.write_text(before, "utf-8")
    if kind == "hard link":
        os.link(settings, box / "other.json")
    return settings


def arm(step: int, into: int) -> None:
    left = [step]

    def counted(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def step_on(*args: Any, **kwargs: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                os.write(into, name.encode())
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **kwargs)

        return step_on

    for name in CALLS:
        if hasattr(os, name):
            setattr(os, name, counted(name, getattr(os, name)))


if __name__ == "__main__":
    main(*sys.argv[1:])
