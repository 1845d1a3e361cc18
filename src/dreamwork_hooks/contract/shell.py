"""Shell command rules: `Bash(git *)` held against a command line, as measured.

The rule holds when it matches one of the line's simple commands, written as its unquoted words with single spaces.
Where the line cannot be taken apart it holds to be sure; where only an expansion is unknown, a rule that names nothing
but the program (`git *`, `git:*`) is still judged, and every other one holds to be sure.

A command line is taken apart the way the client does it. That is not a shell: what the client follows is followed
(lists, pipes, `if`, loops, substitutions, quotes, redirections), and where it gives up and runs the hook to be sure,
`Opaque` is raised.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dreamwork_hooks.contract.permission_rule import matches_stars

_PROGRAM_RULE = re.compile(r"[^\s*]*(?:\*| \*|:\*)")


def holds(pattern: str, command: str) -> bool | None:
    """Whether a rule's pattern matches a command line; None when that cannot be told."""
    try:
        found = parse(command)
    except (Opaque, RecursionError):
        return None
    wanted = " ".join(pattern.split())
    for words in found.commands:
        if _matches(wanted, " ".join(words)):
            return True
        # What xargs runs is looked at, unless options stand between.
        if words[0] == "xargs" and len(words) > 1 and _matches(wanted, " ".join(words[1:])):
            return True
    if found.unsure and not _PROGRAM_RULE.fullmatch(pattern):
        return None
    return False


def _matches(pattern: str, command: str) -> bool:
    for ending in (":*", " *"):
        if pattern.endswith(ending) and pattern.count("*") == 1:
            rest = command[len(pattern) - 2 :]
            return command.startswith(pattern[:-2]) and (not rest or rest[0].isspace())
    return matches_stars(pattern, command)


KNOWN_VARIABLE = "\ue000"
"""Stands for `$HOME`: it makes nothing unsure, but is not its own text either."""

_DEPTH = 20  # substitutions within each other: all that is inside is read once for each
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)[^{}]*\}")
_OPERATORS = ("&&", "||", "|&", ";;", ";", "|", "&", "(", ")")
_REDIRECTIONS = ("&>>", "&>", "<<<", ">>", ">&", ">|", "<&", "<>", "<", ">")
_SKIPPED = frozenset({"if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!"})
_OPAQUE_WORDS = frozenset({"case", "select", "function", "{", "}"})


class Opaque(Exception):
    """The command line cannot be told apart: every rule holds."""


@dataclass
class Parsed:
    """The simple commands, each as its unquoted words. `unsure`: an expansion might make other words of it."""

    commands: list[list[str]] = field(default_factory=list)
    unsure: bool = False


@dataclass
class _Token:
    operator: str = ""
    text: str = ""
    quoted: bool = False
    expands: bool = False
    """Holds an unknown variable or a substitution."""


