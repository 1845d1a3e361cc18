"""Hooks that come with a repository run once they are trusted, and only as they were then."""

from __future__ import annotations

import json
import py_compile
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamwork_hooks.host import HookHost, LayerFile, Policies, TrustError, TrustStore, Verdict, fingerprint
from dreamwork_hooks.host.reports import trust_lines

MakeEvent = Callable[..., dict[str, object]]


def settings(command: str, env: dict[str, str] | None = None, **more: object) -> str:
    entry = {"type": "command", "command": command, **more}
    return json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}, "env": env or {}})


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "state" / "trust.json")


class Repository:
    def __init__(self, path: Path, store: TrustStore) -> None:
        self.path = path
        self.store = store
        self.script = path / "hook.sh"
        self.script.write_text("echo first\n")
        self.text = settings("sh ./hook.sh")
        self.user = settings("echo $A")

    def host(self, ask: Callable[[Verdict], bool | None] | None = None, policies: Policies | None = None) -> HookHost:
        files = [
            LayerFile("user", "user.json", text=self.user),
            LayerFile("project", "project.json", text=self.text),
        ]
        return HookHost.load(self.path, files=files, home=str(self.path), trust=self.store, ask=ask, policies=policies)

    def words(self, host: HookHost) -> list[str]:
        return [host.status(handler).word for handler in host.configuration.handlers]


@pytest.fixture
def repository(project: Path, store: TrustStore) -> Repository:
    return Repository(project, store)


def test_untrusted_hooks_are_skipped_with_a_warning_and_the_person_s_own_run(
    repository: Repository, event: MakeEvent
) -> None:
    with repository.host() as host:
        assert repository.words(host) == ["user", "untrusted"]
        outcome = host.dispatch(event("PreToolUse"))
    assert [run.handler.layer for run in outcome.runs] == ["user"]
    assert "not trusted yet" in outcome.warnings[0]


def test_the_answer_is_asked_for_once_and_kept(repository: Repository) -> None:
    asked: list[Verdict] = []

    def yes(verdict: Verdict) -> bool:
        asked.append(verdict)
        return True

    for _ in range(2):
        with repository.host(yes) as host:
            assert repository.words(host) == ["user", "trusted"]
    assert len(asked) == 1
    assert (str(repository.script),) == asked[0].fingerprint.scripts
    mode = stat.S_IMODE(repository.store.path.stat().st_mode)
    assert mode == 0o600


def test_a_refusal_is_kept_too(repository: Repository) -> None:
    with repository.host(lambda verdict: False):
        pass
    with repository.host(lambda verdict: pytest.fail("asked again")) as host:
        assert repository.words(host) == ["user", "untrusted"]


def test_no_answer_is_no_answer(repository: Repository) -> None:
    with repository.host(lambda verdict: None) as host:
        assert repository.words(host) == ["user", "untrusted"]
    assert not repository.store.path.exists()


@pytest.mark.parametrize("change", ["script", "entry", "env", "missing script"])
def test_any_change_asks_again(change: str, repository: Repository) -> None:
    repository.text = settings("sh ./hook.sh; test -e ./later.sh", {"A": "1"})
    with repository.host(lambda verdict: True):
        pass
    if change == "script":
        repository.script.write_text("echo other\n")
    elif change == "entry":
        repository.text = settings("sh ./hook.sh; test -e ./later.sh", {"A": "1"}, timeout=9)
    elif change == "env":
        repository.text = settings("sh ./hook.sh; test -e ./later.sh", {"A": "2"})
    else:
        (repository.path / "later.sh").write_text("x")
    with repository.host() as host:
        assert host.verdict is not None
        assert (host.verdict.state, repository.words(host)) == ("changed", ["user", "untrusted"])


def test_a_script_that_changes_while_the_host_runs_is_not_run(repository: Repository, event: MakeEvent) -> None:
    with repository.host(lambda verdict: True) as host:
        assert len(host.dispatch(event("PreToolUse")).runs) == 2
    with repository.host() as host:
        repository.script.write_text("echo changed\n")
        assert len(host.dispatch(event("PreToolUse")).runs) == 1


