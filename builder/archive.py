"""The archive: a shell prefix, bytecode for each interpreter, our package, and beside it what shiv packs.

shiv collects and orders the files of the packed packages (`site-packages/`) and writes `environment.json`, so that
`shiv-info` reads the archive. No more of it is used, and here is why. Its bootstrap unpacks everything into a cache
below the home before the first line of ours runs: a hook would write before it may, wait for a lock, trust what others
could have changed since, and start many times slower (`python -m benchmarks` measures a default shiv beside ours).
Its `#!` line cannot say where a bundle lies, nor answer where no interpreter starts; its entries have the modes of the
build machine. So the file is written here: our prefix, our package where an event imports it, the bundles, and what
shiv made of the rest.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from builder.environments import BUILD_VENV, ROOT, BuildError

SRC = ROOT / "src"
STARTUP = SRC / "startup"

# Of the packed packages: what pip leaves behind, and what only their own tests use. Their licences stay.
NOT_PACKED = shutil.ignore_patterns("bin", "RECORD", "INSTALLER", "REQUESTED", "METADATA", "WHEEL", "testing.py")

# All other rooms run for an event and get bytecode for every supported interpreter; commands are compiled as they run.
COMMAND_ROOMS: tuple[str, ...] = ("cli", "contract", "doctor", "history", "host", "install", "processes", "settings")
COMMAND_ROOMS += ("check", "__main__.py", "errors.py")
# Compiled when they are loaded, which is seldom: evidence, restoring and the audit once a compaction and on request,
# the ledger's for a line that looks wrong or a comment, the core lint beside a whole interpreter. 150 KB of the archive
# for 5 to 20 ms.
_EVIDENCE = ("failing_tests", "gather", "numbers", "transcript", "whose")
FROM_SOURCE = (
    *(f"evidence/{name}.py" for name in _EVIDENCE),
    *("ledger/meant.py", "ledger/ignored.py", "event/corelint.py"),
    *("event/postcompact.py", "event/sessionstart.py", "memory/audit.py"),
)

# Data that an event reads where it lies in the archive, once for all interpreters.
RULES = "dreamwork_hooks/ledger/RULES.md"
# What the package reads beside its modules; pyproject.toml names the same for pip.
DATA = (RULES, "dreamwork_hooks/check/RULES.md", "dreamwork_hooks/contract/events.txt", "dreamwork_hooks/SKILL.md")


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
    names = {"co_qualname": code.co_name} if sys.version_info >= (3, 11) else {}
    return code.replace(co_consts=inner, co_filename="", **{lines: b""}, **names)
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
    facts = importlib.import_module("dreamwork_hooks")
    hooks: dict[str, tuple[str, str, float]] = facts.HOOKS
    text = (STARTUP / "prefix.sh").read_text("utf-8")
    text = text.replace("@COMMANDS@", "|".join([*facts.COMMANDS, *facts.OPTIONS, "--color=*"]))
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
        # Of the packed packages too: a third of them is docstrings.
        for packed_name in [packed_name for packed_name in commands if packed_name.endswith(".py")]:
            commands[packed_name] = without_docstrings(commands[packed_name].decode()).encode()

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
