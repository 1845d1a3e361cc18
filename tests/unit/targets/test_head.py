"""The branch and commit, read without running git, in repositories that git itself made."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from dreamwork_hooks.targets.head import read_head

ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def git(directory: Path, *words: str) -> str:
    assert shutil.which("git") is not None, "these tests need git"
    ran = subprocess.run(["git", *words], cwd=directory, env=ENV, check=True, capture_output=True, text=True)
    return ran.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "repository"
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    git(path, "commit", "-q", "--allow-empty", "-m", "one")
    return path


def commit_of(repository: Path) -> str:
    return git(repository, "rev-parse", "HEAD")


def test_a_branch_and_its_commit(repository: Path) -> None:
    assert read_head(str(repository)) == {"branch": "main", "commit": commit_of(repository)}


def test_a_target_below_the_work_tree(repository: Path) -> None:
    below = repository / "a" / "b"
    below.mkdir(parents=True)
    assert read_head(str(below)) == {"branch": "main", "commit": commit_of(repository)}


def test_a_branch_with_slashes_and_other_letters(repository: Path) -> None:
    git(repository, "checkout", "-q", "-b", "feature/größe/x")
    assert read_head(str(repository)) == {"branch": "feature/größe/x", "commit": commit_of(repository)}


def test_packed_refs(repository: Path) -> None:
    git(repository, "branch", "main-two")
    git(repository, "pack-refs", "--all")
    assert not (repository / ".git" / "refs" / "heads" / "main").exists()
    assert read_head(str(repository)) == {"branch": "main", "commit": commit_of(repository)}


def test_a_loose_ref_goes_before_a_packed_one(repository: Path) -> None:
    git(repository, "pack-refs", "--all")
    git(repository, "commit", "-q", "--allow-empty", "-m", "two")
    assert read_head(str(repository)) == {"branch": "main", "commit": commit_of(repository)}


def test_a_packed_ref_whose_name_begins_another_is_not_taken_for_it(repository: Path) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "two")
    git(repository, "branch", "x/refs/heads/main", "HEAD~1")
    git(repository, "pack-refs", "--all")
    assert read_head(str(repository)) == {"branch": "main", "commit": commit_of(repository)}


def test_a_detached_head_has_no_branch(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    assert read_head(str(repository)) == {"branch": None, "commit": commit_of(repository)}


def test_an_unborn_branch_has_no_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    assert read_head(str(tmp_path)) == {"branch": "trunk", "commit": None}


def test_a_worktree(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    git(tmp_path / "side", "commit", "-q", "--allow-empty", "-m", "two")
    assert read_head(str(tmp_path / "side")) == {"branch": "side", "commit": commit_of(tmp_path / "side")}
    git(repository, "pack-refs", "--all")
    assert read_head(str(tmp_path / "side")) == {"branch": "side", "commit": commit_of(tmp_path / "side")}


def test_a_submodule(repository: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "main")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "inner")
    assert (outer / "inner" / ".git").is_file()
    assert read_head(str(outer / "inner")) == {"branch": "main", "commit": commit_of(repository)}


def test_a_git_file_with_a_relative_path(repository: Path) -> None:
    (repository / ".git").rename(repository / "stored")
    (repository / ".git").write_text("gitdir: stored\n")
    assert read_head(str(repository)) == {"branch": "main", "commit": commit_of(repository)}


def test_longer_object_names(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "--object-format=sha256")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one")
    head = read_head(str(tmp_path))
    assert head == {"branch": "main", "commit": commit_of(tmp_path)}
    assert len(head["commit"] or "") == 64


def test_a_store_of_refs_that_is_not_read_gives_no_commit(repository: Path) -> None:
    """As the reftable format leaves HEAD."""
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")
    assert read_head(str(repository)) == {"branch": ".invalid", "commit": None}


def test_outside_a_repository_there_is_none(tmp_path: Path) -> None:
    assert read_head(str(tmp_path)) is None


@pytest.mark.parametrize(
    "ref",
    [
        "../../secret",
        "refs/../../../secret",
        "refs/heads/../../../secret",
        "/etc/passwd",
        "refs/heads/x\0y",
        "secret",
        "",
    ],
)
def test_a_hostile_ref_reads_nothing_outside_the_git_directory(repository: Path, ref: str) -> None:
    (repository.parent / "secret").write_text("0" * 40 + "\n")
    (repository / ".git" / "secret").write_text("0" * 40 + "\n")
    (repository / ".git" / "HEAD").write_text(f"ref: {ref}\n")
    head = read_head(str(repository))
    assert head is not None
    assert head["commit"] is None


@pytest.mark.parametrize("head", ["", "\n", "ref:", "not a commit", "g" * 40, "0" * 41, "\xff" * 40, "0" * 5000])
def test_a_head_of_no_known_shape_gives_nothing_that_was_not_checked(repository: Path, head: str) -> None:
    (repository / ".git" / "HEAD").write_bytes(head.encode("latin-1"))
    found = read_head(str(repository))
    assert found is None or (found["commit"] is None and found["branch"] in (None, ""))


def test_a_branch_of_control_characters_is_one_printable_line(repository: Path) -> None:
    (repository / ".git" / "HEAD").write_bytes(b"ref: refs/heads/a\x1b[31m\nb\xff" + b"x" * 300)
    found = read_head(str(repository))
    assert found is not None
    assert found["branch"] is not None
    assert found["branch"].isprintable()
    assert len(found["branch"]) <= 100


@pytest.mark.parametrize("link", ["gitdir: ", "gitdir: /nonexistent", "gitdir: .git", "nonsense", "gitdir: \0", ""])
def test_a_git_file_that_leads_nowhere_is_no_repository(repository: Path, link: str) -> None:
    shutil.rmtree(repository / ".git")
    (repository / ".git").write_text(link)
    assert read_head(str(repository)) is None
