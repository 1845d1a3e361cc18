#!/usr/bin/env python3
"""Build dist/dreamwork-hooks.pyz; show it at work (--demo); run all the tests (--test).

Needs python3 3.9 or newer with venv, and nothing else: what the build uses is installed into `.venv-build/` by itself.
The file is a function of the sources, the pinned packages and the interpreters found for bytecode: two builds on two
paths and two days give the same bytes. SOURCE_DATE_EPOCH, when set, is the date of every entry.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent
SRC = ROOT / "src"
STARTUP = SRC / "startup"
OUTPUT = ROOT / "dist" / "dreamwork-hooks.pyz"
BUILD_VENV = ROOT / ".venv-build"
TEST_VENV = ROOT / ".venv-test"

# Packed into the archive, and what packs it. Hashes: the build takes exactly these files or none.
PACKED = """\
click==8.1.8 --hash=sha256:63c132bbbed01578a06712a2d1f497bb62d9c1c0d329b7903a866228027263b2
pathspec==0.12.1 --hash=sha256:a0d503e138a4c123b27490a4f7beda6a01c6f288df0e4a8b79c7eb0dc7b4cc08
"""
PACKER = """\
shiv==1.0.8 --hash=sha256:a60e4b05a2d2f8b820d567b1d89ee59af731759771c32c282d03c4ceae6aba24
"""

# Of the packed packages: what pip leaves behind, and what only their own tests use. Their licences stay.
NOT_PACKED = shutil.ignore_patterns("bin", "RECORD", "INSTALLER", "REQUESTED", "METADATA", "WHEEL", "testing.py")

# All other rooms run for an event and get bytecode for every supported interpreter; commands are compiled as they run.
COMMAND_ROOMS: tuple[str, ...] = ("cli", "contract", "doctor", "history", "host", "install", "processes", "settings")
COMMAND_ROOMS += ("asdata.py", "errors.py")
# Compiled when they are loaded, once a compaction and only on request: 36 KB of the archive for 20 ms.
FROM_SOURCE = tuple(f"evidence/{name}.py" for name in ("failing_tests", "gather", "numbers", "transcript"))

# Data that an event reads where it lies in the archive, once for all interpreters.
RULES = "dreamwork_hooks/ledger/RULES.md"
# What the package reads beside its modules; pyproject.toml names the same for pip.
DATA = (RULES, "dreamwork_hooks/contract/events.txt")


class BuildError(Exception):
    """Something the person building can put right; the text says how."""


def supported_versions() -> list[str]:
    """The Python versions of the project's classifiers, oldest first: `["3.9", ...]`."""
    return re.findall(r"Python :: (3\.\d+)\"", (ROOT / "pyproject.toml").read_text("utf-8"))


def find_interpreters() -> dict[str, Path]:
    """version -> a real interpreter of it, of the supported versions found on this machine.

    Looked for on PATH and where pyenv, uv and the usual packages put them; each was run, which sees through shims.
    """
    found: dict[str, Path] = {}
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT", home / ".pyenv"))
    beside = Path(sys.base_prefix).parent  # where a version manager that brought this interpreter keeps the others
    for version in supported_versions():
        names = [shutil.which(f"python{version}"), *pyenv.glob(f"versions/{version}.*/bin/python{version}")]
        names += (home / ".local/share/uv/python").glob(f"cpython-{version}.*/bin/python{version}")
        names += beside.glob(f"*{version}.*/bin/python{version}")
        names += [f"{place}/python{version}" for place in ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")]
        names.append(sys.executable)
        for name in names:
            real = _executable(name, version)
            if real is not None:
                found[version] = real
                break
    return found


def _executable(name: str | Path | None, version: str) -> Path | None:
    if name is None or not Path(name).exists():
        return None
    ask = "import sys; print('%d.%d' % sys.version_info[:2]); print(sys._base_executable)"
    try:
        ran = subprocess.run([name, "-I", "-S", "-c", ask], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = ran.stdout.splitlines()
    return Path(lines[1]) if ran.returncode == 0 and len(lines) == 2 and lines[0] == version else None


def prepare() -> Path:
    """Make `.venv-build/` hold the packer, and `.venv-build/packed/` the packed packages; returns its interpreter.

    Raises:
        BuildError: no venv module, or the packages could not be fetched.
    """
    python = _venv_python(BUILD_VENV)
    mark = BUILD_VENV / "made-from"
    wanted = hashlib.sha256((PACKED + PACKER + sys.version).encode()).hexdigest()
    with _locked(ROOT / ".build.lock"):
        if mark.exists() and mark.read_text() == wanted and python.exists():
            return python
        _make_venv(BUILD_VENV)
        packed = BUILD_VENV / "packed"
        shutil.rmtree(packed, ignore_errors=True)
        _pip(python, PACKER)
        _pip(python, PACKED, "--target", str(packed))
        mark.write_text(wanted)
    return python


def _make_venv(where: Path) -> None:
    try:
        importlib.import_module("ensurepip")
    except ImportError:
        raise BuildError("this python3 has no venv with pip\n  Debian and Ubuntu:  apt install python3-venv") from None
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(where)], check=True)


