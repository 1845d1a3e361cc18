"""`python -m dreamwork_hooks`."""

from __future__ import annotations

from dreamwork_hooks.cli.main import main

if __name__ == "__main__":
    main()
