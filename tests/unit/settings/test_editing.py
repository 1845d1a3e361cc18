"""The file as it lies on disk: links, modes, owners, mounts, backups, and somebody else writing it."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dreamwork_hooks.errors import Failed, Refused
from dreamwork_hooks.settings import writing
from dreamwork_hooks.settings.editing import edit
from dreamwork_hooks.settings.snapshot import Snapshot, decode, encode
from tests.support.bench import Bench

BEFORE = b'{\n  "env": {"TOKEN": "not-a-real-one"}\n}\n'
NOBODY = 65534


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """An empty directory."""
    place = tmp_path / "place"
    place.mkdir()
    return place


def append(snapshot: Snapshot) -> bytes:
    """An edit that is done once: add a marker."""
    data = snapshot.data or b""
    return data if b"MARK" in data else data + b"MARK"


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextlib.contextmanager
def as_nobody() -> Iterator[Path]:
    """A directory of an ordinary user's, worked in as that user: root may do everything, which proves nothing."""
    root = Path(tempfile.mkdtemp(prefix="dreamwork-nobody-"))
    root.chmod(0o755)
    inner = root / "d"
    inner.mkdir()
    try:
        if os.geteuid() == 0:
            os.chown(inner, NOBODY, NOBODY)
            os.setegid(NOBODY)
            os.seteuid(NOBODY)
        yield inner
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
            os.setegid(0)
        inner.chmod(0o755)
        shutil.rmtree(root)


# Links --------------------------------------------------------------------------------------------------------------


def test_a_relative_link_stays_and_its_file_is_written(bench: Bench) -> None:
    real = bench.home / "dot" / "s.json"
    real.parent.mkdir()
    real.write_bytes(BEFORE)
    bench.settings.parent.mkdir()
    bench.settings.symlink_to("../dot/s.json")

    done = bench.install()
    assert done.answer["real"] == str(real)
    assert os.readlink(bench.settings) == "../dot/s.json"
    assert b"precompact" in real.read_bytes()
    assert [path.name for path in real.parent.iterdir()] == ["s.json"]
    bench.uninstall()
    assert real.read_bytes() == BEFORE
    assert bench.settings.is_symlink()


def test_a_link_to_a_link_stays(bench: Bench) -> None:
    real = bench.home / "real.json"
    real.write_bytes(BEFORE)
    (bench.home / "middle.json").symlink_to(real)
    bench.settings.parent.mkdir()
    bench.settings.symlink_to("../middle.json")
    assert bench.install().status == 0
    assert bench.settings.is_symlink()
    assert (bench.home / "middle.json").is_symlink()
    assert b"precompact" in real.read_bytes()


def test_a_dangling_link_gets_its_file(bench: Bench) -> None:
    bench.settings.parent.mkdir()
    bench.settings.symlink_to("../later.json")
    assert bench.install().status == 0
    assert bench.settings.is_symlink()
    assert mode_of(bench.home / "later.json") == 0o600
    assert bench.uninstall().status == 0
    assert not (bench.home / "later.json").exists()


def test_a_link_into_a_missing_directory_is_refused(bench: Bench) -> None:
    bench.settings.parent.mkdir()
    bench.settings.symlink_to("../gone/later.json")
    assert bench.install().status == 2
    assert not (bench.home / "gone").exists()


@pytest.mark.parametrize("kind", ["loop", "directory", "fifo", "device"])
def test_what_is_no_plain_file_is_refused(bench: Bench, kind: str) -> None:
    bench.settings.parent.mkdir()
    if kind == "loop":
        bench.settings.symlink_to("settings.json")
    elif kind == "directory":
        bench.settings.mkdir()
    elif kind == "fifo":
        os.mkfifo(bench.settings)
    else:
        bench.settings.symlink_to("/dev/null")
    refused = bench.install()
    assert refused.status == 2
    assert refused.answer["ok"] is False
    assert not bench.program.exists()


