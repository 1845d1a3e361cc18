"""The page and the picture of one compaction as it really went: `python -m tests.claude.compaction_page`.

Both are written from a run of the pinned client. Ids, times, ages and paths, which differ from run to run, are replaced
by fixed ones, so that a test can hold the files against a run of today.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.claude.compaction_picture import Step, picture
from tests.claude.round_trip import RoundTrip, compact, keeps_the_sentence_alone, prepare, resume
from tests.claude.survival import Survived, measure_all, table
from tests.support.client import VERSION, pinned_client
from tests.support.installed import current_archive
from tests.support.recorder import Record, Recorder

Json = dict[str, Any]

PAGE = Path(__file__).parent / "COMPACTION.md"
PICTURE = Path(__file__).parent / "compaction.svg"

SESSION = "11111111-1111-4111-8111-111111111111"
PROMPT = "22222222-2222-4222-8222-222222222222"
WHEN = "2026-03-04T05:06:07Z"
DIGEST = "0a1b2c3d4e5f"


@dataclass(frozen=True)
class Run:
    """One recorded compaction.

    Attributes:
        resumed: what the model was given when the session was resumed afterwards.
    """

    trip: RoundTrip
    records: dict[str, Record]
    summary: str
    resumed: str


def record_a_run(client: Path, root: Path) -> Run:
    """Work, `/compact` with a summarizer that keeps the task alone, go on, resume; every hook recorded."""
    installed = prepare(root)
    _make_repository(installed.place.project)
    recorder = Recorder(root / "recorded")
    recorder.wrap(installed.program, "ours")
    trip = compact(client, installed, manual=True, summarizer=keeps_the_sentence_alone)
    records = {record.event["hook_event_name"]: record for record in recorder.records()}
    news = resume(client, trip).news
    resumed = news[news.index("dreamwork-hooks: ") :].partition("\n\n")[0]
    return Run(trip, records, records["PostCompact"].event["compact_summary"], resumed)


def _make_repository(project: Path) -> None:
    """A repository whose commit is the same at every run."""
    who = {"NAME": "A Person", "EMAIL": "person@example.com", "DATE": "2026-03-04T05:06:07Z"}
    env = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}
    env.update({"PATH": os.environ["PATH"], "HOME": str(project.parent), "GIT_CONFIG_NOSYSTEM": "1"})
    for words in (["init", "-q", "-b", "main"], ["add", "DREAMWORK.md"], ["commit", "-q", "-m", "Begin"]):
        subprocess.run(["git", *words], cwd=project, env=env, check=True, capture_output=True, timeout=60)


def stable(text: str, run: Run) -> str:
    """`text` without what differs from run to run."""
    home = str(run.trip.installed.place.home)
    text = text.replace(home, "/home/user").replace(re.sub(r"[^A-Za-z0-9]", "-", home), "-home-user")
    text = text.replace(run.trip.ran.session_id, SESSION)
    text = re.sub(r'("prompt_id": ")[^"]*', rf"\g<1>{PROMPT}", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", WHEN, text)
    text = re.sub(WHEN + " [0-9a-f]{12}", f"{WHEN} {DIGEST}", text)
    return re.sub(r"written \d+ seconds? ago", "written 2 seconds ago", text)


def page(run: Run, survived: list[Survived]) -> str:
    """The Markdown text."""
    told = json.loads(run.records["PreCompact"].stdout)
    given = json.loads(run.records["SessionStart"].stdout)["hookSpecificOutput"]["additionalContext"]
    audited = json.loads(run.records["PostCompact"].stdout)
    post = {**run.records["PostCompact"].event, "compact_summary": "(above)"}
    assert run.trip.audit is not None
    parts = [
        "# One compaction, as it really went",
        _flow(f"""
            Written by `python -m tests.claude.compaction_page` from a run of Claude Code {VERSION} with a scripted
            model: nothing here is drawn or typed by hand but these sentences. Ids, times and paths are replaced by
            fixed ones."""),
        _flow("""
            The session has taken up a task, written eight files, run six commands and stated four numbers. Then
            somebody types `/compact`. The scripted summarizer keeps the task and its ids of what it is asked to keep
            and forgets the rest."""),
        f"![{_title()}]({PICTURE.name})",
        "## 1. PreCompact: the event",
        _json(run.records["PreCompact"].event),
        "## 2. The record that is written down",
        _json(run.trip.record),
        "## 3. What the summarizer is told",
        "Claude Code puts all that the hook prints into the summarizer's instructions. First the sentence:",
        _quote(told["preserve"]),
        "and then, in the same line of JSON, the machine-readable rest:",
        _json({key: value for key, value in told.items() if key != "preserve"}),
        "## 4. The summary that came back",
        _text(run.summary),
        "## 5. SessionStart: what the model is given back",
        _flow("""
            Claude Code runs SessionStart before PostCompact, so nobody knows yet what the summary lost. The record is
            given in any case; it is in the request that follows the compaction:"""),
        _text(given),
        "## 6. PostCompact: the audit",
        _json(post),
        _flow("""
            Each fact of the record is looked for in the summary. `facts` counts what was kept literally, in part, and
            lost:"""),
        _json(run.trip.audit),
        "and the person is told:",
        _quote(audited["systemMessage"]),
        "## 7. When the session is resumed",
        "What the summary lost comes first, once:",
        _text(run.resumed),
        "## What came through",
        _flow("""
            Every row is a session of its own, compacted by itself. A cell is what the summary kept literally / what
            stands in all that the model can read next, of the facts that were held. The client itself shows the model
            the last few files it touched, and keeps the last messages, so some files and the numbers, which were
            stated last, are there in any case."""),
        table(survived),
    ]
    return stable("\n\n".join(parts) + "\n", run)


def _flow(text: str) -> str:
    return " ".join(text.split())


def _title() -> str:
    return f"One compaction of Claude Code {VERSION}"


def drawing(run: Run) -> str:
    """The SVG text."""
    told = json.loads(run.records["PreCompact"].stdout)
    given = json.loads(run.records["SessionStart"].stdout)["hookSpecificOutput"]["additionalContext"]
    audited = json.loads(run.records["PostCompact"].stdout)
    record, evidence = run.trip.record, run.trip.record["evidence"]
    counts = ", ".join(
        f"{len(evidence[key])} {name}"
        for key, name in (
            ("files", "files"),
            ("commands", "commands"),
            ("failing_tests", "failing test"),
            ("numbers", "numbers"),
        )
    )
    ids = ", ".join(f"#{name}" for name in record["current_task_ids"])
    held = (
        f'task "{record["current_task"]}", {ids}, {record["open_questions"]} open questions,'
        f" {record['head']['branch']} {record['head']['commit'][:12]}\n{counts}"
    )
    trigger = run.records["PreCompact"].event["trigger"]
    steps = [
        Step(0, f"PreCompact ({trigger})", "the conversation is about to be summarized", to=1),
        Step(1, "the record is written", held, "ours"),
        Step(1, "what the summarizer is told", _short(told["preserve"], 330), "ours", to=2),
        Step(2, "the summary", _short(re.sub(r"</?summary>", "", run.summary), 200), to=0),
        Step(0, "SessionStart (compact)", "the session goes on", to=1),
        Step(1, "the record is given back", _short(given.partition("\n")[2], 300), "ours", to=2),
        Step(0, "PostCompact", "here is the summary", to=1),
        Step(
            1,
            "the audit",
            f"{audited['kept']} facts kept literally, {audited['part']} in part, {audited['lost']} lost",
            "lost",
        ),
        Step(1, "the person is told", _short(audited["systemMessage"].partition(": ")[2], 230), "lost", to=0),
        Step(0, "SessionStart (resume)", "later, the session is resumed", to=1),
        Step(1, "what was lost comes first", _short(run.resumed.splitlines()[1], 230), "lost", to=2),
    ]
    return stable(picture(_title(), steps), run)


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _json(value: object) -> str:
    return f"```json\n{json.dumps(value, indent=2, ensure_ascii=False)}\n```"


def _text(text: str) -> str:
    return f"````text\n{text}\n````"


def _quote(text: str) -> str:
    return "> " + text.replace("\n", "\n> ")


def main() -> int:
    """Write both files."""
    current_archive()
    with tempfile.TemporaryDirectory(prefix="compaction-") as root:
        client = pinned_client()
        run = record_a_run(client, Path(root, "page"))
        text, svg = page(run, measure_all(client, Path(root, "survival"))), drawing(run)
    PAGE.write_text(text, "utf-8")
    PICTURE.write_text(svg, "utf-8")
    print(f"{PAGE}\n{PICTURE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
