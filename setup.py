"""What pyproject.toml cannot say: a wheel carries the archive, which `dreamwork-hooks install` installs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class WithArchive(build_py):
    """The package, and in it the archive as build.py makes it from the same sources."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:  # which finds the checkout's dist/
            output = Path(self.build_lib).resolve() / "dreamwork_hooks" / "dreamwork-hooks.pyz"
            script = Path(__file__).resolve().with_name("build.py")
            subprocess.run([sys.executable, str(script), "--output", str(output)], check=True)


setup(cmdclass={"build_py": WithArchive})
