"""A hook that writes down what it was given and answers as told: shows which hooks ran, in what order."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]

# Plain sh, and a rename at the end, so that a record is either whole or not there.
SCRIPT = """\
#!/bin/sh
# recorder DIR NAME ANSWER EXIT [PROGRAM ARGS...]: PROGRAM, if given, gets the same input and answers instead.
dir=$1 name=$2 answer=$3 code=$4
shift 4
entry=$dir/$(date +%s%N)-$$
mkdir "$entry.part"
printf %s "$name" >"$entry.part/name"
pwd >"$entry.part/cwd"
cat >"$entry.part/stdin"
if [ $# -gt 0 ]; then
  "$@" <"$entry.part/stdin" >"$entry.part/stdout" 2>"$entry.part/stderr"
  code=$?
  answer=$entry.part/stdout
fi
printf %s "$code" >"$entry.part/exit"
[ -z "$answer" ] || cat "$answer"
mv "$entry.part" "$entry"
exit "$code"
"""


@dataclass(frozen=True)
class Record:
    """One run of a recording hook: the name it was wired under, the event it was given, and what it did."""

    name: str
    event: Json
    cwd: str
    exit: int
    stdout: str


class Recorder:
    """Makes recording handlers that all write under `home`, and reads back what they wrote."""

    def __init__(self, home: Path) -> None:
        self._log = home / "runs"
        self._answers = home / "answers"
        self._script = home / "recorder"
        for directory in (self._log, self._answers):
            directory.mkdir(parents=True)
        self._script.write_text(SCRIPT)
        self._script.chmod(0o755)

    def command(self, name: str, answer: str = "", code: int = 0) -> str:
        """Return a shell command that records its input under `name`, prints `answer` and exits `code`."""
        answer_file = ""
        if answer:
            path = self._answers / f"{len(list(self._answers.iterdir()))}"
            path.write_text(answer)
            answer_file = str(path)
        return shlex.join([str(self._script), str(self._log), name, answer_file, str(code)])

    def handler(self, name: str, answer: str = "", code: int = 0, **keys: object) -> Json:
        """Return a hook handler for settings; `keys` are its further keys (`if` is written `if_`)."""
        further = {key.rstrip("_"): value for key, value in keys.items()}
        return {"type": "command", "command": self.command(name, answer, code), **further}

    def wrap(self, program: Path, name: str) -> Path:
        """Put a recorder in `program`'s place that runs the real one; returns where the real one now is."""
        real = program.with_name(f"{program.name}.real")
        program.rename(real)
        words = [str(self._script), str(self._log), name, "", "0", str(real)]
        program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        program.chmod(0o755)
        return real

    def records(self, name: str | None = None) -> list[Record]:
        """What was recorded so far, oldest first; of one name, or of all."""
        entries = sorted(e for e in self._log.iterdir() if e.suffix != ".part")
        records = [_read(entry) for entry in entries]
        return [record for record in records if name in (None, record.name)]


def _read(entry: Path) -> Record:
    stdout = entry / "stdout"
    return Record(
        name=(entry / "name").read_text(),
        event=json.loads((entry / "stdin").read_bytes()),
        cwd=(entry / "cwd").read_text().rstrip("\n"),
        exit=int((entry / "exit").read_text()),
        stdout=stdout.read_text() if stdout.exists() else "",
    )
