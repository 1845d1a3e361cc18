"""What can be told from a command line or a shell script by reading it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEREDOC = re.compile(r"(?<!<)<<(?!<)-?\s*(['\"\\]?)(\w+)\1")
_START = r"(?:^|[;&|({!\n]|\b(?:then|do|else|if|while|elif)\b)[ \t]*"


@dataclass(frozen=True)
class Remark:
    """One thing found: the rule's name, the line in the text (from 1), what is wrong and what to do."""

    rule: str
    line: int
    problem: str
    remedy: str


def blanked(text: str) -> tuple[str, str]:
    """`text` without what is quoted, and without what is in single quotes, each as long as it was.

    Comments and here-documents are blank in both, newlines stay. What is in double quotes is still expanded.
    """
    bare, expanded = list(text), list(text)
    at, size = 0, len(text)
    documents: list[str] = []

    def blank(start: int, end: int, *which: list[str]) -> None:
        for place in range(start, min(end, size)):
            if text[place] != "\n":
                for letters in which:
                    letters[place] = " "

    while at < size:
        char = text[at]
        if char == "\\":
            at += 2
        elif char == "'":
            end = text.find("'", at + 1)
            end = size if end < 0 else end
            blank(at + 1, end, bare)
            blank(at + 1, end, expanded)
            at = end + 1
        elif char == '"':
            end = at + 1
            while end < size and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            blank(at + 1, end, bare)
            at = end + 1
        elif char == "#" and (at == 0 or text[at - 1] in " \t\n;&|("):
            end = text.find("\n", at)
            end = size if end < 0 else end
            blank(at, end, bare, expanded)
            at = end
        elif char == "<" and (found := _HEREDOC.match(text, at)):
            documents.append(found[2])
            at = found.end()
        elif char == "\n" and documents:
            end = at
            for word in documents:
                close = re.compile(rf"^\t*{word}$", re.MULTILINE).search(text, end + 1)
                end = close.end() if close else size
            documents.clear()
            blank(at + 1, end, bare, expanded)
            at = end
        else:
            at += 1
    return "".join(bare), "".join(expanded)


# What dash does not know: a pattern over the unquoted text, or (the second table) over what is not in single quotes.
_BASHISMS = tuple(
    (re.compile(pattern, re.MULTILINE), what)
    for pattern, what in (
        (_START + r"(\[\[)\s", "`[[` is no command there, so the test never holds"),
        (r"(<<<)", "`<<<` is a syntax error there, which exits with 2"),
        (r"(?<![\w$])([<>]\()", "`<(...)` is a syntax error there, which exits with 2"),
        (r"(&>)", "`&>` starts the command in the background there"),
        (_START + r"(source)\s", "`source` is no command there; write `.`"),
        (_START + r"(function)\s+\w+", "`function` is no keyword there; write name() { ...; }"),
        (r"(?:^|[\s;])(\w+\+?=\()", "arrays are a syntax error there, which exits with 2"),
        (_START + r"(\(\()", "`((...))` is read as a command in parentheses there"),
        (_START + r"\[\s[^]\n]*\s(==)\s", "`==` is no operator of `[` there; write `=`"),
        (_START + r"(shopt|declare|pushd|popd|mapfile|readarray)\s", "that builtin does not exist there"),
    )
)
_BAD_SUBSTITUTION = re.compile(r"(?<!\\)\$\{\w+(?:\[[^]]*\])?(?:,,|\^\^|//|/|:\d|:\s-\d)|\$\{!\w+\}|\$\{\w+\[")


