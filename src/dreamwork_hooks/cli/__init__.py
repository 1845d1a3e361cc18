"""The commands a person types; one module a command, named in the package's `COMMANDS`."""
