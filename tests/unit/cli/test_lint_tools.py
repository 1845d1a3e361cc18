"""`lint` for a buffer, a ledger with a past, and what mends itself: `-`, lint-ignore, lint.json, --baseline, --fix."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamwork_hooks.cli import lint_fix
from dreamwork_hooks.cli.main import main
from dreamwork_hooks.errors import Refused
from dreamwork_hooks.ledger.lint import lint
from dreamwork_hooks.ledger.questions import Questions
from dreamwork_hooks.ledger.tasks import Tasks
from tests.support.ledgers import SOUND_QUESTIONS, SOUND_TASKS, asked, faults, large_questions, large_tasks, planned
from tests.unit.cli.test_lint import BROKEN, target, write  # noqa: F401
from tests.unit.ledger.test_meant import SOUND, _mangled
from tests.unit.ledger.test_properties import LEDGERS


def run(*arguments: str | Path, stdin: str = "") -> Result:
    return CliRunner().invoke(main, ["lint", *(str(argument) for argument in arguments)], input=stdin)


def rules(result: Result) -> list[str]:
    return [finding["rule"] for finding in json.loads(result.output)["findings"]]


# A buffer -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("-",), ("--stdin",)])
def test_a_buffer_is_linted_as_the_file_it_stands_for(words: tuple[str, ...], target: Path) -> None:  # noqa: F811
    result = run(*words, "--as", "tasks.md", stdin=BROKEN)
    assert result.exit_code == 1
    assert ".dreamwork/tasks.md:8: tasks/duplicate-id" in result.output
    assert run(*words, "--as", "tasks.md", stdin=SOUND_TASKS).output == "The ledger is sound.\n"
    assert run(*words, "--as", "questions.md", stdin=asked("* **2026-03-03 — Which?** x")).exit_code == 1


def test_a_buffer_is_linted_outside_of_a_target_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("-", "--as", "tasks.md", stdin=BROKEN)
    assert result.exit_code == 1
    assert result.output.startswith("tasks.md: ")


@pytest.mark.parametrize(
    "words", [("-",), ("--as", "tasks.md"), ("-", "--as", "tasks.md", "--fix"), ("--write",), ("-", "--as", "x.md")]
)
def test_words_that_do_not_go_together_are_refused(words: tuple[str, ...], target: Path) -> None:  # noqa: F811
    assert run(*words).exit_code == 2


# One entry, one rule ------------------------------------------------------------------------------------------------


def test_a_comment_lets_one_rule_stand_in_one_entry() -> None:
    two = "- **#5** — a · landed `TBD` ·\n{}- **#6** — b · landed `TBD` ·"
    both = [("tasks/landing-placeholder", 7, "#5"), ("tasks/landing-placeholder", 8, "#6")]
    assert faults(SOUND_QUESTIONS, planned(two.format(""))) == both
    comment = "  <!-- lint-ignore: tasks/landing-placeholder -->\n"
    assert faults(SOUND_QUESTIONS, planned(two.format(comment))) == [("tasks/landing-placeholder", 9, "#6")]
    other = "  <!-- lint-ignore: tasks/duplicate-id -->\n"
    assert len(faults(SOUND_QUESTIONS, planned(two.format(other)))) == 2
    several = "  <!-- lint-ignore: tasks/duplicate-id, tasks/landing-placeholder -->\n"
    assert len(faults(SOUND_QUESTIONS, planned(two.format(several)))) == 1


def test_a_comment_in_a_question_and_one_above_all_entries() -> None:
    question = "- **P4: 2026-03-02 — Which?** x{}"
    assert len(faults(asked(question.format("")))) == 1
    assert faults(asked(question.format("\n  <!-- lint-ignore: questions/priority-not-taken -->"))) == []
    tasks = SOUND_TASKS.replace("Next id: **400**\n", "{}")
    assert faults(SOUND_QUESTIONS, tasks.format(""))[0][0] == "tasks/next-id-missing"
    assert faults(SOUND_QUESTIONS, tasks.format("<!-- lint-ignore: tasks/next-id-missing -->\n")) == []


def test_explain_shows_the_comment() -> None:
    assert "<!-- lint-ignore: tasks/duplicate-id -->" in run("--explain", "duplicate-id").output


# Severities ---------------------------------------------------------------------------------------------------------


def test_a_rule_is_turned_off_or_given_another_severity(target: Path) -> None:  # noqa: F811
    write(target)
    file = target / ".dreamwork" / "lint.json"
    levels = {
        "tasks/duplicate-id": "off",
        "tasks/open-count-disagrees": "warning",
        "tasks/landing-placeholder": "error",
    }
    file.write_text(json.dumps({"rules": levels}))
    result = run("--format", "json")
    assert {f["rule"]: f["severity"] for f in json.loads(result.output)["findings"]} == {
        "tasks/open-count-disagrees": "warning",
        "tasks/landing-placeholder": "error",
    }
    assert result.exit_code == 1


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"rules": []}', '{"rules": {"tasks/duplicate-id": "loud"}}', '{"rules": {"tasks/typo": "off"}}'],
)
def test_a_file_of_severities_that_is_wrong_is_refused(text: str, target: Path) -> None:  # noqa: F811
    (target / ".dreamwork" / "lint.json").write_text(text)
    result = run()
    assert result.exit_code == 2
    assert "lint.json" in result.output


# A baseline ---------------------------------------------------------------------------------------------------------


def test_a_baseline_passes_over_what_it_holds_and_no_more(target: Path, tmp_path: Path) -> None:  # noqa: F811
    write(target)
    base = tmp_path / "base.json"
    assert "Wrote 3 findings" in run("--write-baseline", base).output
    assert run("--write-baseline", "here.json").exit_code == 0
    assert (target / "here.json").read_bytes() == base.read_bytes()
    result = run("--baseline", base)
    assert (result.exit_code, result.output.splitlines()[0]) == (0, "The ledger is sound.")
    assert "3 older findings passed over" in result.output
    write(
        target, "\n\n" + BROKEN.replace("## Recently", "- **#5** — c ·\n- **#9** — d · origin: **x** ·\n\n## Recently")
    )
    write(target, BROKEN.replace("- **#5** — b", "* **#77** — new ·\n- **#5** — b"))
    result = run("--baseline", base, "--format", "json")
    assert (result.exit_code, rules(result)) == (1, ["tasks/entry-unread"])


@pytest.mark.parametrize("text", [None, "{", "[]", '{"findings": []}', '{"findings": {"a": "x"}}'])
def test_a_baseline_that_is_none_is_refused(text: str | None, target: Path, tmp_path: Path) -> None:  # noqa: F811
    base = tmp_path / "base.json"
    if text is not None:
        base.write_text(text)
    assert run("--baseline", base).exit_code == 2


# What has one answer ------------------------------------------------------------------------------------------------

TWICE = "- **#5** — a ·\n  body\n"
FIXES = {
    "next id too small": (planned("- **#9** — a ·", next_id="4"), planned("- **#9** — a ·", next_id="10")),
    "next id without stars": (
        planned("- **#9** — a ·").replace("Next id: **400**", "Next id: 12"),
        planned("- **#9** — a ·", next_id="12"),
    ),
    "no next id": (
        planned("- **#9** — a ·").replace("Next id: **400**\n\n", ""),
        planned("- **#9** — a ·", next_id="10"),
    ),
    "a heading misspelt": (planned("- **#9** — a ·").replace("## Open", "## open:"), planned("- **#9** — a ·")),
    "no second heading": ("Next id: **9**\n\n## Open\n\n- **#5** — a ·\n", None),
    "an entry meant": (planned("*  **#9** — a ·"), planned("- **#9** — a ·")),
    "a copy": (planned(TWICE + TWICE.rstrip()), planned(TWICE.rstrip())),
}


@pytest.mark.parametrize("name", FIXES)
def test_what_has_one_answer_is_mended(name: str) -> None:
    before, after = FIXES[name]
    got = lint_fix.fixed("tasks.md", before.encode()).decode()
    if after is None:
        after = before + "\n## Recently landed\n"
    assert got.replace("\n\n\n", "\n\n") == after.replace("\n\n\n", "\n\n")
    windows = lint_fix.fixed("tasks.md", before.replace("\n", "\r\n").encode()).decode()
    assert windows == got.replace("\n", "\r\n")


@pytest.mark.parametrize(
    "text",
    [
        planned("- **#5** — a ·\n- **#5** — b ·"),  # which of the two?
        planned("- **#7 — title** · P2"),  # perhaps not meant
        "<<<<<<< HEAD\n" + planned("* **#5** — a ·"),
    ],
)
def test_what_has_more_than_one_answer_stays(text: str) -> None:
    assert lint_fix.fixed("tasks.md", text.encode()) == text.encode()


def test_a_question_that_was_meant_is_mended() -> None:
    before = asked("- **2026-03-02 — Which valve?** x\n* **2026-03-03 — Which pump?** y").replace("## Answ", "## answ")
    after = asked("- **2026-03-02 — Which valve?** x\n- **2026-03-03 — Which pump?** y")
    assert lint_fix.fixed("questions.md", before.encode()) == after.encode()


def test_a_fix_is_shown_and_only_written_on_request_with_a_backup(target: Path) -> None:  # noqa: F811
    before = planned("* **#5** — a ·", next_id="4")
    write(target, before)
    file = target / ".dreamwork" / "tasks.md"
    file.chmod(0o640)
    result = run("--fix")
    assert "-* **#5** — a ·\n+- **#5** — a ·\n" in result.output
    assert "Nothing was written" in result.output
    assert file.read_text() == before
    result = run("--fix", "--write")
    assert file.read_text() == planned("- **#5** — a ·", next_id="6")
    assert file.stat().st_mode & 0o777 == 0o640
    (backup,) = file.parent.glob("tasks.md.bak-*")
    assert backup.read_text() == before
    assert sorted(path.name for path in file.parent.iterdir()) == ["questions.md", "tasks.md", backup.name]
    assert run("--fix").output == "Nothing has exactly one answer.\n"


def test_a_fix_goes_through_a_link_and_not_over_another_writer(target: Path, tmp_path: Path) -> None:  # noqa: F811
    file = target / ".dreamwork" / "tasks.md"
    real = tmp_path / "tasks.md"
    file.rename(real)
    file.symlink_to(real)
    lint_fix.replace(file, SOUND_TASKS.encode(), b"x")
    assert file.is_symlink()
    assert real.read_bytes() == b"x"
    with pytest.raises(Refused, match="changed meanwhile"):
        lint_fix.replace(file, SOUND_TASKS.encode(), b"y")
    assert real.read_bytes() == b"x"


def held(name: str, data: bytes) -> set[str]:
    if name == "questions.md":
        return {entry.title for entry in Questions(data).entries}
    doc = Tasks(data)
    return {*doc.open_ids, *doc.landed_ids()}


def check(name: str, data: bytes) -> None:
    once = lint_fix.fixed(name, data)
    assert lint_fix.fixed(name, once) == once
    assert held(name, data) <= held(name, once)
    files = [(text, None) if name == "questions.md" else (None, text) for text in (data, once)]
    was, now = (
        Counter(f["rule"] for f in lint(*two, only=name)["findings"] if f["severity"] == "error") for two in files
    )
    assert now <= was


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["questions.md", "tasks.md"]), LEDGERS)
def test_a_fix_is_idempotent_and_loses_nothing_whatever_the_ledger(name: str, data: bytes) -> None:
    check(name, data)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 1 << 32), st.booleans(), st.integers(0, len(SOUND)))
def test_a_fix_of_mangled_ledgers_is_idempotent_and_loses_nothing(seed: int, of_tasks: bool, case: int) -> None:
    random = Random(seed)
    texts = list(SOUND[case - 1]) if case else [large_questions(random, 12), large_tasks(random, 12)]
    name = ("questions.md", "tasks.md")[of_tasks]
    if not faults(*texts, advice=True):
        assert lint_fix.fixed(name, texts[of_tasks].encode()) == texts[of_tasks].encode()
    lines = [
        _mangled(random, s) if s[:4] == "- **" and random.random() < 0.3 else s for s in texts[of_tasks].split("\n")
    ]
    check(name, "\n".join(lines).encode())
