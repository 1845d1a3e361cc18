"""A settings file whose hooks are being recorded: every command in it runs through our file, the person's own too."""

from __future__ import annotations

import re
import shlex

from dreamwork_hooks.errors import Refused
from dreamwork_hooks.install.own_command import OwnCommand

# As one shell command, or word by word in `args`.
_WRAPPED = re.compile(r"""dreamwork-hooks\.pyz['"\\]*,?\s*"?record"?,?\s*"?--to\b""")


def refuse_recorded(path: str, text: str, own: OwnCommand) -> None:
    """Raises Refused. Without our file each recorded hook would end with status 2, which blocks; and handlers of ours
    that are recorded would be wired a second time."""
    if _WRAPPED.search(text):
        raise Refused(
            f"{path}: its hooks are being recorded; nothing was changed. Give them back first, then run this again:\n"
            f"  {own('record --remove --settings ' + shlex.quote(path))}"
        )
