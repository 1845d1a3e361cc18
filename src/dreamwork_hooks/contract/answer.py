"""What the client does with a hook's output, what it drops, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dreamwork_hooks.contract import answer_shape, limits, tools
from dreamwork_hooks.contract.decision import Decision, Dropped, Reading, Status, exit_words
from dreamwork_hooks.contract.event import CompactEvent, Event, ToolEvent, type_name
from dreamwork_hooks.contract.events import EVENTS, MEANING, Effect, EventSpec, Evidence, Part, measured, unverified

_QUIET = "stdio went quiet before end-of-stream"


def validate_output(
    event: Event | str,
    out: bytes | str,
    err: bytes | str,
    exit_code: int | None,
    *,
    cancelled: bool = False,
    held: bool = False,
) -> Reading:
    """Read a finished hook's output as the client would.

    `exit_code` is negative for a signal, None when it never started or never ended. `cancelled`: it ran out
    of time. `held`: something else still had its standard output open half a second after it ended. Raises
    KeyError for an event that is not in the table.
    """
    spec = event.spec if isinstance(event, Event) else EVENTS[event]
    printed = answer_shape.read_stdout(out)
    reader = _Reader(spec, event if isinstance(event, Event) else None, printed, answer_shape.decode(err).strip())
    if cancelled:
        return reader.cancelled()
    return reader.finished(exit_code, held)


class _Reader:
    def __init__(self, spec: EventSpec, event: Event | None, printed: answer_shape.Printed, err: str) -> None:
        self.spec = spec
        self.event = event
        self.printed = printed
        self.err = err
        self.parts: dict[str, Any] = {}
        self.model: list[str] = []
        self.person: list[str] = []
        self.summarizer = ""
        self.drops: list[Dropped] = []
        self.faults: list[str] = []
        self.verdict = ""
        self.answer_says_why = False
        self.voided = False

    def cancelled(self) -> Reading:
        self.faults.append("did not answer in time")
        if self.printed.text:
            self._drop("stdout", "output of a hook that ran out of time is not used")
        if self.spec.name == "PreToolUse":
            self.person.append("A hook didn't answer in time")
        elif self.spec.name == "PreCompact":
            self.person.append("failed: Hook cancelled")
        return self._reading("cancelled")

    def finished(self, exit_code: int | None, held: bool) -> Reading:
        if held:
            self.faults.append("left a process that keeps its standard output open")
        status: Status = "ok"
        answered = False
        if self.printed.form == "json":
            assert self.printed.answer is not None
            checked = answer_shape.check_answer(self.spec.name, self.printed.answer)
            if checked.problem:
                status = self._void(checked.problem, shown=exit_code != 2)
                if checked.block_counts and self.printed.answer.get("decision") == "block":
                    self._honour({key: self.printed.answer.get(key, "") for key in ("decision", "reason")})
            elif self.printed.answer.get("async") is True:
                self._drop("stdout", "`async: true` sends the hook into the background, and this answer is not used")
            elif held and self._has_context() and "held-pipe-refused" in self.spec.traits:
                status = self._void(_QUIET)
                if self.spec.name == "PreToolUse":
                    self._block("denies", _QUIET)
            else:
                answered = True
                for key in () if self._takes_anything() else checked.unknown:
                    self._drop(key, self._why_unknown(key))
                self._honour(self.printed.answer)
        elif self.printed.form == "two-documents" and not self._takes_anything():
            status = self._void(self.printed.remark, shown=False)
        elif self.printed.remark:
            self.faults.append(self.printed.remark)
        if exit_code == 0:
            if status == "ok":
                self._plain()
        elif exit_code == 2:
            self._exit_2()
        else:
            status = self._exit_other(exit_code, answered, status)
        if self.spec.name == "UserPromptSubmit" and (self.parts.get("block") or self.parts.get("stop")):
            self._keep_verdict_alone()
        return self._reading(status)

    # -- the parts of a JSON answer

    def _honour(self, answer: Mapping[str, object]) -> None:
        specific = answer.get("hookSpecificOutput")
        if isinstance(specific, Mapping) and "no-specific-output" not in self.spec.traits:
            self._specific(specific)
        if answer.get("continue") is False:
            self._stop(str(answer.get("stopReason", "")))
        elif "stopReason" in answer:
            self._drop("stopReason", "means something only beside `continue: false`", unverified)
        if answer.get("decision") == "block":
            effect = self._effect("decision: block")
            if self._stopped_already():
                self._drop("decision: block", "beside `continue: false` that alone counts here")
            elif effect in ("nothing", "unknown"):
                self._drop_cell("decision: block")
            elif isinstance(specific, Mapping) and self._denied_with_reason(specific):
                pass  # of two reasons the one beside `permissionDecision` counts (measured)
            else:
                reason = str(answer.get("reason", ""))
                if not (self._takes_anything() and not reason and self.err):
                    self.answer_says_why = True
                    self._block(effect, reason or "Blocked by hook")
        elif answer.get("decision") == "approve":
            self._drop(
                "decision: approve", "nothing visible comes of it", self.spec.effect("decision: approve").evidence
            )
        message = answer.get("systemMessage")
        if isinstance(message, str) and message:
            self._message(message)
        if answer.get("suppressOutput") is True:
            self._drop_cell("suppressOutput")

    def _stop(self, reason: str) -> None:
        if self._effect("continue: false") != "stops":
            self._drop_cell("continue: false")
            return
        self.parts["stop"] = True
        self.parts["stop_reason"] = reason
        said = reason or f"stopped by a {self.spec.name} hook"
        self.model.append(said)
        if self.spec.name == "UserPromptSubmit":
            self.person.append(said)
        if "first-verdict" in self.spec.traits:
            self.verdict = said

    def _stopped_already(self) -> bool:
        return "stop-outweighs-block" in self.spec.traits and bool(self.parts.get("stop"))

    def _keep_verdict_alone(self) -> None:
        """Of a hook that keeps a prompt from the model nothing else arrives, neither context nor message."""
        for part, name in (("context", "additionalContext"), ("system_message", "systemMessage")):
            if self.parts.pop(part, ""):
                self._drop(name, "the prompt does not reach the model, and this goes with it")
        self.model = [text for text in self.model if text == self.verdict]
        self.person = [text for text in self.person if text == self.verdict]

    def _denied_with_reason(self, specific: Mapping[str, object]) -> bool:
        return self.parts.get("permission") == "deny" and bool(specific.get("permissionDecisionReason"))

    def _message(self, message: str) -> None:
        effect = self._effect("systemMessage")
        if effect == "person":
            self.parts["system_message"] = message
            self.person.append(f"{self.spec.name} says: {message}")
        elif effect not in ("summarizer", "shown"):
            self._drop_cell("systemMessage")

    def _specific(self, specific: Mapping[str, object]) -> None:
        text = specific.get("additionalContext")
        if isinstance(text, str) and text:
            effect = self._effect("additionalContext")
            if effect in ("context", "continues"):
                self._context(text)
            else:
                self._drop_cell("additionalContext")
            if effect == "continues":
                self.parts["block"] = True
        permission = specific.get("permissionDecision")
        if isinstance(permission, str) and self._effect("permissionDecision") == "permission":
            self.parts["permission"] = permission
            reason = str(specific.get("permissionDecisionReason", ""))
            self.parts["reason"] = reason
            if permission == "deny":
                self.answer_says_why = True
                self._block("denies", reason or "Blocked by hook")
            elif permission == "ask" and reason:
                self.person.append(reason)
                self.verdict = reason
        updated = specific.get("updatedInput")
        if isinstance(updated, Mapping) and self.spec.name == "PreToolUse":
            self.parts["updated_input"] = updated
        decision = specific.get("decision")
        if isinstance(decision, Mapping) and self.spec.name == "PermissionRequest":
            self.parts["permission"] = decision["behavior"]
            self.parts["reason"] = str(decision.get("message", ""))
            if isinstance(decision.get("updatedInput"), Mapping):
                self.parts["updated_input"] = decision["updatedInput"]
        if self.spec.name == "PostToolUse":
            self._updated_output(specific)
        for part, cell in self.spec.answers.items():
            if part in specific and cell.value in ("declared", "sends-prompt", "titles"):
                self._drop(part, f"this host does nothing with it: {MEANING[cell.value]}", cell.evidence)
        paths = specific.get("watchPaths")
        if isinstance(paths, list) and self.spec.name == "SessionStart":
            self.parts["watch_paths"] = tuple(path for path in paths if path.startswith("/"))
            for path in paths:
                if not path.startswith("/"):
                    self._drop("watchPaths", f"not an absolute path: {path}", unverified)
        if isinstance(specific.get("worktreePath"), str) and self.spec.name == "WorktreeCreate":
            self.parts["worktree"] = specific["worktreePath"]

    def _updated_output(self, specific: Mapping[str, object]) -> None:
        tool = self.event if isinstance(self.event, ToolEvent) else None
        if "updatedMCPToolOutput" in specific:
            if tool is not None and tools.is_mcp(tool.tool_name):
                self.parts["updated_output"] = specific["updatedMCPToolOutput"]
            else:
                self._drop("updatedMCPToolOutput", "only for an MCP server's tool")
        if "updatedToolOutput" not in specific:
            return
        updated = specific["updatedToolOutput"]
        wanted = type_name(tool.tool_response) if tool is not None else None
        if wanted is not None and type_name(updated) != wanted:
            self.faults.append(f"`updatedToolOutput` is {type_name(updated)}, the tool's result is {wanted}")
            self._drop("updatedToolOutput", f"not the tool's shape: {type_name(updated)} instead of {wanted}")
        else:
            self.parts["updated_output"] = updated

    # -- plain output and exit codes

    def _plain(self) -> None:
        effect = self._effect("stdout")
        form, text = self.printed.form, self.printed.text
        if form == "empty":
            return
        if effect == "shown" and self.parts.get("block"):
            return  # the reason is shown in its place
        if effect == "shown" or (effect == "summarizer" and self._by_hand() and not self.parts.get("block")):
            self.person.append(text)
            self.model.append(text)
        if effect == "summarizer":
            self.summarizer = text[: limits.SUMMARIZER_CHARACTERS]
            self.parts["context"] = text
            if len(text) > limits.SUMMARIZER_CHARACTERS:
                self._drop("stdout", f"cut at about {limits.SUMMARIZER_CHARACTERS} characters")
        elif effect == "shown" or form in ("json", "null"):
            return
        elif effect == "context":
            self._context(text)
        elif effect == "worktree":
            self.parts["worktree"] = text
        else:
            self._drop_cell("stdout")

    def _exit_2(self) -> None:
        effect = self._effect("exit 2")
        if effect in ("nothing", "unknown"):
            self._drop_cell("exit 2")
        elif self._stopped_already() or self.answer_says_why:
            if self.err:
                self._drop("stderr", "the answer on standard output says why, and that counts")
        elif effect == "shown-failed":
            self._shown_failed(2)
        elif effect == "person":
            self._session_end_failed()
        elif effect == "to-model":
            if self.err:
                self._block(effect, self.err)
        elif self.err or not self.parts.get("block"):
            self.person = [text for text in self.person if text != self.verdict]  # it would have asked
            self._block(effect, self.err or "No stderr output")
        self._drop_plain("plain standard output beside exit 2 goes nowhere")

    def _exit_other(self, exit_code: int | None, answered: bool, status: Status) -> Status:
        said = exit_words(exit_code)
        if answered:
            self.faults.append(f"{said}, though its answer counts")
            if self.spec.name == "SessionEnd" and (self.printed.answer or {}).get("decision") == "block":
                self._session_end_failed()
            return status
        self.faults.append(said)
        name = self.spec.name
        if self._effect("exit other") == "shown-failed":
            self._shown_failed(exit_code)
        elif name == "PreToolUse" and (exit_code is None or exit_code == 127 or exit_code < 0):
            self.person.append("A hook gave no usable answer")
        elif name == "Stop":
            self.person.append("stop hook problem")
        elif name == "SessionEnd":
            self._session_end_failed()
        elif self.err:
            self._drop("stderr", f"{said} tells the model and the person nothing", self._evidence("exit other"))
        self._drop_plain(f"plain standard output is not used: {said}")
        return "failed"

    def _session_end_failed(self) -> None:
        """One line on the client's stderr: the reason of an answer that would block, else the hook's stderr."""
        answer = self.printed.answer or {}
        block = answer.get("reason") if answer.get("decision") == "block" and not self.voided else ""
        self.person.append(f"SessionEnd hook failed: {block or self.err}")

    def _shown_failed(self, exit_code: int | None) -> None:
        if self.parts.get("block"):
            return  # the reason is shown in its place
        said = f"failed: {self.err or exit_words(exit_code)}"
        self.person.append(said)
        self.model.append(said)

    # -- small things

    def _takes_anything(self) -> bool:
        return self._effect("stdout") in ("summarizer", "shown")

    def _by_hand(self) -> bool:
        """Whether a person asked for the compaction: its command then shows what the hooks printed."""
        return isinstance(self.event, CompactEvent) and self.event.trigger == "manual"

    def _void(self, problem: str, shown: bool = True) -> Status:
        self.voided = True
        self.faults.append(problem)
        self._drop("stdout", f"the whole answer is void: {problem}")
        if self.spec.name == "PreToolUse":
            self.person.append("A hook gave no usable answer")
        elif self.spec.name == "Stop":
            self.person.append("stop hook problem")
        elif shown and (self._takes_anything() or self.spec.name == "SessionEnd"):
            said = f"failed: {problem}; the hook's output was: {self.printed.text}"
            self.person.append(said)
            if self._takes_anything():
                self.model.append(said)
        return "failed"

    def _block(self, effect: Effect, reason: str) -> None:
        self.parts["block"] = True
        self.parts["reason"] = self.verdict = reason
        if effect == "denies":
            self.parts["permission"] = "deny"
        if effect in ("denies", "to-model", "continues", "ends-turn"):
            self.model.append(reason)
        if effect in ("blocks", "shown"):
            self.person.append(reason)
            self.model.append(reason)
        if effect == "drops-prompt":
            self.person.append(reason)

    def _context(self, text: str) -> None:
        self.parts["context"] = text
        clipped = limits.clip_context(text)
        self.model.append(clipped)
        if clipped != text:
            self._drop("context", f"{len(text)} characters: the model gets a path and the first part")

    def _has_context(self) -> bool:
        specific = (self.printed.answer or {}).get("hookSpecificOutput")
        return isinstance(specific, Mapping) and bool(specific.get("additionalContext"))

    def _why_unknown(self, key: str) -> str:
        if key == "additionalContext":
            return "belongs inside `hookSpecificOutput`"
        if key == "permissionDecision":
            return "belongs inside `hookSpecificOutput` of PreToolUse"
        return "no such key for this event"

    def _effect(self, part: Part) -> Effect:
        return self.spec.effect(part).value

    def _evidence(self, part: Part) -> Evidence:
        return self.spec.effect(part).evidence

    def _drop(self, part: str, reason: str, evidence: Evidence = measured) -> None:
        self.drops.append(Dropped(part, reason, evidence))

    def _drop_cell(self, part: Part) -> None:
        effect = self._effect(part)
        why = "what it does here is not known" if effect == "unknown" else f"has no effect for {self.spec.name}"
        self._drop(part, why, self._evidence(part))

    def _drop_plain(self, reason: str) -> None:
        if self.printed.form == "plain":
            self._drop("stdout", reason)

    def _reading(self, status: Status) -> Reading:
        return Reading(
            event=self.spec.name,
            status=status,
            form=self.printed.form,
            decision=Decision(**self.parts),
            model=tuple(self.model),
            person=tuple(self.person),
            summarizer=self.summarizer,
            dropped=tuple(self.drops),
            misbehaviour=tuple(self.faults),
            answer=self.printed.answer,
            verdict=self.verdict,
        )
