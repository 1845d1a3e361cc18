"""Faults of the call: its arguments, its environment, and the interpreter that is to run it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.faults import Row, Scene, both
from tests.support.spawn import pin

PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))  # before a test has a home of its own

# ---- arguments


def _words(*words: str | bytes, event: bool = True) -> Callable[[Scene], None]:
    """The hook's own word, unless `event` is false, and these."""

    def prepare(scene: Scene) -> None:
        scene.command = [scene.command[0], *([scene.word] if event else []), *[os.fsdecode(word) for word in words]]

    return prepare


def _through_the_interpreter(scene: Scene) -> None:
    scene.command = [str(scene.interpreter), *scene.command]


def _link_to_the_file(scene: Scene) -> None:
    (scene.root / "a link").symlink_to(scene.pyz)
    scene.command[0] = str(scene.root / "a link")


def _copied_to(name: str) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        copy = scene.aside / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(scene.pyz, copy)
        scene.command[0] = str(copy)

    return prepare


def _by_a_relative_path(scene: Scene) -> None:
    scene.popen["cwd"] = scene.pyz.parent
    scene.command[0] = f"./{scene.pyz.name}"


def _found_on_path(scene: Scene) -> None:
    scene.env["PATH"] = f"{scene.pyz.parent}:{os.defpath}"
    scene.command = ["/bin/sh", "-c", 'exec "$@"', "sh", scene.pyz.name, scene.word]


ARGUMENTS = [
    Row("there is no argument", _words(event=False), both(True)),
    Row("the argument is unknown", _words("PreCompact", event=False), both(False), "unknown word"),
    Row("the argument is an unknown flag", _words("--verbose", event=False), both(False), "unknown word"),
    Row("the argument is empty", _words("", event=False), both(True)),
    Row("the argument is a dash", _words("-", event=False), both(False), "unknown word"),
    Row("the argument is two dashes", _words("--", event=False), both(False), "unknown word"),
    Row("the argument is not UTF-8", _words(b"caf\xe9", event=False), both(False), "unknown word"),
    Row("the argument holds quotes", _words("'\";$(x)\n{}\\", event=False), both(False), "unknown word"),
    Row("the argument is 100 KB", _words("x" * 100_000, event=False), both(False), "unknown word"),
    Row("there is an unknown flag after the event", _words("--force"), both(True), "ignored argument"),
    Row("there are a thousand arguments", _words(*["x"] * 1000), both(True), "ignored argument"),
    Row("a second argument is 100 KB of control characters", _words("\x1b" * 100_000), both(True)),
    Row("the file is given to an interpreter", _through_the_interpreter, both(True)),
    Row("the file is called through a link", _link_to_the_file, both(True)),
    Row("the file is called by a relative path", _by_a_relative_path, both(True)),
    Row("the file is found on PATH", _found_on_path, both(True)),
    Row("the file's path holds a space and quotes", _copied_to("a 'b' \"c\"/$(x) `y` &.pyz"), both(True)),
    Row("the file's path is not ASCII", _copied_to("дом/家.pyz"), both(True)),
    Row("the file's path is not UTF-8", _copied_to(os.fsdecode(b"caf\xe9/\xff.pyz")), both(True)),
    Row("the file's path has a newline", _copied_to("two\nlines/x.pyz"), both(True)),
]

# ---- environment


def _env(**more: str) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        scene.env.update(more)

    return prepare


def _no_env(scene: Scene) -> None:
    scene.env.clear()


def _only_home(scene: Scene) -> None:
    scene.env = {"HOME": str(scene.home)}


def _shadowing_modules(scene: Scene) -> None:
    """Modules that would say so if they were imported: on PYTHONPATH, and in the cwd."""
    for name in ("json", "os", "stat", "fcntl", "zlib", "marshal", "dreamwork_hooks", "encodings", "sitecustomize"):
        (scene.aside / f"{name}.py").write_text(f"open({str(scene.root / 'ran')!r}, 'w')\nraise SystemExit(2)\n")
    scene.env["PYTHONPATH"] = str(scene.aside)
    scene.popen["cwd"] = scene.aside


def _large_environment(scene: Scene) -> None:
    for number in range(12):
        scene.env[f"LARGE{number}"] = "x" * 120_000


