"""Hooks that come with a repository run once they are trusted, and only as they were then."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamwork_hooks.host import HookHost, LayerFile, Policies, TrustError, TrustStore, Verdict

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
        root.mkdir()
        (root / "hooks.json").write_text(settings("x"))
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
