"""Answers to the events of a turn and a session: the prompt, the batch, the stop, subagents, start and end."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dreamwork_hooks.host import Outcome, Policies
from tests.claude.conformance_bench import EVERY_EVENT, Bench, Compared, Dispatch, Pair, Says
from tests.claude.conformance_cases import STOP, forms, specific, stops, without
from tests.support.messages_api import Turn, say, use

FINISH_ORDER = Policies(context_order="finish")
LATE = 0.15  # seconds, so that the other hook has surely ended
# Forms that say the same at every event of a kind are left to one event.
FEWER = ("array", "string", "broken-json", "ctx-at-the-top", "ctx-before-noise", "exit-3", "system-message-is-a-number")

PROMPT, STOPPING, BATCH = "UserPromptSubmit", "Stop", "PostToolBatch"
AGENT = use("Agent", description="d", prompt="p", subagent_type="general-purpose", run_in_background=False)


@dataclass(frozen=True)
class Turns:
    """One event once a prompt, each prompt a case: what two hooks say, and how to tell what came of it."""

    event: str
    cases: Mapping[str, Sequence[Says]]
    goes_on: Callable[[str, Sequence[Says]], bool]
    """Whether the model has a second turn in the prompt of a case: its words have to be laid out beforehand."""
    first: Callable[[str], Sequence[Turn]]
    """The turns up to the event, `case:KEY` in them or in the prompt."""
    by_host: Callable[[Outcome], str]
    by_client: Callable[[Compared, Dispatch, str], str]

    def judge(self, client: Path, root: Path) -> dict[str, Pair]:
        """Play all cases in one session."""
        bench = Bench.make(root)
        hooks = bench.witness(self.event)
        for index, name in enumerate("ab"):
            answers = {key: says[index] for key, says in self.cases.items() if index < len(says)}
            hooks[self.event].append({"hooks": [bench.handler(name, answers)]})
        bench.write("user", {"hooks": hooks})
        turns: list[Turn] = []
        for key, says in self.cases.items():
            turns += self.first(key)
            if self.goes_on(key, says):
                turns.append(say("and on"))
        prompts = [f"the prompt of case:{key}." for key in self.cases]
        compared = bench.compare(client, FINISH_ORDER, prompts=[*prompts, "the last"], turns=turns)
        assert compared.ran.unplayed == []
        pairs = {EVERY_EVENT: compared.every_event}
        for key in self.cases:
            dispatch, _, outcome = compared.of(self.event, key)[0]
            pairs[key] = compared.pair(key, self.by_client(compared, dispatch, key), self.by_host(outcome))
        return pairs


def _alone(table: Mapping[str, Says]) -> dict[str, Sequence[Says]]:
    return {name: [says] for name, says in table.items()}


def _folded(event: str) -> dict[str, Sequence[Says]]:
    block: dict[str, object] = {"decision": "block", "reason": "[%/reason]"}
    context = specific(event, additionalContext="[%/ctx]")
    blocked = Says(err="[%/err]", code=2)
    return {
        "block-and-context": [Says(block), Says(context, after=LATE)],
        "context-and-block": [Says(context), Says(block, after=LATE)],
        "first-block-late": [Says(block, after=LATE), blocked],
        "second-block-late": [Says(block), Says(blocked.out, blocked.err, 2, LATE)],
        "stop-late-block": [Says(STOP, after=LATE), Says(block)],
        "block-late-stop": [Says(block, after=LATE), Says(STOP)],
        "context-then-stop": [Says(context), Says(STOP, after=LATE)],
        "first-stop-late": [Says(STOP, after=LATE), Says(STOP)],
        "block-and-message": [Says(block, after=LATE), Says({"systemMessage": "[%/sys]"})],
    }


def _stops(says: Sequence[Says]) -> bool:
    return any(isinstance(s.out, dict) and s.out.get("continue") is False for s in says)


def _blocks(key: str, says: Sequence[Says]) -> bool:
    void = key in ("ctx-is-a-list", "system-message-is-a-number", "ctx-of-no-event")
    return any(s.code == 2 or (isinstance(s.out, dict) and s.out.get("decision") == "block") for s in says) and not void


def _continues(key: str, says: Sequence[Says]) -> bool:
    gives_context = key.startswith(("ctx", "long-ctx")) and not key.endswith(
        ("-is-a-list", "-at-the-top", "-of-another-event", "-of-no-event", "-noise")
    )
    return (_blocks(key, says) or gives_context) and not _stops(says)


def _reached(compared: Compared, dispatch: Dispatch, key: str) -> str:
    """Of a prompt: dropped, or kept and answered, or kept for later."""
    texts = [request.text for request in compared.ran.of_kind("turn")]
    if any(re.findall(r"the (?:prompt of case:([\w-]+)|last)", text)[-1] == key for text in texts):
        return "answered"
    return "stopped" if any(f"case:{key}." in text for text in texts) else "dropped"


def _requests(compared: Compared, dispatch: Dispatch, key: str) -> str:
    last = [re.findall(r"the (?:prompt of case:([\w-]+)|last)", r.text)[-1] for r in compared.ran.of_kind("turn")]
    return "goes on" if last.count(key) > 1 else "ends"


def _called_again(compared: Compared, dispatch: Dispatch, key: str) -> str:
    following = compared.client[compared.client.index(dispatch) + 1 :][:1]
    return "continues" if following and following[0].event["stop_hook_active"] else "ends"


def _prompt_by_host(outcome: Outcome) -> str:
    return "dropped" if outcome.blocked else "stopped" if outcome.ends_turn else "answered"


def _subagent_by_host(outcome: Outcome) -> str:
    return "continues" if outcome.continues else "ends"


PROMPTS = Turns(
    PROMPT,
    {**_alone({**forms(PROMPT), **stops()}), **_folded(PROMPT)},
    lambda key, says: False,
    lambda key: (),
    _prompt_by_host,
    _reached,
)
BATCHES = Turns(
    BATCH,
    {**_alone({**without(FEWER, forms(BATCH)), **stops()}), **_folded(BATCH)},
    lambda key, says: not (_blocks(key, says) or _stops(says)),
    lambda key: [use("Bash", command=f"true case:{key}.")],
    lambda outcome: "ends" if outcome.ends_turn else "goes on",
    _requests,
)
STOPPINGS = Turns(
    STOPPING,
    {**_alone({**without(FEWER, forms(STOPPING)), **stops()}), **_folded(STOPPING)},
    _continues,
    lambda key: [say(f"case:{key}.")],
    _subagent_by_host,
    _called_again,
)
# An agent takes three requests, so few of them: what blocks, and what might.
_SUBAGENT_FORMS = (
    "exit-0", "exit-1", "exit-2", "exit-2-silent", "ctx", "ctx-exit-1", "ctx-is-a-list", "block", "block-exit-2",
)  # fmt: skip
_SUBAGENT = {name: says for name, says in forms("SubagentStop").items() if name in _SUBAGENT_FORMS}
SUBAGENT_STOPPINGS = Turns(
    "SubagentStop",
    _alone(_SUBAGENT),
    lambda key, says: True,
    lambda key: [AGENT, say(f"case:{key}.")] + ([say("sub on")] if _continues(key, [_SUBAGENT[key]]) else []),
    _subagent_by_host,
    _called_again,
)

QUIET: dict[str, dict[str, Says]] = {
    "SessionStart": {**forms("SessionStart"), **stops()},
    "SubagentStart": {**forms("SubagentStart"), **stops()},
    "SessionEnd": {**without(FEWER, forms("SessionEnd")), **stops()},
}


def quiet_cases() -> list[str]:
    return [f"{event}-{name}" for event, table in QUIET.items() for name in table]


def judge_quiet(client: Path, root: Path) -> dict[str, Pair]:
    """Events whose hooks decide nothing: every form in a hook of its own, all of them at once."""
    bench = Bench.make(root)
    hooks = bench.witness(*QUIET)
    for event, table in QUIET.items():
        hooks[event] += [
            {"hooks": [bench.handler(f"{event}-{name}", says, timeout=20)]} for name, says in table.items()
        ]
    bench.write("user", {"hooks": hooks})
    compared = bench.compare(client, prompts=["go"], turns=[AGENT, say("sub"), say("done")])
    return {**{case: compared.pair(case) for case in quiet_cases()}, EVERY_EVENT: compared.every_event}