def parse(command: str, depth: int = 0) -> Parsed:
    """Take a command line apart. Raises Opaque."""
    if len(command) > 100_000 or depth > _DEPTH:
        raise Opaque
    lexer = _Lexer(command)
    found = _Parser(lexer.tokens(), lexer.loop_names()).parsed()
    for inner in lexer.substitutions:
        deeper = parse(inner, depth + 1)
        found.commands.extend(deeper.commands)
        found.unsure |= deeper.unsure
    found.unsure |= lexer.unsure
    return found


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.substitutions: list[str] = []
        self.unsure = False
        self.variables: set[str] = set()
        self._found: list[_Token] = []

    def loop_names(self) -> set[str]:
        """Variables used here: a loop over one of them makes the line opaque."""
        return self.variables

    def tokens(self) -> list[_Token]:
        text = self.text
        while self.at < len(text):
            letter = text[self.at]
            if letter in " \t":
                self.at += 1
            elif text.startswith("\\\n", self.at):
                self.at += 2
            elif letter == "\n":
                self._found.append(_Token("\n"))
                self.at += 1
            elif letter == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif not self._redirection() and not self._operator():
                self._found.append(self._word())
        return self._found

    def _operator(self) -> bool:
        for operator in _OPERATORS:
            if self.text.startswith(operator, self.at):
                if self.text.startswith("((", self.at):
                    raise Opaque
                self._found.append(_Token(operator))
                self.at += len(operator)
                return True
        return False

    def _redirection(self) -> bool:
        text, at = self.text, self.at
        digits = re.compile(r"\d+(?=[<>])").match(text, at)
        start = digits.end() if digits else at
        for operator in _REDIRECTIONS:
            if not text.startswith(operator, start):
                continue
            after = start + len(operator)
            if operator == "<" and text.startswith("<<", start):
                raise Opaque  # a heredoc
            if operator in "<>" and text.startswith("(", after):
                raise Opaque  # a process substitution
            self.at = after
            while self.text[self.at : self.at + 1] in (" ", "\t"):
                self.at += 1
            if self.at < len(text) and text[self.at] not in "\n;|&<>()" and self._word().expands:
                raise Opaque
            return True
        return False

    def _word(self) -> _Token:
        token = _Token()
        out: list[str] = []
        start = self.at
        text = self.text
        while self.at < len(text):
            letter = text[self.at]
            if letter in " \t\n;|&<>()":
                break
            if letter.isspace():
                raise Opaque  # a space that is none to the shell
            if letter == "\\":
                self._escape(out)
            elif letter == "'":
                self._single(out, token)
            elif letter == '"':
                self._double(out, token, start)
            elif letter == "$":
                self._dollar(out, token, start)
            elif letter == "`":
                self._backtick(token, start)
            else:
                out.append(letter)
                self.at += 1
        bare = text[start : self.at]
        if not token.quoted and _BRACES.search(bare):
            raise Opaque
        token.text = "".join(out)
        return token

    def _escape(self, out: list[str]) -> None:
        after = self.text[self.at + 1 : self.at + 2]
        if after in (" ", "\t"):
            raise Opaque
        if after != "\n":
            out.append(after)
        self.at += 2

    def _single(self, out: list[str], token: _Token) -> None:
        end = self.text.find("'", self.at + 1)
        if end < 0:  # left open, the quote is a letter
            out.append(self.text[self.at :])
            self.at = len(self.text)
            return
        token.quoted = True
        out.append(self.text[self.at + 1 : end])
        self.at = end + 1

    def _double(self, out: list[str], token: _Token, start: int) -> None:
        token.quoted = True
        opened = self.at
        self.at += 1
        text = self.text
        while self.at < len(text) and text[self.at] != '"':
            letter = text[self.at]
            if letter == "\\":
                out.append(text[self.at + 1 : self.at + 2])
                self.at += 2
            elif letter == "$":
                self._dollar(out, token, start, opened)
            elif letter == "`":
                self._backtick(token, start)
            else:
                out.append(letter)
                self.at += 1
        if self.at >= len(text):
            raise Opaque
        self.at += 1

    def _dollar(self, out: list[str], token: _Token, start: int, opened: int | None = None) -> None:
        text, at = self.text, self.at
        alone = opened is None or at == opened + 1
        if text.startswith("$((", at):
            end = text.find("))", at)
            if end < 0:
                raise Opaque
            self.at = end + 2
            out.append(KNOWN_VARIABLE)
        elif text.startswith("$(", at):
            self.at = _closing(text, at + 1)
            self.substitutions.append(text[at + 2 : self.at - 1])
            whole = opened is None or (alone and text.startswith('"', self.at))
            self._expansion(token, start, certain=not whole)
        elif text.startswith(("${", "$'", "$[", '$"'), at) and not (opened is not None and text[at + 1] in "'\""):
            raise Opaque
        else:
            self._variable(out, token, start, opened)

    def _variable(self, out: list[str], token: _Token, start: int, opened: int | None) -> None:
        match = _NAME.match(self.text, self.at + 1)
        if match is None:
            out.append("$")
            self.at += 1
            return
        first = self.at == start or (opened == start and self.at == start + 1)
        whole = opened is not None and self.at == opened + 1 and self.text.startswith('"', match.end())
        self.at = match.end()
        if match[0] == "HOME":
            out.append(KNOWN_VARIABLE)
            return
        self.variables.add(match[0])
        if whole or (first and self._at_command()):
            raise Opaque
        self._expansion(token, start, certain=opened is not None)

    def _backtick(self, token: _Token, start: int) -> None:
        end = self.text.find("`", self.at + 1)
        if end < 0:
            raise Opaque
        self.substitutions.append(self.text[self.at + 1 : end])
        self.at = end + 1
        self._expansion(token, start, certain=False)

    def _expansion(self, token: _Token, start: int, *, certain: bool) -> None:
        token.expands = True
        # The value of an assignment makes no words; nor does a substitution amid other quoted text.
        if not certain and not _ASSIGNMENT.match(self.text, start):
            self.unsure = True

    def _at_command(self) -> bool:
        """Whether the word being read is a command's name."""
        for token in reversed(self._found):
            if token.operator:
                return True
            if token.text not in _SKIPPED and not _ASSIGNMENT.match(token.text):
                return False
        return True


