"""The commands a person types; one module a command.

`COMMANDS` is the one list of them: the command group, the `.pyz`'s shell prefix and the documentation read it.
"""

# Words that are no command and yet not an event.
OPTIONS = ("-h", "--help", "--version")

# Each is a module of this package, holding a click command called `command`.
COMMANDS = (
    "init",
    "install",
    "uninstall",
    "upgrade",
    "status",
    "doctor",
    "lint",
    "focus",
    "events",
    "hooks",
    "explain",
    "replay",
    "record",
    "history",
    "backtest",
    "trust",
)
