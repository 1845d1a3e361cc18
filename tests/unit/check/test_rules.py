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


def test_the_page_has_a_section_for_every_rule_that_is_found_and_no_other() -> None:
    code = "".join(path.read_text("utf-8") for room in ("check", "settings") for path in (PACKAGE / room).glob("*.py"))
    named = set(re.findall(r'"((?:settings|matcher|if|handler|command|script|guard|output|content)/[a-z-]+)"', code))
    assert named == set(RULES)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_a_rule_says_why_and_how(rule: Rule) -> None:
    assert rule.severity in ("error", "warning", "advice")
    assert rule.why.endswith(".")
    assert rule.fix
    assert rule.good
