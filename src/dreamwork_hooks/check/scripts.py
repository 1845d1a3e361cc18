"""The files that a hook's command runs, looked at on the disk and never run."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dreamwork_hooks.check import shelltext
from dreamwork_hooks.check.shelltext import Remark
from dreamwork_hooks.contract.events import can_block
from dreamwork_hooks.files import Unreadable, read_regular
from dreamwork_hooks.settings.doubts import about_variables
from dreamwork_hooks.settings.shape import Handler
from dreamwork_hooks.settings.shellwords import simple_commands, without_assignments

LARGEST = 1 << 20  # bytes of a script that are looked at
_INTERPRETER = re.compile(
    r"(?:.*/)?((?:ba|da|z|k|a)?sh|python[0-9.]*|pypy[0-9.]*|node|nodejs|bun|deno|tsx|ts-node|ruby|perl|php|pwsh)(?:\.exe)?"
)
_RUNS_TEXT = re.compile(r"-\w*[cemE]\w*|--eval|--print|--module|-p")
_SHELLS = ("sh", "bash", "dash", "ksh", "zsh", "ash")
_PREFIXES = ("exec", "command", "nohup", "time", "builtin")
_BUILTINS = frozenset(
    {
        "!",
        "(",
        ".",
        ":",
        "[",
        "[[",
        "{",
        "}",
        "alias",
        "bg",
        "break",
        "case",
        "cd",
        "command",
        "continue",
        "declare",
        "do",
    }
    | {"done", "echo", "elif", "else", "esac", "eval", "exec", "exit", "export", "false", "fg", "fi", "for", "function"}
    | {"getopts", "hash", "if", "jobs", "kill", "let", "local", "printf", "pwd", "read", "readonly", "return", "select"}
    | {"set", "shift", "source", "test", "then", "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask"}
    | {"unalias", "unset", "until", "wait", "while"}
)
_SCRIPT_NAME = re.compile(r"[^\s]+\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|mts|rb|pl|php|ps1)")
_TOP = re.compile(r"\$\(git rev-parse --show-toplevel(?: 2>\s*/dev/null)?\)|`git rev-parse --show-toplevel`")


@dataclass(frozen=True)
class Script:
    """A file a handler runs: its path as written and on the disk, and by which interpreter ("": by itself)."""

    written: str
    path: str
    interpreter: str
    relative: bool
    judged: bool
    """Its absence was told by the judge of commands already."""


def program_words(handler: Handler) -> tuple[list[str], bool] | None:
    """The words of the one command a handler runs, and whether a `cd` stands before it; None for a chain."""
    if handler.args is not None:
        return [handler.command, *handler.args], False
    try:
        commands = simple_commands(_TOP.sub("${CLAUDE_PROJECT_DIR}", handler.command))
    except ValueError:
        return None
    moved = len(commands) == 2 and commands[0][:1] == ["cd"] and "&&" in handler.command
    if len(commands) != 1 and not moved:
        return None
    words = list(without_assignments(commands[-1]))
    while words and words[0] in _PREFIXES and words[1:] and not words[1].startswith("-"):
        words = words[1:]
    if words and words[0].endswith("/env") and words[1:] and not words[1].startswith("-") and "=" not in words[1]:
        words = words[1:]
    return (words, moved) if words else None


def script_of(handler: Handler, project: str, home: str) -> Script | None:
    """The file the handler's command runs, None where it runs none or that cannot be told."""
    read = program_words(handler)
    if read is None:
        return None
    words, moved = read
    if words[:2] == ["uv", "run"]:
        words = ["python", *(word for word in words[2:] if word != "--script")]
    interpreter = _INTERPRETER.fullmatch(words[0])
    if interpreter and words[0].split("/")[-1] != ".sh":
        name = interpreter[1]
        rest = words[1:]
        if name in ("bun", "deno") and rest[:1] == ["run"]:
            rest = rest[1:]
        for word in rest:
            if _RUNS_TEXT.fullmatch(word) or word in ("-s", "-", "--"):
                return None
            if not word.startswith("-"):
                return _script(word, name, handler, project, home, moved) if _names_a_file(word) else None
        return None
    return _script(words[0], "", handler, project, home, moved) if "/" in words[0] else None


