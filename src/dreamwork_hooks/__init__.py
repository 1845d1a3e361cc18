"""Claude Code hooks that protect a dreamwork loop at compaction and at ledger edits.

The plugin's facts. This file is read by interpreters that are too old for the rest: it must parse on Python 2.7.
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

# Command -> who needs it, and what it does. Each is a module of `cli` that holds a click command called `command`;
# `--help` is made from this list and imports none of them.
COMMANDS = {
    "init": ("loop", "Make a project ready for a dreamwork loop."),
    "install": ("loop", "Install this file and wire its hooks into Claude Code's settings."),
    "uninstall": ("loop", "Remove our handlers from every settings file we wired, and the installed file."),
    "upgrade": ("loop", "Replace the installed file with this one, in one step."),
    "status": ("loop", "Say whether the hooks are wired, and if not, which command wires them."),
    "doctor": ("loop", "Prove that the hooks fire: run what is registered, and judge every hook in the settings."),
    "lint": ("loop", "Check .dreamwork/questions.md and .dreamwork/tasks.md."),
    "focus": ("loop", "Show what was held at the last compactions, and what their summaries lost."),
    "skill": ("loop", "Print this plugin's SKILL.md, or put it where a loop's core finds it."),
    "check": ("author", "Check hooks for what cannot work, without running any."),
    "events": ("author", "Show the hook events of Claude Code: input, matcher, and what each part of an answer does."),
    "hooks": ("author", "List every configured hook: where it is defined, what it waits for, whether it may run."),
    "explain": ("author", "Say which hooks fire for an event and which do not, and why."),
    "replay": ("author", "Run the hooks that recorded events fire, and show what came of each."),
    "record": ("author", "Wrap a hook and save the events it gets, masked and ready to replay."),
    "history": ("author", "Show which hooks ran in past sessions, and how they ended."),
    "backtest": ("author", "Play the tool calls of past sessions to a new guard."),
    "trust": ("author", "Trust, or refuse, the hooks that come with a repository."),
}
AUDIENCES = {"loop": "For a dreamwork loop", "author": "For authors of hooks"}

# First words that are neither a command nor an event; a value may follow after `=`.
OPTIONS = ("help", "-h", "--help", "-V", "--version", "--color", "-q", "--quiet")
