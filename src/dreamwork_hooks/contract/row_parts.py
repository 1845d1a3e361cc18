"""What rows of the event table are made of: groups of input fields, and shorthand for their cells."""

from __future__ import annotations

from collections.abc import Mapping

from dreamwork_hooks.contract import effects as e
from dreamwork_hooks.contract.evidence import Cell, Evidence, measured, unverified
from dreamwork_hooks.contract.spec import LISTED, EventSpec, FieldSpec

ANY = ("string", "number", "boolean", "object", "array", "null")

COMMON = (
    FieldSpec("session_id", required=True),
    FieldSpec("transcript_path", required=True),
    FieldSpec("cwd", required=True),
    FieldSpec("hook_event_name", required=True),
    FieldSpec("prompt_id"),
)
MODE = FieldSpec("permission_mode")
IN_TURN = (MODE, FieldSpec("effort", ("object",)), FieldSpec("agent_id"), FieldSpec("agent_type"))
TOOL = (
    FieldSpec("tool_name", required=True),
    FieldSpec("tool_input", ("object",), required=True),
)
TOOL_USE = FieldSpec("tool_use_id", required=True)
DURATION = FieldSpec("duration_ms", ("number",))
STOPPING = (
    FieldSpec("stop_hook_active", ("boolean",), required=True),
    FieldSpec("last_assistant_message"),
    FieldSpec("background_tasks", ("array",)),
    FieldSpec("session_crons", ("array",)),
)
SWITCH = (
    FieldSpec("from_model", required=True),
    FieldSpec("to_model", required=True),
    FieldSpec("requested_model"),
    FieldSpec("source"),
    FieldSpec("context_tokens", ("number",)),
    FieldSpec("prompt_cache_warm", ("boolean",)),
    FieldSpec("cache_ttl"),
    FieldSpec("estimated_cache_write_usd", ("number",)),
    FieldSpec("pricing"),
)

LONG: Cell[float | None] = Cell(None, measured, "still waited at 150 s; the limit was not measured")
UNMEASURED: Cell[float | None] = Cell(None, unverified)
TURN_ENV = ("CLAUDE_EFFORT",)
FILE_ENV = ("CLAUDE_ENV_FILE",)


def seconds(value: float) -> Cell[float | None]:
    return Cell(value)


def matched_on(field: str | None, evidence: Evidence = measured, note: str = "") -> Cell[str | None]:
    return Cell(field, evidence, note)


def answers(seen: Mapping[str, str], notes: Mapping[str, str] | None = None) -> dict[str, Cell[str]]:
    """`seen` is measured; a common part that is not in it is unknown and says so."""
    cells = {part: Cell(effect, measured, (notes or {}).get(part, "")) for part, effect in seen.items()}
    for part in e.COMMON_PARTS:
        cells.setdefault(part, Cell(e.UNKNOWN, unverified))
    return cells


def known_by_name(name: str, kind: str, about: str, matcher: Cell[str | None], *fields: FieldSpec) -> EventSpec:
    """An event the client knows by name but was never seen to send."""
    return EventSpec(name, kind, about, matcher, (*COMMON, *fields), answers({}), UNMEASURED, LISTED)
