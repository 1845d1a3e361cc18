"""Telling a person where in their file something stands in the way."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from dreamwork_hooks.errors import Refused
from dreamwork_hooks.install.survey import WrongShape
from dreamwork_hooks.settings.jsontext import JsonSyntaxError


@contextlib.contextmanager
def located(path: str, by_hand: str) -> Iterator[None]:
    """Turn what is wrong with the text into a refusal with file, line and column; `by_hand` is the other way out."""
    try:
        yield
    except JsonSyntaxError as error:
        raise Refused(
            f"{path}:{error.line}:{error.column}: not valid JSON: {error.problem}; nothing was changed.\n"
            f"  Claude Code ignores the whole file while it is like this. Put it right and run this again,\n"
            f"  or {by_hand}"
        ) from None
    except WrongShape as error:
        raise Refused(
            f"{path}:{error.line}:{error.column}: {error.problem}; nothing was changed.\n"
            f"  Put it right and run this again, or {by_hand}"
        ) from None
