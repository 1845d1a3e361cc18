"""Hooks from plugins, skills, commands, agents and managed settings, as the client was seen to take them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dreamwork_hooks.contract.event import sample_event
from dreamwork_hooks.host import HookHost, TrustStore
from dreamwork_hooks.settings.configuration import Configuration, load_configuration
from dreamwork_hooks.settings.frontmatter import as_json
from dreamwork_hooks.settings.jsontext import JsonSyntaxError
from dreamwork_hooks.settings.sources import layer_files

Json = dict[str, Any]


class Machine:
    """A home and a project."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.own = self.home / ".claude"
        self.project = root / "project"
        for directory in (self.own, self.project / ".claude"):
            directory.mkdir(parents=True)

    def write(self, path: str, value: object) -> Path:
        at = self.root / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return at

    def plugin(self, path: str, command: str, **manifest: object) -> str:
        self.write(f"{path}/hooks/hooks.json", {"hooks": events(command)})
        if manifest:
            self.write(f"{path}/.claude-plugin/plugin.json", manifest)
        return str(self.root / path)

    def market(self, *names: str) -> None:
        """A marketplace `m` that is a directory, with those plugins."""
        rows = [{"name": name, "source": f"./{name}"} for name in names]
        self.write("market/.claude-plugin/marketplace.json", {"name": "m", "plugins": rows})
        for name in names:
            self.plugin(f"market/{name}", name, name=name)
        source = {"source": "directory", "path": str(self.root / "market")}
        known = {"m": {"source": source, "installLocation": str(self.root / "market")}}
        self.write("home/.claude/plugins/known_marketplaces.json", known)

    def load(self, *plugins: str, **more: Any) -> Configuration:
        given = {"managed": str(self.root / "managed.json"), **more}
        files = layer_files(str(self.project), env={}, home=str(self.home), plugins=plugins, **given)
        return load_configuration(files)

    def host(self, **more: Any) -> HookHost:
        given = {"managed": "/none", "trust": "all", "env": {"PATH": "/usr/bin:/bin"}, **more}
        return HookHost.load(self.project, home=str(self.home), **given)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def events(command: str, event: str = "PostToolUse") -> Json:
    return {event: [{"hooks": [{"type": "command", "command": command}]}]}


def commands(configuration: Configuration) -> list[str]:
    return [each.command for each in configuration.handlers if each not in configuration.off]


def said(configuration: Configuration) -> str:
    return "\n".join(map(str, configuration.problems))


# -- plugins


def test_the_hooks_of_settings_come_first_and_a_plugin_s_file_before_its_manifest(machine: Machine) -> None:
    machine.write("home/.claude/settings.json", {"hooks": events("user"), "enabledPlugins": {"b@m": True, "a@m": True}})
    machine.write("project/.claude/settings.json", {"hooks": events("project")})
    machine.market("a", "b")
    inline = machine.plugin("z", "z file", name="z", hooks=events("z manifest"))
    assert commands(machine.load(inline)) == ["user", "project", "z file", "z manifest", "b", "a"]


def test_a_hooks_json_at_the_root_of_a_plugin_is_named_and_not_read(machine: Machine) -> None:
    machine.write("p/hooks.json", {"hooks": events("no")})
    found = machine.load(str(machine.root / "p"))
    assert (found.handlers, "at a plugin's root is not read" in said(found)) == ((), True)


def test_function_hooks_are_named_and_the_others_read(machine: Machine) -> None:
    machine.write("p/hooks/hooks.json", {"hooks": events("yes"), "modules": ["./m.js"]})
    found = machine.load(str(machine.root / "p"))
    assert (commands(found), "function hooks are not read here" in said(found)) == (["yes"], True)