def _venv_python(where: Path) -> Path:
    return where / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _pip_install(python: Path) -> list[str]:
    return [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]


def _pip(python: Path, requirements: str, *more: str) -> None:
    with tempfile.TemporaryDirectory() as tmp:
        listed = Path(tmp, "requirements.txt")
        listed.write_text(requirements)
        words = ["--no-deps", "--no-compile", "--only-binary", ":all:", "--require-hashes", "-r", str(listed), *more]
        ran = subprocess.run([*_pip_install(python), *words], capture_output=True, text=True)
    if ran.returncode != 0:
        names = ", ".join(line.split()[0] for line in requirements.splitlines())
        raise BuildError(f"pip could not install {names}; is a package index reachable?\n{ran.stderr.strip()}")


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Two builds in one checkout take turns (where the system has file locks)."""
    with path.open("w") as file:
        with contextlib.suppress(ImportError):
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def event_modules() -> list[Path]:
    """The modules an event may load, relative to src/."""
    files = (path.relative_to(SRC) for path in (SRC / "dreamwork_hooks").rglob("*.py"))
    return sorted(path for path in files if path.parts[1] not in (*COMMAND_ROOMS, "shapes.py"))


def stripped(source: str) -> str:
    """`source` without its annotations, and without the module-level imports that only they used.

    What is loaded for an event is compiled from this: importing `typing`, or `__future__` itself, would cost start-up.
    """
    tree = _WithoutAnnotations().visit(ast.parse(source))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            node.names = [name for name in node.names if (name.asname or name.name).partition(".")[0] in used]
    tree.body = [node for node in tree.body if not (isinstance(node, (ast.Import, ast.ImportFrom)) and not node.names)]
    return ast.unparse(ast.fix_missing_locations(tree))


def without_docstrings(source: str) -> str:
    """`source` without the docstrings that nothing reads, every other line where it was: an eighth of the archive.

    What has a decorator keeps its own: it is a command's help.
    """
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) or getattr(node, "decorator_list", []):
            continue
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            assert first.end_lineno is not None
            lines[first.lineno - 1 : first.end_lineno] = [" " * first.col_offset + '""'] + [""] * (
                first.end_lineno - first.lineno
            )
    return "\n".join(lines)


def write_stripped(room: str, into: Path) -> None:
    """Write a room of the package, and the ground it stands on, below `into` as the archive's bytecode has it: to see
    what it costs or loads."""
    for path in [*(SRC / "dreamwork_hooks").glob("*.py"), *(SRC / "dreamwork_hooks" / room).glob("*.py")]:
        (into / (SRC / path).relative_to(SRC).parent).mkdir(parents=True, exist_ok=True)
        (into / (SRC / path).relative_to(SRC)).write_text(stripped((SRC / path).read_text("utf-8")), "utf-8")
    if (SRC / RULES).parent.name == room:
        shutil.copy(SRC / RULES, into / RULES)


class _WithoutAnnotations(ast.NodeTransformer):
    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        self.generic_visit(node)
        return None if node.value is None else ast.Assign([node.target], node.value)


# Stored as they are, since an edit of any other file loads just these; the others are compressed.
ALWAYS_LOADED = (
    "",
    *(f"dreamwork_hooks{name}" for name in ("", ".event", ".event.door", ".event.posttooluse", ".jsonlite")),
)

# Run by each interpreter: argv is the names to store as they are and the names of the packages, standard input the
# sources; writes its tag and the bundle.
_COMPILE = r"""
import json, marshal, sys, zlib
stored, packages = sys.argv[1].split(","), sys.argv[2]
lines = "co_linetable" if sys.version_info >= (3, 10) else "co_lnotab"
def bare(code):
    # No line numbers: an event prints no traceback, and they are a third of the bytecode.
    inner = tuple(bare(const) if hasattr(const, "co_code") else const for const in code.co_consts)
    return code.replace(co_consts=inner, **{lines: b""})