def bashisms(text: str) -> Iterator[Remark]:
    """What works in bash and not in dash, which /bin/sh is on Debian and Ubuntu; the first of each kind."""
    bare, expanded = blanked(text)
    remedy = "write it for sh, or put it into a script that begins with #!/usr/bin/env bash"
    for pattern, what in _BASHISMS:
        found = pattern.search(bare)
        if found:
            yield Remark(
                "command/bashism", _line(text, found.start(1)), f"runs under sh, which may be dash: {what}", remedy
            )
    found = _BAD_SUBSTITUTION.search(expanded)
    if found:
        said = f"runs under sh, which may be dash: `{found.group()}` is a bad substitution there, which exits with 2"
        yield Remark("command/bashism", _line(text, found.start()), said, remedy)


_SHELL = r"(?:sudo\s+(?:-\w+\s+)*)?(?:/(?:usr/)?bin/)?(?:env\s+)?(?:ba|z|da|k)?sh"
_PIPED = re.compile(
    rf"\b(?:curl|wget|fetch)\s[^|;&\n]*\|\s*(?:{_SHELL}\b|(?:sudo\s+)?(?:python3?|node|perl|ruby)\s*(?:-\s*)?(?:$|[;&|\n)]))"
)
_SUBSTITUTED = re.compile(
    rf"(?:\b{_SHELL}\s+-c\s+|\beval\s+|(?:\bsource|(?:^|[;&|])\s*\.|\b{_SHELL})\s+)[\"']?(?:\$\(|<\(|`)\s*(?:curl|wget)\s"
)
_ENCODED = re.compile(
    r"base64\s+(?:-[dD]\b|--decode)[^|;\n]*\|\s*" + _SHELL + r"\b"
    rf"|(?:\beval\s+|\b{_SHELL}\s+-c\s+)[\"']?(?:\$\(|`)[^)`\n]*base64\s+(?:-[dD]\b|--decode)"
    r"|(?i:powershell|pwsh)(?:\.exe)?\s[^|;\n]*-(?i:e|ec|enc|encodedcommand)\s+[A-Za-z0-9+/=]{20,}"
    r"|(?:exec|eval)\(\s*(?:__import__\([^)]*\)|base64)\.b64decode"
)


def dangers(text: str) -> Iterator[Remark]:
    """A script from the network that is run unseen, and a command that hides what it is."""
    bare, expanded = blanked(text)
    for found in (_PIPED.search(bare), _SUBSTITUTED.search(expanded)):
        if found:
            said = "runs whatever the network gives, with your rights, at every such event"
            yield Remark(
                "content/download-run", _line(text, found.start()), said, "download it once, read it, and run the file"
            )
            break
    found = _ENCODED.search(expanded) or _ENCODED.search(text if "exec(" in text or "-e" in text.lower() else "")
    if found:
        said = "runs an encoded command, so nobody can see what it does"
        yield Remark("content/encoded", _line(text, found.start()), said, "write out what it does, or remove it")


_PATH_VARIABLE = r"\$\{?(?:CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_DATA)\}?"
_UNQUOTED = re.compile(r"(?<![\w\"'\\=:])" + _PATH_VARIABLE)
_IN_SINGLE_QUOTES = re.compile(r"(?:^|[\s;&|(=])'(\$\{?(?:CLAUDE_PROJECT_DIR|HOME)\}?)/[^'\s]*'")
_PERCENT = re.compile(r"%(?:CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|USERPROFILE|HOME)%|\$env:\w+")
_BACKSLASHES = re.compile(
    r"(?:(?<![\w\"'])[A-Za-z]:\\\w|[\w.%-]+(?:\\[\w.-]+)+\.(?:sh|py|js|ts|mjs|cjs|cmd|bat|ps1|exe)\b)"
)


