"""How a person calls us from where we are now: the words of a remedy that can be pasted."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable

OwnCommand = Callable[[str], str]
_FLAGS = {"install": "--apply", "uninstall": "--uninstall"}


def own_command(program: str, checkout: str | None = None) -> OwnCommand:
    """A function from `"install --force"` to the whole command line.

    The running .pyz when we run from one, else `install.py` of the checkout, else the installed file.
    """
    running = os.path.abspath(sys.argv[0]) if sys.argv and sys.argv[0] else ""

    def words(arguments: str) -> str:
        name, _, rest = arguments.partition(" ")
        if running.endswith(".pyz"):
            return f"python3 {shlex.quote(running)} {arguments}"
        if checkout is not None and name in _FLAGS:
            line = f"python3 {shlex.quote(os.path.join(checkout, 'install.py'))} {_FLAGS[name]}"
            return f"{line} {rest}".rstrip()
        if os.path.exists(program):
            return f"{shlex.quote(program)} {arguments}"
        return f"dreamwork-hooks {arguments}"

    return words
