"""Claude Code hooks that protect a dreamwork loop at compaction and at ledger edits.

This file and `cli/__init__.py` are read by interpreters that are too old for the rest: they must parse on Python 2.7.
"""

__version__ = "0.1.0"

PLUGIN = "ud-dreamwork-hooks"

MAX_ANSWER = 4000  # characters on stdout, the newline included

# word on the command line -> Claude Code's event, the name in the answer, wall budget in seconds
HOOKS = {
    "precompact": ("PreCompact", "precompact-focus", 2.0),
    "posttooluse": ("PostToolUse", "ledger-lint", 5.0),
    "sessionstart": ("SessionStart", "focus-restore", 2.0),
    "postcompact": ("PostCompact", "compaction-audit", 2.0),
}
