"""Settings texts and what Claude Code makes of each: one table for whatever reads settings files.

Each text holds a Stop hook `good` beside what it is about, where its form leaves room for one. `runs` are the commands
that can ever run, in the order of the text; None says that the client ignores the whole file. `takes` is what the
faults in the text take with them, in the order of the text. Measured on Claude Code 2.1.332 where not said otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from dreamwork_hooks.contract.events import VOIDING_EVENTS
from dreamwork_hooks.settings.doubts import EVENT, FILE, GROUP, HANDLER, NOTHING

GOOD = {"type": "command", "command": "good"}
STOP = {"Stop": [{"hooks": [GOOD]}]}
VOIDING = sorted(VOIDING_EVENTS)
OTHERS = ("PostToolUse", "SessionStart", "PreCompact")
URL = "http://localhost:8000/"


@dataclass(frozen=True)
class Row:
    """One text; see the module."""

    name: str
    text: str
    runs: tuple[str, ...] | None
    takes: tuple[str, ...] = ()

    @property
    def data(self) -> bytes:
        return self.text.encode("utf-8", "surrogateescape")


def dumped(value: object) -> str:
    return json.dumps(value)


def group(event: str, *groups: object, **more: object) -> str:
    """Groups under an event, and the good hook after them."""
    return dumped({"hooks": {event: list(groups), **STOP}, **more})


def handler(event: str, entry: object, matcher: str | None = None, **more: object) -> str:
    """One handler under an event."""
    matching = {} if matcher is None else {"matcher": matcher}
    return group(event, {**matching, "hooks": [entry]}, **more)


def run(**keys: object) -> dict[str, object]:
    return {"type": "command", "command": "x", **keys}


def deep(levels: int, inside: str = "") -> str:
    return "[" * levels + inside + "]" * levels


WRONG_GROUPS: dict[str, object] = {
    "without hooks": {},
    "with a matcher alone": {"matcher": "Write"},
    "hooks is an object": {"hooks": {}},
    "hooks is null": {"hooks": None},
    "hooks is a string": {"hooks": "x"},
    "a bare handler": run(),
    "a string": "x",
    "a number": 7,
    "null": None,
    "a list": [],
    "matcher is a number": {"matcher": 1, "hooks": [run()]},
    "matcher is a list": {"matcher": ["Edit"], "hooks": [run()]},
    "matcher is null": {"matcher": None, "hooks": [run()]},
}
WRONG_HANDLERS: dict[str, object] = {
    "without a command": {"type": "command"},
    "without a type": {"command": "x"},
    "of an unknown type": {"type": "script", "command": "x"},
    "of a type in capitals": {"type": "Command", "command": "x"},
    "of type null": {"type": None, "command": "x"},
    "a string": "x",
    "null": None,
    "a list": [],
    "timeout 0": run(timeout=0),
    "timeout -1": run(timeout=-1),
    "timeout a string": run(timeout="5"),
    "timeout true": run(timeout=True),
    "timeout null": run(timeout=None),
    "if a number": run(**{"if": 1}),
    "if null": run(**{"if": None}),
    "async a string": run(**{"async": "yes"}),
    "once a number": run(once=1),
    "args a string": run(args="x"),
    "args of numbers": run(args=[1]),
    "statusMessage a number": run(statusMessage=1),
    "shell sh": run(shell="sh"),
    "shell empty": run(shell=""),
    "onFailure another word": run(onFailure="deny"),
    "http without an address": {"type": "http"},
    "http with a word": {"type": "http", "url": "x"},
    "http with a variable": {"type": "http", "url": "${VAR}"},
    "http with a blank": {"type": "http", "url": "http://local host/"},
    "http with a header that is a number": {"type": "http", "url": URL, "headers": {"a": 1}},
    "prompt without a prompt": {"type": "prompt"},
    "mcp_tool without a tool": {"type": "mcp_tool", "server": "s"},
}
WRONG_SETTINGS: dict[str, object] = {
    "env a list": {"env": []},
    "env null": {"env": None},
    "permissions a list": {"permissions": []},
    "deny a string": {"permissions": {"deny": "Read"}},
    "allow null": {"permissions": {"allow": None}},
    "defaultMode a number": {"permissions": {"defaultMode": 1}},
    "additionalDirectories a string": {"permissions": {"additionalDirectories": "x"}},
    "model a number": {"model": 1},
    "outputStyle a number": {"outputStyle": 1},
    "alwaysThinkingEnabled a word": {"alwaysThinkingEnabled": "yes"},
    "statusLine a string": {"statusLine": "x"},
    "statusLine.type a number": {"statusLine": {"type": 1, "command": "x"}},
    "disableAllHooks a number": {"disableAllHooks": 0},
    "disableAllHooks a word": {"disableAllHooks": "true"},
    "cleanupPeriodDays a string": {"cleanupPeriodDays": "x"},
    "cleanupPeriodDays negative": {"cleanupPeriodDays": -1},
    "apiKeyHelper a list": {"apiKeyHelper": []},
    "enabledPlugins a list": {"enabledPlugins": []},
}
GOOD_TEXT = dumped({"hooks": STOP})
PLAIN: dict[str, tuple[str, tuple[str, ...] | None, tuple[str, ...]]] = {
    # What is JSON, and what is not.
    "nothing in it": ("{}", (), ()),
    "one hook": (GOOD_TEXT, ("good",), ()),
    "white space around": ("\r\n\t " + GOOD_TEXT + "\n\n", ("good",), ()),
    "a byte order mark": ("\ufeff" + GOOD_TEXT, ("good",), ()),
    "two byte order marks": ("\ufeff\ufeff" + GOOD_TEXT, None, (FILE,)),
    "empty": ("", None, (FILE,)),
    "white space alone": (" \n\t", None, (FILE,)),
    "a byte order mark alone": ("\ufeff", None, (FILE,)),
    "a comment on a line": ("// mine\n" + GOOD_TEXT, None, (FILE,)),
    "a comment in a block": (GOOD_TEXT.replace("{", "{/**/", 1), None, (FILE,)),
    "a comment after the end": (GOOD_TEXT + " // mine", None, (FILE,)),
    "nothing but a comment": ("// mine\n", None, (FILE, FILE)),
    "a comment that is never closed": (GOOD_TEXT + "/*", None, (FILE,)),
    "slashes in a string": (group("PreCompact", note="//x /* y"), ("good",), ()),
    "a trailing comma in an object": (GOOD_TEXT[:-1] + ",}", None, (FILE,)),
    "a trailing comma in a list": ('{"hooks": {"Stop": [1,]}}', None, (FILE,)),
    "cut off": (GOOD_TEXT[:-3], None, (FILE,)),
    "cut off in a string": (GOOD_TEXT[:-12], None, (FILE,)),
    "text after the end": (GOOD_TEXT + " x", None, (FILE,)),
    "two documents": (GOOD_TEXT * 2, None, (FILE,)),
    "single quotes": ("{'hooks': {}}", None, (FILE,)),
    "a key without quotes": ("{hooks: {}}", None, (FILE,)),
    "a control character in a string": ('{"a": "\x01"}', None, (FILE,)),
    "a line break in a string": ('{"a": "\n"}', None, (FILE,)),
    "a wrong escape": ('{"a": "\\x41"}', None, (FILE,)),
    "not a number": ('{"a": NaN}', None, (FILE,)),
    "infinity": ('{"a": -Infinity}', None, (FILE,)),
    "a leading zero": ('{"a": 01}', None, (FILE,)),
    "a number that begins with a dot": ('{"a": .5}', None, (FILE,)),
    "a hexadecimal number": ('{"a": 0x1}', None, (FILE,)),
    "a form feed between values": ("{\x0c}", None, (FILE,)),
    "a no-break space between values": ("{\xa0}", None, (FILE,)),
    "a list at the root": ("[]", None, (FILE,)),
    "null at the root": ("null", None, (FILE,)),
    "a string at the root": ('"x"', None, (FILE,)),
    "a merge conflict": ("<<<<<<< HEAD\n" + GOOD_TEXT, None, (FILE,)),
    "UTF-16": ("\udcff\udcfe{\x00}\x00", None, (FILE,)),
    "a NUL at the start": ("\x00" + GOOD_TEXT, None, (FILE,)),
    # Large, deep and strange values.
    "a number of 5,000 digits": (GOOD_TEXT[:-1] + ', "n": ' + "9" * 5000 + "}", ("good",), ()),
    "a number of 5,000 digits, negative": (GOOD_TEXT[:-1] + ', "n": -' + "9" * 5000 + "}", ("good",), ()),
    "a fraction of 5,000 digits": (GOOD_TEXT[:-1] + ', "n": 0.' + "9" * 5000 + "}", ("good",), ()),
    "an exponent out of range": (GOOD_TEXT[:-1] + ', "n": 1e400}', ("good",), ()),
    "2,000 levels of lists": (GOOD_TEXT[:-1] + ', "n": ' + deep(2000) + "}", ("good",), ()),
    "5,000 levels of lists": (GOOD_TEXT[:-1] + ', "n": ' + deep(5000) + "}", ("good",), ()),
    "2,000 levels of objects": (GOOD_TEXT[:-1] + ', "n": ' + '{"a":' * 2000 + "1" + "}" * 2000 + "}", ("good",), ()),
    "2,000 levels inside env": ('{"env": {"A": ' + deep(2000) + '}, "hooks": ' + dumped(STOP) + "}", ("good",), ()),
    "2,000 levels as a timeout": (
        handler("PostToolUse", run(timeout="D")).replace('"D"', deep(2000)),
        ("good",),
        (HANDLER,),
    ),
    "2,000 levels as a group": (group("PostToolUse", "D").replace('"D"', deep(2000)), ("good",), (GROUP,)),
    "2,000 levels as a group of a guard": (group("PreToolUse", "D").replace('"D"', deep(2000)), None, (FILE,)),
    "2,000 levels beside a command": (
        handler("PostToolUse", run(x="D")).replace('"D"', deep(2000)),
        ("x", "good"),
        (),
    ),
    "a lone surrogate in a command": (handler("PreCompact", run(command="x\ud800")), ("x\ufffd", "good"), ()),
    "a lone surrogate in a key": ('{"\\udc00": 1, "hooks": ' + dumped(STOP) + "}", ("good",), ()),
    "an emoji by escapes": (handler("PreCompact", run(command="\U0001f600")), ("\U0001f600", "good"), ()),
    "bytes that are not UTF-8": (
        handler("PreCompact", run(command="x@")).replace("@", "\udcff"),
        ("x\ufffd", "good"),
        (),
    ),
    "a key by escapes": (GOOD_TEXT.replace("hooks", "h\\u006foks", 1), ("good",), ()),
    "a NUL in a command": (handler("PreCompact", run(command="a\0b")), ("a\0b", "good"), ()),
    # Keys that stand twice: the last one counts.
    "hooks twice": ('{"hooks": {"Stop": 1, "PreToolUse": 1}, "hooks": ' + dumped(STOP) + "}", ("good",), (NOTHING,)),
    "hooks twice, the last a list": ('{"hooks": ' + dumped(STOP) + ', "hooks": []}', None, (NOTHING, FILE)),
    "an event twice": ('{"hooks": {"Stop": [7], "Stop": ' + dumped(STOP["Stop"]) + "}}", ("good",), (NOTHING,)),
    "a guard twice, the last well formed": (
        '{"hooks": {"PreToolUse": [7], "PreToolUse": [], "Stop": ' + dumped(STOP["Stop"]) + "}}",
        ("good",),
        (NOTHING,),
    ),
    "a guard twice, the last malformed": (
        '{"hooks": {"PreToolUse": [], "PreToolUse": [7], "Stop": []}}',
        None,
        (NOTHING, FILE),
    ),
    "a command twice": (
        GOOD_TEXT.replace('"command": "good"', '"command": 1, "command": "good"'),
        ("good",),
        (NOTHING,),
    ),
    "a type twice, the last unknown": (
        GOOD_TEXT.replace('"type": "command"', '"type": "command", "type": "x"'),
        (),
        (HANDLER,),
    ),
    "env twice, the last well formed": ('{"env": 1, "env": {}, "hooks": ' + dumped(STOP) + "}", ("good",), (NOTHING,)),
    "env twice, the last malformed": ('{"env": {}, "env": 1, "hooks": ' + dumped(STOP) + "}", None, (NOTHING, FILE)),
    "another key twice": ('{"a": 1, "a": 2, "hooks": ' + dumped(STOP) + "}", ("good",), ()),
    # `hooks` itself, and events.
    "hooks null": ('{"hooks": null}', None, (FILE,)),
    "hooks a list": ('{"hooks": []}', None, (FILE,)),
    "hooks a string": ('{"hooks": "x"}', None, (FILE,)),
    "hooks empty": ('{"hooks": {}}', (), ()),
    "hooks in hooks with a guard": ('{"hooks": {"hooks": {"PreToolUse": []}}}', None, (FILE,)),
    "hooks in hooks without a guard": (dumped({"hooks": {"hooks": STOP}}), (), (EVENT,)),
    "an unknown event": (group("PreCommit", {"hooks": [run()]}), ("good",), (EVENT,)),
    "an unknown event with anything in it": (dumped({"hooks": {"PreCommit": {"x": 1}, **STOP}}), ("good",), (EVENT,)),
    "an event in another case": (group("preToolUse", 7), ("good",), (EVENT,)),
    "an event null": (dumped({"hooks": {"PostToolUse": None, **STOP}}), ("good",), (EVENT,)),
    "a guard null": (dumped({"hooks": {"PreToolUse": None, **STOP}}), ("good",), (EVENT,)),
    "a guard an object": (dumped({"hooks": {"PreToolUse": {}, **STOP}}), None, (FILE,)),
    "a guard a string": (dumped({"hooks": {"PreToolUse": "x", **STOP}}), None, (FILE,)),
    "an event empty": (group("PreToolUse"), ("good",), ()),
    "a group without handlers": (group("PreToolUse", {"hooks": []}), ("good",), ()),
    "a flat handler, as in an older version": (dumped({"hooks": {"Stop": [run()]}}), (), (GROUP,)),
    "an event that is declared and was not provoked": (group("TeammateIdle", {"hooks": [run()]}), ("x", "good"), ()),
    # What is allowed.
    "keys nobody knows": (handler("PreToolUse", run(zzz=None), extra={"y": 1}), ("x", "good"), ()),
    "half a second": (handler("PreToolUse", run(timeout=0.5)), ("x", "good"), ()),
    "a timeout of ten minutes": (handler("PreToolUse", run(timeout=600)), ("x", "good"), ()),
    "a timeout in milliseconds": (handler("PreToolUse", run(timeout=30000)), ("x", "good"), (NOTHING,)),
    "a timeout out of range": (
        handler("PostToolUse", run(timeout="T")).replace('"T"', "1e309"),
        ("good",),
        (HANDLER,),
    ),
    "a timeout out of range under a guard": (
        handler("PreToolUse", run(timeout="T")).replace('"T"', "1e309"),
        None,
        (FILE,),
    ),
    "a timeout of 5,000 digits": (
        handler("PostToolUse", run(timeout="T")).replace('"T"', "9" * 5000),
        ("good",),
        (HANDLER,),
    ),
    "onFailure block": (handler("PreToolUse", run(onFailure="block")), ("x", "good"), ()),
    "a shell that is allowed": (handler("PreToolUse", run(shell="bash")), ("x", "good"), ()),
    "the exec form": (handler("PreToolUse", run(args=["a", "b"])), ("x", "good"), ()),
    "the exec form without words": (handler("PreToolUse", run(args=[])), ("x", "good"), ()),
    "an address": (handler("PreToolUse", {"type": "http", "url": URL}), (URL, "good"), ()),
    "a key of another type": (handler("PreToolUse", run(url=1)), ("x", "good"), ()),
    "rules of any kind": (dumped({"permissions": {"allow": [1], "deny": []}, "hooks": STOP}), ("good",), ()),
    "env values that are no strings": (dumped({"env": {"A": 1, "B": True, "C": None}, "hooks": STOP}), ("good",), ()),
    "an empty command": (handler("PreToolUse", run(command="")), ("good",), (HANDLER,)),
    "a blank command": (handler("PostToolUse", run(command=" ")), ("good",), (HANDLER,)),
    # Matchers.
    "no matcher": (handler("PreToolUse", run()), ("x", "good"), ()),
    "an empty matcher": (handler("PreToolUse", run(), ""), ("x", "good"), ()),
    "the star": (handler("PreToolUse", run(), "*"), ("x", "good"), ()),
    "a list with a comma": (handler("PreToolUse", run(), "Write, Edit"), ("x", "good"), ()),
    "an anchored expression": (handler("PreToolUse", run(), "^(Write|Edit)$"), ("x", "good"), ()),
    "an expression that is none": (handler("PreToolUse", run(), "(Edit"), ("good",), (GROUP,)),
    "a star before a name": (handler("PreToolUse", run(), "*Edit"), ("good",), (GROUP,)),
    "a name in another case": (handler("PreToolUse", run(), "edit"), ("x", "good"), (NOTHING,)),
    "a tool this table does not know": (handler("PreToolUse", run(), "Frobnicate"), ("x", "good"), (NOTHING,)),
    "a server of tools without a tool": (handler("PreToolUse", run(), "mcp__server"), ("x", "good"), (NOTHING,)),
    "all tools of a server": (handler("PreToolUse", run(), "mcp__server__.*"), ("x", "good"), ()),
    "an older name of a tool": (handler("PreToolUse", run(), "Task"), ("x", "good"), (NOTHING,)),
    "a matcher where none is looked at": (handler("UserPromptSubmit", run(), "Write"), ("x", "good"), (NOTHING,)),
    "a matcher that is none where none is looked at": (
        handler("UserPromptSubmit", run(), "(Edit"),
        ("x", "good"),
        (NOTHING,),
    ),
    "a source that does not exist": (handler("SessionStart", run(), "compaction"), ("x", "good"), (NOTHING,)),
    "two sources": (handler("SessionStart", run(), "compact|resume"), ("x", "good"), ()),
    # `if`.
    "an empty if": (handler("PreToolUse", run(**{"if": ""})), ("x", "good"), ()),
    "an if": (handler("PreToolUse", run(**{"if": "Write(**/.dreamwork/*.md)"}), "Write|Edit"), ("x", "good"), ()),
    "an if about a shell": (handler("PreToolUse", run(**{"if": "Bash(git *)"}), "Bash"), ("x", "good"), ()),
    "an if with two tools": (handler("PreToolUse", run(**{"if": "Edit|Write"})), ("good",), (HANDLER,)),
    "an if with two rules": (handler("PreToolUse", run(**{"if": "Edit(a) Write(b)"})), ("good",), (HANDLER,)),
    "an if in parentheses": (handler("PreToolUse", run(**{"if": "(Edit)"})), ("good",), (HANDLER,)),
    "an if in another case": (handler("PreToolUse", run(**{"if": "edit(*.md)"})), ("good",), (HANDLER,)),
    "an if about a tool that is none": (handler("PreToolUse", run(**{"if": "MultiEdit(x)"})), ("good",), (HANDLER,)),
    "an if that is not closed": (handler("PreToolUse", run(**{"if": "Edit(x"})), ("good",), (HANDLER,)),
    "an if that is a star": (handler("PreToolUse", run(**{"if": "*"})), ("good",), (HANDLER,)),
    "an if with braces": (handler("PostToolUse", run(**{"if": "Write(*.{md,txt})"}), "Write"), ("good",), (HANDLER,)),
    "an if that is negated": (handler("PostToolUse", run(**{"if": "Write(!x)"}), "Write"), ("good",), (HANDLER,)),
    "an if about an agent": (handler("PreToolUse", run(**{"if": "Agent(x)"})), ("good",), (HANDLER,)),
    "an if about a domain": (handler("PreToolUse", run(**{"if": "WebFetch(domain:x.org)"})), ("good",), (HANDLER,)),
    "an if about a tool of a server": (handler("PreToolUse", run(**{"if": "mcp__s__t(x)"})), ("good",), (HANDLER,)),
    "an if the matcher never lets through": (
        handler("PostToolUse", run(**{"if": "Edit(*.md)"}), "Write"),
        ("good",),
        (HANDLER,),
    ),
    "an if on Stop": (handler("SubagentStop", run(**{"if": "Bash(ls)"})), ("good",), (HANDLER,)),
    "an if on a compaction": (handler("PreCompact", run(**{"if": "Write"})), ("good",), (HANDLER,)),
    "an empty if on a compaction": (handler("PreCompact", run(**{"if": ""})), ("x", "good"), ()),
    # Commands.
    "a plugin's root without a plugin": (
        handler("PreToolUse", run(command="${CLAUDE_PLUGIN_ROOT}/x.sh")),
        ("good",),
        (HANDLER,),
    ),
    "a variable that hooks do not get": (
        handler("PreToolUse", run(command="fmt $CLAUDE_FILE_PATH")),
        ("fmt $CLAUDE_FILE_PATH", "good"),
        (NOTHING,),
    ),
    "a program that is not there": (
        handler("PreToolUse", run(command="/no/such/x")),
        ("/no/such/x", "good"),
        (NOTHING,),
    ),
    "a quotation mark that is not closed": (
        handler("PreToolUse", run(command="echo 'x")),
        ("echo 'x", "good"),
        (NOTHING,),
    ),
}


def _rows() -> Iterator[Row]:
    for name, (text, runs, takes) in PLAIN.items():
        yield Row(name, text, runs, takes)
    for name, wrong in WRONG_GROUPS.items():
        for event in VOIDING:
            yield Row(f"{event}: group {name}", group(event, wrong), None, (FILE,))
        for event in OTHERS:
            yield Row(f"{event}: group {name}", group(event, wrong), ("good",), (GROUP,))
    for name, wrong in WRONG_HANDLERS.items():
        for event in VOIDING:
            yield Row(f"{event}: handler {name}", handler(event, wrong), None, (FILE,))
        for event in OTHERS:
            yield Row(f"{event}: handler {name}", handler(event, wrong), ("good",), (HANDLER,))
    for name, settings in WRONG_SETTINGS.items():
        assert isinstance(settings, dict)
        yield Row(name, dumped({"hooks": STOP, **settings}), None, (FILE,))


ROWS = list(_rows())