@pytest.mark.parametrize(
    "command",
    [
        "$CLAUDE_PROJECT_DIR/hook.sh",
        '"${CLAUDE_PROJECT_DIR}"/hook.sh',
        "sh -c 'exec ./hook.sh --x'",
        "FILE=./hook.sh; sh $FILE",
        "cat hook.sh | sh",
        "true && sh hook.sh",
    ],
)
def test_a_script_is_found_however_it_is_named(command: str, repository: Repository) -> None:
    repository.text = settings(command)
    with repository.host() as host:
        assert host.verdict is not None
        assert str(repository.script) in host.verdict.fingerprint.scripts


@pytest.mark.parametrize(
    "command",
    ['"$CLAUDE_PROJECT_DIR"/hook.sh', '"${CLAUDE_PROJECT_DIR}"/hook.sh', "sh -c '\"$CLAUDE_PROJECT_DIR\"/hook.sh x'"],
)
def test_quotes_within_a_path_make_no_missing_script(command: str, repository: Repository) -> None:
    repository.text = settings(command)
    with repository.host() as host:
        assert host.verdict is not None
        found = host.verdict.fingerprint
        assert (found.scripts, found.missing) == ((str(repository.script),), ())


def test_the_environment_of_an_untrusted_file_reaches_nobody(repository: Repository, event: MakeEvent) -> None:
    repository.text = settings("sh ./hook.sh", {"A": "theirs"})
    with repository.host() as host:
        assert host.dispatch(event("PreToolUse")).runs[0].ended.stdout == b"\n"
    repository.text = json.dumps({"env": {"A": "theirs"}})
    with repository.host() as host:
        assert host.dispatch(event("PreToolUse")).runs[0].ended.stdout == b"\n"
    with repository.host(lambda verdict: True) as host:
        assert host.dispatch(event("PreToolUse")).runs[0].ended.stdout == b"theirs\n"


def test_a_skipped_fail_closed_hook_refuses_the_run(repository: Repository, event: MakeEvent) -> None:
    repository.text = settings("sh ./hook.sh", None, fail_closed=True)
    with repository.host(policies=Policies(fail_closed="marked")) as host:
        outcome = host.dispatch(event("PreToolUse"))
    assert (outcome.refused, outcome.blocked) == (True, True)
    with repository.host() as host:
        assert not host.dispatch(event("PreToolUse")).refused


def test_a_plugin_inside_the_repository_comes_with_it(project: Path, store: TrustStore, tmp_path: Path) -> None:
    for root, word in ((project / "plugin", "untrusted"), (tmp_path / "plugin", "user")):
        (root / "hooks").mkdir(parents=True)
        (root / "hooks/hooks.json").write_text(settings("x"))
        with HookHost.load(project, plugins=[str(root)], home=str(tmp_path), managed="/no", trust=store) as host:
            assert [word] == [host.status(handler).word for handler in host.configuration.handlers]


def test_a_project_without_hooks_needs_no_answer(project: Path, store: TrustStore) -> None:
    def never(verdict: Verdict) -> bool:
        raise AssertionError("asked")

    with HookHost.load(project, files=[], home=str(project), trust=store, ask=never) as host:
        assert host.verdict is not None
        assert host.verdict.runs


def test_a_broken_store_trusts_nothing_and_says_what_to_do(repository: Repository) -> None:
    repository.store.path.parent.mkdir()
    repository.store.path.write_text("{")
    with pytest.raises(TrustError, match=r"trust\.json.*removed"):
        repository.host()


def test_forgetting(repository: Repository) -> None:
    with repository.host(lambda verdict: True):
        pass
    assert repository.store.forget(str(repository.path))
    assert not repository.store.forget(str(repository.path))
    with repository.host() as host:
        assert repository.words(host) == ["user", "untrusted"]


