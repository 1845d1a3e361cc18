"""What linting costs in modules: the event path feels each of them at every edit."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from builder.archive import write_stripped

ROOT = Path(__file__).parents[3]
CASE = ROOT / "tests" / "data" / "ledger" / "cases" / "clean-rich"
OURS = "dreamwork_hooks.ledger"


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], set[str]]:
    sources = tmp_path_factory.mktemp("stripped")
    write_stripped("ledger", sources)
    return partial(_loaded, sources)


def _loaded(sources: Path, statement: str) -> set[str]:
    """The modules that `statement` adds to a bare interpreter."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules)\n"
        "q, t = (open(sys.argv[2] + n, 'rb').read() for n in ('/questions.md', '/tasks.md'))\n"
        f"{statement}\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(sources), str(CASE)],
        capture_output=True,
        check=True,
        text=True,
    )
    return set(run.stdout.split())


def test_counting_open_questions_loads_two_modules(loaded: Callable[[str], set[str]]) -> None:
    assert loaded(f"from {OURS}.questions import open_question_count; open_question_count(q)") == {
        "dreamwork_hooks",
        OURS,
        f"{OURS}.questions",
        f"{OURS}.text",
    }


def test_linting_a_sound_ledger_loads_the_rules_and_no_words(loaded: Callable[[str], set[str]]) -> None:
    assert loaded(f"from {OURS}.lint import lint; assert lint(q, t)['verdict'] == 'clean'") == {
        "dreamwork_hooks",
        OURS,
        *(
            f"{OURS}.{name}"
            for name in ("lint", "questions", "questions_rules", "tasks", "tasks_rules", "tasks_links", "text")
        ),
    }


def test_a_fault_loads_the_words_and_nothing_of_the_standard_library(loaded: Callable[[str], set[str]]) -> None:
    modules = loaded(f"from {OURS}.lint import lint; lint(q, None)")
    assert f"{OURS}.rules" in modules
    assert {name for name in modules if not name.startswith("dreamwork_hooks")} == set()


def test_remembering_entries_loads_nothing_of_the_standard_library(loaded: Callable[[str], set[str]]) -> None:
    modules = loaded(
        f"from {OURS}.lint import Ledger; from {OURS} import losses as i\n"
        "n = i.entry_identities(Ledger(q, t)); i.lost(i.remember(None, n), i.entry_identities(Ledger(b'', b'')))"
    )
    assert {name for name in modules if not name.startswith("dreamwork_hooks")} == set()


def test_questions_alone_read_no_tasks_unless_an_open_title_names_one(loaded: Callable[[str], set[str]]) -> None:
    lint_it = "l = Ledger(b'## Open\\n- **A{}** x\\n', t); l.lint('questions.md')"
    start = f"from {OURS}.lint import Ledger\n"
    loaded(start + lint_it.format("") + "\nassert l._tasks is None")
    loaded(start + lint_it.format(" #1") + "\nassert l._tasks is not None")


def test_tasks_alone_read_no_questions_unless_a_rule_needs_them(loaded: Callable[[str], set[str]]) -> None:
    plain = f"from {OURS}.lint import Ledger\nl = Ledger(q, t); l.lint('tasks.md')\nassert l._questions is None"
    assert f"{OURS}.questions_rules" not in loaded(plain)