class _Parser:
    def __init__(self, tokens: list[_Token], variables: set[str]) -> None:
        self.tokens = tokens
        self.variables = variables

    def parsed(self) -> Parsed:
        found = Parsed()
        words: list[str] = []
        expects = False  # a separator stood where a command must
        began = False
        at = 0
        while at < len(self.tokens):
            token = self.tokens[at]
            at += 1
            if not token.operator:
                if not words and not token.quoted and token.text in _OPAQUE_WORDS:
                    raise Opaque
                if not words and not token.quoted and token.text == "for":
                    at = self._loop(at)
                    began = True
                    continue
                if not words and not token.quoted and token.text in _SKIPPED:
                    began = True
                    continue
                words.append(token.text)
                began = True
                continue
            if token.operator == "(":
                if words:
                    raise Opaque  # a function or a list
                at = self._subshell(at, found)
                began = True
                continue
            if token.operator == ")":
                raise Opaque
            if token.operator != "\n" and not words and not began:
                raise Opaque
            if words:
                found.commands.append(words)
                words = []
            expects = token.operator in ("&&", "||", "|", "|&")
            began = began or not expects
        if words:
            found.commands.append(words)
        elif expects:
            raise Opaque
        found.commands = [bare for bare in (_bare(each) for each in found.commands) if bare]
        return found

    def _loop(self, at: int) -> int:
        """Past the head of a `for`; its variable, used anywhere, makes the line opaque."""
        if at >= len(self.tokens) or self.tokens[at].text in self.variables:
            raise Opaque
        while at < len(self.tokens) and self.tokens[at].operator not in (";", "\n"):
            at += 1
        return at + 1

    def _subshell(self, at: int, found: Parsed) -> int:
        """One simple command in parentheses is followed; more of them are not."""
        words: list[str] = []
        while at < len(self.tokens) and not self.tokens[at].operator:
            words.append(self.tokens[at].text)
            at += 1
        if at >= len(self.tokens) or self.tokens[at].operator != ")":
            raise Opaque
        found.commands.append(words)
        return at + 1


def _bare(words: list[str]) -> list[str]:
    """Without the assignments before it, and without the end of a `[[ ]]`."""
    at = 0
    while at < len(words) and _ASSIGNMENT.match(words[at]):
        at += 1
    return words[at:-1] if words[at:] and words[at] == "[[" and words[-1] == "]]" else words[at:]


def _closing(text: str, at: int) -> int:
    """Past the parenthesis that closes the one at `at`; quotes are minded."""
    depth = 0
    quote = ""
    while at < len(text):
        letter = text[at]
        if letter == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    raise Opaque
