"""The words for what the client does with one part of a hook's answer."""

from __future__ import annotations

CONTEXT = "context"  # the model reads the text
TO_MODEL = "to-model"  # the model reads the reason (or stderr); nothing is undone
SUMMARIZER = "summarizer"  # appended to the summarizer's instructions
SHOWN = "shown"  # local command output: the person sees it, the model reads it with the next request
SHOWN_FAILED = "shown-failed"  # the same, marked as a failure
PERSON = "person"  # the person sees it, the model does not
DENIES = "denies"  # the tool does not run; the reason is its error
PERMISSION = "permission"  # allow, ask, deny or defer
BLOCKS = "blocks"  # the thing announced does not happen (compaction, configuration change, model switch)
DROPS_PROMPT = "drops-prompt"  # the prompt never reaches the model
CONTINUES = "continues"  # the agent goes on instead of stopping, and reads the reason
ENDS_TURN = "ends-turn"  # the turn ends without another request
STOPS = "stops"  # the run stops; `stopReason` says why
REPLACES_INPUT = "replaces-input"  # the whole tool input is replaced, then validated
REPLACES_OUTPUT = "replaces-output"  # the tool's result is replaced, when the shape fits
WATCHES = "watches"  # absolute paths join the watched files
WORKTREE = "worktree"  # the path of the new worktree
NOTHING = "nothing"  # accepted and without effect
VOIDS = "voids"  # fails validation: the whole answer is ignored
UNKNOWN = "unknown"  # nobody has looked

MEANING = {
    CONTEXT: "the model reads it",
    TO_MODEL: "the model reads the reason; nothing is undone",
    SUMMARIZER: "joins the summarizer's instructions",
    SHOWN: "shown as local command output, read by the model with the next request",
    SHOWN_FAILED: "shown as failed local command output",
    PERSON: "the person sees it",
    DENIES: "the tool does not run",
    PERMISSION: "allow, ask, deny or defer",
    BLOCKS: "what was announced does not happen",
    DROPS_PROMPT: "the prompt is dropped",
    CONTINUES: "the agent goes on and reads the reason",
    ENDS_TURN: "the turn ends",
    STOPS: "the run stops",
    REPLACES_INPUT: "replaces the whole tool input",
    REPLACES_OUTPUT: "replaces the tool result when the shape fits",
    WATCHES: "adds absolute paths to the watched files",
    WORKTREE: "the path of the new worktree",
    NOTHING: "no effect",
    VOIDS: "voids the whole answer",
    UNKNOWN: "not known",
}

# The parts of an answer, as the columns of the table name them.
STDOUT = "stdout"
CTX = "additionalContext"
EXIT_2 = "exit 2"
EXIT_OTHER = "exit other"
BLOCK = "decision: block"
APPROVE = "decision: approve"
CONTINUE_FALSE = "continue: false"
SYSTEM_MESSAGE = "systemMessage"
SUPPRESS = "suppressOutput"
PERMISSION_DECISION = "permissionDecision"
UPDATED_INPUT = "updatedInput"
UPDATED_OUTPUT = "updatedToolOutput"
UPDATED_MCP_OUTPUT = "updatedMCPToolOutput"
REQUEST_DECISION = "decision.behavior"
WATCH_PATHS = "watchPaths"
WORKTREE_PATH = "worktreePath"

COMMON_PARTS = (STDOUT, CTX, EXIT_2, EXIT_OTHER, BLOCK, CONTINUE_FALSE, SYSTEM_MESSAGE, SUPPRESS)
"""The parts every event has a cell for; the others are listed only where they exist."""
