"""The two ways an installer's work ends badly, told apart by whether anything was changed."""

from __future__ import annotations


class Refused(Exception):
    """Nothing was changed, on purpose: the message says what is in the way and what to do (exit status 2).

    `diff` shows what would have been changed, where there is something to show.
    """

    def __init__(self, message: str, *, diff: str = "") -> None:
        super().__init__(message)
        self.diff = diff


class Failed(Exception):
    """The work was begun and could not be finished; the message says what stands now (exit status 1)."""
