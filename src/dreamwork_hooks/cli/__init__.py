"""The commands a person types; one module a command.

`COMMANDS` is the one list of them: the command group, the `.pyz`'s shell prefix and the documentation read it.
"""

# Words that are no command and yet not an event.
OPTIONS = ("-h", "--help", "--version")

# name -> module below this package, holding a click command called `command`
COMMANDS = {
    "install": "install",
    "uninstall": "uninstall",
    "upgrade": "upgrade",
    "status": "status",
    "doctor": "doctor",
    "lint": "lint",
    "focus": "focus",
    "events": "events",
    "hooks": "hooks",
    "explain": "explain",
    "replay": "replay",
    "record": "record",
    "trust": "trust",
}