def _brimful_environment(scene: Scene) -> None:
    """So much that the shell still starts, and the interpreter, which is given more arguments, no longer does."""
    limit = os.sysconf("SC_ARG_MAX")
    probe = [*scene.command]

    def starts(size: int) -> bool:
        env = {
            **scene.env,
            **{f"L{at}": "x" * 100_000 for at in range(size // 100_000)},
            "REST": "x" * (size % 100_000),
        }
        try:
            subprocess.run(["/bin/sh", probe[0], "--"], env=env, stdin=subprocess.DEVNULL, capture_output=True)
        except OSError:
            return False
        scene.env = env
        return True

    low, high = 0, limit
    while high - low > 64:
        middle = (low + high) // 2
        low, high = (middle, high) if starts(middle) else (low, middle)
    assert starts(low - 256)  # a little less: the hook's own words are longer


ENVIRONMENT = [
    Row(
        "the environment is empty", _no_env, both(precompact=False, posttooluse=True), {"precompact": "HOME is not set"}
    ),
    Row("the environment is HOME alone", _only_home, both(True)),
    Row("modules lie in wait on PYTHONPATH and in the cwd", _shadowing_modules, both(True)),
    Row("PYTHONHOME is bogus", _env(PYTHONHOME="/nonexistent"), both(True)),
    Row("PYTHONIOENCODING is cp932", _env(PYTHONIOENCODING="cp932"), both(True)),
    Row("PYTHONSTARTUP and PYTHONINSPECT are set", _env(PYTHONSTARTUP="/etc/passwd", PYTHONINSPECT="1"), both(True)),
    Row("PYTHONWARNINGS makes errors of warnings", _env(PYTHONWARNINGS="error", PYTHONDEVMODE="1"), both(True)),
    Row(
        "PYTHONVERBOSE and PYTHONPROFILEIMPORTTIME are set",
        _env(PYTHONVERBOSE="2", PYTHONPROFILEIMPORTTIME="1"),
        both(True),
    ),
    Row("PYTHONMALLOC is bogus", _env(PYTHONMALLOC="bogus", PYTHONHASHSEED="bogus"), both(True)),
    Row("PYTHONPLATLIBDIR is bogus", _env(PYTHONPLATLIBDIR="bogus", PYTHONEXECUTABLE="/bogus"), both(True)),
    Row("the locale is C", _env(LC_ALL="C"), both(True)),
    Row(
        "the locale is POSIX and UTF-8 mode is off",
        _env(LC_ALL="POSIX", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"),
        both(True),
    ),
    Row("the locale does not exist", _env(LC_ALL="xx_XX.bogus", LANG="bogus"), both(True)),
    Row("the time zone is bogus", _env(TZ=":/etc/passwd"), both(True)),
    Row(
        "the shell's own variables are hostile",
        _env(IFS="/e", CDPATH="/", ENV="/dev/full", PS4="$(exit 2)"),
        both(True),
    ),
    Row("the prefix's own names are variables", _env(python="/bin/false", hook="x", kind="command"), both(True)),
    Row("BASH_VERSION is set", _env(BASH_VERSION="5", BASH_ENV="/dev/full", SHELLOPTS="xtrace"), both(True)),
    Row("LD_PRELOAD is bogus", _env(LD_PRELOAD="/nonexistent.so"), both(True)),
    Row("PATH is bogus", _env(PATH="/nonexistent:::"), both(True)),
    Row("the environment is 1.4 MB", _large_environment, both(True)),
    Row(
        "the environment leaves no room for the interpreter",
        _brimful_environment,
        both(False),
        "no python3 that can be started",
        once=True,
    ),
    Row("CLAUDE_PROJECT_DIR is bogus", _env(CLAUDE_PROJECT_DIR="/nonexistent"), both(True)),
    Row("CLAUDE_PROJECT_DIR is relative", _env(CLAUDE_PROJECT_DIR="../.."), both(True)),
]

# ---- interpreter


def pinned(make: Callable[[Scene], str]) -> Callable[[Scene], None]:
    """Another interpreter pinned into a copy of the archive."""

    def prepare(scene: Scene) -> None:
        copy = scene.aside / "pinned.pyz"
        pin(scene.pyz, copy, make(scene))
        scene.command[0] = str(copy)

    return prepare


def script(scene: Scene, name: str, text: str, mode: int = 0o755) -> str:
    path = scene.aside / name
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def _none_at_all(scene: Scene) -> None:
    pinned(lambda scene: "")(scene)
    (scene.aside / "empty").mkdir()
    scene.env["PATH"] = str(scene.aside / "empty")


def _pin_gone(scene: Scene) -> None:
    pinned(lambda scene: "/nonexistent/python3")(scene)
    (scene.aside / "bin").mkdir()
    (scene.aside / "bin" / "python3").symlink_to(scene.interpreter)
    scene.env["PATH"] = f"{scene.aside / 'bin'}:{os.defpath}"


def _older(version: str) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        pinned(lambda scene: str(older_interpreter(version)))(scene)

    return prepare


def older_interpreter(version: str) -> Path:
    """An interpreter below the oldest supported one; these are optional."""
    found = sorted(PYENV.glob(f"versions/{version}.*/bin/python{version}"))
    found += [Path(name) for name in [shutil.which(f"python{version}")] if name is not None]
    for path in found:
        ran = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True)
        if ran.stdout.decode().strip() == version:
            return path
    pytest.skip(f"no Python {version} on this machine to be told that it is too old")


def _broken_elf(scene: Scene) -> str:
    path = scene.aside / "broken"
    path.write_bytes(b"\x7fELF\x02\x01\x01" + b"\0" * 9 + b"junk" * 20)
    path.chmod(0o755)
    return str(path)


INTERPRETER = [
    Row("there is no python3", _none_at_all, both(False), "no python3 that can be started", once=True),
    Row("the pinned interpreter is gone and python3 is on PATH", _pin_gone, both(True)),
    Row("the pinned interpreter is a directory", pinned(lambda scene: str(scene.aside)), both(None), once=True),
    Row(
        "the pinned interpreter may not be run",
        pinned(lambda scene: script(scene, "python3", "#!/bin/sh\n", 0o644)),
        both(None),
        once=True,
    ),
    Row(
        "the pinned interpreter's own interpreter is gone",
        pinned(lambda scene: script(scene, "python3", "#!/nonexistent/python3\n")),
        both(False),
        "no python3 that can be started",
        once=True,
    ),
    Row(
        "the pinned interpreter is no program",
        pinned(_broken_elf),
        both(False),
        "no python3 that can be started",
        once=True,
    ),
    *[
        Row(
            f"the interpreter is Python {version}",
            _older(version),
            both(False),
            f"Python {version} is too old",
            once=True,
        )
        for version in ("2.7", "3.6", "3.7", "3.8")
    ],
]

ROWS = [*ARGUMENTS, *ENVIRONMENT, *INTERPRETER]