def _names_a_file(word: str) -> bool:
    return "/" in word or _SCRIPT_NAME.fullmatch(word) is not None


def _script(word: str, interpreter: str, handler: Handler, project: str, home: str, moved: bool) -> Script | None:
    path = filled(word, handler, project, home)
    if path is None:
        return None
    relative = not os.path.isabs(path)
    if relative and moved:
        return None
    # The judge of commands knows absolute paths and the home directory, of Python's scripts and of programs.
    judged = not relative and word.startswith(("/", "~/", "$HOME/", "${HOME}/")) and interpreter[:2] in ("", "py")
    return Script(word, os.path.normpath(os.path.join(project, path)), interpreter, relative, judged)


def filled(word: str, handler: Handler, project: str, home: str) -> str | None:
    """A word with the variables whose value is known; None when another expansion is left."""
    values = {"CLAUDE_PROJECT_DIR": project, "PWD": project, "HOME": home}
    if handler.plugin_root is not None:
        values["CLAUDE_PLUGIN_ROOT"] = handler.plugin_root
    if handler.plugin_data is not None:
        values["CLAUDE_PLUGIN_DATA"] = handler.plugin_data
    for name, value in values.items():
        word = re.sub(rf"\$\{{{name}(?::?-[^}}]*)?\}}|\${name}\b", _constant(value), word)
    if word.startswith("~/"):
        word = home + word[1:]
    return None if re.search(r"[$`*?\0]", word) else word


def _constant(value: str) -> Callable[[object], str]:
    """A replacement that is taken as it is, whatever backslashes it holds."""
    return lambda _: value


def about_programs(handler: Handler, env: Mapping[str, str]) -> Iterator[Remark]:
    """Whether the program that the command begins with is on the PATH."""
    read = program_words(handler)
    if read is None or "/" in read[0][0] or re.search(r"[$`~*?\\%]", read[0][0]):
        return
    name = read[0][0]
    if handler.args is None and name in _BUILTINS:
        return
    if _missing(name, env.get("PATH", os.defpath)):
        said = f"{name} is not on the PATH of this machine, so nothing runs (exit 127)"
        yield Remark("command/program-missing", 1, said, "install it, or write its path out")


@lru_cache(maxsize=512)
def _missing(name: str, path: str) -> bool:
    return shutil.which(name, path=path) is None


@dataclass
class Looked:
    """A script that was read: its remarks, and what a shell would have to parse (interpreter, text)."""

    script: Script
    text: str = ""
    remarks: tuple[Remark, ...] = ()
    parsed_by: str = ""


def look(script: Script, event: str) -> Looked:
    """Look at one script. `remarks` with line 0 are about the command that names it, the others about the file."""
    remarks: list[Remark] = []
    if script.relative:
        remarks.append(_relative(script))
    try:
        raw = read_regular(script.path, LARGEST)
    except Unreadable as error:
        if error.absent and not script.judged:
            remarks.append(_absent(script, event))
        elif not error.absent and str(error) == "a directory":
            remarks.append(Remark("script/missing", 0, f"{script.written} is a directory", "name the file in it"))
        return Looked(script, remarks=tuple(remarks))
    if not script.interpreter and not os.access(script.path, os.X_OK):
        said = f"{script.written} is not executable, so nothing runs (exit 126)"
        remarks.append(Remark("script/not-executable", 0, said, f"chmod +x {script.written}"))
    if b"\0" in raw[:4096]:
        return Looked(script, remarks=tuple(remarks))
    text = raw.decode("utf-8", "replace")
    first, newline, _ = text.partition("\n")
    runs = _runs(script, first)
    shell = runs if runs in _SHELLS else ""
    if newline and first.endswith("\r") and (shell or not script.interpreter):
        said = "its lines end with CR LF, which " + ("the shell reads as part of the commands" if shell else
               "makes the interpreter's name end with a CR, so nothing runs")  # fmt: skip
        remarks.append(Remark("script/crlf", 1, said, "save it with LF line ends, and keep them so in .gitattributes"))
        return Looked(script, text, tuple(remarks))
    if not script.interpreter:
        remarks += _shebang(script, first)
    if shell:
        if shell in ("sh", "dash", "ash"):
            remarks += shelltext.bashisms(text)
        remarks += _about_shell_script(text, event)
    return Looked(script, text, tuple(remarks), shell if shell in ("sh", "bash", "dash") else "")