def test_two_paths_to_one_project_share_its_answer(repository: Repository, tmp_path: Path) -> None:
    with repository.host(lambda verdict: True):
        pass
    link = tmp_path / "link"
    link.symlink_to(repository.path)
    repository.path = link
    with repository.host() as host:
        assert repository.words(host) == ["user", "trusted"]


@pytest.mark.parametrize(
    "command",
    [
        "echo x > ran",
        "touch ran; mkdir -p .claude/state; rmdir .claude/state",
        "mkdir -p out; date | tee -a out/ran",
        "sh ./writes.sh",
        "echo x >> .claude/hook.log",
        "rm -f out/ran; touch out/ran",
        f"{sys.executable} .claude/hooks/imports.py",
    ],
)
def test_a_hook_that_writes_as_it_runs_stays_trusted(command: str, repository: Repository, event: MakeEvent) -> None:
    write(repository.path / "writes.sh", "date > ran; mkdir -p out; touch out/x\n")
    write(repository.path / ".claude/hooks/imports.py", "import helper\n")
    write(repository.path / ".claude/hooks/helper.py", "")
    repository.text = settings(command)
    with repository.host(lambda verdict: True) as host:
        for _ in range(2):
            assert len(host.dispatch(event("PreToolUse")).runs) == 2
    with repository.host() as host:
        assert repository.words(host) == ["user", "trusted"]


# -- what trust binds: a change after `--allow` is seen, or was named as not covered when trust was asked

HOOKS = ".claude/hooks"


