#!/usr/bin/env python3
"""Build dist/dreamwork-hooks.pyz; show it at work (--demo); run the tests (--test). See builder/command.py.

Parses on any Python, to tell the users of one that is too old so.
"""

import os
import sys

if __name__ == "__main__":
    if sys.version_info < (3, 9):
        sys.exit("build.py: this is Python %d.%d; building needs python3 3.9 or newer" % sys.version_info[:2])
    sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
    try:
        from builder.command import main
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "builder":
            raise
        sys.exit(
            "build.py: this python3 lacks a part of its standard library (%s)\n"
            "  Debian and Ubuntu:  apt install python3 python3-venv" % error
        )
    sys.exit(main(sys.argv[1:]))
