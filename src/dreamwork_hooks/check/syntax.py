"""Whether shells can read what they would be given: `sh -n`, which runs nothing."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence

from dreamwork_hooks.processes.running import Job, run_jobs

_SECONDS = 10.0
_AT_ONCE = 16
# A command without any of these is words alone, which every shell can read.
_GRAMMAR = re.compile(r"[;|&()<>\n{}`]|^\s*(?:if|for|while|until|case)\b")
_PLACE = re.compile(rb"^[^\n]*?(?:line )?(\d+): (.*)$", re.MULTILINE)


def faults(texts: Sequence[tuple[str, str]], env: Mapping[str, str]) -> dict[tuple[str, str], tuple[int, str]]:
    """Of (shell, text) those the shell cannot read: the line and what it says. `shell` is a name like `sh`, `bash`.

    All commands of one shell are first read in one process; only where that fails is each read by itself.
    """
    found: dict[tuple[str, str], tuple[int, str]] = {}
    path = env.get("PATH", os.defpath)
    for shell in dict.fromkeys(shell for shell, _ in texts):
        program = "/bin/sh" if shell == "sh" and os.path.exists("/bin/sh") else shutil.which(shell, path=path)
        if program is None:
            continue
        wanted = list(dict.fromkeys(text for each, text in texts if each == shell and _GRAMMAR.search(text)))
        together = [text for text in wanted if "<<" not in text]
        if len(together) > 1 and not _said(program, ["".join(f"f() {{ :\n{text}\n}}\n" for text in together)], path)[0]:
            wanted = [text for text in wanted if "<<" in text]
        for text, said in zip(wanted, _said(program, wanted, path)):
            if said:
                place = _PLACE.search(said)
                words = place[2].decode("utf-8", "replace") if place else said.decode("utf-8", "replace").strip()
                found[shell, text] = (int(place[1]) if place else 1, words)
    return found


def _said(program: str, texts: Sequence[str], path: str) -> list[bytes]:
    """What the shell complains of in each text, nothing where it can read it."""
    said: list[bytes] = []
    for start in range(0, len(texts), _AT_ONCE):
        jobs = [
            Job(
                [program, "-n"],
                text.encode("utf-8", "surrogateescape"),
                os.sep,
                {"PATH": path, "LC_ALL": "C"},
                _SECONDS,
            )
            for text in texts[start : start + _AT_ONCE]
        ]
        said += [ended.stderr if ended.exit_code else b"" for ended in run_jobs(jobs, kill_leftovers=True)]
    return said
