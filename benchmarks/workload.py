"""What is measured: the built archive on a sample target, the events given to it, and what it is compared with."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks import ledger_make
from benchmarks.timing import Case
from tests.support.spawn import pin
from tests.support.targets import make_target, precompact_event, write_event

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Bench:
    """A directory with the archive (its interpreter pinned), a target and events."""

    root: Path
    pyz: Path
    python: Path

    @classmethod
    def make(cls, root: Path, built: Path, python: Path) -> Bench:
        """Lay everything out below `root`."""
        (root / "home").mkdir(parents=True, exist_ok=True)
        pyz = root / "dreamwork-hooks.pyz"
        pin(built, pyz, python)
        return cls(root, pyz, python)

    @property
    def env(self) -> dict[str, str]:
        return {"HOME": str(self.root / "home")}

    def target(self, name: str, kilobytes: int | None = None) -> Path:
        """A sound target; with `kilobytes`, each of its ledger files is that large."""
        path = self.root / name
        if not path.exists():
            make_target(path)
            if kilobytes is not None:
                (path / ".dreamwork" / "questions.md").write_bytes(ledger_make.questions(kilobytes << 10))
                (path / ".dreamwork" / "tasks.md").write_bytes(ledger_make.tasks(kilobytes << 10))
        return path

    def event(self, name: str, event: dict[str, object]) -> Path:
        path = self.root / f"{name}.json"
        path.write_text(json.dumps(event) + "\n", "utf-8")
        return path

    def bare(self) -> Case:
        return Case("bare interpreter", [self.python, "-I", "-S", "-c", "pass"])

    def skip(self, pyz: Path | None = None) -> Case:
        event = self.event("skip", write_event(self.root / "a.txt", self.root))
        return Case("posttooluse, not a ledger file", [pyz or self.pyz, "posttooluse"], event, self.env)

    def precompact(self) -> Case:
        # Another session each time would need another event each time; taking the log away writes one record each run.
        target = self.target("small")
        event = self.event("precompact", precompact_event(target))
        return Case("precompact, full", [self.pyz, "precompact"], event, self.env, {self.log(target): b""})

    def lint(self, kilobytes: int) -> Case:
        target = self.target(f"ledger-{kilobytes}", kilobytes)
        event = self.event(f"lint-{kilobytes}", write_event(target / ".dreamwork" / "tasks.md", target))
        return Case(f"posttooluse, embedded lint of {kilobytes} KB", [self.pyz, "posttooluse"], event, self.env)

    def whole_ledger(self, kilobytes: int) -> Case:
        """Both files linted: a Bash event in a target whose ledger has never been seen."""
        target = self.target(f"ledger-{kilobytes}", kilobytes)
        event = self.event(f"whole-{kilobytes}", write_event("", target, "Bash", tool_input={"command": "true"}))
        with event.open("rb") as stdin:
            subprocess.run([self.pyz, "posttooluse"], stdin=stdin, env=self.env, check=True, capture_output=True)
        (seen,) = (self.root / "home").rglob(f"{target.name}-*/ledger-seen.json")
        name = f"both ledger files, {kilobytes} KB each"
        return Case(name, [self.pyz, "posttooluse"], event, self.env, {seen: b""})

    def log(self, target: Path) -> Path:
        """The focus log of a target, made by one run when it is not there yet."""
        found = list((self.root / "home").rglob("precompact-focus.jsonl"))
        if not found:
            event = self.event("first", precompact_event(target))
            with event.open("rb") as stdin:
                subprocess.run([self.pyz, "precompact"], stdin=stdin, env=self.env, check=True, capture_output=True)
            found = list((self.root / "home").rglob("precompact-focus.jsonl"))
        return found[0]

    def plain_script(self) -> Case:
        """What a hook costs that does nothing but read its event with the json module."""
        script = self.root / "plain.py"
        script.write_text("import json, sys\njson.load(sys.stdin)\nprint('{}')\n")
        return Case("plain script: json.load", [self.python, script], self.event("plain", precompact_event(self.root)))

    def default_shiv(self) -> Path:
        """The same code as shiv packs it by default (its cache already filled, which is its best case)."""
        site = self.root / "site"
        shutil.copytree(ROOT / "src" / "dreamwork_hooks", site / "dreamwork_hooks", dirs_exist_ok=True)
        entry = "import sys\nfrom dreamwork_hooks.event.door import main as run\ndef main():\n    run(sys.argv[1:])\n"
        (site / "shiv_entry.py").write_text(entry)
        output = self.root / "default-shiv.pyz"
        command = [sys.executable, "-m", "shiv", "--site-packages", str(site), "-e", "shiv_entry:main"]
        command += ["-o", str(output), "-p", str(self.python)]
        subprocess.run(command, check=True, capture_output=True)
        return output
