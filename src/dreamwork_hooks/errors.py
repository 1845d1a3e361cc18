"""What a person who runs a command can put right. Anything else that is raised is a fault of ours."""

from __future__ import annotations


class UserError(Exception):
    """Something that cannot be done as asked: the message says what is wrong, where, and what to do.

    `cli.main` is the one place that turns it into words and an exit status.
    """

    status = 2
    """The exit status: 2 when nothing was changed, 1 when work was begun."""

    heading = "Error"

    hint = ""
    """What more may help, for a person at a command."""


class Refused(UserError):
    """A change was asked for, and nothing was changed, on purpose.

    `diff` shows what would have been changed, where there is something to show.
    """

    heading = "Refused"

    def __init__(self, message: str, *, diff: str = "") -> None:
        super().__init__(message)
        self.diff = diff


class Failed(UserError):
    """The work was begun and could not be finished; the message says what stands now."""

    status = 1
    heading = "Failed"
