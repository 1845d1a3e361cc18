"""What the client does with an output: the measured tables, row by row."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dreamwork_hooks.contract.answer import validate_output
from dreamwork_hooks.contract.decision import Reading
from dreamwork_hooks.contract.event import parse_event, sample_event


def read(event: str, out: Any = "", exit_code: int | None = 0, err: str = "", **how: bool) -> Reading:
    text = out if isinstance(out, (str, bytes)) else json.dumps(out)
    return validate_output(event, text, err, exit_code, **how)


def ctx(event: str, text: str = "C", **more: object) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}, **more}


@pytest.mark.parametrize(
    ("event", "exit_code", "blocks", "model", "person"),
    [
        ("PreToolUse", 2, True, ("E",), ()),
        ("PreToolUse", 1, False, (), ()),
        ("PreToolUse", 127, False, (), ("A hook gave no usable answer",)),
        ("PreToolUse", -9, False, (), ("A hook gave no usable answer",)),
        ("PostToolUse", 2, True, ("E",), ()),
        ("PostToolUse", 1, False, (), ()),
        ("PostToolUseFailure", 2, True, ("E",), ()),
        ("PostToolBatch", 2, True, ("E",), ()),
        ("UserPromptSubmit", 2, True, (), ("E",)),
        ("UserPromptSubmit", 3, False, (), ()),
        ("SessionStart", 2, False, (), ()),
        ("SessionStart", 1, False, (), ()),
        ("Stop", 2, True, ("E",), ()),
        ("Stop", 1, False, (), ("stop hook problem",)),
        ("SubagentStop", 2, True, ("E",), ()),
        ("SubagentStop", 1, False, (), ()),
        ("PreCompact", 2, True, ("E",), ("E",)),
        ("PreCompact", 1, False, ("failed: E",), ("failed: E",)),
        ("PostCompact", 2, False, ("failed: E",), ("failed: E",)),
        ("PostCompact", 1, False, ("failed: E",), ("failed: E",)),
        ("SessionEnd", 2, False, (), ("SessionEnd hook failed: E",)),
        ("SessionEnd", -15, False, (), ("SessionEnd hook failed: E",)),
        ("PermissionRequest", 2, False, (), ()),
        ("ConfigChange", 2, True, ("E",), ("E",)),
    ],
)
def test_exit_codes(event: str, exit_code: int, blocks: bool, model: tuple[str, ...], person: tuple[str, ...]) -> None:
    reading = read(event, "", exit_code, "E\n")
    assert (blocks, model, person) == (reading.decision.block, reading.model, reading.person)


def test_exit_2_without_words_still_blocks_a_tool_but_tells_nothing_after_it() -> None:
    assert read("PreToolUse", "", 2).model == ("No stderr output",)
    after = read("PostToolUse", "", 2)
    assert (after.decision.block, after.model) == (False, ())


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
@pytest.mark.parametrize("out", ["plain", "[1]", '"s"', '{"a":', 'noise\n{"a":1}', b"\xff"])
def test_plain_output_is_context_where_the_event_takes_it(event: str, out: str | bytes) -> None:
    reading = read(event, out)
    expected = out.decode("utf-8", "replace") if isinstance(out, bytes) else out
    assert ((expected,), "ok") == (reading.model, reading.status)


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "Stop", "SubagentStart", "CwdChanged"])
def test_plain_output_goes_nowhere_elsewhere_and_the_reading_says_so(event: str) -> None:
    reading = read(event, "plain")
    assert reading.model == ()
    assert [drop.part for drop in reading.dropped] == ["stdout"]


@pytest.mark.parametrize("out", ["plain", '{"ok":true}', "null", '{"systemMessage":"m"}', '{"continue":false}'])
def test_everything_a_precompact_hook_prints_goes_to_the_summarizer(out: str) -> None:
    assert out == read("PreCompact", f"  {out}\n").summarizer


@pytest.mark.parametrize("exit_code", [1, 2])
def test_a_failed_precompact_hook_adds_nothing(exit_code: int) -> None:
    assert read("PreCompact", "plain", exit_code).summarizer == ""


@pytest.mark.parametrize("event", ["PreCompact", "PostCompact", "SessionEnd", "PermissionRequest"])
def test_context_voids_the_answer_where_the_event_has_none(event: str) -> None:
    reading = read(event, ctx(event))
    assert (reading.status, reading.summarizer) == ("failed", "")
    assert "C" not in reading.model


@pytest.mark.parametrize("event", ["PreCompact", "PostCompact", "SessionEnd"])
def test_a_wrong_event_name_passes_where_there_is_no_specific_output(event: str) -> None:
    assert read(event, ctx("PreToolUse")).status == "ok"


@pytest.mark.parametrize("event", ["SessionStart", "PreToolUse", "PostToolUse", "Stop"])
@pytest.mark.parametrize(
    "out",
    [
        pytest.param('{"a":1}\n{"b":2}', id="two documents"),
        pytest.param({"systemMessage": 1}, id="bad type"),
        pytest.param({"decision": "deny"}, id="deny at top level"),
        pytest.param({"hookSpecificOutput": {"additionalContext": "x"}}, id="no event name"),
        pytest.param({"hookSpecificOutput": {"hookEventName": "Nope"}}, id="wrong event name"),
    ],
)
def test_one_fault_voids_the_whole_answer(event: str, out: object) -> None:
    reading = read(event, out)
    assert reading.status == "failed"
    assert reading.decision.is_empty
    assert reading.misbehaviour


def test_context_as_a_list_voids_the_answer() -> None:
    out = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": ["a"]}}
    assert read("PostToolUse", out).status == "failed"


@pytest.mark.parametrize(
    "out",
    [
        pytest.param(json.dumps(ctx("PostToolUse")), id="as it is"),
        pytest.param("\n  " + json.dumps(ctx("PostToolUse"), indent=2) + "\n\n", id="indented, with space"),
        pytest.param("\ufeff" + json.dumps(ctx("PostToolUse")), id="byte order mark"),
        pytest.param(json.dumps(ctx("PostToolUse", other=1)), id="an unknown key"),
    ],
)
def test_context_is_delivered(out: str) -> None:
    assert read("PostToolUse", out).model == ("C",)


def test_json_counts_whatever_the_exit_status() -> None:
    reading = read("PostToolUse", ctx("PostToolUse"), 1)
    assert reading.model == ("C",)
    assert "exit 1" in reading.misbehaviour[0]
    both = read("PostToolUse", ctx("PostToolUse"), 2, "E")
    assert both.model == ("C", "E")


def test_exit_2_beats_an_allow_in_the_json() -> None:
    out = {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "permissionDecisionReason": "fine",
        }
    }
    decision = read("PreToolUse", out, 2, "no").decision
    assert (decision.permission, decision.block, decision.reason) == ("deny", True, "no")


def test_exit_2_blocks_beside_a_void_answer() -> None:
    assert read("PreToolUse", {"systemMessage": 1}, 2, "no").decision.block


@pytest.mark.parametrize(
    ("event", "permission", "blocks"),
    [("PreToolUse", "deny", True), ("PostToolUse", None, True), ("Stop", None, True), ("SessionStart", None, False)],
)
def test_decision_block(event: str, permission: str | None, blocks: bool) -> None:
    reading = read(event, {"decision": "block"})
    assert (permission, blocks) == (reading.decision.permission, reading.decision.block)
    assert not blocks or reading.decision.reason == "Blocked by hook"


@pytest.mark.parametrize("permission", ["allow", "ask", "deny", "defer"])
def test_the_permission_of_a_pretooluse_hook(permission: str) -> None:
    out = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": permission}}
    assert permission == read("PreToolUse", out).decision.permission


@pytest.mark.parametrize(
    ("event", "stops"),
    [
        ("PreToolUse", True),
        ("PostToolUse", True),
        ("PostToolBatch", True),
        ("Stop", True),
        ("UserPromptSubmit", True),
        ("SessionStart", False),
        ("PostToolUseFailure", False),
        ("SubagentStop", False),
        ("PreCompact", False),
    ],
)
def test_continue_false_stops_where_it_was_seen_to(event: str, stops: bool) -> None:
    reading = read(event, {"continue": False, "stopReason": "R"})
    assert (stops, "R" if stops else "") == (reading.decision.stop, reading.decision.stop_reason)


@pytest.mark.parametrize(
    ("event", "shown"), [("PreToolUse", True), ("Stop", True), ("SessionStart", False), ("SubagentStop", False)]
)
def test_a_system_message_reaches_the_person_where_it_was_seen_to(event: str, shown: bool) -> None:
    assert ((f"{event} says: m",) if shown else ()) == read(event, {"systemMessage": "m"}).person


def test_context_makes_a_stopping_agent_go_on() -> None:
    reading = read("Stop", ctx("Stop"))
    assert (reading.decision.block, reading.model) == (True, ("C",))


def test_top_level_context_is_dropped_with_the_right_place_named() -> None:
    reading = read("PostToolUse", {"additionalContext": "x"})
    assert [drop.reason for drop in reading.dropped] == ["belongs inside `hookSpecificOutput`"]


def test_a_time_out_uses_no_output_and_blocks_nothing() -> None:
    reading = read("PreToolUse", {"decision": "block"}, -15, cancelled=True)
    assert (reading.status, reading.decision.block) == ("cancelled", False)
    assert reading.person == ("A hook didn't answer in time",)


@pytest.mark.parametrize(
    ("event", "model", "blocks"),
    [
        ("PostToolUse", (), False),
        ("Stop", (), False),
        ("PreToolUse", ("stdio went quiet before end-of-stream",), True),
        ("SessionStart", ("C",), False),
        ("UserPromptSubmit", ("C",), False),
    ],
)
def test_context_from_a_hook_whose_child_holds_the_pipe(event: str, model: tuple[str, ...], blocks: bool) -> None:
    reading = read(event, ctx(event), held=True)
    assert (model, blocks) == (reading.model, reading.decision.block)


def test_a_deny_from_a_hook_whose_child_holds_the_pipe_counts() -> None:
    out = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}
    assert read("PreToolUse", out, held=True).decision.permission == "deny"


def test_long_context_is_clipped_and_long_reasons_are_not() -> None:
    reading = read("PostToolUse", ctx("PostToolUse", "x" * 11_000))
    assert [len(text) for text in reading.model] == [2048]
    assert [drop.part for drop in reading.dropped] == ["context"]
    assert read("PostToolUse", ctx("PostToolUse", "x" * 9_000)).model == ("x" * 9_000,)
    assert len(read("PreToolUse", "", 2, "x" * 30_000).model[0]) == 30_000


@pytest.mark.parametrize(("updated", "taken"), [({"stdout": "x"}, True), ("text", False)])
def test_a_tool_result_is_replaced_when_the_shape_fits(updated: object, taken: bool) -> None:
    event = parse_event(sample_event("PostToolUse", "/", tool_response={"stdout": ""}))
    out = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": updated}}
    reading = validate_output(event, json.dumps(out), "", 0)
    assert (updated if taken else None) == reading.decision.updated_output
    assert taken == (not reading.misbehaviour)


def test_a_permission_request_is_decided_by_its_own_object() -> None:
    decision = {"behavior": "deny", "message": "no"}
    out = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}
    found = read("PermissionRequest", out).decision
    assert (found.permission, found.reason) == ("deny", "no")


def test_unverified_effects_are_dropped_and_say_so() -> None:
    reading = read("MessageDisplay", "plain")
    assert [drop.evidence.level for drop in reading.dropped] == ["unverified"]


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
@pytest.mark.parametrize(
    ("extra", "model"),
    [
        pytest.param({}, ("R",), id="alone"),
        pytest.param({"hookSpecificOutput": {"hookEventName": "Stop"}}, ("R",), id="another event's name"),
        pytest.param({"hookSpecificOutput": {"hookEventName": "Nope"}}, (), id="no event's name"),
        pytest.param({"async": True}, (), id="gone into the background"),
        pytest.param({"async": 1}, ("R",), id="async that is none"),
        pytest.param({"stopReason": "S"}, ("R",), id="a stop reason without a stop"),
        pytest.param({"reason": None}, (), id="null is no string"),
        pytest.param({"suppressOutput": None}, (), id="nor a boolean"),
    ],
)
def test_whether_a_block_counts_beside_other_keys(event: str, extra: dict[str, object], model: tuple[str, ...]) -> None:
    assert model == read(event, {"decision": "block", "reason": "R", **extra}).model


@pytest.mark.parametrize("tail", ["\ntext", " text", "\n[1]", "\n5", "\0"])
def test_anything_after_the_json_makes_it_plain_text(tail: str) -> None:
    assert not read("PreToolUse", '{"decision": "block"}' + tail).decision.block


@pytest.mark.parametrize(
    ("permission", "reason", "expected"),
    [("deny", "mine", "mine"), ("deny", "", "block's"), ("allow", "fine", "block's"), ("ask", "", "block's")],
)
def test_a_block_beside_a_permission_denies(permission: str, reason: str, expected: str) -> None:
    inner = {"hookEventName": "PreToolUse", "permissionDecision": permission, "permissionDecisionReason": reason}
    decision = read("PreToolUse", {"decision": "block", "reason": "block's", "hookSpecificOutput": inner}).decision
    assert ("deny", expected) == (decision.permission, decision.reason)


def test_the_reason_in_the_json_stands_when_exit_2_has_no_words() -> None:
    assert read("PreToolUse", {"decision": "block", "reason": "R"}, 2).decision.reason == "R"


BLOCK = {"decision": "block", "reason": "R"}
STOP = {"continue": False, "stopReason": "S"}


@pytest.mark.parametrize(
    ("event", "model", "person"),
    [
        ("PreToolUse", ("R",), ()),
        ("PostToolUse", ("R",), ()),
        ("PostToolBatch", ("R",), ()),
        ("UserPromptSubmit", (), ("R",)),
        ("Stop", ("R",), ()),
        ("PreCompact", ("R",), ("R",)),
        ("PostCompact", ("R",), ("R",)),
        ("SessionEnd", (), ("SessionEnd hook failed: R",)),
    ],
)
def test_of_a_reason_and_stderr_beside_exit_2_the_reason_counts(
    event: str, model: tuple[str, ...], person: tuple[str, ...]
) -> None:
    reading = read(event, BLOCK, 2, "E")
    assert (model, person) == (reading.model, reading.person)


def test_an_answer_that_only_asks_or_allows_is_overruled_by_exit_2() -> None:
    for word in ("ask", "allow"):
        specific = {"hookEventName": "PreToolUse", "permissionDecision": word, "permissionDecisionReason": "R"}
        reading = read("PreToolUse", {"hookSpecificOutput": specific}, 2, "E")
        assert (reading.decision.permission, reading.model, reading.person) == ("deny", ("E",), ())


def test_whoever_is_asked_reads_why() -> None:
    specific = {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "R"}
    reading = read("PreToolUse", {"hookSpecificOutput": specific})
    assert (reading.model, reading.person) == ((), ("R",))


@pytest.mark.parametrize("verdict", [BLOCK, STOP])
def test_beside_a_verdict_on_a_prompt_nothing_else_arrives(verdict: dict[str, object]) -> None:
    reading = read("UserPromptSubmit", {**verdict, **ctx("UserPromptSubmit"), "systemMessage": "M"})
    assert {*reading.model, *reading.person} == {"R"} or {*reading.model, *reading.person} == {"S"}
    assert {"additionalContext", "systemMessage"} <= {drop.part for drop in reading.dropped}


@pytest.mark.parametrize(
    ("event", "model"),
    [
        ("PreToolUse", {"R", "S"}),
        ("Stop", {"R", "S"}),
        ("PostToolUse", {"S"}),
        ("PostToolBatch", {"S"}),
        ("UserPromptSubmit", {"S"}),
    ],
)
def test_a_stop_reaches_the_model_and_may_outweigh_a_block(event: str, model: set[str]) -> None:
    assert model == set(read(event, {**STOP, **BLOCK}).model)


def test_postcompact_shows_all_that_is_printed_json_too() -> None:
    assert read("PostCompact", {"systemMessage": "M"}).person == ('{"systemMessage": "M"}',)


@pytest.mark.parametrize(("trigger", "shown"), [("manual", ("plain",)), ("auto", ())])
def test_what_a_precompact_hook_prints_is_shown_after_a_command_alone(trigger: str, shown: tuple[str, ...]) -> None:
    event = parse_event(sample_event("PreCompact", "/tmp", trigger=trigger))
    reading = validate_output(event, "plain", "", 0)
    assert (reading.summarizer, reading.model, reading.person) == ("plain", shown, shown)


@pytest.mark.parametrize("event", ["PreCompact", "PostCompact"])
def test_two_documents_are_plain_text_where_any_text_is_taken(event: str) -> None:
    assert read(event, '{"a":1}\n{"b":2}').status == "ok"


@pytest.mark.parametrize("event", ["PreCompact", "PostCompact"])
def test_no_key_is_dropped_where_all_of_it_is_read_as_text(event: str) -> None:
    assert read(event, {"preserve": "x"}).dropped == ()


@pytest.mark.parametrize(
    ("event", "key", "level"),
    [
        ("SessionStart", "reloadSkills", "declared"),
        ("MessageDisplay", "displayContent", "declared"),
        ("SessionStart", "initialUserMessage", "measured"),
    ],
)
def test_a_key_the_client_declares_is_not_called_unknown(event: str, key: str, level: str) -> None:
    printed = json.dumps({"hookSpecificOutput": {"hookEventName": event, key: "x", "other": 1}})
    dropped = {drop.part: drop for drop in validate_output(event, printed, "", 0).dropped}
    assert dropped["hookSpecificOutput.other"].reason == "no such key for this event"
    assert f"hookSpecificOutput.{key}" not in dropped
    assert (dropped[key].evidence.level, "this host does nothing" in dropped[key].reason) == (level, True)


def test_a_guard_of_a_skills_command_denies() -> None:
    """A PreToolUse hook never sees those."""
    deny = {"hookEventName": "PreSkillShellCommand", "permissionDecision": "deny", "permissionDecisionReason": "no"}
    for printed, err, status in ((json.dumps({"hookSpecificOutput": deny}), "", 0), ("", "no", 2)):
        decision = validate_output("PreSkillShellCommand", printed, err, status).decision
        assert (decision.permission, decision.block, decision.reason) == ("deny", True, "no")
