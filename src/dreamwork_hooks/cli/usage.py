"""What a person asked for that cannot be done: told in a sentence, with exit status 2."""

from __future__ import annotations

import click


def usage(message: str) -> click.ClickException:
    """A failure of the kind that ends with exit status 2."""
    failure = click.ClickException(message)
    failure.exit_code = 2
    return failure
