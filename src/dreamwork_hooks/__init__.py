"""Claude Code hooks that protect a dreamwork loop at compaction and at ledger edits."""

__version__ = "0.1.0"
