"""Whatever the bytes: no exception, lines within the file, the same answer everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamwork_hooks.ledger import losses as identities
from dreamwork_hooks.ledger.lint import Ledger, lint
from dreamwork_hooks.ledger.questions import open_question_count

CASES = Path(__file__).parents[2] / "data" / "ledger" / "cases"
SOURCES = str(Path(__file__).parents[3] / "src")

# Pieces of ledgers, so that chance reaches the rules and not only the plain text between them.
PIECES = [
    *("## Open\n", "## Answered\n", "## Recently landed\n", "## ", "- **", "**", "*", "\n", "\r\n", "\r", "  ", "\t"),
    *("- **#5** — a · P2 ·\n", "- **#216", "#", "#7/#8", "Next id: **9**\n", " · ", "·", "— ", "; ", ". "),
    *("origin: **loop**", "origin:", "related: **#5**", "Related:", "blocked-on: **human**", "gate: **#5**"),
    *("landed `PENDING`", "landed `aa11bb2`", "`", "completed 2026-03-02", "also-landed: **#5, #6**", "filed as"),
    *("  - **Note (human, 2026-03-02 10:00):** x\n", "  - **Answer (via watch, 2026-03-02 10:00):** y\n"),
    *("- **Folded (2026-03-04):**\n", "→ ", "(2026-03-04)", "(2026-03-04\n10:30 )", ":", "(", ")", "P1 · ", "P4: "),
    *("<!-- qid:550e8400-e29b-41d4-a716-446655440001 -->", "<!-- qid", "**Sub-decisions:** `Q1`, `Q2`\n", "Q1"),
    *("Blocked on the ruling in #8.\n", "(blocks #5)", "· **UNBLOCKED**", "<<<<<<< HEAD\n", "=======\n"),
    *(
        "\u2028",
        "\x0b",
        "\x85",
        "\ufeff",
        "\x00",
        "٣",
        "İ",
        "\u00a0",
        "<!--dreamwork-migration-notice\nmigration: x\n-->\n",
    ),
]
LEDGERS = st.lists(st.sampled_from(PIECES), max_size=40).map(lambda pieces: "".join(pieces).encode())
BYTES = st.one_of(st.none(), st.binary(max_size=200), LEDGERS, st.tuples(LEDGERS, st.binary(max_size=3)).map(b"".join))


@settings(max_examples=400, deadline=None)
@given(BYTES, BYTES, st.booleans())
def test_any_bytes_get_an_answer_within_the_file(questions: bytes | None, tasks: bytes | None, store: bool) -> None:
    result = lint(questions, tasks, store_present=store)
    assert result["verdict"] in ("clean", "warnings", "errors")
    files = {"questions.md": questions, "tasks.md": tasks}
    last = ("", 0)
    for finding in result["findings"]:
        line = finding["line"]
        data = files[finding["file"]] or b""
        assert line is None or 1 <= line <= 1 + data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n")
        assert finding["message"].isprintable()
        assert finding["fix"].isprintable()
        assert len(finding["message"]) < 800
        assert (finding["file"], line or 0) >= last
        last = (finding["file"], line or 0)
    json.dumps(result)
    for file in files:
        alone = lint(questions, tasks, store_present=store, only=file)["findings"]
        assert alone == [finding for finding in result["findings"] if finding["file"] == file]
    if questions is not None:
        assert open_question_count(questions) == result["counts"]["questions"]["open"]
    assert lint(questions, tasks, store_present=store) == result


@settings(max_examples=200, deadline=None)
@given(BYTES, BYTES, BYTES, BYTES)
def test_what_is_remembered_of_any_bytes_can_be_compared(
    questions: bytes | None, tasks: bytes | None, later_questions: bytes | None, later_tasks: bytes | None
) -> None:
    now = identities.entry_identities(Ledger(questions, tasks))
    memory = json.loads(json.dumps(identities.remember(None, now)))
    assert identities.lost(memory, now) == []
    for finding in identities.lost(memory, identities.entry_identities(Ledger(later_questions, later_tasks))):
        assert finding["message"].isprintable()


@pytest.mark.parametrize("name", ["clean-rich", "related-faults", "resolution-after-note", "blocker-citations"])
def test_a_ledger_cut_at_any_byte_gets_an_answer(name: str) -> None:
    questions = (CASES / name / "questions.md").read_bytes()
    tasks = (CASES / name / "tasks.md").read_bytes()
    for cut in range(len(questions)):
        assert open_question_count(questions[:cut]) <= 4
        lint(questions[:cut], tasks, only="questions.md")
    for cut in range(len(tasks)):
        lint(questions, tasks[:cut], only="tasks.md")


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("name", ["clean-rich", "origin-faults", "conflict-markers", "author-tags"])
def test_line_ends_change_nothing(name: str, ends: bytes) -> None:
    plain = [(CASES / name / file).read_bytes() for file in ("questions.md", "tasks.md")]
    assert lint(*[data.replace(b"\n", ends) for data in plain]) == lint(*plain)


def test_the_answer_is_the_same_under_any_locale_and_directory(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from dreamwork_hooks.ledger.lint import lint\n"
        "print(ascii(lint(*(open(p, 'rb').read() for p in sys.argv[2:]))))"
    )
    files = [str(CASES / "origin-faults" / file) for file in ("questions.md", "tasks.md")]
    answers = set()
    for locale, directory in (("C", tmp_path), ("C.UTF-8", Path("/")), ("tr_TR.UTF-8", Path.cwd())):
        environment = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONHASHSEED": "random"}
        run = subprocess.run(
            [sys.executable, "-c", code, SOURCES, *files],
            cwd=directory,
            env=environment,
            capture_output=True,
            check=True,
        )
        answers.add(run.stdout)
    assert len(answers) == 1
