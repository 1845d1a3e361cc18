"""Which files a hook's command line runs, as far as its words tell, and what of it cannot be told.

The line is read, never run. Where a word may mean two files both count; where nobody can tell what runs (another
program's own rules, an unknown variable, the network) a sentence says so: a gap.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dreamwork_hooks.host.spawning import filled_in
from dreamwork_hooks.settings.shape import COMMAND, HTTP, Handler
from dreamwork_hooks.settings.shellwords import (
    LAUNCHERS,
    PYTHON,
    SHELL,
    Simple,
    parsed,
    skip_options,
)

MOST_WORDS = 4000
"""Words of one hook that are followed."""
_MOST_TEXT = 200_000  # characters of one command line
_MOST_MEANINGS = 16  # of one word
_DEPTH = 6  # `sh -c "sh -c ..."`

_KEYWORDS = frozenset(
    {"if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "{", "}", "time", "esac"}
)
# Programs that run nothing but what stands on their command line, and of those the ones that only look at what they
# are given: of their files the bytes count, and not the directories.
_LOOKING_WORDS = """
[ [[ : awk basename cat chmod chown cmp comm cp cut date diff dirname du echo egrep expr false fgrep file fold gawk grep
gzip gunzip hash head hostname id install jq kill ln ls mapfile mawk md5sum mkdir mkfifo mktemp mv nl od paste pgrep
pkill printenv printf ps pwd read readarray readlink realpath rev rg rm rmdir sed seq sha1sum sha256sum sleep sort split
stat sync tail tee test touch tr true truncate tty type uname uniq wait wc which whoami yes
"""
_PLAIN_WORDS = """
alias bg break case continue declare exit export fg function getopts git jobs let local readonly return select set shift
shopt times typeset ulimit umask unalias unset
"""
_LOOKING = frozenset(_LOOKING_WORDS.split())
_PLAIN = _LOOKING.union(_PLAIN_WORDS.split())
_MAKING = frozenset({"mkdir", "mkfifo", "mktemp", "rm", "rmdir", "tee", "touch", "truncate"})
"""Of those, the ones whose words name what they make or remove."""
_SETTERS = frozenset({"export", "readonly", "declare", "local", "typeset"})
_INTERPRETERS: Mapping[str, tuple[str, ...]] = {
    "node": ("-e", "--eval", "-p", "--print", "-pe"),
    "nodejs": ("-e", "--eval", "-p", "--print"),
    "ruby": ("-e",),
    "perl": ("-e", "-E"),
    "php": ("-r",),
    "lua": ("-e",),
    "Rscript": ("-e",),
    "tsx": ("-e", "--eval"),
    "ts-node": ("-e", "--eval"),
    "osascript": ("-e",),
    "fish": ("-c",),
}
"""Interpreters of one script, beside Python and the shells: the options after which code stands."""
_LOADING = frozenset(
    {"-r", "--require", "--import", "--loader", "--experimental-loader", "-I", "--rcfile", "--init-file"}
)

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"[A-Za-z_]\w*|[0-9@*#?!$-]")
_BRACED = re.compile(r"\{([A-Za-z_]\w*|[0-9@*])(?:(:?[-=+?])(.*))?\}", re.DOTALL)
_MAGIC = re.compile(r"[*?\[]|\{[^{}]*,[^{}]*\}")
_PIECE = re.compile(r"[^\s:;,=|&<>()'\"]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_SYSTEM = ("/dev/", "/proc/", "/sys/")
_PROGRAMS = ("/bin/", "/usr/", "/sbin/", "/opt/", "/nix/", "/lib/", "/snap/", "/run/current-system/", "/etc/profiles/")


class TooMuch(Exception):
    """A hook names more than is followed; the text says what."""


@dataclass
class Followed:
    """What a hook runs. Paths are absolute; a path may be of nothing that is there yet."""

    files: dict[str, bool] = field(default_factory=dict)
    """Files that are named, and whether a person is shown that one is missing."""
    directories: dict[str, None] = field(default_factory=dict)
    """Directories that hold what runs."""
    gaps: dict[str, None] = field(default_factory=dict)
    """What is not covered, each as a sentence that begins with `what`."""
    bytecode: bool = False
    """Python is started so that it reads compiled files beside the sources whatever the environment says."""


def follow(handler: Handler, project: str, cwd: str, env: Mapping[str, str]) -> Followed:
    """What a hook of `project` runs when its event happens in `cwd`; `env` is that of the settings. Raises TooMuch."""
    walk = _Walk(project, cwd, env, handler.plugin_root)
    if handler.type == HTTP:
        walk.gap(f"what answers at {handler.url}")
    elif handler.type == COMMAND:
        root = handler.plugin_root
        if handler.args is None:
            walk.line(filled_in(handler.command, project=None, plugin_root=root, plugin_data=handler.plugin_data))
        else:
            words = (handler.command, *handler.args)
            data = handler.plugin_data
            walk.simple(Simple([filled_in(w, project=project, plugin_root=root, plugin_data=data) for w in words]))
    return walk.found


def follow_env(project: str, cwd: str, env: Mapping[str, str]) -> Followed:
    """The files and directories that the values of `env` name: a PATH, a preloaded library. Raises TooMuch."""
    walk = _Walk(project, cwd, {}, None)
    for name, value in env.items():
        walk.value(name, value)
    return walk.found


@dataclass
class _Value:
    """What a word or variable may stand for; `known` when it stands for nothing else."""

    texts: list[str]
    known: bool = True


class _Walk:
    def __init__(self, project: str, cwd: str, env: Mapping[str, str], plugin_root: str | None) -> None:
        self.project = os.path.realpath(project)
        self.cwds = [os.path.realpath(cwd)]
        self.visited = list(self.cwds)
        self.found = Followed()
        self.variables = {name: _Value([value]) for name, value in env.items()}
        self.variables["CLAUDE_PROJECT_DIR"] = _Value([project])
        self.variables["HOME"] = _Value([os.path.expanduser("~")])
        if plugin_root is not None:
            self.variables["CLAUDE_PLUGIN_ROOT"] = _Value([plugin_root])
        self.functions: set[str] = set()
        self.depth = 0
        self.steps = 0

    # -- lines

    def gap(self, sentence: str) -> None:
        self.found.gaps[sentence if len(sentence) <= 200 else sentence[:199] + "…"] = None

    def step(self, number: int = 1) -> None:
        self.steps += number
        if self.steps > MOST_WORDS:
            raise TooMuch(f"one hook names more than {MOST_WORDS} words")

    def line(self, text: str) -> None:
        if len(text) > _MOST_TEXT:
            raise TooMuch(f"one command line is longer than {_MOST_TEXT} characters")
        if self.depth >= _DEPTH:
            self.gap("what a command line within so many others runs")
            return
        try:
            simples = parsed(text)
        except ValueError as error:
            self.gap(f"what `{text}` runs, which cannot be taken apart ({error})")
            for piece in _PIECE.findall(text):
                self.argument(piece, looking=False)
            return
        self.depth += 1
        patterns = _case_patterns(simples)
        stack: list[list[str]] = []
        for at, simple in enumerate(simples):
            if at not in patterns:
                following = simples[at + 1] if at + 1 < len(simples) else Simple()
                if simple.after == "(" and len(simple.words) == 1 and following.after == ")" and not following.words:
                    self.functions.add(simple.words[0])
                else:
                    self.simple(simple)
                if simple.after == "(":
                    stack.append(list(self.cwds))
                elif simple.after == ")" and stack:
                    self.cwds = stack.pop()
        self.depth -= 1

    def simple(self, simple: Simple) -> None:
        """One simple command."""
        self.step(1 + len(simple.words))
        for operator, name in simple.files:
            if "<" in operator and "&" not in operator:
                self.argument(name, looking=True)
        self.command(simple.words, simple)

    def command(self, words: Sequence[str], simple: Simple) -> None:
        words = list(words)
        while words and words[0] in _KEYWORDS:
            words.pop(0)
        if words[:1] == ["for"] and len(words) > 1:
            self.loop(words)
            return
        alone = all(_ASSIGNED.fullmatch(word) for word in words)
        while words and (assigned := _ASSIGNED.fullmatch(words[0])):
            self.assign(assigned[1], assigned[2], exported=not alone)
            words.pop(0)
        if not words:
            return
        program = self.expand(words[0])
        if not program.known:
            self.gap(f"what `{words[0]}` stands for")
        arguments = words[1:]
        for text in dict.fromkeys(program.texts):
            self.program(text, arguments, simple)
        if not program.texts:
            for word in arguments:
                self.argument(word, looking=False)

    def loop(self, words: Sequence[str]) -> None:
        values = [self.expand(word) for word in words[3:]]
        texts = [text for value in values for text in value.texts]
        for word in words[3:]:
            self.argument(word, looking=False)
        self.variables[words[1]] = _Value(texts[:_MOST_MEANINGS], all(value.known for value in values))
        self.variables[words[1]].known &= len(texts) <= _MOST_MEANINGS

    def assign(self, name: str, text: str, *, exported: bool) -> None:
        value = self.expand(text)
        before = self.variables.get(name)
        texts = [*(before.texts if before else ()), *value.texts]
        self.variables[name] = _Value(list(dict.fromkeys(texts))[:_MOST_MEANINGS], value.known)
        for each in value.texts:
            self.value(name, each, likely=exported)

    def value(self, name: str, text: str, *, likely: bool = True) -> None:
        """The files and directories an environment variable's value names."""
        for piece in dict.fromkeys([text, *_PIECE.findall(text)]):
            self.step()
            for path in self.paths(piece.lstrip("@")):
                if os.path.isdir(path):
                    if (
                        "/" in piece
                        or name.upper().endswith(("PATH", "DIR", "LIB", "ROOT", "ENV", "HOME"))
                        or piece in (".", "..")
                    ):
                        self.tree(path, f"{name}={piece}")
                else:
                    self.file(path, shown="/" in piece and likely and _looks_like_path(piece), directory=likely)

    # -- programs

    def program(self, text: str, arguments: list[str], simple: Simple) -> None:
        """A command whose program is `text`, expanded."""
        name = os.path.basename(text)
        if "/" in text:
            self.runs(text)
        # What goes into a pipe, or into the line itself, may be run there.
        looking = name in _LOOKING and simple.after not in ("|", "|&") and self.depth < 2
        if name in ("cd", "pushd"):
            self.change_directory(arguments)
            return
        if name == "find":
            self.find(arguments, simple)
            return
        if name in _MAKING:
            for word in arguments:
                self.expand(word)
        elif name != "trap":
            for word in arguments:
                self.argument(word, looking=looking or name == "case" or (name == "git" and self.depth < 2))
        if name == "popd":
            return
        if name in (".", "source"):
            self.script(arguments[:1], "source")
        elif name in ("eval", "trap"):
            self.code(arguments if name == "eval" else arguments[:1], name)
        elif name in _SETTERS:
            for word in arguments:
                if assigned := _ASSIGNED.fullmatch(word):
                    self.assign(assigned[1], assigned[2], exported=True)
        elif name in LAUNCHERS or name in ("xargs", "builtin", "flock", "parallel"):
            self.launcher(name, arguments, simple)
        elif SHELL.fullmatch(name):
            self.shell(name, arguments, simple)
        elif PYTHON.fullmatch(name):
            self.python(name, arguments, simple)
        elif name in _INTERPRETERS:
            self.interpreter(name, arguments, simple)
        elif name == "run-parts":
            for word in arguments:
                if not word.startswith("-"):
                    self.trees(word, "run-parts")
        elif name in _PLAIN or name in self.functions or not name:
            return
        elif "/" in text and not any(path.startswith(_PROGRAMS) for path in self.paths(text)):
            return  # a script, which is covered itself
        elif not _MAGIC.search(name) and not self.on_path(name):
            self.gap(f"what `{' '.join([name, *arguments[:1]])}` runs")

    def on_path(self, name: str) -> bool:
        """Whether a program comes from a directory of the settings' own PATH, which is covered."""
        path = self.variables.get("PATH", _Value([]))
        folders = [folder for text in path.texts for folder in text.split(":") if folder]
        return any(self.below(found) for folder in folders for found in self.paths(os.path.join(folder, name))
                   if os.path.isfile(found))  # fmt: skip

    def change_directory(self, arguments: Sequence[str]) -> None:
        targets = [word for word in arguments if word == "-" or not word.startswith("-")]
        if targets[:1] == ["-"]:
            self.cwds = list(self.visited)
            return
        value = self.expand(targets[0] if targets else "~")
        if not value.known:
            self.gap(f"what lies in `{targets[0]}`")
        found = [path for text in value.texts for path in self.paths(text)]
        for path in found:
            self.found.files.setdefault(path, False)  # whether it is there decides where the rest runs
        there = [path for path in found if os.path.isdir(path)]
        stays = [] if there and value.known and len(there) == len(found) else self.cwds
        self.cwds = list(dict.fromkeys([*there, *found, *stays]))[:_MOST_MEANINGS]
        self.visited = list(dict.fromkeys([*self.visited, *self.cwds]))[:_MOST_MEANINGS]

    def find(self, arguments: Sequence[str], simple: Simple) -> None:
        at = next((at for at, word in enumerate(arguments) if word.startswith(("-", "(", "!"))), len(arguments))
        start = list(arguments[:at]) or ["."]
        runs = [n for n, word in enumerate(arguments) if word in ("-exec", "-execdir", "-ok", "-okdir")]
        for word in start:
            if runs or simple.after in ("|", "|&") or self.depth > 1:
                self.trees(word, "find")
        for n in runs:
            inner = list(arguments[n + 1 :])
            end = next((m for m, word in enumerate(inner) if word in (";", "+")), len(inner))
            self.command([word for word in inner[:end] if word != "{}"], Simple(document=""))
        for word in arguments[at:]:
            self.argument(word, looking=True)

    def code(self, words: Sequence[str], name: str) -> None:
        values = [self.expand(word) for word in words]
        if not all(value.known for value in values):
            self.gap(f"what `{name} {' '.join(words)}` runs")
        self.line(" ".join(value.texts[0] if value.texts else "" for value in values))

    def launcher(self, name: str, arguments: list[str], simple: Simple) -> None:
        rest = list(arguments)
        if name == "env":
            rest = self.env(rest)
        elif name == "xargs":
            rest = skip_options(rest, ("-I", "-n", "-L", "-P", "-d", "-E", "-s", "-a"))
            if rest and os.path.basename(rest[0]) not in _LOOKING:
                self.gap("what `xargs` is given")
            simple = Simple(document="")
        elif name == "command" and rest[:1] in (["-v"], ["-V"]):
            return
        elif name in ("flock", "parallel"):
            rest = skip_options(rest, ("-w", "-E", "-j"))[1 if name == "flock" else 0 :]
            if rest[:1] == ["-c"]:
                self.code(rest[1:2], "flock")
                return
        else:
            rest = skip_options(rest, LAUNCHERS.get(name, ()))
        while rest and _NUMBER.fullmatch(rest[0]):
            rest.pop(0)
        if rest:
            self.command(rest, simple)

    def env(self, words: list[str]) -> list[str]:
        """The command behind `env`."""
        rest = list(words)
        while rest and rest[0].startswith("-"):
            option, _, value = rest.pop(0).partition("=")
            if option in ("-C", "--chdir"):
                self.change_directory([value] if value else rest[:1])
            if option == "--chdir" and value:
                continue
            if option in ("-S", "--split-string") or option.startswith("-S"):
                text = value or (option[2:] if len(option) > 2 and option.startswith("-S") else "")
                self.line(" ".join([text, *rest]) if text else " ".join(rest))
                return []
            if option in ("-i", "-", "--ignore-environment"):
                self.found.bytecode = True
            if option in ("-u", "-C", "--unset", "--chdir") and rest:
                rest.pop(0)
        return rest

    def shell(self, name: str, arguments: Sequence[str], simple: Simple) -> None:
        rest = list(arguments)
        if name == "busybox" and rest[:1] and not SHELL.fullmatch(rest[0]):
            self.command(rest, simple)
            return
        if rest[:1] in (["sh"], ["ash"]) and name == "busybox":
            rest = rest[1:]
        while rest and rest[0].startswith(("-", "+")) and rest[0] != "-":
            option = rest.pop(0)
            if option in ("--rcfile", "--init-file"):
                self.script(rest[:1], name)
            if option in ("-o", "+o", "-O", "+O", "--rcfile", "--init-file") and rest:
                rest.pop(0)
            elif not option.startswith("--") and "c" in option[1:]:
                for at, word in enumerate(rest[1:]):
                    self.variables[str(at)] = self.expand(word)
                self.code(rest[:1], f"{name} -c")
                return
            elif not option.startswith("--") and "s" in option[1:]:
                rest = []
        if rest and rest[0] != "-":
            self.script(rest[:1], name)
        else:
            self.standard_input(name, simple, code=True)

    def python(self, name: str, arguments: Sequence[str], simple: Simple) -> None:
        rest = list(arguments)
        isolated = False
        while rest and rest[0].startswith("-") and rest[0] != "-":
            option = rest.pop(0)
            letters = "" if option.startswith("--") else option[1:]
            self.found.bytecode |= "E" in letters or "I" in letters
            isolated |= "I" in letters or "P" in letters
            if letters.endswith("m"):
                self.gap(f"what `{name} -m {rest[0] if rest else ''}` runs")
                return
            if "c" in letters:
                if not isolated:
                    self.gap(f"what `{name} -c` imports")
                return
            if letters in ("W", "X") or option == "--check-hash-based-pycs":
                rest = rest[1:]
        self.script_or_input(name, rest, simple)

    def interpreter(self, name: str, arguments: Sequence[str], simple: Simple) -> None:
        rest = list(arguments)
        while rest and rest[0].startswith("-") and rest[0] != "-":
            option, _, value = rest.pop(0).partition("=")
            if option in _INTERPRETERS[name] or (name == "perl" and "e" in option[1:]):
                self.gap(f"what `{name} {option}` loads")
                return
            if option in _LOADING:
                self.script([value] if value else rest[:1], name)
                rest = rest if value else rest[1:]
            elif option.startswith(("-M", "-I", "-r")) and len(option) > 2:
                self.script([option[2:]], name)
        self.script_or_input(name, rest, simple)

    def script_or_input(self, name: str, rest: Sequence[str], simple: Simple) -> None:
        if rest and rest[0] != "-":
            self.script(rest[:1], name)
        else:
            self.standard_input(name, simple, code=False)

    def standard_input(self, name: str, simple: Simple, *, code: bool) -> None:
        """What an interpreter without a script reads."""
        inputs = [file for operator, file in simple.files if operator in ("<", "<>", "0<")]
        if inputs:
            self.script(inputs[-1:], name)
        elif simple.document is not None:
            if code:
                self.code([simple.document], name)
            elif simple.document:
                self.gap(f"what the code given to `{name}` loads")
        else:
            self.gap(f"what `{name}` reads from its standard input")

    # -- words and files

    def script(self, words: Sequence[str], name: str) -> None:
        """A file that is run."""
        for word in words:
            value = self.expand(word)
            if not value.known:
                self.gap(f"what `{word}` stands for, which `{name}` runs")
            for text in value.texts:
                self.runs(text)

    def runs(self, text: str) -> None:
        """A program or script, expanded; a directory of one, or a pattern, counts whole."""
        for path in self.paths(text):
            if path.startswith(_SYSTEM):
                if path != os.devnull:
                    self.gap(f"what {path} is")
            elif os.path.isdir(path):
                self.tree(path, text)
            elif _MAGIC.search(text):
                self.pattern(text)
            else:
                self.file(path, shown=True, directory=True)

    def argument(self, word: str, *, looking: bool) -> None:
        """A word among others: what it names counts, and with what runs it also the directory of that."""
        value = self.expand(word)
        for text in value.texts:
            self.step()
            if _MAGIC.search(text) and "\n" not in text and not looking:
                self.pattern(text)
            pieces = [text, *(text.split("=", 1)[1:] if "=" in text else ())]
            if text.startswith("-") and len(text) > 2 and text[1] != "-":
                pieces.append(text[2:])
            for piece in pieces:
                for path in self.paths(piece):
                    if os.path.isdir(path):
                        if not looking and not piece.startswith("-") and self.below(path):
                            self.found.directories.setdefault(path, None)
                    else:
                        likely = "/" in piece and _looks_like_path(piece) and not piece.startswith("-")
                        self.file(path, shown=likely, directory=not looking)

    def pattern(self, text: str) -> None:
        """A glob: everything in the directory above its first special character."""
        magic = _MAGIC.search(text)
        if magic is None or "/" not in text:
            return
        self.trees(text[: magic.start()].rpartition("/")[0] or "/", text)

    def trees(self, word: str, name: str) -> None:
        value = self.expand(word)
        if not value.known:
            self.gap(f"what `{word}` stands for, which `{name}` looks through")
        for text in value.texts:
            for path in self.paths(text):
                self.tree(path, f"{name} {text}" if name != text else text)

    def tree(self, path: str, name: str) -> None:
        """A directory of which anything may run."""
        if self.below(path):
            self.found.directories[path] = None
        elif self.project == path or self.project.startswith(path.rstrip("/") + "/"):
            self.gap(f"what `{name}` finds in {path}")
        elif not (path + "/").startswith((*_PROGRAMS, *_SYSTEM)):
            self.found.directories[path] = None

    def file(self, path: str, *, shown: bool, directory: bool) -> None:
        if path.startswith(_SYSTEM) or path == "/":
            return
        self.found.files[path] = shown or self.found.files.get(path, False)
        if directory and os.path.isfile(path):
            parent = os.path.dirname(path)
            if parent == self.project or self.below(path):
                self.found.directories.setdefault(parent, None)
            elif not path.startswith(_PROGRAMS):
                self.gap(f"what {path} loads from beside itself")

    def below(self, path: str) -> bool:
        return path.startswith(self.project.rstrip("/") + "/")

    def paths(self, text: str) -> list[str]:
        """Absolute paths a word stands for, one for each directory the command may be in."""
        if not text or "\0" in text or "\n" in text or len(text) > 4096:
            return []
        try:
            os.fsencode(text)
        except UnicodeEncodeError:  # a lone surrogate: no file can be called so
            return []
        if text.startswith("~"):
            text = os.path.expanduser(text)
        found = [os.path.normpath(os.path.join(cwd, text)) for cwd in self.cwds]
        # Where a directory on the way is a link, `..` leads elsewhere than the letters say.
        if ".." in text:
            found += [os.path.realpath(os.path.join(cwd, text)) for cwd in self.cwds]
        return list(dict.fromkeys(found))

    def expand(self, word: str) -> _Value:
        """What a word may stand for."""
        if "$" not in word and "`" not in word:
            return _Value([word])
        texts, known, at = [""], True, 0
        while at < len(word):
            if word[at] == "`" or word.startswith("$(", at):
                end = _end(word, at)
                inner = word[at + 1 : end - 1] if word[at] == "`" else word[at + 2 : end - 1]
                value, at = self.substitution(inner), end
            elif word[at] == "$" and (braced := _braced(word, at + 1)):
                value, at = self.braced(braced), at + 1 + len(braced)
            elif word[at] == "$" and (name := _VARIABLE.match(word, at + 1)):
                value, at = self.variable(name[0]), name.end()
            else:
                stop = next((n for n in range(at + 1, len(word)) if word[n] in "$`"), len(word))
                value, at = _Value([word[at:stop]]), stop
            known = known and value.known
            texts = list(dict.fromkeys(a + b for a in texts for b in value.texts))
            if len(texts) > _MOST_MEANINGS:
                texts, known = texts[:_MOST_MEANINGS], False
        return _Value(texts, known)

    def variable(self, name: str) -> _Value:
        if name == "PWD":
            return _Value(list(self.cwds))
        return self.variables.get(name, _Value([], known=False))

    def braced(self, text: str) -> _Value:
        found = _BRACED.fullmatch(text)
        if found is None:
            return _Value([], known=False)
        value = self.variable(found[1])
        if found[2] in (":-", "-", ":=", "="):
            other = self.expand(found[3])
            return _Value(list(dict.fromkeys([*value.texts, *other.texts])), bool(value.texts) or other.known)
        if found[2] in (":+", "+"):
            other = self.expand(found[3])
            return _Value(["", *other.texts], other.known)
        return value

    def substitution(self, text: str) -> _Value:
        """What a command substitution prints, where that can be told."""
        before = list(self.cwds)
        self.line(text)
        inside, self.cwds = self.cwds, before
        try:
            words = [simple.words for simple in parsed(text) if simple.words]
        except ValueError:
            return _Value([], known=False)
        last = words[-1] if words else []
        rest = [word for word in last[1:] if not word.startswith("-")]
        if last[:1] == ["pwd"]:
            return _Value(inside)
        if len(words) > 1 or not last:
            return _Value([], known=False)
        if last[0] == "git" and "--show-toplevel" in last:
            here = [path for n, word in enumerate(last) if word == "-C" for text in self.expand(last[n + 1]).texts
                    for path in self.paths(text)] if "-C" in last[:-1] else before  # fmt: skip
            return _Value(list(dict.fromkeys([*(top for path in here for top in _toplevels(path)), self.project])))
        if last[0] == "dirname" and rest:
            value = self.expand(rest[0])
            return _Value([os.path.dirname(path) or "." for path in value.texts], value.known)
        if last[0] in ("realpath", "readlink") and rest:
            value = self.expand(rest[-1])
            return _Value([os.path.realpath(path) for each in value.texts for path in self.paths(each)], value.known)
        if last[0] == "echo":
            return self.expand(" ".join(rest))
        if last[0] in ("which", "command", "type") and rest:
            return self.expand(rest[-1])
        return _Value([], known=False)


def _case_patterns(simples: Sequence[Simple]) -> set[int]:
    """Which simple commands are the patterns of a `case` rather than commands."""
    found: set[int] = set()
    depth, start = 0, -1
    for at, simple in enumerate(simples):
        if simple.words[:1] == ["case"]:
            start = at + 1
        if simple.after == "(":
            depth += 1
        elif simple.after == ")":
            if depth:
                depth -= 1
            elif start >= 0:
                found.update(range(start, at + 1))
        if simple.after == ";;":
            start = at + 1
    return found


def _braced(word: str, at: int) -> str:
    """The `{...}` that begins at `at`, empty where there is none."""
    if word[at : at + 1] != "{":
        return ""
    depth = 0
    for index in range(at, len(word)):
        depth += {"{": 1, "}": -1}.get(word[index], 0)
        if depth == 0:
            return word[at : index + 1]
    return ""


def _end(word: str, at: int) -> int:
    """Past the substitution that begins at `at`."""
    if word[at] == "`":
        close = word.find("`", at + 1)
        return len(word) + 1 if close < 0 else close + 1
    depth = 0
    for index in range(at + 1, len(word)):
        depth += {"(": 1, ")": -1}.get(word[index], 0)
        if depth == 0:
            return index + 1
    return len(word) + 1


def _toplevels(path: str) -> Iterable[str]:
    """The directory git would call the top, seen from `path`; none where nothing above it has a `.git`."""
    while True:
        if os.path.lexists(os.path.join(path, ".git")):
            return [path]
        parent = os.path.dirname(path)
        if parent == path:
            return []
        path = parent


def _looks_like_path(word: str) -> bool:
    """Whether a person would take a word for a path, so that a missing one is worth showing."""
    if word.startswith(("//", "s/", "-")) or word.endswith("/"):
        return False
    return not any(letter in word for letter in " \n*?$`:\\^|{}()[]<>\"'!#%&;,")
