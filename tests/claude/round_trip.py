"""A scripted session that works, is compacted and goes on, in an installation with the opt-in parts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.installed import STATUS, Installed, install, make_target
from tests.support.messages_api import FULL, Request, Summarizer, Turn, say, use
from tests.support.session import ALLOWED, Place, Ran, run_session

Json = dict[str, Any]

EVERYTHING = ("evidence", "restore", "audit")
FILES = tuple(f"src/{name}.py" for name in ("pump", "hose", "valve", "tank", "sensor", "relay", "alarm", "display"))
FAILING = "tests/test_pump.py::test_stops_on_a_disagreement"
COMMANDS = {
    "grep -rn threshold src | head -3": (0, ""),
    "sed -n 1,40p src/pump.py > head.txt": (0, ""),
    "ls src/*.py | wc -l": (0, ""),
    f"echo 'FAILED {FAILING} - assert 2 == 3'; exit 1": (1, ""),
    "PUMP_TOKEN=hunter2hunter2 true": (0, ""),
    "git --version": (0, ""),
}
FIRST = f"Take up #7: {STATUS['task']}."
LAST_WORDS = "The pump stops after 340 ms now, down from 1,200 ms; 97.5 % of 48 samples agree."
NUMBERS = ("340 ms", "1,200 ms", "97.5 %", "48 samples")


def work(project: Path) -> list[Turn]:
    """The turns of the first prompt: files written, commands run."""
    turns = [use("Write", file_path=str(project / name), content=f"# {name}\n") for name in FILES]
    return [*turns, *(use("Bash", command=command) for command in COMMANDS), say("Written and tried.")]


def asks_for(told: str) -> str:
    """What the hook's `preserve` asks to keep, and nothing else."""
    kept = [json.loads(line).get("preserve", "") for line in told.splitlines() if line.startswith("{")]
    return "\n".join(part for part in kept if part)


def keeps_the_sentence_alone(request: Request) -> str:
    """A summarizer that repeats the task and its ids of `preserve` and forgets the files, commands and numbers."""
    return asks_for(request.additional_instructions).partition("; file")[0] or "The work went on as planned."


def keeps_only_what_it_is_asked_to(request: Request) -> str:
    """A summarizer that drops all of the conversation it is not asked to keep."""
    return asks_for(request.additional_instructions) or "The work went on as planned."


@dataclass(frozen=True)
class RoundTrip:
    """One compaction of a session that had worked.

    Attributes:
        after: the request that follows the compaction.
    """

    ran: Ran
    installed: Installed
    record: Json
    audit: Json | None
    after: Request

    @property
    def shown(self) -> str:
        """What the client shows the person of the hooks: the output of `/compact`."""
        contents = [str(m["message"]["content"]) for m in self.ran.stream if m.get("type") == "user"]
        return "\n".join(text for text in contents if "<local-command-stdout>" in text)

    @property
    def restored(self) -> str:
        """What SessionStart gave the model; "" for nothing."""
        heading = "SessionStart hook additional context: "
        _, _, rest = self.after.news.partition(heading)
        return rest.partition("\n\n")[0]


def logged(installed: Installed, name: str) -> list[Json]:
    """The lines of one log of all targets."""
    logs = (installed.place.home / ".config/dreamwork/hooks").glob(f"*/{name}")
    return [json.loads(line) for log in sorted(logs) for line in log.read_text().splitlines()]


def prepare(root: Path, parts: tuple[str, ...] = EVERYTHING, *, steer: bool = True) -> Installed:
    """Install with some opt-in parts for a new user below `root`, in a project that is a target."""
    place = Place.make(root)
    make_target(place.project)
    installed = install(place, *(word for part in parts for word in ("--with", part)))
    if not steer:
        config = place.home / ".config/dreamwork/hooks/config.json"
        config.write_text(json.dumps({**json.loads(config.read_text()), "steer": False}))
    return installed


def round_trip(
    client: Path,
    root: Path,
    parts: tuple[str, ...] = EVERYTHING,
    *,
    steer: bool = True,
    manual: bool = False,
    summarizer: Summarizer = keeps_only_what_it_is_asked_to,
) -> RoundTrip:
    """Work, compact once (by itself unless `manual`), and go on."""
    installed = prepare(root, parts, steer=steer)
    return compact(client, installed, manual=manual, summarizer=summarizer)


def compact(client: Path, installed: Installed, *, manual: bool, summarizer: Summarizer) -> RoundTrip:
    """The session itself, in a prepared installation."""
    place = installed.place
    turns = work(place.project)
    if manual:
        prompts = [FIRST, "how fast", "/compact", "go on"]
        turns += [say(LAST_WORDS), say("on")]
    else:
        prompts = [FIRST, "look", "how fast", "go on"]
        turns += [say("looked"), say(LAST_WORDS, context_tokens=FULL), say("on")]
    ran = run_session(client, place, prompts=prompts, turns=turns, summarizer=summarizer)
    assert ran.compactions == ["manual" if manual else "auto"]
    audits = logged(installed, "compaction-audit.jsonl")
    return RoundTrip(ran, installed, installed.records()[-1], audits[-1] if audits else None, ran.of_kind("turn")[-1])


def resume(client: Path, trip: RoundTrip) -> Request:
    """Resume the session and ask something; returns the request that carries the question."""
    arguments = (*ALLOWED, "--resume", trip.ran.session_id)
    place = trip.installed.place
    ran = run_session(client, place, prompts=["still there?"], turns=[say("yes")], arguments=arguments)
    return ran.of_kind("turn")[0]
