"""Every ledger of the lint's own cases through the hook: what it reports is what the lint finds."""

from __future__ import annotations

import importlib
import json
import os
import random
import shutil
from pathlib import Path

import pytest

from dreamwork_hooks.ledger.lint import lint
from tests.support.ledgers import asked, planned
from tests.support.spawn import clean_env, run_hook
from tests.support.targets import make_target, snapshot, write_event
from tests.unit.ledger.test_properties import PIECES

CASES = Path(__file__).resolve().parents[1] / "data" / "ledger" / "cases"
UNIT = Path(__file__).resolve().parents[1] / "unit" / "ledger"
FILES = ("questions.md", "tasks.md")


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_the_hook_reports_what_the_lint_finds(case: str, tmp_path: Path, home: Path, pyz: Path) -> None:
    target = make_target(tmp_path / "project")
    data: list[bytes | None] = []
    for name in FILES:
        file = target / ".dreamwork" / name
        file.unlink()
        data.append(None)
        if (CASES / case / name).exists():
            file.write_bytes((CASES / case / name).read_bytes())
            data[-1] = file.read_bytes()
    compare(target, data, home, pyz)


@pytest.mark.once
@pytest.mark.parametrize("seed", range(12))
def test_ledgers_of_pieces_at_random_are_reported_the_same(seed: int, tmp_path: Path, home: Path, pyz: Path) -> None:
    chance = random.Random(seed)
    target = make_target(tmp_path / "project")
    for _ in range(10):
        data: list[bytes | None] = []
        for name in FILES:
            pieces = chance.choices(PIECES, k=chance.randrange(60))
            data.append(("" if chance.random() < 0.2 else "# T\n\n## Open\n\n").encode() + "".join(pieces).encode())
            (target / ".dreamwork" / name).write_bytes(data[-1] or b"")
        shutil.rmtree(home / ".config", ignore_errors=True)  # nothing is remembered, so nothing is lost
        compare(target, data, home, pyz)


def of_the_unit_tests() -> list[str]:
    """Every text in the tables of the ledger's unit tests: as a whole file, or as entries."""
    found = set()
    for path in UNIT.glob("test_*.py"):
        module = importlib.import_module(f"tests.unit.ledger.{path.stem}")
        for test in vars(module).values():
            for mark in getattr(test, "pytestmark", []):
                for row in mark.args[1] if mark.name == "parametrize" else []:
                    values = row if isinstance(row, tuple) else (row,)  # a `pytest.param` is a tuple of three
                    values = values[0] if values and isinstance(values[0], tuple) else values
                    found |= {value for value in values if isinstance(value, str) and ("**" in value or "\n" in value)}
    return sorted(found)


@pytest.mark.once
@pytest.mark.parametrize(
    "part", range(8 if os.environ.get("HOOK_MEASURED") else 2)
)  # a quarter shows it; all to measure
def test_the_ledgers_of_the_unit_tests_are_reported_the_same(part: int, tmp_path: Path, home: Path, pyz: Path) -> None:
    texts = of_the_unit_tests()
    assert len(texts) > 200
    target = make_target(tmp_path / "project")
    for text in texts[part::8]:
        whole = text if text.startswith("#") else None
        data: list[bytes | None] = [(whole or asked(text)).encode(), (whole or planned(text)).encode()]
        for name, content in zip(FILES, data):
            (target / ".dreamwork" / name).write_bytes(content or b"")
        shutil.rmtree(home / ".config", ignore_errors=True)
        compare(target, data, home, pyz)


def compare(target: Path, data: list[bytes | None], home: Path, pyz: Path) -> None:
    before = snapshot(target)
    for name, content in zip(FILES, data):
        if content is None:
            continue
        event = json.dumps(write_event(target / ".dreamwork" / name, target)).encode()
        answer = run_hook([pyz, "posttooluse"], event, env=clean_env(home)).answer()
        found = lint(*data, only=name)["findings"]
        errors = [finding["rule"] for finding in found if finding["severity"] == "error"]
        warned = any(finding["severity"] == "warning" for finding in found)
        assert answer["ok"] is not bool(errors), (answer, errors)
        if errors:
            assert answer["error"] == f"{len(errors)} error{'s' * (len(errors) > 1)} in {name}"
            assert errors[0] in answer["hookSpecificOutput"]["additionalContext"]
        else:
            assert answer["lint"] == ("warnings" if warned else "clean")
    assert snapshot(target) == before