def test_a_huge_file_is_refused_unread(bench: Bench) -> None:
    bench.settings.parent.mkdir()
    with open(bench.settings, "wb") as file:
        file.truncate(1 << 30)
    assert "larger than" in str(bench.install().answer["error"])


def test_a_hard_link_stays_one_file(bench: Bench) -> None:
    file = bench.write(BEFORE)
    other = bench.home / "other.json"
    os.link(file, other)
    done = bench.install()
    assert done.answer["method"] == "in place"
    assert file.stat().st_ino == other.stat().st_ino
    assert b"precompact" in other.read_bytes()
    bench.uninstall()
    assert other.read_bytes() == BEFORE
    assert bench.strays() == []


# Modes and owners ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o660])
def test_file_and_backup_keep_the_mode(bench: Bench, mode: int) -> None:
    file = bench.write(BEFORE)
    file.chmod(mode)
    old = os.umask(0o077)
    try:
        bench.install()
    finally:
        os.umask(old)
    assert mode_of(file) == mode
    assert [mode_of(path) for path in bench.backups()] == [mode]


def test_the_temporary_file_is_never_wider_than_the_file(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place / "s.json"
    file.write_bytes(BEFORE)
    file.chmod(0o600)
    seen: list[int] = []
    fsync = os.fsync

    def watch(fd: int) -> None:
        seen.extend(mode_of(path) for path in place.iterdir())
        fsync(fd)

    monkeypatch.setattr(os, "fsync", watch)
    edit(str(file), append, spare_backups=str(place / "spare"))
    assert seen
    assert set(seen) == {0o600}


def test_a_new_file_is_private(bench: Bench) -> None:
    assert bench.install().status == 0
    assert mode_of(bench.settings) == 0o600
    assert mode_of(bench.settings.parent) == 0o700
    assert mode_of(bench.program) == 0o755
    assert mode_of(bench.state) == 0o700
    assert mode_of(bench.state / "config.json") == 0o600
    assert bench.backups() == []


def test_a_read_only_file_is_refused(bench: Bench) -> None:
    file = bench.write(BEFORE)
    file.chmod(0o444)
    refused = bench.install()
    assert refused.status == 2
    assert "chmod u+w" in str(refused.answer["error"])
    assert file.read_bytes() == BEFORE


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file that belongs to another user")
def test_root_gives_the_file_and_its_backup_back_to_their_owner(bench: Bench) -> None:
    file = bench.write(BEFORE)
    os.chown(file, NOBODY, NOBODY)
    file.chmod(0o640)
    assert bench.install().answer["method"] == "rename"
    for path in (file, *bench.backups()):
        assert (path.stat().st_uid, path.stat().st_gid, mode_of(path)) == (NOBODY, NOBODY, 0o640)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file that belongs to another user")
def test_a_file_of_another_that_we_may_write_keeps_its_owner_by_being_written_in_place() -> None:
    with as_nobody() as directory:
        file = directory / "s.json"
        os.seteuid(0)
        file.write_bytes(BEFORE)
        file.chmod(0o666)
        os.seteuid(NOBODY)
        done = edit(str(file), append, spare_backups=str(directory / "spare"))
        assert done.method == "in place"
        assert file.stat().st_uid == 0
        assert file.read_bytes() == BEFORE + b"MARK"
        assert done.backup is not None
        assert mode_of(Path(done.backup)) == 0o600  # its owner is not the file's, so no one else gets to read it
        assert list(directory.glob(".*")) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file that belongs to another user")
def test_a_file_of_another_that_we_may_not_write_is_refused() -> None:
    with as_nobody() as directory:
        file = directory / "s.json"
        os.seteuid(0)
        file.write_bytes(BEFORE)
        file.chmod(0o644)
        os.seteuid(NOBODY)
        with pytest.raises(Refused, match="may not be written by this user"):
            edit(str(file), append, spare_backups=str(directory / "spare"))
        assert sorted(path.name for path in directory.iterdir()) == ["s.json"]


def test_in_a_read_only_directory_the_file_is_written_in_place_after_a_backup_elsewhere() -> None:
    with as_nobody() as root:
        directory = root / "ro"
        directory.mkdir()
        file = directory / "s.json"
        file.write_bytes(BEFORE)
        directory.chmod(0o555)
        try:
            done = edit(str(file), append, spare_backups=str(root / "spare"))
        finally:
            directory.chmod(0o755)
        assert done.method == "in place"
        assert file.read_bytes() == BEFORE + b"MARK"
        assert [path.name for path in directory.iterdir()] == ["s.json"]
        assert done.backup is not None
        assert Path(done.backup).parent == root / "spare"
        assert Path(done.backup).read_bytes() == BEFORE


def test_without_a_place_for_the_backup_nothing_is_written() -> None:
    with as_nobody() as root:
        directory = root / "ro"
        directory.mkdir()
        file = directory / "s.json"
        file.write_bytes(BEFORE)
        directory.chmod(0o555)
        (root / "spare").write_bytes(b"a file in the way")
        try:
            with pytest.raises(Failed, match="no backup could be made"):
                edit(str(file), append, spare_backups=str(root / "spare"))
        finally:
            directory.chmod(0o755)
        assert file.read_bytes() == BEFORE


def mounts_allowed() -> bool:
    if shutil.which("unshare") is None or shutil.which("mount") is None:
        return False
    return subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not mounts_allowed(), reason="mounting a single file needs root and a mount namespace")
