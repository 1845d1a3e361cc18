"""Where hooks come from beside the settings: plugins, installed plugins, skills, commands and agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.claude.conformance_bench import EVERY_EVENT, Bench, Pair
from tests.support.messages_api import say, use
from tests.support.session import ALLOWED

Json = dict[str, Any]
DEFAULT = "hooks/hooks.json"
MANIFEST = ".claude-plugin/plugin.json"
# What stands in a plugin's directory. GROUPS is the events with a hook of the case, TWO those with a second one.
PLUGINS: dict[str, dict[str, str]] = {
    "its file of hooks": {MANIFEST: '{"name": "NAME"}', DEFAULT: '{"hooks": GROUPS}'},
    "no manifest": {DEFAULT: '{"hooks": GROUPS}'},
    "hooks.json at its root": {MANIFEST: '{"name": "NAME"}', "hooks.json": '{"hooks": GROUPS}'},
    "hooks.json at its root and in its place": {"hooks.json": '{"hooks": GROUPS}', DEFAULT: '{"hooks": TWO}'},
    "hooks in the manifest": {MANIFEST: '{"name": "NAME", "hooks": GROUPS}'},
    "hooks in the manifest, wrapped": {MANIFEST: '{"name": "NAME", "hooks": {"hooks": GROUPS}}'},
    "a path in the manifest": {MANIFEST: '{"name": "NAME", "hooks": "./x/y.json"}', "x/y.json": '{"hooks": GROUPS}'},
    "a path without ./": {MANIFEST: '{"name": "NAME", "hooks": "x.json"}', "x.json": '{"hooks": GROUPS}'},
    "a path out of the plugin": {MANIFEST: '{"name": "NAME", "hooks": "../NAME.json"}'},
    "paths in the manifest": {
        MANIFEST: '{"name": "NAME", "hooks": ["./a.json", "./b.json"]}',
        "a.json": '{"hooks": GROUPS}',
        "b.json": '{"hooks": TWO}',
    },
    "a path and hooks in one list": {
        MANIFEST: '{"name": "NAME", "hooks": ["./a.json", TWO]}',
        "a.json": '{"hooks": GROUPS}',
    },
    "its file of hooks, named too": {
        MANIFEST: '{"name": "NAME", "hooks": ["./a.json", "./hooks/hooks.json"]}',
        DEFAULT: '{"hooks": GROUPS}',
        "a.json": '{"hooks": TWO}',
    },
    "a path that is not there": {MANIFEST: '{"name": "NAME", "hooks": "./no.json"}', DEFAULT: '{"hooks": GROUPS}'},
    "no wrapper": {MANIFEST: '{"name": "NAME"}', DEFAULT: "GROUPS"},
    "a broken manifest": {MANIFEST: "{", DEFAULT: '{"hooks": GROUPS}'},
    "a manifest without a name": {MANIFEST: "{}", DEFAULT: '{"hooks": GROUPS}'},
    "a name with a blank": {MANIFEST: '{"name": "a NAME"}', DEFAULT: '{"hooks": GROUPS}'},
    "a version that is a number": {MANIFEST: '{"name": "NAME", "version": 1}', DEFAULT: '{"hooks": GROUPS}'},
    "hooks that are a number": {MANIFEST: '{"name": "NAME", "hooks": 5}', DEFAULT: '{"hooks": GROUPS}'},
    "unknown keys in the manifest": {MANIFEST: '{"name": "NAME", "x": 1}', DEFAULT: '{"hooks": GROUPS}'},
    "a byte order mark in the manifest": {MANIFEST: '\ufeff{"name": "NAME"}', DEFAULT: '{"hooks": GROUPS}'},
    "a byte order mark in its file": {DEFAULT: '\ufeff{"hooks": GROUPS}'},
    "a comment in its file": {DEFAULT: '// x\n{"hooks": GROUPS}'},
    "an empty file": {DEFAULT: "", MANIFEST: '{"name": "NAME", "hooks": GROUPS}'},
    "disableAllHooks in its file": {DEFAULT: '{"hooks": GROUPS, "disableAllHooks": true}'},
    "an unknown event": {DEFAULT: '{"hooks": {"Nope": [{"hooks": [1]}], "PostToolUse": [{"hooks": [HOOK]}]}}'},
    "a malformed handler": {DEFAULT: '{"hooks": {"PostToolUse": [{"hooks": [{"type": "command"}, HOOK]}]}}'},
    "a malformed guard": {
        DEFAULT: '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}], "PostToolUse": [{"hooks": [HOOK]}]}}',
        MANIFEST: '{"name": "NAME", "hooks": TWO}',
    },
    "an event that is an object": {DEFAULT: '{"hooks": {"Stop": {}, "PostToolUse": [{"hooks": [HOOK]}]}}'},
    "one name, the first": {MANIFEST: '{"name": "twice"}', DEFAULT: '{"hooks": GROUPS}'},
    "one name, the second": {MANIFEST: '{"name": "twice"}', DEFAULT: '{"hooks": GROUPS}'},
    "the text of another's hook": {DEFAULT: '{"hooks": {"PostToolUse": [{"hooks": [SAME]}, {"hooks": [SAME]}]}}'},
    "the text of another's hook, again": {DEFAULT: '{"hooks": {"PostToolUse": [{"hooks": [SAME]}]}}'},
    "its root and its data": {DEFAULT: '{"hooks": {"PostToolUse": [{"hooks": [ROOTED]}]}}'},
}
SAME = "same"  # the hook that stands in the settings and in two plugins


def _lay(directory: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _events(*handlers: Json) -> Json:
    return {"PostToolUse": [{"hooks": list(handlers)}]}


def judge_plugins(client: Path, root: Path) -> dict[str, Pair]:
    """Each plugin in a directory of its own, all of them in one session."""
    bench = Bench.make(root)
    names: dict[str, str] = {}
    same = bench.handler(SAME)
    for number, (case, texts) in enumerate(PLUGINS.items()):
        name = names[case] = f"p{number}"
        rooted = bench.handler(f"{name}.root")
        rooted["command"] += ".$(basename ${CLAUDE_PLUGIN_ROOT}).$(basename $CLAUDE_PLUGIN_DATA)"
        values = {
            "GROUPS": _events(bench.handler(name)), "TWO": _events(bench.handler(f"{name}.two")),
            "HOOK": bench.handler(name), "SAME": same, "ROOTED": rooted,
        }  # fmt: skip
        for word, value in values.items():
            texts = {path: text.replace(word, json.dumps(value)) for path, text in texts.items()}
        _lay(root / name, {path: text.replace("NAME", name) for path, text in texts.items()})
        bench.plugins.append(root / name)
    bench.write("user", {"hooks": _events(bench.handler("witness"), same)})
    compared = bench.compare(client, prompts=["go"], turns=[use("Bash", command="true"), say("done")])
    counts = [sum(d.runs.get(SAME, 0) for d in side) for side in (compared.client, compared.host)]
    pairs = {case: compared.pair(name) for case, name in names.items()}
    return {**pairs, SAME: compared.pair(SAME, *map(str, counts)), EVERY_EVENT: compared.every_event}


# By the plugin's name: what enabledPlugins says in the user's and in the project's settings.
INSTALLED: dict[str, tuple[object, object]] = {
    "on": (True, None),
    "off": (False, None),
    "unmentioned": (None, None),
    "a list of versions": (["1"], None),
    "on, off in the project": (True, False),
    "off, on in the project": (False, True),
    "on in the project": (None, True),
    "not installed": (True, None),
    "of no marketplace": (True, None),
    "hooks in the marketplace": (True, None),
    "a directory that is gone": (True, None),
    "of one name": (True, None),
    "of the name of an inline one": (True, None),
}


def judge_installed(client: Path, root: Path) -> dict[str, Pair]:
    """Two marketplaces with the same plugins, one a directory and one fetched."""
    bench = Bench.make(root)
    own = bench.place.config_dir / "plugins"
    known: Json = {}
    records: Json = {}
    switches: tuple[Json, Json] = ({}, {})
    for market in ("local", "fetched"):
        at = root / "market" if market == "local" else own / "marketplaces" / market
        kind = {"source": "directory", "path": str(at)} if market == "local" else {"source": "github", "repo": "o/r"}
        known[market] = {"source": kind, "installLocation": str(at), "lastUpdated": "2026-01-01T00:00:00.000Z"}
        rows = []
        for number, (case, values) in enumerate(INSTALLED.items()):
            name = f"i{number}" if case == "of one name" else f"i{number}-{market}"
            label = f"{name}@{'none' if case == 'of no marketplace' else market}"
            rows.append({"name": name, "source": f"./{name}"})
            if case == "hooks in the marketplace":
                rows[-1]["hooks"] = _events(bench.handler(f"i{number}.{market}-entry"))  # type: ignore[assignment]
            copy = own / "cache" / market / name / "1"
            for place, word in ((at / name, "market"), (copy, "copy")):
                manifest, hooks = {"name": name}, {"hooks": _events(bench.handler(f"i{number}.{market}-{word}"))}
                if case != "a directory that is gone":
                    _lay(place, {MANIFEST: json.dumps(manifest), DEFAULT: json.dumps(hooks)})
            stamps = {"version": "1", "installedAt": "2026-01-01T00:00:00.000Z", "installPath": str(copy)}
            if case != "not installed":
                records[label] = [{"scope": "user", **stamps, "lastUpdated": "2026-01-01T00:00:00.000Z"}]
            for said, value in zip(switches, values):
                if value is not None:
                    said[label] = value
        listing = {"name": market, "owner": {"name": "o"}, "plugins": rows}
        _lay(at, {".claude-plugin/marketplace.json": json.dumps(listing)})
    _lay(own, {
        "known_marketplaces.json": json.dumps(known),
        "installed_plugins.json": json.dumps({"version": 2, "plugins": records}),
    })  # fmt: skip
    inline = root / "inline"
    taken = list(INSTALLED).index("of the name of an inline one")
    manifest = {"name": f"i{taken}-local"}
    hooks = {"hooks": _events(bench.handler(f"i{taken}.inline"))}
    _lay(inline, {MANIFEST: json.dumps(manifest), DEFAULT: json.dumps(hooks)})
    bench.plugins.append(inline)
    extra = {"local": {"source": known["local"]["source"]}}
    user = {"enabledPlugins": switches[0], "extraKnownMarketplaces": extra, "hooks": bench.witness("PostToolUse")}
    bench.write("user", user)
    bench.write("project", {"enabledPlugins": switches[1]})
    compared = bench.compare(client, prompts=["go"], turns=[use("Bash", command="true"), say("done")])
    pairs = {case: compared.pair(f"i{number}") for number, case in enumerate(INSTALLED)}
    return {**pairs, EVERY_EVENT: compared.every_event}


# Front matter below `hooks:`; HOOK and TWO are commands. Each stands in a skill of the project.
TOOL = "  PostToolUse:\n    - hooks:\n        - type: command\n          command: HOOK\n"
SKILLS: dict[str, str] = {
    "a skill": TOOL,
    "a skill never used": TOOL,
    "once": TOOL + "          once: true\n",
    "once, with a matcher": TOOL.replace("- hooks", "- matcher: Bash\n      hooks") + "          once: true\n",
    "once, with every matcher": TOOL.replace("- hooks", "- matcher: '*'\n      hooks") + "          once: true\n",
    "once, with an empty matcher": TOOL.replace("- hooks", "- matcher: ''\n      hooks") + "          once: true\n",
    "a matcher": TOOL.replace("- hooks", "- matcher: Bash\n      hooks"),
    "a matcher of another tool": TOOL.replace("- hooks", "- matcher: Write\n      hooks"),
    "a malformed handler": TOOL + "        - type: command\n",
    "a malformed guard": TOOL + "  PreToolUse:\n    - hooks:\n        - type: command\n",
    "flow style": "  {PostToolUse: [{hooks: [{type: command, command: HOOK}]}]}\n",
    "an empty list": "  []\n",
    "an event before it": TOOL.replace("PostToolUse", "SessionStart"),
    "a broken front matter": "  PostToolUse: : [\n",
    "a folded command": TOOL.replace("HOOK", ">-\n            FOLDED"),
    "a list that is not indented": "  PostToolUse:\n  - hooks:\n    - type: command\n      command: HOOK\n",
    "comments": "  # first\n" + TOOL.replace("HOOK", "HOOK # last"),
}


def judge_skills(client: Path, root: Path) -> dict[str, Pair]:
    """Skills used one after the other, then a tool call."""
    bench = Bench.make(root)
    own = bench.place.project / ".claude/skills"
    turns = [use("Bash", command="true")]
    for number, (case, text) in enumerate(SKILLS.items()):
        command = bench.handler(f"s{number}")["command"]
        text = text.replace("HOOK", json.dumps(command)).replace("FOLDED", command.replace(" ", "\n            "))
        front = f"---\nname: s{number}\ndescription: x\nhooks:\n{text}---\nDo it.\n"
        _lay(own / f"s{number}", {"SKILL.md": front})
        if case != "a skill never used":
            turns.append(use("Skill", skill=f"s{number}"))
    turns += [use("Bash", command="true"), use("Bash", command="true"), say("done")]
    bench.write("user", {"hooks": bench.witness("PreToolUse", "PostToolUse", "SessionStart")})
    arguments = [*ALLOWED[:-1], f"{ALLOWED[-1]},Skill"]
    compared = bench.compare(client, prompts=["go"], turns=turns, arguments=arguments)
    pairs = {case: compared.pair(f"s{number}") for number, case in enumerate(SKILLS)}
    return {**pairs, EVERY_EVENT: compared.every_event}


AGENTS: dict[str, str] = {
    "an agent": TOOL,
    "an agent never started": TOOL,
    "its stop": TOOL.replace("PostToolUse", "Stop"),
    "its start": TOOL.replace("PostToolUse", "SubagentStart"),
    "a guard": TOOL.replace("PostToolUse", "PreToolUse"),
}


def judge_agents(client: Path, root: Path) -> dict[str, Pair]:
    """Agents of the person's own, started one after the other, each with a tool call."""
    bench = Bench.make(root)
    turns, agents = [], {}
    for number, (case, text) in enumerate(AGENTS.items()):
        text = text.replace("HOOK", json.dumps(bench.handler(f"a{number}")["command"]))
        front = f"---\nname: a{number}\ndescription: x\nhooks:\n{text}---\nYou are.\n"
        _lay(bench.place.config_dir / "agents", {f"file{number}.md": front})
        agents[f"ask{number}"] = [use("Bash", command="true"), say("done")]
        if case != "an agent never started":
            turns.append(use("Agent", subagent_type=f"a{number}", description="x", prompt=f"ask{number}"))
    turns += [use("Bash", command="true"), say("done")]
    bench.write("user", {"hooks": bench.witness("PreToolUse", "PostToolUse", "SubagentStart", "SubagentStop")})
    arguments = [*ALLOWED[:-1], f"{ALLOWED[-1]},Agent"]
    compared = bench.compare(client, prompts=["go"], turns=turns, agents=agents, arguments=arguments)
    pairs = {case: compared.pair(f"a{number}") for number, case in enumerate(AGENTS)}
    return {**pairs, EVERY_EVENT: compared.every_event}