codes = {}
for name, (file, source) in json.load(sys.stdin).items():
    # optimize=2: docstrings and asserts are not loaded at every event.
    codes[name] = marshal.dumps(bare(compile(source, file, "exec", dont_inherit=True, optimize=2)))
known = b"".join([codes[name] for name in sorted(stored)])
for name in codes:
    if name not in stored:
        deflate = zlib.compressobj(9, zdict=known)
        codes[name] = deflate.compress(codes[name]) + deflate.flush()
codes["packages"] = packages.encode()
out = sys.stdout.buffer
out.write(sys.implementation.cache_tag.encode() + b"\n" + b"dreamwork bundle" + marshal.dumps(codes))
"""


def bundle_for(interpreter: Path) -> tuple[str, bytes]:
    """(cache tag, bundle): what startup/bundle.py serves: the bytecode `interpreter` makes of the event path."""
    files = {"": Path("startup/bundle.py")}
    bundled = [path for path in event_modules() if not path.as_posix().endswith(FROM_SOURCE)]
    files.update({".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in bundled})
    packages = " ".join(name for name, path in files.items() if path.name == "__init__.py")
    sources = {name: (path.as_posix(), stripped((SRC / path).read_text("utf-8"))) for name, path in files.items()}
    # PYTHONHASHSEED: the order of a set's constants must not change from build to build.
    env = {"PYTHONHASHSEED": "0", "PATH": os.defpath}
    command = [str(interpreter), "-S", "-s", "-B", "-c", _COMPILE, ",".join(ALWAYS_LOADED), packages]
    given = json.dumps(sources).encode()
    ran = subprocess.run(command, env=env, input=given, stdout=subprocess.PIPE, check=True)
    tag, _, bundle = ran.stdout.partition(b"\n")
    return tag.decode(), bundle


def prefix(places: dict[str, tuple[int, int]]) -> bytes:
    """The archive's /bin/sh prefix, filled in.

    Args:
        places: cache tag -> (where its bundle begins, counted from the end of the file; its length); and the same of
            RULES.md.
    """
    sys.path.insert(0, str(SRC))
    cli = importlib.import_module("dreamwork_hooks.cli")
    hooks: dict[str, tuple[str, str, float]] = importlib.import_module("dreamwork_hooks").HOOKS
    text = (STARTUP / "prefix.sh").read_text("utf-8")
    text = text.replace("@COMMANDS@", "|".join([*cli.COMMANDS, *cli.OPTIONS]))
    text = text.replace("@HOOKS@", " ".join(f"{word}) hook={names[1]} ;;" for word, names in hooks.items()))
    listed = "{" + ", ".join(f'"{tag}": {place}' for tag, place in places.items()) + "}"
    boot = _for_the_shell("boot.py")
    boot = boot.replace("PLACES = {}  # type: dict[str, tuple[int, int]]", f"PLACES = {listed}")
    text = text.replace("@BOOT@", boot)
    text = text.replace("@BOOT_FAILED@", _for_the_shell("boot_failed.py"))
    return text.encode("ascii")


def _for_the_shell(name: str) -> str:
    program = (STARTUP / name).read_text("utf-8").split("# fmt: off")[1].strip()
    if "'" in program:
        raise BuildError(f"src/startup/{name} holds a single quote, which would end the shell's")
    return program


def pack(output: Path, interpreters: dict[str, Path]) -> None:
    """Write the archive. Runs inside `.venv-build/`, where shiv is."""
    builder = importlib.import_module("shiv.builder")
    environment = importlib.import_module("shiv.bootstrap.environment").Environment
    constants = importlib.import_module("shiv.constants")
    version = importlib.import_module("shiv").__version__
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not given.isdecimal() and given:
        raise BuildError(f"SOURCE_DATE_EPOCH is {given!r}; it is seconds since 1970, as a whole number")
    epoch = max(int(given or 0), 315532800)  # a zip begins in 1980
    date = time.gmtime(epoch)[:6]
    built_at = time.strftime(constants.BUILD_AT_TIMESTAMP_FORMAT, time.gmtime(epoch))
    env = environment(
        built_at, version, entry_point="dreamwork_hooks.cli.main:main", reproducible=True, compile_pyc=False
    )

    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".build-") as tmp:
        packed = Path(tmp, "packed")
        shutil.copytree(BUILD_VENV / "packed", packed, ignore=NOT_PACKED)
        shivs = Path(tmp, "shiv.pyz")
        builder.create_archive([packed], shivs, "/bin/sh", "dreamwork_hooks.cli.main:main", env, compressed=False)
        with zipfile.ZipFile(shivs) as archive:
            # Commands are imported where they lie: shiv's bootstrap, which unpacks them into a cache, has no use.
            packed_names = [name for name in archive.namelist() if not name.startswith(("__main__", "_bootstrap/"))]
            commands = {name: archive.read(name) for name in packed_names}

        commands["__main__.py"] = (STARTUP / "__main__.py").read_bytes()
        commands["bundle.py"] = (STARTUP / "bundle.py").read_bytes()
        on_event_path = set(event_modules())
        for path in (SRC / "dreamwork_hooks").rglob("*.py"):
            name = path.relative_to(SRC)
            # An event without bytecode for its interpreter runs what the bytecode is made of.
            source = stripped(path.read_text("utf-8")) if name in on_event_path else path.read_text("utf-8")
            commands[name.as_posix()] = without_docstrings(source).encode()
        commands.update((name, (SRC / name).read_bytes()) for name in DATA)
        bundles = dict(bundle_for(interpreter) for interpreter in interpreters.values())

        # Written twice: where the bundles lie, counted from the end, stands in the prefix before them.
        draft, written = Path(tmp, "draft"), Path(tmp, output.name)
        places = _write(draft, b"", commands, bundles, date)
        assert places == _write(written, prefix(places), commands, bundles, date)
        written.chmod(0o755)
        os.replace(written, output)


def _write(
    path: Path, before: bytes, commands: dict[str, bytes], bundles: dict[str, bytes], date: tuple[int, ...]
) -> dict[str, tuple[int, int]]:
    """Write `before` and the zip; returns tag -> (distance of its bundle from the end of the file, length), and so for
    RULES.md.
    """
    written = {}
    with path.open("wb") as file:
        file.write(before)
        with zipfile.ZipFile(file, "w") as archive:
            for name in sorted(commands):
                _add(archive, name, commands[name], date, zipfile.ZIP_DEFLATED)
                if name == RULES:
                    size = archive.getinfo(name).compress_size
                    written["RULES.md"] = (file.tell() - size, size)
            # Stored: read where they lie, and inflating would cost start-up.
            for tag in sorted(bundles):
                _add(archive, f"bytecode/{tag}", bundles[tag], date, zipfile.ZIP_STORED)
                written[tag] = (file.tell() - len(bundles[tag]), len(bundles[tag]))
        end = file.tell()
    return {name: (end - start, size) for name, (start, size) in written.items()}


def _add(archive: zipfile.ZipFile, name: str, data: bytes, date: tuple[int, ...], compression: int) -> None:
    entry = zipfile.ZipInfo(name, (date[0], date[1], date[2], date[3], date[4], date[5]))
    entry.create_system = 3  # Unix, also when built elsewhere; shiv takes modes from the disk, so they are set here
    entry.external_attr = 0o100644 << 16
    entry.compress_type = compression
    archive.writestr(entry, data, compresslevel=9)


def build(output: Path = OUTPUT) -> None:
    """Build the archive at `output` and say on stderr what it holds.

    Raises:
        BuildError: see `prepare`.
    """
    python = prepare()
    command = [str(python), "-I", str(Path(__file__).resolve()), "--pack", str(output)]
    subprocess.run(command, check=True)
    found = find_interpreters()
    missing = [version for version in supported_versions() if version not in found]
    with zipfile.ZipFile(output) as archive:
        entries = len(archive.namelist())
    digest = hashlib.sha256(output.read_bytes()).hexdigest()
    size = output.stat().st_size
    print(f"built {output}: {size} bytes, {entries} entries, sha256 {digest[:16]}…", file=sys.stderr)
    print(f"  bytecode for Python {', '.join(found)}", file=sys.stderr)
    if missing:
        print(f"  not found here, so slower to start there: Python {', '.join(missing)}", file=sys.stderr)


def test_python() -> Path:
    """The interpreter of `.venv-test/`, which holds nox and all that any of its sessions needs; installed when missing.

    One environment for all sessions: making nine of them would be a sixth of CI's time.

    Raises:
        BuildError: no venv module, or the packages could not be fetched.
    """
    python = _venv_python(TEST_VENV)
    mark = TEST_VENV / "made-from"
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    wanted = ["nox>=2024.4", PACKER.split()[0]]  # shiv: the benchmarks compare with what it packs by default
    for key in ("dependencies", "test", "check"):
        wanted += project.split(f"\n{key} = [", 1)[1].split("]", 1)[0].split('"')[1::2]
    made_from = "\n".join([sys.version, *wanted])
    with _locked(ROOT / ".build.lock"):
        if mark.exists() and mark.read_text() == made_from and python.exists():
            return python
        _make_venv(TEST_VENV)
        if subprocess.run([*_pip_install(python), *wanted]).returncode != 0:
            raise BuildError("pip could not install what the tests need; is a package index reachable?")
        mark.write_text(made_from)
    return python


def run_tests(words: list[str]) -> int:
    """Run all the tests, or what `words` tells nox to; returns its status."""
    command = [str(test_python()), "-m", "nox", "-f", str(ROOT / "noxfile.py"), *words]
    return subprocess.run(command, cwd=ROOT).returncode


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=OUTPUT, help="where to write the archive (default: dist/)")
    parser.add_argument(
        "--demo",
        action="store_true",
        help="build, then run the hooks on a sample target and show what happened",
    )
    parser.add_argument(
        "--test", nargs=argparse.REMAINDER, metavar="NOX-ARGUMENT", help="run all the tests, through nox"
    )
    parser.add_argument("--pack", type=Path, help=argparse.SUPPRESS)
    own, nox_words = argv, None
    if "--test" in argv:  # argparse would take nox's own `--` for itself
        at = argv.index("--test")
        own, nox_words = argv[:at], argv[at + 1 :]
    args = parser.parse_args(own)
    try:
        if args.pack is not None:
            pack(args.pack, find_interpreters())
        elif nox_words is not None:
            return run_tests(nox_words)
        else:
            build(args.output.resolve())
            if args.demo:
                sys.path.insert(0, str(ROOT))
                return int(importlib.import_module("tests.support.demo").main(args.output.resolve()))
    except BuildError as error:
        print(f"build.py: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"build.py: {error.cmd[0]} failed with status {error.returncode}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