def write(path: Path, text: str = "echo evil\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


GUARD = f"{HOOKS}/g.sh"
CHANGES: dict[str, tuple[str | dict[str, object], str]] = {
    # name: the command (or the whole settings), and the file that changes afterwards
    "a relative script": ("sh ./hook.sh", "hook.sh"),
    "a script by its bare name": ("sh hook.sh", "hook.sh"),
    "a script that is not there yet": ("sh later.sh", "later.sh"),
    "the project's variable": (f'"$CLAUDE_PROJECT_DIR"/{GUARD}', GUARD),
    "the project's variable in braces": (f'"${{CLAUDE_PROJECT_DIR}}/{GUARD}"', GUARD),
    "the variable with a default": (f"sh ${{CLAUDE_PROJECT_DIR:-.}}/{GUARD}", GUARD),
    "an unset variable with a default": (f"sh ${{UNSET:-.}}/{GUARD}", GUARD),
    "the working directory's variable": (f'sh "$PWD/{GUARD}"', GUARD),
    "what pwd prints": (f'sh "$(pwd)/{GUARD}"', GUARD),
    "what git calls the top": (f'sh "$(git rev-parse --show-toplevel)/{GUARD}"', GUARD),
    "what git calls the top, in backquotes": (f"sh `git rev-parse --show-toplevel`/{GUARD}", GUARD),
    "cd first": (f'cd "$CLAUDE_PROJECT_DIR"/{HOOKS} && sh g.sh', GUARD),
    "cd twice": ("cd .claude; cd hooks; ./g.sh", GUARD),
    "cd back": ("cd tools; cd -; sh hook.py", "hook.py"),
    "VIRTUAL_ENV": ({"env": {"VIRTUAL_ENV": "tools"}}, "tools/bin/python"),
    "pushd": (f"pushd {HOOKS}; sh g.sh; popd", GUARD),
    "cd in a subshell": (f"(cd {HOOKS} && sh g.sh)", GUARD),
    "cd into what is not there yet": ("cd tools; sh hook.sh", "tools/hook.sh"),
    "env -C": ("env -C tools sh g.sh", "tools/g.sh"),
    "env --chdir": ("env --chdir=tools sh g.sh", "tools/g.sh"),
    "env -S": ("env -S 'sh tools/g.sh'", "tools/g.sh"),
    "a shell's -c": ("bash -c 'exec ./tools/g.sh --x'", "tools/g.sh"),
    "a shell's -c with cd": ("sh -ec 'cd tools && . ./g.sh'", "tools/g.sh"),
    "a variable of the line": ("D=tools; sh $D/g.sh", "tools/g.sh"),
    "a variable of the line's variable": ("D=tools; F=$D/g.sh; exec sh $F", "tools/g.sh"),
    "a variable set for one command": ("BASH_ENV=tools/rc.sh bash -c true", "tools/rc.sh"),
    "eval": ("eval 'sh tools/g.sh'", "tools/g.sh"),
    "a trap": ("trap 'sh tools/g.sh' EXIT", "tools/g.sh"),
    "a redirection": ("sh < tools/g.sh", "tools/g.sh"),
    "a pipe": ("cat tools/g.sh | sh", "tools/g.sh"),
    "a here-document": ("sh <<E\nsh tools/g.sh\nE", "tools/g.sh"),
    "a launcher": ("timeout 5 nice -n 3 python3 tools/g.py", "tools/g.py"),
    "a glob": ("for f in tools/*.sh; do sh $f; done", "tools/new.sh"),
    "a glob of a shell": ("cat tools/*.sh | sh", "tools/new.sh"),
    "for in": ("for f in g h; do sh tools/$f.sh; done", "tools/h.sh"),
    "find -exec": ("find tools -name '*.sh' -exec sh {} ;".replace(" ;", " \\;"), "tools/deep/new.sh"),
    "find and xargs": ("find tools -name '*.sh' | xargs sh", "tools/deep/new.sh"),
    "run-parts": ("run-parts tools", "tools/new"),
    "a directory of Python": ("python3 tools", "tools/__main__.py"),
    "a case": ('case "$X" in\n*.py) sh tools/g.sh;;\nesac', "tools/g.sh"),
    "the exec form": ({"command": "python3", "args": ["-u", "${CLAUDE_PROJECT_DIR}/tools/g.py"]}, "tools/g.py"),
    "an imported module": ("python3 tools/g.py", "tools/helper.py"),
    "an imported package": ("python3 tools/g.py", "tools/package/deep/x.py"),
    "a module beside a script in the project's directory": ("python3 hook.py", "helper.py"),
    "a sourced file": ("sh tools/g.sh", "tools/lib.sh"),
    "a compiled module without a source": ("python3 tools/g.py", "tools/json.pyc"),
    "a compiled module for an isolated Python": ("python3 -I tools/g.py", "tools/__pycache__/h.cpython-311.pyc"),
    "anything in .claude": (f"sh {GUARD}", ".claude/lib/x.sh"),
    "a required module": ("node -r ./tools/hook.js tools/g.js", "tools/hook.js"),
    "PATH": ({"env": {"PATH": "./tools:/usr/bin:/bin"}, "command": "guard"}, "tools/guard"),
    "PATH by a bare name": ({"env": {"PATH": "tools:/usr/bin:/bin"}, "command": "guard"}, "tools/guard"),
    "PATH that hides a program": ({"env": {"PATH": "./tools:/usr/bin:/bin"}, "command": "jq ."}, "tools/jq"),
    "BASH_ENV": ({"env": {"BASH_ENV": "tools/rc.sh"}, "command": "true"}, "tools/rc.sh"),
    "PYTHONPATH": ({"env": {"PYTHONPATH": "tools"}, "command": "python3 /usr/bin/x"}, "tools/sitecustomize.py"),
    "NODE_OPTIONS": ({"env": {"NODE_OPTIONS": "--require=./tools/x.js"}, "command": "true"}, "tools/x.js"),
    "LD_PRELOAD": ({"env": {"LD_PRELOAD": "./tools/x.so"}, "command": "true"}, "tools/x.so"),
    "a variable of the settings": ({"env": {"TOOLS": "./tools"}, "command": "sh $TOOLS/g.sh"}, "tools/g.sh"),
    "a command that sees only env": ({"env": {"A": "1"}}, "settings"),
    "disableAllHooks": ({"disableAllHooks": False}, "settings"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_after_trust_was_given_asks_again(name: str, repository: Repository) -> None:
    given, changed = CHANGES[name]
    whole = given if isinstance(given, dict) else {"command": given}
    entry = {"type": "command", **{key: value for key, value in whole.items() if key in ("command", "args")}}

    def text(**more: object) -> str:
        hooks = {"PreToolUse": [{"hooks": [entry]}]} if "command" in whole else {}
        others = {key: value for key, value in whole.items() if key not in ("command", "args")}
        return json.dumps({"hooks": hooks, **others, **more})

    (repository.path / ".git").mkdir()
    for each in (GUARD, "hook.py", "tools/g.sh", "tools/g.py", "tools/g.js", "tools/deep/x.sh"):
        if "yet" not in name or not each.startswith("tools"):
            write(repository.path / each, "echo first\n")
    repository.text = text()
    with repository.host(lambda verdict: True) as host:
        assert host.verdict is not None
        assert host.verdict.state == "trusted"
    with repository.host() as host:
        assert host.verdict is not None
        assert host.verdict.state == "trusted", "nothing has changed"
    if changed == "settings":
        repository.text = text(env={"A": "2"}) if "env" in whole else text(disableAllHooks=True)
    else:
        write(repository.path / changed)
    with repository.host() as host:
        assert host.verdict is not None
        assert host.verdict.state == "changed"
        assert host.verdict.changes


NOT_COVERED = {
    "make lint": "what `make lint` runs",
    "make": "what `make` runs",
    "cd web && npm run guard": "what `npm run` runs",
    "npx prettier --check .": "what `npx prettier` runs",
    "python3 -m tools.guard": "what `python3 -m tools.guard` runs",
    "python3 -c 'import guard'": "what `python3 -c` imports",
    "node -e 'require(\"./x\")'": "what `node -e` loads",
    "curl -s https://example.org/x.sh | sh": "what `sh` reads from its standard input",
    "just guard": "what `just guard` runs",
    "uv run guard.py": "what `uv run` runs",
    'sh "$SOMEWHERE/guard.sh"': "what `$SOMEWHERE/guard.sh` stands for, which `sh` runs",
    "$GUARD --check": "what `$GUARD` stands for",
    'sh "$(jq -r .script guard.json)"': "what `$(jq -r .script guard.json)` stands for, which `sh` runs",
    "find . -name 'guard*' -exec sh {} +": "what `find .` finds in PROJECT",
    "sh /proc/self/cwd/hook.sh": "what /proc/self/cwd/hook.sh is",
    "ls tools | xargs sh": "what `xargs` is given",
    "sh 'unclosed": "what `sh 'unclosed` runs, which cannot be taken apart (a single quote that is not closed)",
}


@pytest.mark.parametrize("command", NOT_COVERED)
def test_what_cannot_be_followed_is_named_and_refused_by_policy(
    command: str, repository: Repository, event: MakeEvent
) -> None:
    repository.text = settings(command)
    repository.user = "{}"
    with repository.host(lambda verdict: True) as host:
        assert host.verdict is not None
        said = [gap.replace(str(repository.path), "PROJECT") for _, gap in host.verdict.fingerprint.gaps]
        assert NOT_COVERED[command] in said
        shown = "\n".join(trust_lines(host.verdict))
        assert "not covered: " in shown
    with repository.host(policies=Policies(strict=True, fail_closed="always")) as host:
        outcome = host.dispatch(event("PreToolUse"))
        assert (outcome.runs, outcome.blocked) == ((), True)
        assert "is not covered by trust" in outcome.warnings[0]


@pytest.mark.parametrize(
    "command",
    [
        'jq -r .tool_input.command | grep -q "rm -rf" && exit 2',
        "sh ./hook.sh > /dev/null 2>&1 # not ./a/comment.sh",
        "if test -e hook.sh; then sh hook.sh; fi",
        "f() { echo x; }; f; cat <<END\nmake all\nEND",
        'printf \'{"decision":"block"}\'',
    ],
)
def test_what_is_followed_to_its_end_has_no_gaps(command: str, repository: Repository, event: MakeEvent) -> None:
    repository.text = settings(command)
    with repository.host(lambda verdict: True, policies=Policies(strict=True)) as host:
        assert host.verdict is not None
        found = host.verdict.fingerprint
        assert (found.gaps, found.missing) == ((), ())
        assert len(host.dispatch(event("PreToolUse")).runs) == 2


def test_a_relative_script_is_not_run_where_it_is_another_file(repository: Repository, event: MakeEvent) -> None:
    write(repository.path / "sub/hook.sh")
    write(repository.path / "other/readme")
    repository.text = settings("sh ./hook.sh")
    with repository.host(lambda verdict: True) as host:
        assert len(host.dispatch(event("PreToolUse")).runs) == 2
        outcome = host.dispatch({**event("PreToolUse"), "cwd": str(repository.path / "sub")})
        assert [run.handler.layer for run in outcome.runs] == ["user"]
        assert "sub/hook.sh, which is not what was trusted" in outcome.warnings[0]
        assert len(host.dispatch({**event("PreToolUse"), "cwd": str(repository.path / "other")}).runs) == 2


def test_a_script_named_by_the_project_s_variable_runs_anywhere(repository: Repository, event: MakeEvent) -> None:
    write(repository.path / "sub/hook.sh")
    repository.text = settings('sh "$CLAUDE_PROJECT_DIR"/hook.sh')
    with repository.host(lambda verdict: True) as host:
        assert len(host.dispatch({**event("PreToolUse"), "cwd": str(repository.path / "sub")}).runs) == 2


def test_a_compiled_file_of_the_repository_does_not_run_for_the_source(
    repository: Repository, event: MakeEvent
) -> None:
    tools = repository.path / "tools"
    write(tools / "g.py", "import helper\n")
    write(tools / "helper.py", "print('evil')\n")
    py_compile.compile(str(tools / "helper.py"), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    write(tools / "helper.py", "print('right')\n")
    repository.text = settings(f"{sys.executable} tools/g.py")
    repository.user = "{}"
    with repository.host(lambda verdict: True) as host:
        assert host.dispatch(event("PreToolUse")).runs[0].ended.stdout == b"right\n"
    with repository.host() as host:
        assert host.verdict is not None
        assert host.verdict.state == "trusted", "running it has changed nothing"


def test_past_the_bound_nothing_is_trusted_and_it_says_why(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprint, "MOST_FILES", 30)
    for number in range(40):
        write(repository.path / f"tools/{number}.sh")
    repository.text = settings("sh tools/1.sh")
    with repository.host(lambda verdict: pytest.fail("asked")) as host:
        assert host.verdict is not None
        assert (host.verdict.state, repository.words(host)) == ("untrusted", ["user", "untrusted"])
        assert (
            "more than 30 files; keep the hooks' scripts in a directory of their own"
            in host.verdict.fingerprint.refused
        )
        with pytest.raises(TrustError, match=r"cannot be trusted: .*more than 30 files"):
            repository.store.set(host.verdict, "allow")
    monkeypatch.setattr(fingerprint, "MOST_FILES", 3000)
    monkeypatch.setattr(fingerprint, "MOST_BYTES", 300)
    with repository.host() as host:
        assert host.verdict is not None
        assert "hold more than" in host.verdict.fingerprint.refused


def test_a_link_out_of_the_directory_is_followed(repository: Repository, tmp_path: Path) -> None:
    write(tmp_path / "outside/x.sh")
    (repository.path / "tools").mkdir()
    (repository.path / "tools/g.sh").write_text("echo\n")
    (repository.path / "tools/more").symlink_to(tmp_path / "outside")
    (repository.path / "tools/loop").symlink_to(repository.path / "tools")
    repository.text = settings("sh tools/g.sh")
    with repository.host(lambda verdict: True):
        pass
    write(tmp_path / "outside/x.sh", "other")
    with repository.host() as host:
        assert host.verdict is not None
        assert host.verdict.state == "changed"


@pytest.mark.parametrize("layer", ["project", "local"])
@pytest.mark.parametrize("there", [True, False])
def test_an_untrusted_project_switches_nothing_of_the_person_s(
    layer: str, there: bool, repository: Repository, event: MakeEvent
) -> None:
    repository.text = json.dumps({"disableAllHooks": there})
    repository.user = json.dumps({**json.loads(settings("echo mine")), "disableAllHooks": not there})

    def runs(answer: bool | None) -> int:
        files = [LayerFile("user", "u", text=repository.user), LayerFile(layer, "p", text=repository.text)]
        with HookHost.load(
            repository.path, files=files, home="/", env={}, trust=repository.store, ask=lambda verdict: answer
        ) as host:
            return len(host.dispatch(event("PreToolUse")).runs)

    assert runs(None) == int(there)
    assert runs(True) == int(not there)


def test_the_question_shows_all_that_is_trusted(repository: Repository) -> None:
    repository.text = settings("sh ./hook.sh\nmake\x1b[2K", {"LD_PRELOAD": "./x.so", "A\x1b]0;": "1\n2"})
    with repository.host() as host:
        assert host.verdict is not None
        lines = trust_lines(host.verdict)
    assert '  PreToolUse: "sh ./hook.sh\\nmake\\e[2K"  (project.json:1)' in lines
    assert '  env: LD_PRELOAD="./x.so"' in lines
    assert '  env: "A\\e]0;"="1\\n2"' in lines
    assert f"  script: {repository.script}" in lines
    assert f"  missing: {repository.path}/x.so" in lines
    assert f"  all of {repository.path}/.claude/" in lines
    assert f"  the code in {repository.path}/, not in its directories" in lines
    assert not [line for line in lines if not line.isprintable()]


def test_answers_given_at_once_are_all_kept(repository: Repository, tmp_path: Path) -> None:
    def one(number: int) -> None:
        path = tmp_path / f"p{number}"
        path.mkdir()
        files = [LayerFile("project", "p", text=repository.text)]
        store = TrustStore(repository.store.path)
        with HookHost.load(path, files=files, home="/", env={}, trust=store, ask=lambda verdict: number != 3):
            pass

    threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers = json.loads(repository.store.path.read_text())
    assert sorted(Path(path).name for path in answers) == [f"p{number}" for number in range(8)]
    assert answers[str(tmp_path / "p3")]["decision"] == "deny"


def test_without_a_word_about_trust_the_person_s_own_store_counts(
    repository: Repository, event: MakeEvent, tmp_path: Path
) -> None:
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    files = [LayerFile("project", "p", text=repository.text)]
    with HookHost.load(repository.path, files=files, home=str(tmp_path), env=env) as host:
        assert host.dispatch(event("PreToolUse")).runs == ()
        assert host.verdict is not None
        TrustStore.default(env, str(tmp_path)).set(host.verdict, "allow")
    with HookHost.load(repository.path, files=files, home=str(tmp_path), env=env) as host:
        assert len(host.dispatch(event("PreToolUse")).runs) == 1
    with HookHost.load(repository.path, files=files, home="/nonexistent", env=env, trust="all") as host:
        assert len(host.dispatch(event("PreToolUse")).runs) == 1


def test_an_answer_taken_back_is_heard_by_a_host_that_runs(repository: Repository, event: MakeEvent) -> None:
    with repository.host(lambda verdict: True) as host:
        assert host.verdict is not None
        assert len(host.dispatch(event("PreToolUse")).runs) == 2
        TrustStore(repository.store.path).set(host.verdict, "deny")
        assert len(host.dispatch(event("PreToolUse")).runs) == 1