@pytest.mark.parametrize("read_only_directory", [False, True])
def test_a_file_that_is_mounted_alone_is_written_in_place(bench: Bench, read_only_directory: bool) -> None:
    source = bench.home / "outside.json"
    source.write_bytes(BEFORE)
    file = bench.write(b"{}")
    directory = file.parent
    script = f"mount --bind '{source}' '{file}' && exec \"$@\""
    if read_only_directory:
        script = (
            f"mount --bind '{directory}' '{directory}' && mount -o remount,bind,ro '{directory}' && "
            f"mount --bind '{source}' '{file}' && mount -o remount,bind,rw '{file}' && exec \"$@\""
        )
    root = Path(__file__).resolve().parents[3]
    code = "import json, sys; sys.path.insert(0, sys.argv[1])\n"
    code += "from dreamwork_hooks.install.install import install\n"
    code += "from dreamwork_hooks.install.request import Request, this_world\n"
    code += "print(json.dumps(install(this_world(sys.argv[2]), Request()).answer))"
    command = [
        sys.executable,
        "-c",
        code,
        str(root / "src"),
        str(bench.checkout),
    ]
    ran = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", *command],
        env=bench.env,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    answer = json.loads(ran.stdout)
    assert answer["method"] == "in place"
    assert b"precompact" in source.read_bytes()
    assert Path(answer["backup"]).read_bytes() == BEFORE
    assert (Path(answer["backup"]).parent == directory) is not read_only_directory
    assert bench.strays() == []


def test_a_full_disk_leaves_the_file_as_it_was(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place / "s.json"
    file.write_bytes(BEFORE)

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Failed, match="No space left"):
        edit(str(file), append, spare_backups=str(place / "spare"))
    assert sorted(path.name for path in place.iterdir()) == ["s.json"]
    assert file.read_bytes() == BEFORE