def _about_shell_script(text: str, event: str) -> Iterator[Remark]:
    yield from shelltext.dangers(text)
    yield from shelltext.log_before_answer(text)
    if can_block(event):
        yield from shelltext.skipped_guard(text)
    expanded = shelltext.blanked(text)[1]
    for doubt in about_variables(expanded):
        if doubt.rule == "command/variable-never-set":
            name = doubt.problem.split()[0]
            yield Remark(doubt.rule, expanded.count("\n", 0, expanded.find(name[1:])) + 1, doubt.problem, doubt.remedy)


def _relative(script: Script) -> Remark:
    said = f"{script.written} is looked for in the session's current directory, which changes with `cd`"
    return Remark("command/relative-path", 0, said, f'write "$CLAUDE_PROJECT_DIR"/{script.written}')


def _absent(script: Script, event: str) -> Remark:
    if script.interpreter[:2] == "py":
        blocks = ", which blocks" if can_block(event) else ""
        said = f"{script.written} is not there, and Python then exits with 2{blocks}"
    else:
        said = (
            f"{script.written} is not there, so nothing runs (exit {127 if not script.interpreter else 'other than 0'})"
        )
    return Remark("script/missing", 0, said, "put it back, or remove the handler")


def _runs(script: Script, first: str) -> str:
    """The name of what reads the script: the interpreter before it, or that of its first line."""
    if script.interpreter:
        return script.interpreter
    if not first.startswith("#!"):
        return "" if re.search(r"\.(?!sh$)\w+$", script.path) else "sh"
    words = first[2:].split()
    if words and words[0].endswith("/env"):
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return os.path.basename(words[0]) if words else ""


_INTERPRETED = re.compile(r".*\.(?:py|js|mjs|cjs|ts|mts|rb|pl|php)")


def _shebang(script: Script, first: str) -> Iterator[Remark]:
    if first.startswith("\ufeff"):
        yield Remark("script/shebang", 1, "a byte order mark stands before #!, so sh runs it", "save it without one")
        return
    if not first.startswith("#!"):
        if _INTERPRETED.fullmatch(script.path):
            said = "has no #! line, so sh reads it as a shell script"
            yield Remark(
                "script/shebang", 1, said, "begin it with #!/usr/bin/env and the interpreter, or name that before it"
            )
        return
    words: Sequence[str] = first[2:].split()
    if not words:
        yield Remark("script/shebang", 1, "its #! line names no interpreter", "name one")
    elif not words[0].startswith("/"):
        yield Remark("script/shebang", 1, f"{words[0]} in its #! line is no absolute path", "write #!/usr/bin/env NAME")
    elif words[0].endswith("/env"):
        if len(words) > 2 and not words[1].startswith("-") and os.name == "posix":
            said = "on Linux everything after env in a #! line is one program name"
            yield Remark("script/shebang", 1, said, "write env -S, or `set` the options in the script")
    elif not os.path.exists(words[0]):
        said = f"{words[0]}, which its #! line names, is not on this machine"
        yield Remark("command/program-missing", 1, said, "write #!/usr/bin/env NAME, or install it")
