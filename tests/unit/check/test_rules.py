"""Every rule's own examples, and no alarm where nothing is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dreamwork_hooks.check.check import Finding, findings
from dreamwork_hooks.check.rules import read_rules
from dreamwork_hooks.check.sources import of_file
from dreamwork_hooks.rulebook import Rule
from dreamwork_hooks.settings.reading import read_layer

RULES = read_rules()
PACKAGE = Path(__file__).resolve().parents[3] / "src" / "dreamwork_hooks"
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/no/home"}
GUARD = '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'
HANDLER = {"type": "command", "command": "true"}


def checked(project: Path, settings: str) -> list[Finding]:
    """The findings about a project with these settings; its hooks lie in `.claude/hooks`."""
    path = project / ".claude" / "settings.json"
    path.write_text(settings, encoding="utf-8")
    file, root = of_file(str(path))
    return findings([read_layer(file)], root, ENV)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    hooks = tmp_path / ".claude" / "hooks"
    hooks.mkdir(parents=True)
    script(tmp_path, "guard.sh", "#!/bin/sh\nexit 0\n")
    script(tmp_path, "plain.sh", "#!/bin/sh\nexit 0\n", mode=0o644)
    script(tmp_path, "a.py", "print(1)\n")
    return tmp_path


def script(project: Path, name: str, text: str, mode: int = 0o755) -> None:
    path = project / ".claude" / "hooks" / name
    path.write_bytes(text.encode())
    path.chmod(mode)


def under(event: str = "PreToolUse", matcher: str = "Bash", **handler: object) -> str:
    return json.dumps({"hooks": {event: [{"matcher": matcher, "hooks": [{**HANDLER, **handler}]}]}})


def placed(project: Path, rule: Rule, example: str) -> str:
    """Settings with an example in its place."""
    if rule.place == "script":
        script(project, "guard.sh", example.replace("\\r", "\r") + "\n")
        return under(command=GUARD)
    if rule.place == "command":
        return under(command=example)
    if rule.place == "handler":
        return '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [' + example + "]}]}}"
    return '{"hooks": {"PreToolUse": [' + example + "]}}" if rule.place == "group" else example


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if rule.bad], ids=lambda rule: rule.name)
def test_the_bad_example_is_found(project: Path, rule: Rule) -> None:
    found = checked(project, placed(project, rule, rule.bad))
    assert rule.name in [each.rule for each in found]
    for each in found:
        assert each.severity == RULES[each.rule].severity
        assert each.message.isprintable()
        assert each.fix
        assert each.line > 0


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_the_good_example_is_left_alone(project: Path, rule: Rule) -> None:
    quiet = {"guard/fails-open"} if rule.name == "guard/skipped-without-program" else set()
    assert {each.rule for each in checked(project, placed(project, rule, rule.good))} <= quiet


SOUND = [
    ("a chain that looks first", "[ -f /no/such/x.py ] && python3 /no/such/x.py; true"),
    ("bash in a process of its own", "bash -c '[[ -f x ]] && echo \"${x//a/b}\" >&2; true'"),
    ("a pattern that names a pipe to sh", "grep -qE 'curl .*[|] *sh' && echo no >&2; true"),
    ("a download that is only read", "curl -s http://x.example/a | python3 -c 'import sys' >&2"),
    ("an encoded text that is only shown", "printf eA== | base64 -d >&2"),
    ("a variable set before it is used", 'FILE_PATH=$(cat); TOOL_NAME=x; echo "$TOOL_NAME $FILE_PATH" >&2'),
    ("the top of the repository by git", 'sh "$(git rev-parse --show-toplevel)"/.claude/hooks/guard.sh'),
    ("after a cd", 'cd "$CLAUDE_PROJECT_DIR" && sh .claude/hooks/guard.sh'),
    ("a default", 'echo "${CLAUDE_PROJECT_DIR:-.}" >&2'),
    ("a here-document", "cat >&2 <<'END'\n[[ x ]] <<< y\nEND\ntrue"),
    ("a comment", "true # source x; [[ y ]]"),
    ("a sed expression with backslashes", "sed -e 's/a\\.b/c/' >&2"),
]


@pytest.mark.parametrize("command", [each[1] for each in SOUND], ids=[each[0] for each in SOUND])
def test_a_command_that_works_raises_no_alarm(project: Path, command: str) -> None:
    assert checked(project, under(command=command)) == []


@pytest.mark.parametrize(
    "text",
    [
        '#!/bin/sh\necho log \\\n  >> /dev/null\necho \'{"systemMessage": "x"}\'\n',
        '#!/bin/sh\nexec 3>&1 1>&2\nexec 1>/dev/null\necho log\necho \'{"systemMessage": "x"}\'\n',
        '#!/bin/sh\nif true; then\n  echo text\n  exit 0\nfi\necho \'{"systemMessage": "x"}\'\n',
        "#!/usr/bin/env bash\n[[ -n $1 ]] && source /dev/null\nexit 0\n",
        "#!/usr/bin/env python3\r\nprint(1)\r\n",
    ][:4],
)
def test_a_script_that_works_raises_no_alarm(project: Path, text: str) -> None:
    script(project, "guard.sh", text)
    assert checked(project, under(command=GUARD)) == []


DATA = sorted((Path(__file__).parents[2] / "data" / "settings").glob("*/before.json"))


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.parent.name)
def test_settings_that_an_installer_meets_raise_alarm_only_about_their_shape_and_missing_files(path: Path) -> None:
    file, root = of_file(str(path))
    found = {each.rule for each in findings([read_layer(file)], root, ENV) if each.severity == "error"}
    assert {rule for rule in found if not rule.startswith("settings/")} <= {"script/missing", "if/never-holds"}


def test_the_page_has_a_section_for_every_rule_that_is_found_and_no_other() -> None:
    code = "".join(path.read_text("utf-8") for room in ("check", "settings") for path in (PACKAGE / room).glob("*.py"))
    rooms = "settings|plugin|matcher|if|handler|command|script|guard|output|content"
    named = set(re.findall(rf'"((?:{rooms})/[a-z-]+)"', code))
    assert named == set(RULES)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_a_rule_says_why_and_how(rule: Rule) -> None:
    assert rule.severity in ("error", "warning", "advice")
    assert rule.why.endswith(".")
    assert rule.fix
    assert rule.good