def test_a_disk_that_fills_during_a_write_in_place_gives_the_old_bytes_back(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = place / "s.json"
    file.write_bytes(BEFORE)
    os.link(file, place / "other")
    pwrite = os.pwrite
    calls: list[int] = []

    def half(fd: int, data: bytes, offset: int) -> int:
        calls.append(offset)
        return pwrite(fd, data[: len(data) // 2] if len(calls) == 1 else data, offset)

    monkeypatch.setattr(os, "pwrite", half)
    with pytest.raises(Failed, match="holds what it held before"):
        edit(str(file), lambda _: b'{"quite": "different"}' * 9, spare_backups=str(place / "spare"))
    assert file.read_bytes() == BEFORE


@pytest.mark.parametrize("new", [b"", b"{}", BEFORE[:-3], BEFORE[:5] + b"x" + BEFORE[5:], b"z" * 999])
def test_a_write_in_place_leaves_exactly_the_new_bytes(place: Path, new: bytes) -> None:
    file = place / "s.json"
    file.write_bytes(BEFORE)
    os.link(file, place / "other")
    edit(str(file), lambda _: new, spare_backups=str(place / "spare"))
    assert file.read_bytes() == new


# Backups ------------------------------------------------------------------------------------------------------------


def test_backups_of_one_second_do_not_overwrite_each_other_and_ten_are_kept(place: Path) -> None:
    file = place / "s.json"
    foreign = place / "s.json.bak-20200101T000000Z"
    foreign.write_bytes(b"mine")
    made: list[str] = []
    for number in range(14):
        file.write_bytes(b'{"n": %d}' % number)
        done = edit(
            str(file), append, spare_backups=str(place / "spare"), now=lambda: 1_700_000_000.0, known_backups=made
        )
        assert done.backup is not None
        assert Path(done.backup).read_bytes() == b'{"n": %d}' % number
        made.append(done.backup)
    assert len(set(made)) == 14
    kept = sorted(str(path) for path in place.glob("s.json.bak-2023*"))
    assert kept == sorted(made[-10:])
    assert foreign.read_bytes() == b"mine"


def test_a_link_in_the_backups_place_is_not_followed(place: Path) -> None:
    file = place / "s.json"
    file.write_bytes(BEFORE)
    file.chmod(0o600)
    victim = place / "victim"
    victim.write_bytes(b"untouched")
    trap = place / "s.json.bak-20231114T221320Z"
    trap.symlink_to(victim)
    done = edit(str(file), append, spare_backups=str(place / "spare"), now=lambda: 1_700_000_000.0)
    assert done.backup == f"{place}/s.json.bak-20231114T221320Z-2"
    assert mode_of(Path(done.backup)) == 0o600
    assert victim.read_bytes() == b"untouched"
    assert trap.is_symlink()


def test_a_wide_backup_of_the_same_name_stays_as_it_is_and_ours_is_narrow(place: Path) -> None:
    file = place / "s.json"
    file.write_bytes(BEFORE)
    file.chmod(0o600)
    wide = place / "s.json.bak-20231114T221320Z"
    wide.write_bytes(b"older")
    wide.chmod(0o666)
    done = edit(str(file), append, spare_backups=str(place / "spare"), now=lambda: 1_700_000_000.0)
    assert done.backup is not None
    assert mode_of(Path(done.backup)) == 0o600
    assert wide.read_bytes() == b"older"


def test_what_a_killed_run_left_is_swept_and_nothing_else(place: Path) -> None:
    file = place / "s.json"
    file.write_bytes(BEFORE)
    stale = place / ".s.json.dreamwork-hooks-123-0011aabb.tmp"
    stale.write_bytes(b"half")
    others = [place / ".s.json.tmp", place / ".s.json.dreamwork-hooks-x.tmp", place / ".t.json.tmp"]
    for other in others:
        other.write_bytes(b"theirs")
    edit(str(file), append, spare_backups=str(place / "spare"))
    assert not stale.exists()
    assert all(other.exists() for other in others)


# Other writers ------------------------------------------------------------------------------------------------------


def meddling(file: Path, times: int, write: Callable[[int], None]) -> Callable[[Snapshot], bytes]:
    """An edit during which another program writes the file, the first `times` times."""
    calls: list[int] = []

    def change(snapshot: Snapshot) -> bytes:
        new = append(snapshot)
        calls.append(1)
        if 2 <= len(calls) < 2 + times:  # the first call is the look before the lock
            write(len(calls))
        return new

    return change


def test_a_change_by_another_program_is_taken_up_not_lost(place: Path) -> None:
    file = place / "s.json"
    file.write_bytes(BEFORE)

    def other(n: int) -> None:
        file.write_bytes(b"other %d " % n)

    done = edit(str(file), meddling(file, 2, other), spare_backups=str(place))
    assert file.read_bytes() == b"other 3 MARK"
    assert done.backup is not None
    assert Path(done.backup).read_bytes() == b"other 3 "
    assert len(list(place.iterdir())) == 2


def test_a_file_that_never_rests_is_refused_with_nothing_left_behind(place: Path) -> None:
    file = place / "s.json"
    file.write_bytes(BEFORE)

    def other(n: int) -> None:
        file.write_bytes(b"other %d" % n)

    with pytest.raises(Refused, match="keeps writing"):
        edit(str(file), meddling(file, 99, other), spare_backups=str(place))
    assert file.read_bytes().startswith(b"other ")
    assert [path.name for path in place.iterdir()] == ["s.json"]


def test_a_file_that_appears_meanwhile_is_not_replaced_unseen(place: Path) -> None:
    file = place / "s.json"

    def other(n: int) -> None:
        file.write_bytes(b"born ")

    edit(str(file), meddling(file, 1, other), spare_backups=str(place))
    assert file.read_bytes() == b"born MARK"


def test_what_was_overwritten_after_the_rename_is_written_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claude Code writes its settings from memory: success is what the file says, not what the rename said."""
    file = place / "s.json"
    file.write_bytes(BEFORE)
    rename = os.rename
    renames: list[str] = []

    def then_overwritten(source: str, destination: str) -> None:
        rename(source, destination)
        renames.append(destination)
        if len(renames) == 1:
            file.write_bytes(b"from memory ")

    monkeypatch.setattr(os, "rename", then_overwritten)
    done = edit(str(file), append, spare_backups=str(place))
    assert len(renames) == 2
    assert file.read_bytes() == b"from memory MARK"
    assert done.backup is not None
    assert Path(done.backup).read_bytes() == BEFORE


def test_a_writer_that_always_wins_is_reported_as_failure(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place / "s.json"
    file.write_bytes(BEFORE)
    rename = os.rename

    def overwritten(source: str, destination: str) -> None:
        rename(source, destination)
        file.write_bytes(b"from memory ")

    monkeypatch.setattr(os, "rename", overwritten)
    with pytest.raises(Failed, match="keeps overwriting"):
        edit(str(file), append, spare_backups=str(place))
    assert list(place.glob("*.tmp")) == []


def test_a_held_lock_is_waited_for_and_then_refused(place: Path) -> None:
    file = place / "s.json"
    file.write_bytes(BEFORE)
    with writing.locked(str(place)), pytest.raises(Refused, match="another install"):
        edit(str(file), append, spare_backups=str(place), wait=0.1)
    assert file.read_bytes() == BEFORE
    edit(str(file), append, spare_backups=str(place), wait=0.1)


def _count(path: str, rounds: int) -> None:
    """Another program: counts up in the settings, each time read, changed and replaced as a whole."""
    for number in range(1, rounds + 1):
        with open(path, "rb") as file:
            data = json.load(file)
        data["count"] = number
        with open(path + ".theirs", "w") as out:
            json.dump(data, out, indent=2)
        os.rename(path + ".theirs", path)


def test_a_racing_process_never_sees_or_leaves_half_a_file(bench: Bench) -> None:
    file = bench.write(b'{\n  "count": 0\n}\n')
    other = multiprocessing.get_context("spawn").Process(target=_count, args=(str(file), 1500))
    other.start()
    statuses = set()
    try:
        while other.is_alive():
            statuses.add(bench.install().status)
            json.loads(file.read_bytes())
            statuses.add(bench.uninstall().status)
            json.loads(file.read_bytes())
    finally:
        other.join(60)
    assert other.exitcode == 0, "the other program read half a file"
    assert statuses <= {0, 1, 2}
    assert 0 in statuses
    assert bench.install().status == 0
    after = json.loads(file.read_bytes())
    assert set(after) == {"count", "hooks"}
    assert bench.strays() == []


def test_text_that_is_not_utf_8_comes_back_as_it_was() -> None:
    data = bytes(range(256))
    assert encode(decode(data)) == data