def paths(text: str) -> Iterator[Remark]:
    """About the quoting of a command line: paths that the shell will read otherwise than they look."""
    bare, expanded = blanked(text)
    found = _IN_SINGLE_QUOTES.search(text)
    if found and expanded[found.start(1)] == " ":
        said = f"{found[1]} stands in single quotes, where the shell leaves it as it is"
        yield Remark("command/not-expanded", _line(text, found.start(1)), said, "use double quotes")
    found = _PERCENT.search(expanded)
    if found and not re.search(r"\b(?:cmd|powershell|pwsh)(?:\.exe)?\b", text, re.IGNORECASE):
        said = f"{found.group()} means nothing to sh, which hooks run under"
        yield Remark(
            "command/not-expanded", _line(text, found.start()), said, "write $CLAUDE_PROJECT_DIR, in double quotes"
        )
    found = _UNQUOTED.search(bare)
    if found:
        said = f"{found.group()} is not quoted: where that path holds a blank, the command falls apart"
        yield Remark("command/unquoted-variable", _line(text, found.start()), said, f'write "{found.group()}"')
    found = _BACKSLASHES.search(bare)
    if found:
        said = f"the shell takes the backslashes out of {found.group()}"
        yield Remark("command/backslash", _line(text, found.start()), said, "write / for \\")


_SKIPS = re.compile(
    r"(?:command\s+-v|which|hash|type)\s+(\S+)[^\n;|&]*\|\|\s*(?:\{\s*)?exit\s+0\b"
    r"|if\s+!\s+(?:command\s+-v|which|hash|type)\s+(\S+)[^\n;]*(?:;|\n)\s*then\s+exit\s+0\b"
)


def skipped_guard(text: str) -> Iterator[Remark]:
    """A guard that lets everything through on a machine where a program is not installed."""
    found = _SKIPS.search(blanked(text)[0])
    if found:
        program = (found[1] or found[2] or "a program").strip(";")
        said = f"lets everything through where {program} is not installed"
        yield Remark(
            "guard/skipped-without-program", _line(text, found.start()), said, "exit with 2 there, and say why"
        )


_SAYS = re.compile(r"^(?:echo|printf)\s+(?:-\w+\s+)*[\"']?[^\"'{\[\s>|\\$]", re.MULTILINE)
_ANSWERS = re.compile(
    r"^[ \t]*(?:echo|printf)\s+(?:-\w+\s+)*(?:'%s\\?n?'\s+)?[\"']\s*\\?\{"
    r"|^[ \t]*jq\s+-\w*n|^[ \t]*cat\s+<<-?\s*['\"]?\w+['\"]?\s*\n\s*\{",
    re.MULTILINE,
)
_LOGICAL_LINE = re.compile(r"(?:[^\\\n]|\\[\s\S])*")  # with the lines that a backslash joins to it
_ANSWER_KEYS = re.compile(
    r"hookSpecificOutput|permissionDecision|[\"']decision\\?[\"']|additionalContext|systemMessage"
)


def log_before_answer(text: str) -> Iterator[Remark]:
    """A script of the shell that prints a line of its own before its JSON, which Claude Code then takes for plain
    text."""
    answer = _ANSWERS.search(text)
    if not answer or not _ANSWER_KEYS.search(text, answer.start()) or re.search(r"^\s*exec\s+1?>", text, re.MULTILINE):
        return
    bare = blanked(text)[0]
    for said in _SAYS.finditer(text, 0, answer.start()):
        line = _LOGICAL_LINE.match(text, said.start())[0]  # type: ignore[index]
        # Sent elsewhere, or the way out: then no answer follows it. In a here-document it is no command.
        if bare[said.start()] != " " and not re.search(r"[>|]|\bexit\b", line):
            told = "prints text before its JSON, so Claude Code takes all of it for plain text and the answer is lost"
            remedy = "send the text to standard error (>&2)"
            yield Remark("output/text-before-json", _line(text, said.start()), told, remedy)
            return


_DENIES = re.compile(
    r"\bexit(?:\s+|\()2\b|exitCode\s*=\s*2|permissionDecision\\?[\"']?\s*[:=]|\"decision\\?\"\s*:\s*\\?\"block"
)


def denies(text: str) -> bool:
    """Whether the text of a hook looks as if it could deny: it exits with 2 or prints a denial."""
    return _DENIES.search(text) is not None


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
