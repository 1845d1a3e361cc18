"""Calling the three hooks of a compaction in process, as the entry does."""

from __future__ import annotations

import importlib
import json
import time
from pathlib import Path
from typing import Any

from dreamwork_hooks.jsonlite import dumps
from dreamwork_hooks.memory import focus_log as records
from dreamwork_hooks.memory.state import StateDir
from tests.support.targets import precompact_event

Json = dict[str, Any]
SESSION = "11111111-1111-4111-8111-111111111111"


class Loop:
    """A target, a home, and the hooks run there for one session or several."""

    def __init__(self, target: Path, home: Path) -> None:
        self.target = target
        self.home = home
        self.env = {"HOME": str(home)}

    def configure(self, **choices: Any) -> None:
        path = self.home / ".config/dreamwork/hooks/config.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(choices))

    def say(self, **fields: Any) -> None:
        """Write the target's status.json."""
        (self.target / ".dreamwork/status.json").write_text(json.dumps(fields))

    def run(self, word: str, event: Json) -> Json:
        module = importlib.import_module(f"dreamwork_hooks.event.{word}")
        answer, after = module.answer(event, self.env, time.monotonic() + 2)
        assert after is None
        assert isinstance(answer, dict)
        assert len(dumps(answer)) < 4000
        return answer

    def precompact(self, session: str = SESSION, **more: Any) -> Json:
        return self.run("precompact", precompact_event(self.target, session_id=session, **more))

    def start(self, source: str = "compact", session: str = SESSION, **more: Any) -> Json:
        event = {"session_id": session, "cwd": str(self.target), "hook_event_name": "SessionStart", "source": source}
        return self.run("sessionstart", {**event, **more})

    def postcompact(self, summary: Any, session: str = SESSION, trigger: str = "auto", **more: Any) -> Json:
        event = {"session_id": session, "cwd": str(self.target), "hook_event_name": "PostCompact"}
        return self.run("postcompact", {**event, "trigger": trigger, "compact_summary": summary, **more})

    def restored(self, source: str = "compact", session: str = SESSION) -> str:
        """What SessionStart gives the model; "" for nothing."""
        answer = self.start(source, session)
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def _records(self, log: str) -> list[Json]:
        state = StateDir(self.env, str(self.target.resolve()))
        try:
            return records.read_records(state, log)
        finally:
            state.close()

    @property
    def records(self) -> list[Json]:
        return self._records(records.LOG)

    @property
    def audits(self) -> list[Json]:
        return self._records(records.AUDIT_LOG)