def test_a_malformed_guard_in_one_file_takes_the_whole_plugin(machine: Machine) -> None:
    root = machine.plugin("p", "file", name="p", hooks="./more.json")
    machine.write("p/more.json", {"hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}})
    found = machine.load(root)
    assert commands(found) == []
    assert "its plugin is not loaded" in found.off[found.handlers[0]]


def test_the_switches_and_the_env_of_a_plugin_hold_for_nobody(machine: Machine) -> None:
    machine.write("home/.claude/settings.json", {"hooks": events("user")})
    text = {"hooks": events("plugin"), "disableAllHooks": True, "env": {"A": "1"}}
    machine.write("p/hooks/hooks.json", text)
    found = machine.load(str(machine.root / "p"))
    assert (commands(found), found.env) == (["user", "plugin"], {})


def test_the_same_text_in_the_settings_and_two_plugins_runs_three_times(machine: Machine) -> None:
    command = f"echo x >> {machine.root}/log"
    machine.write("home/.claude/settings.json", {"hooks": events(command)})
    machine.write("project/.claude/settings.json", {"hooks": events(command)})
    roots = [machine.plugin(name, command) for name in ("one", "two")]
    with machine.host(plugins=roots) as host:
        host.dispatch(sample_event("PostToolUse", str(machine.project)))
    assert (machine.root / "log").read_text() == "x\n" * 3


def test_a_plugin_s_root_and_data_are_filled_in_and_exported(machine: Machine) -> None:
    command = "echo ${CLAUDE_PLUGIN_DATA} $CLAUDE_PLUGIN_DATA ${CLAUDE_PLUGIN_ROOT}"
    root = str(machine.write("a+b/hooks/hooks.json", {"hooks": events(command, "SessionStart")}).parents[1])
    data = f"{machine.own}/plugins/data/a-b-inline"
    with machine.host(plugins=[root]) as host:
        outcome = host.dispatch(sample_event("SessionStart", str(machine.project)))
    assert outcome.model == (f"{data} {data} {root}",)


# -- installed ones


def test_only_true_switches_a_plugin_on_and_the_nearest_settings_decide(machine: Machine) -> None:
    machine.market("on", "off", "versions", "later")
    switches = {"on@m": True, "off@m": False, "versions@m": ["1"], "later@m": True, "on@nowhere": True}
    machine.write("home/.claude/settings.json", {"enabledPlugins": switches})
    machine.write("project/.claude/settings.json", {"enabledPlugins": {"off@m": True, "later@m": False}})
    found = machine.load()
    assert commands(found) == ["on", "off"]
    assert "the marketplace nowhere is not known here" in said(found)


def test_a_value_that_is_no_switch_voids_the_settings(machine: Machine) -> None:
    machine.write("home/.claude/settings.json", {"enabledPlugins": {"x@m": "yes"}, "hooks": events("user")})
    assert machine.load().handlers == ()


def test_a_fetched_plugin_is_read_where_it_was_installed_for_this_project(machine: Machine) -> None:
    machine.market("p")
    known = {"m": {"source": {"source": "github", "repo": "o/r"}, "installLocation": str(machine.root / "market")}}
    machine.write("home/.claude/plugins/known_marketplaces.json", known)
    machine.write("home/.claude/settings.json", {"enabledPlugins": {"p@m": True}})
    copy, other = machine.plugin("copy", "copy", name="p"), machine.plugin("other", "other", name="p")
    records = [{"projectPath": "/elsewhere", "installPath": other}, {"installPath": copy}]
    machine.write("home/.claude/plugins/installed_plugins.json", {"version": 2, "plugins": {"p@m": records}})
    assert commands(machine.load()) == ["copy"]
    machine.write("home/.claude/plugins/installed_plugins.json", {"version": 2, "plugins": {"p@m": records[:1]}})
    found = machine.load()
    assert (commands(found), "p@m is not loaded: it is not installed here" in said(found)) == ([], True)


def test_the_hooks_of_a_marketplace_s_entry_take_the_place_of_the_file(machine: Machine) -> None:
    machine.market("p")
    rows = [{"name": "p", "source": "./p", "hooks": events("entry")}]
    machine.write("market/.claude-plugin/marketplace.json", {"name": "m", "plugins": rows})
    machine.write("home/.claude/settings.json", {"enabledPlugins": {"p@m": True}})
    assert commands(machine.load()) == ["entry"]


# -- trust


def test_what_a_project_s_settings_switch_on_or_off_is_a_matter_of_trust(machine: Machine) -> None:
    machine.market("theirs", "mine")
    machine.write("home/.claude/settings.json", {"enabledPlugins": {"mine@m": True}})
    machine.write("project/.claude/settings.json", {"enabledPlugins": {"theirs@m": True, "mine@m": False}})
    store = TrustStore(machine.root / "trust.json")
    with machine.host(trust=store) as host:
        words = {each.command: host.status(each).word for each in host.configuration.handlers}
        assert words == {"theirs": "untrusted", "mine": "user"}
        assert host.verdict is not None
        store.set(host.verdict, "allow")
    with machine.host(trust=store) as host:
        words = {each.command: host.status(each).word for each in host.configuration.handlers}
        assert words == {"theirs": "trusted", "mine": "disabled"}


@pytest.mark.parametrize("path", ["skills/s/SKILL.md", "commands/s.md", "agents/s.md"])
def test_a_project_s_skills_commands_and_agents_are_a_matter_of_trust(machine: Machine, path: str) -> None:
    machine.write(f"project/.claude/{path}", front("s", "true"))
    machine.write(f"home/.claude/{path.replace('s/', 's/my-', 1)}", front("t", "false"))
    with machine.host(trust=TrustStore(machine.root / "trust.json")) as host:
        words = {each.command: host.status(each).word for each in host.configuration.handlers}
    assert words == {"true": "untrusted", "false": "user"}


# -- skills, commands, agents


def front(name: str, command: str, event: str = "PostToolUse", **more: object) -> str:
    entry = {"type": "command", "command": command, **more}
    return f"---\nname: {name}\nhooks: {json.dumps({event: [{'hooks': [entry]}]})}\n---\nDo it.\n"


def tool(machine: Machine, session: str = "1", **more: object) -> Json:
    return {**sample_event("PostToolUse", str(machine.project)), "session_id": session, **more}


def test_a_skill_s_hooks_run_from_its_use_to_the_session_s_end(machine: Machine) -> None:
    machine.write("home/.claude/skills/directory/SKILL.md", front("other", "true"))
    for name in ("directory", "other"):
        with machine.host() as host:
            assert host.dispatch(tool(machine)).runs == ()
            used = tool(machine, tool_name="Skill", tool_input={"skill": name})
            assert len(host.dispatch(used).runs) == len(host.dispatch(tool(machine)).runs) == 1
            assert host.dispatch(tool(machine, "another session")).runs == ()


def test_a_person_s_command_brings_its_hooks_after_its_own_expansion(machine: Machine) -> None:
    machine.write("project/.claude/commands/sub/c.md", front("ignored", "true", "UserPromptExpansion"))
    event = {**sample_event("UserPromptExpansion", str(machine.project)), "command_name": "sub:c"}
    with machine.host() as host:
        assert [len(host.dispatch(event).runs) for _ in range(2)] == [0, 1]


@pytest.mark.parametrize(("matcher", "counts"), [("Bash", [0, 1, 0]), ("*", [1, 1, 1]), ("", [1, 1, 1])])
def test_once_is_heeded_in_a_skill_where_the_matcher_names_something(
    machine: Machine, matcher: str, counts: list[int]
) -> None:
    text = front("s", "true", once=True).replace('[{"hooks"', f'[{{"matcher": "{matcher}", "hooks"')
    machine.write("home/.claude/skills/s/SKILL.md", text)
    with machine.host() as host:
        used = tool(machine, tool_name="Skill", tool_input={"skill": "s"})
        bash = tool(machine, tool_name="Bash", tool_input={"command": "x"})
        assert [len(host.dispatch(event).runs) for event in (used, bash, bash)] == counts


def test_an_agent_s_hooks_run_inside_it_and_its_stop_is_the_subagent_s(machine: Machine) -> None:
    machine.write("home/.claude/agents/deep/file.md", front("a", "true"))
    machine.write("home/.claude/agents/stop.md", front("a", "true", "Stop"))
    machine.write("home/.claude/agents/start.md", front("a", "true", "SubagentStart"))
    with machine.host() as host:
        assert host.dispatch(tool(machine)).runs == ()
        assert len(host.dispatch(tool(machine, agent_id="1", agent_type="a")).runs) == 1
        for name, count in (("SubagentStop", 1), ("SubagentStart", 0)):
            event = {**sample_event(name, str(machine.project)), "agent_id": "1", "agent_type": "a"}
            assert len(host.dispatch(event).runs) == count


def test_a_plugin_s_skills_are_read_and_its_agents_are_not(machine: Machine) -> None:
    machine.write("p/skills/s/SKILL.md", front("s", "skill"))
    machine.write("p/agents/a.md", front("a", "agent"))
    found = machine.load(str(machine.root / "p"))
    assert commands(found) == ["skill"]
    assert (found.handlers[0].plugin_root, found.handlers[0].scope) == (str(machine.root / "p"), ("skill", "p:s", "s"))


def test_a_fault_in_front_matter_has_its_line(machine: Machine) -> None:
    path = machine.write(
        "home/.claude/skills/s/SKILL.md",
        "---\nname: s\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n---\n",
    )
    assert f"{path}:6: " in said(machine.load())
    path.write_text("---\nname: s\nhooks:\n  Stop: : x\n---\n")
    assert "not valid front matter" in said(machine.load())


YAML = {
    "block style": "hooks:\n  Stop:\n    - matcher: 'a''b'\n      hooks:\n        - type: command\n",
    "a list not indented": 'hooks:\n  Stop:\n  - matcher: "a\'b"\n    hooks:\n    - type: command\n',
    "flow style": "hooks: {Stop: [{matcher: a'b, hooks: [{type: command}]}]}\n",
    "flow style on lines of its own": 'hooks:\n  {Stop: [\n    {matcher: "a\'b", hooks: [{type: command}]}]}\n',
    "comments and blank lines": (
        "# x\nhooks: # y\n\n  Stop:\n    -\n      matcher: a'b # z\n      hooks:\n      - type: command\n"
    ),
    "a literal": "hooks:\n  Stop:\n    - matcher: |-\n        a'b\n      hooks:\n        - type: command\n",
}


@pytest.mark.parametrize("text", YAML.values(), ids=YAML)
def test_front_matter_is_read_in_every_style(text: str) -> None:
    found = as_json(f"---\nother: [x\n{text}---\nbody: x\n")
    assert found is not None
    assert json.loads(found) == {"hooks": {"Stop": [{"matcher": "a'b", "hooks": [{"type": "command"}]}]}}


@pytest.mark.parametrize(
    "text", ["hooks: {a: [\n", "hooks: &x\n", "hooks:\n\ta: 1\n", "hooks:\n  a: b: c\n", "hooks: 'x\n"]
)
def test_front_matter_that_is_not_understood_is_said_to_be_so(text: str) -> None:
    with pytest.raises(JsonSyntaxError):
        as_json(f"---\n{text}---\n")


def test_front_matter_of_any_depth_ends() -> None:
    for text in ("hooks:\n" + "".join(f"{' ' * n}a:\n" for n in range(1, 5000)), "hooks: " + "[" * 100_000):
        with pytest.raises(JsonSyntaxError):
            as_json(f"---\n{text}\n---\n")


# -- managed settings


def test_the_managed_directory_is_read_by_name_without_hidden_files(machine: Machine) -> None:
    machine.write("managed.json", {"hooks": events("base"), "env": {"A": "base", "B": "base"}})
    for name, value in (("20.json", "20"), ("10.json", "10"), (".x.json", "no"), ("x.JSON", "no"), ("s/y.json", "no")):
        machine.write(f"managed-settings.d/{name}", {"hooks": events(value), "env": {"A": value}})
    found = machine.load()
    assert (commands(found), found.env) == (["base", "10", "20"], {"A": "20", "B": "base"})


@pytest.mark.parametrize("value", [True, "yes", 1])
def test_managed_hooks_only_keeps_all_others_off_however_it_is_said(machine: Machine, value: object) -> None:
    machine.write("managed.json", {"hooks": events("managed")})
    machine.write("managed-settings.d/1.json", {"allowManagedHooksOnly": value})
    machine.write("home/.claude/settings.json", {"hooks": events("user"), "enabledPlugins": {"p@m": True}})
    machine.write("home/.claude/skills/s/SKILL.md", front("s", "skill"))
    machine.market("p")
    assert commands(machine.load(machine.plugin("q", "inline"))) == ["managed"]


def test_a_directory_that_is_not_there_has_no_hooks_and_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError, match="no such directory"):
        HookHost.load(tmp_path / "gone")
