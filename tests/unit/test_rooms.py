"""Who may know whom, and what no event may import."""

from __future__ import annotations

import ast
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.archive import stripped
from tests.conftest import ROOT
from tests.support.dear import DEAR

PACKAGE = ROOT / "src" / "dreamwork_hooks"
# room -> the rooms it may know. What lies beside the rooms (files, JSON, secrets, errors) is the ground all stand on.
MAY_KNOW: dict[str, set[str]] = {
    "contract": set(),
    "ledger": set(),
    "evidence": set(),
    "targets": set(),
    "memory": {"evidence", "ledger", "targets"},
    "settings": {"contract"},
    "processes": {"contract"},
    "check": {"contract", "processes", "settings"},
    "event": {"evidence", "ledger", "memory", "targets"},
    "host": {"contract", "processes", "settings"},
    "history": {"contract", "evidence", "host", "processes", "settings"},
    "install": {"contract", "processes", "settings"},
    "doctor": {
        "check",
        "contract",
        "event",
        "history",
        "install",
        "ledger",
        "memory",
        "processes",
        "settings",
        "targets",
    },
}
MAY_KNOW["cli"] = set(MAY_KNOW)
EVENT_PATH = ("event", "evidence", "ledger", "memory", "targets")
GROUND = ("errors", "files", "jsonlite", "quoting", "rulebook", "secrets", "shapes")


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    """A module's room; empty for what lies beside the rooms."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def imports(tree: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """The absolute names that are imported, anywhere in the module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports are not used here"
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node


def run_when_loaded(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements at the top of a module and in the `try` there; its `except ImportError` is the last resort."""
    for node in tree.body:
        yield from node.body if isinstance(node, ast.Try) else [node]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_knows_only_whom_it_may(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    room = room_of(path)
    allowed = {*MAY_KNOW[room], room, *GROUND} if room else set(GROUND)
    for name, node in imports(tree):
        known = name.split(".")[1] if name.startswith("dreamwork_hooks.") else ""
        if not (PACKAGE / known).is_dir() and not (PACKAGE / f"{known}.py").exists():
            continue  # a fact of the package itself
        if path.name in ("door.py", "__main__.py") and known == "cli":
            continue  # the answer to a person who typed a wrong command; and `python -m`
        assert not known or known in allowed, f"line {node.lineno}: {room} imports {name}"


def loaded_with(tree: ast.Module) -> Iterator[str]:
    """The names that are imported while the module is loaded: not inside a function, nor for types alone."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (name for name, _ in imports(ast.Module([node], [])))
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


def circles(known: dict[str, set[str]]) -> set[str]:
    """The modules that are part of an import circle, or import one: what is left when those that need nothing go."""
    left = dict(known)
    while free := [name for name, needs in left.items() if not needs & set(left)]:
        for name in free:
            del left[name]
    return set(left)


def test_no_modules_import_each_other_in_a_circle_when_loaded() -> None:
    names = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in modules()
    }
    known: dict[str, set[str]] = {}
    for module, path in names.items():
        imported = set(loaded_with(ast.parse(path.read_text("utf-8"))))
        known[module] = {name if name in names else name.rpartition(".")[0] for name in imported} - {module}
    assert len(set.union(*known.values()) & set(names)) > 100  # that the names are those of modules is seen here
    assert circles(known) == set()


def test_a_circle_is_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"e"}, "e": set()}) == {"a", "b", "c"}


def test_the_rooms_are_all_named_and_few_modules_lie_beside_them() -> None:
    assert {room_of(path) for path in modules()} == {"", *MAY_KNOW}
    assert {path.stem for path in modules() if not room_of(path)} == {"__init__", "__main__", *GROUND}
    assert len(GROUND) < 8


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in modules()
        if room_of(path) in EVENT_PATH or path.stem in ("__init__", "files", "jsonlite", "quoting", "secrets")
    ],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_the_event_path_imports_nothing_dear_where_it_is_loaded(path: Path) -> None:
    """At the top of a module; inside a function, where it is the last resort, it is seen by who runs it."""
    tree = ast.parse(stripped(path.read_text("utf-8")))
    for node in run_when_loaded(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name, _ in imports(ast.Module([node], [])):
                assert name.split(".")[0] not in DEAR, f"line {node.lineno}: {name}"


# Who may open a file beside `files` and `settings.writing`, which are all of it, and why.
OPENERS = {
    "cli/main.py": "gives a standard output whose reader went away a place to go",
    "event/door.py": "gives standard streams that are closed a place to go, before anything is imported",
}
OPENS_A_FILE = {"open", "open_code", "read_text", "read_bytes", "write_text", "write_bytes"}
OPENS_NO_PATH = ("self.open", "state.open", "opener.open")  # the state directory's, which is of `files`; and a URL's


def opened_files(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The calls that open a file by its path, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            name = (
                called.attr if isinstance(called, ast.Attribute) else ""
            )  # a plain name is of the module, or imported
            if (name in OPENS_A_FILE or ast.unparse(called) == "open") and ast.unparse(called) not in OPENS_NO_PATH:
                yield ast.unparse(called), node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module in ("os", "io", "posix"):
            yield from (
                (f"{node.module}.{alias.name}", node.lineno) for alias in node.names if alias.name in OPENS_A_FILE
            )


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_opens_a_file_but_the_one_place(path: Path) -> None:
    if path.relative_to(PACKAGE).as_posix() not in ("files.py", "settings/writing.py", *OPENERS):
        assert list(opened_files(ast.parse(path.read_text("utf-8")))) == []


def test_whoever_is_excused_from_the_one_place_still_opens_a_file() -> None:
    for name in OPENERS:
        assert list(opened_files(ast.parse((PACKAGE / name).read_text("utf-8")))), name


OLDER = [f"src/startup/{name}.py" for name in ("boot", "boot_failed", "__main__")]
OLDER += ["src/dreamwork_hooks/__init__.py"]
PYENV = Path.home() / ".pyenv" / "versions"


@pytest.mark.parametrize("version", ["2.7", "3.4", "3.6", "3.7", "3.8"])
@pytest.mark.parametrize("name", OLDER)
def test_what_an_older_interpreter_reads_parses_there(name: str, version: str) -> None:
    found = [str(path) for path in (*PYENV.glob(f"{version}.*/bin/python"), shutil.which(f"python{version}")) if path]
    found = [path for path in found if subprocess.run([path, "-S", "-c", ""], capture_output=True).returncode == 0]
    if not found:  # a version manager's shim may be there without the version
        pytest.skip(f"no Python {version} on this machine; it is only told that it is too old")
    program = "import sys; compile(open(sys.argv[1], 'rb').read(), sys.argv[1], 'exec')"
    ran = subprocess.run([found[0], "-S", "-c", program, ROOT / name], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
