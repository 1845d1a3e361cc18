#!/usr/bin/env python3
"""Wire dreamwork-hooks into Claude Code's settings, or remove it again. Nothing is written without --apply.

Runs `dist/dreamwork-hooks.pyz install` or `uninstall`, which are told all other options.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ARCHIVE = HERE / "dist" / "dreamwork-hooks.pyz"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="install.py",
        description=__doc__,
        epilog=f"All other options:  {ARCHIVE} install --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--print", action="store_true", help="print the exact snippet and write nothing (the default)")
    action.add_argument("--apply", action="store_true", help="install the file and wire the hooks")
    action.add_argument("--uninstall", action="store_true", help="remove our handlers and the installed file")
    given, words = parser.parse_known_args(argv)
    if not ARCHIVE.is_file():
        missing = f"{ARCHIVE} is not there; nothing was changed\n  to build it:  python3 {HERE / 'build.py'}"
        print(f"Refused: {missing}", file=sys.stderr)
        print(json.dumps({"ok": False, "refused": True, "error": missing}, indent=2))
        return 2
    command = ["uninstall"] if given.uninstall else ["install"]
    if not (given.apply or given.uninstall or "--dry-run" in words):
        command.append("--print")
    try:
        return subprocess.call([sys.executable, "-E", "-s", str(ARCHIVE), *command, *words])
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    if sys.version_info < (3, 9):  # noqa: UP036 - the person's python3 may be older than what we support
        print("install.py needs Python 3.9 or newer", file=sys.stderr)
        raise SystemExit(1)
    raise SystemExit(main(sys.argv[1:]))
