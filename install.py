#!/usr/bin/env python3
"""Wire dreamwork-hooks into Claude Code's settings, or take it out again. Nothing is written without --apply.

Needs python3 3.9 or newer and nothing else. Answers with one JSON object on standard output and with sentences on
standard error. Exit status: 0 done or nothing to do, 1 failed, 2 refused and nothing changed.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(argv: list[str]) -> int:
    source = HERE / "src"
    sys.path.insert(0, str(source if source.is_dir() else HERE / "dist" / "dreamwork-hooks.pyz"))
    sys.dont_write_bytecode = True
    try:
        from dreamwork_hooks.install.face import run
    except ImportError:
        print(f"install.py: neither {source} nor dist/dreamwork-hooks.pyz is here", file=sys.stderr)
        print('{"ok": false, "error": "the package is missing beside install.py"}')
        return 1
    return run(argv, checkout=str(HERE))


if __name__ == "__main__":
    if sys.version_info < (3, 9):  # noqa: UP036 - the person's python3 may be older than what we support
        print("install.py needs Python 3.9 or newer", file=sys.stderr)
        raise SystemExit(1)
    raise SystemExit(main(sys.argv[1:]))
