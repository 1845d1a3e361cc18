"""Settings files as they are in the wild: installed, installed again, forced and uninstalled, byte for byte.

Each directory below tests/data/settings holds `before.json` and what must come of it: `installed.json`, or
`forced.json` when handlers of ours are there that differ, or `refused.txt` (line:column and words of the message).
`uninstalled.json` stands only where uninstalling leaves something else than `before.json`. `@PROGRAM@` is the path of
the installed file.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.bench import Bench

DATA = Path(__file__).resolve().parents[2] / "data" / "settings"
CASES = sorted(path.name for path in DATA.iterdir() if path.is_dir())
REFUSED = [name for name in CASES if (DATA / name / "refused.txt").exists()]
FORCED = [name for name in CASES if (DATA / name / "forced.json").exists()]
PLAIN = [name for name in CASES if name not in REFUSED and name not in FORCED]


def content(bench: Bench, case: str, name: str) -> bytes:
    return (DATA / case / name).read_bytes().replace(b"@PROGRAM@", os.fsencode(bench.program))


def unwired(bench: Bench, case: str) -> bytes:
    name = "uninstalled.json" if (DATA / case / "uninstalled.json").exists() else "before.json"
    return content(bench, case, name)


def test_the_table_is_as_long_as_it_should_be() -> None:
    assert len(CASES) >= 80
    assert len(PLAIN) >= 40


@pytest.mark.parametrize("case", PLAIN)
def test_install_changes_only_our_bytes_and_uninstall_gives_the_rest_back(bench: Bench, case: str) -> None:
    file = bench.write(content(bench, case, "before.json"))
    expected = content(bench, case, "installed.json")

    first = bench.install()
    assert first.status == 0, first
    assert file.read_bytes() == expected

    os.utime(file, ns=(10**18, 10**18))
    for again in (bench.install(), bench.install(force=True)):
        assert again.status == 0, again
        assert again.answer["changed"] is False
        assert file.read_bytes() == expected
        assert file.stat().st_mtime_ns == 10**18

    assert bench.uninstall().status == 0
    assert file.read_bytes() == unwired(bench, case)
    assert bench.strays() == []


@pytest.mark.parametrize("case", FORCED)
def test_a_differing_handler_of_ours_is_refused_with_a_diff_and_updated_by_force(bench: Bench, case: str) -> None:
    before = content(bench, case, "before.json")
    file = bench.write(before)

    refused = bench.install()
    assert refused.status == 2
    assert str(refused.answer["diff"]).startswith(f"--- {file}")
    assert "--force" in str(refused.answer["error"])
    assert file.read_bytes() == before
    assert bench.backups() == []
    assert not bench.program.exists()

    assert bench.install(force=True).status == 0
    assert file.read_bytes() == content(bench, case, "forced.json")
    assert bench.install().answer["changed"] is False

    assert bench.uninstall().status == 0
    assert file.read_bytes() == unwired(bench, case)


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_sound_is_refused_with_line_and_column(bench: Bench, case: str) -> None:
    before = content(bench, case, "before.json")
    file = bench.write(before)
    where, _, words = (DATA / case / "refused.txt").read_text().strip().partition(" ")

    for force in (False, True):
        refused = bench.install(force=force)
        assert refused.status == 2
        assert str(refused.answer["error"]).startswith(f"{file}:{where}: ")
        assert words in str(refused.answer["error"])
        assert "--print" in str(refused.answer["error"])
    assert file.read_bytes() == before
    assert sorted(path.name for path in file.parent.iterdir()) == ["settings.json"]
    assert not bench.program.exists()


@pytest.mark.parametrize("case", ["comments-on-lines", "comments-in-blocks", "comment-only"])
def test_a_file_that_claude_code_ignores_is_never_called_wired(bench: Bench, case: str) -> None:
    bench.write(content(bench, case, "before.json"))
    done = bench.install()
    assert done.answer["wired"] is False
    assert any("NOT ACTIVE" in sentence for sentence in done.sentences)
