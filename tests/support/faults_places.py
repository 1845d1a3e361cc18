"""Faults of the places: the home, the state directory, the disk below it, and where the target lies."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamwork_hooks.memory.focus_log import LOG
from tests.support.faults import Row, Scene, both, need_root, obey_modes
from tests.support.targets import make_target

NOT_WRITTEN = {"precompact": "the focus record was not written"}
UNWRITTEN = both(precompact=False, posttooluse=True)


def _home_is(value: str | None, **more: str) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        scene.env.pop("HOME")
        if value is not None:
            scene.env["HOME"] = value.format(root=scene.root)
        scene.env.update({name: text.format(root=scene.root) for name, text in more.items()})

    return prepare


def _home_is_a_file(scene: Scene) -> None:
    (scene.root / "file").write_text("x")
    scene.env["HOME"] = str(scene.root / "file")


def _home_cannot_be_written(scene: Scene) -> None:
    home = scene.root / "read only home"
    home.mkdir(mode=0o500)
    scene.env["HOME"] = str(home)
    obey_modes(scene)


def _home_cannot_be_searched(scene: Scene) -> None:
    home = scene.root / "closed home"
    home.mkdir(mode=0)
    scene.env["HOME"] = str(home)
    obey_modes(scene)
    scene.closers.append(lambda: home.chmod(0o700))


def _moved_home(name: str | bytes) -> Callable[[Scene], None]:
    """A home of this name, and the earlier records in it."""

    def prepare(scene: Scene) -> None:
        home = Path(os.fsdecode(os.path.join(os.fsencode(scene.root), os.fsencode(name))))
        home.parent.mkdir(parents=True, exist_ok=True)
        scene.home.rename(home)
        scene.home = home
        scene.env["HOME"] = str(home)
        scene.seed()

    return prepare


def _linked_home(scene: Scene) -> None:
    (scene.root / "link").symlink_to(scene.home)
    scene.env["HOME"] = str(scene.root / "link")


def _config_is(make: Callable[[Scene], str]) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        scene.env["DREAMWORK_HOOKS_CONFIG"] = make(scene)

    return prepare


def _config_elsewhere(scene: Scene) -> None:
    elsewhere = scene.root / "else where" / "dreamwork"
    elsewhere.parent.mkdir()
    (scene.home / ".config" / "dreamwork").rename(elsewhere)
    scene.state = elsewhere / "hooks" / scene.state.name
    scene.env["DREAMWORK_HOOKS_CONFIG"] = str(elsewhere)
    scene.env.pop("HOME")


def _file_in_place_of(name: str) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        path = scene.home / name
        shutil.rmtree(path)
        path.write_text("in the way\n")

    return prepare


def _mode(mode: int, name: str = "", gone: bool = False) -> Callable[[Scene], None]:
    """The state directory, or what is above it, with these permissions."""

    def prepare(scene: Scene) -> None:
        path = scene.home / name if name else scene.state
        if gone:
            shutil.rmtree(scene.state)
        path.chmod(mode)
        obey_modes(scene)
        scene.closers.append(lambda: path.chmod(0o700))

    return prepare


def _of_another_user(make: Callable[[Scene], Path]) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        need_root("give a file away")
        os.chown(make(scene), 65534, 65534)

    return prepare


def _linked_away(scene: Scene) -> None:
    """A planted link in place of the state directory: nothing may be written where it leads."""
    trap = scene.root / "trap"
    scene.state.rename(trap)
    scene.state.symlink_to(trap)


def _log_linked_away(scene: Scene) -> None:
    (scene.root / "precious").write_text("untouched\n")
    scene.log.unlink()
    scene.log.symlink_to(scene.root / "precious")


def _log_hard_linked(scene: Scene) -> None:
    os.link(scene.log, scene.state / "another name")


def _log_holds(data: bytes) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        scene.log.write_bytes(data)

    return prepare


def _torn(scene: Scene) -> None:
    """As a process killed while it appended leaves it; what was whole is kept and the rest goes."""
    with scene.log.open("ab") as file:
        file.write(b'{"ts":"2026-01-02T03:04:09Z","event":"PreComp')


def _mounted(how: str, fresh: bool) -> Callable[[Scene], None]:
    """Run the hook in a mount namespace of its own, in which `how` was done to the state; checked in there too."""

    def prepare(scene: Scene) -> None:
        if not _can_mount():
            pytest.skip("this machine lets nobody mount a file system here")
        if fresh:
            scene.log.unlink()
        kept = scene.root / "kept"
        shutil.copytree(scene.state, kept)
        script = f"""
            state=$1 kept=$2 log={LOG} config=$HOME/.config; shift 2
            {how}
            "$@"; status=$?
            [ ! -e "$kept/$log" ] || head -c "$(wc -c <"$kept/$log")" "$state/$log" | cmp -s - "$kept/$log" || exit 99
            [ -z "$(find "$state" -name '*.tmp' 2>/dev/null)" ] || exit 98
            exit $status
        """
        unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
        scene.command = [*unshare, "/bin/sh", "-c", script, "sh", str(scene.state), str(kept), *scene.command]
        scene.env["PATH"] = os.environ["PATH"]
        scene.seen_outside = False

    return prepare


def _can_mount() -> bool:
    command = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    try:
        ran = subprocess.run([*command, "mount", "-t", "tmpfs", "tmpfs", "/tmp"], capture_output=True, check=False)
    except OSError:
        return False
    return ran.returncode == 0


TMPFS = """
    mount -t tmpfs -o size=%s tmpfs "$config" || exit 97
    mkdir -p "$state" && cp "$kept"/* "$state" 2>/dev/null
    dd if=/dev/zero of="$config/fill" bs=1024 2>/dev/null
"""
NO_INODES = """
    mount -t tmpfs -o nr_inodes=%s tmpfs "$config" || exit 97
    mkdir -p "$state" && cp "$kept"/* "$state" 2>/dev/null
    while true >"$config/$((n += 1))"; do :; done 2>/dev/null
"""
READ_ONLY = """
    mount --bind "$config" "$config" && mount -o remount,ro,bind "$config" || exit 97
"""


STATE = [
    Row("HOME is not set", _home_is(None), UNWRITTEN, {"precompact": "HOME is not set"}),
    Row("HOME is empty", _home_is(""), UNWRITTEN, {"precompact": "HOME is not set"}),
    Row("HOME is relative", _home_is("home"), UNWRITTEN, {"precompact": "HOME is not an absolute path"}),
    Row("HOME is not there", _home_is("{root}/nobody/here"), UNWRITTEN, {"precompact": "HOME is not a directory"}),
    Row("HOME is a file", _home_is_a_file, UNWRITTEN, {"precompact": "HOME is not a directory"}),
    Row("HOME is /dev/null", _home_is("/dev/null"), UNWRITTEN, NOT_WRITTEN),
    Row("HOME is 5,000 characters", _home_is("/" + "x" * 5000), UNWRITTEN, NOT_WRITTEN),
    Row("HOME cannot be written", _home_cannot_be_written, UNWRITTEN, NOT_WRITTEN),
    Row("HOME cannot be searched", _home_cannot_be_searched, UNWRITTEN, NOT_WRITTEN),
    Row("HOME is a link", _linked_home, both(True)),
    *[
        Row(f"HOME holds {what}", _moved_home(name), both(True))
        for what, name in (
            ("a space", "my home"),
            ("quotes", 'o\'ne "home"'),
            ("a newline", "two\nlines"),
            ("bytes that are not UTF-8", b"caf\xe9"),
            ("what a shell would take up", "$(touch x) `id` & ; * $HOME \\"),
            ("another script", "дом 家"),
        )
    ],
    Row("the configuration is elsewhere", _config_elsewhere, both(True)),
    Row("the configuration's path is relative", _config_is(lambda scene: "a/b"), UNWRITTEN, NOT_WRITTEN),
    Row("the configuration's path is a device", _config_is(lambda scene: "/dev/null"), UNWRITTEN, NOT_WRITTEN),
    Row("the configuration's path is blank", _config_is(lambda scene: "  "), both(True)),
    Row("a file is in place of .config", _file_in_place_of(".config"), UNWRITTEN, NOT_WRITTEN, log_kept=False),
    Row("a file is in place of hooks/", _file_in_place_of(".config/dreamwork/hooks"), UNWRITTEN, log_kept=False),
    Row("the state directory is read only", _mode(0o500), both(precompact=None, posttooluse=True)),
    Row("the state directory cannot be searched", _mode(0), UNWRITTEN, NOT_WRITTEN),
    Row("the state directory is open to all", _mode(0o777), both(True)),
    Row(
        "the state directory cannot be made",
        _mode(0o500, ".config/dreamwork/hooks", gone=True),
        UNWRITTEN,
        NOT_WRITTEN,
        log_kept=False,
    ),
    Row(
        "the state directory belongs to another user",
        _of_another_user(lambda scene: scene.state),
        UNWRITTEN,
        {"precompact": "belongs to another user"},
    ),
    Row("the state directory is a planted link", _linked_away, UNWRITTEN, NOT_WRITTEN),
    Row("the log is a planted link", _log_linked_away, UNWRITTEN, NOT_WRITTEN, log_kept=False),
    Row("the log has a second name", _log_hard_linked, both(True)),
    Row("the log ends in a torn line", _torn, both(precompact=True)),
    Row("the log is blank lines", _log_holds(b"\n" * 5000), both(True), log_kept=False),
    Row("the log is 20 MB of another's lines", _log_holds(b'{"a":1}\n' * 2_500_000), both(True), log_kept=False),
    Row("the log is 20 MB of broken lines", _log_holds(b"{x}\n" * 5_000_000), both(True), log_kept=False),
    Row("the log is one line of 20 MB", _log_holds(b"x" * 20_000_000), both(True), log_kept=False),
    Row("the log holds 5,000 deep lines", _log_holds((b"[" * 5000 + b"\n") * 1000), both(True), log_kept=False),
    Row("the disk is full", _mounted(TMPFS % "32k", fresh=False), both(precompact=None, posttooluse=True)),
    Row("the disk is full and there is no log", _mounted(TMPFS % "32k", fresh=True), UNWRITTEN, "", log_kept=False),
    Row("the disk has no inode left", _mounted(NO_INODES % 20, fresh=False), UNWRITTEN, NOT_WRITTEN),
    Row("the disk is mounted read only", _mounted(READ_ONLY, fresh=False), UNWRITTEN, "", log_kept=True),
]


def _at(name: str | bytes) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        path = Path(os.fsdecode(os.path.join(os.fsencode(scene.root), os.fsencode(name))))
        scene.use_target(make_target(path))

    return prepare


def _at_depth(length: int) -> Callable[[Scene], None]:
    """A target whose path is about this many bytes long."""

    def prepare(scene: Scene) -> None:
        parts = ["d" * 200] * ((length - len(str(scene.root)) - 60) // 201)
        target = scene.root.joinpath(*parts, "project")
        scene.use_target(make_target(target))

    return prepare


def _in_a_subdirectory(scene: Scene) -> None:
    deep = scene.target / "a" / "b"
    deep.mkdir(parents=True)
    scene.event["cwd"] = str(deep)


def _through_a_link(scene: Scene) -> None:
    (scene.root / "short").symlink_to(scene.target)
    ours = scene.state
    scene.event = {**scene.event, "cwd": str(scene.root / "short")}
    if "tool_input" in scene.event:
        scene.event["tool_input"] = {"file_path": str(scene.root / "short" / ".dreamwork" / "tasks.md")}
    assert ours == scene.state  # one target, whatever the way to it


def _cwd_is_gone(scene: Scene) -> None:
    """The hook runs in a directory that was removed; the event still names its own."""
    gone = scene.aside / "gone"
    gone.mkdir()
    scene.command = ["/bin/sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', str(gone), *scene.command]


def _from_elsewhere(scene: Scene) -> None:
    scene.popen["cwd"] = "/"


def _beside_another(scene: Scene) -> None:
    """The process stands in another target than the event's."""
    scene.popen["cwd"] = make_target(scene.root / "another")


def _target_cannot_be_written(scene: Scene) -> None:
    for path in (scene.ledger, scene.target):
        path.chmod(0o500)
    scene.closers += [lambda: scene.ledger.chmod(0o700), lambda: scene.target.chmod(0o700)]
    obey_modes(scene)


def _target_cannot_be_searched(scene: Scene) -> None:
    scene.target.chmod(0)
    scene.closers.append(lambda: scene.target.chmod(0o700))
    obey_modes(scene)


def _no_ledger(scene: Scene) -> None:
    shutil.rmtree(scene.ledger)


TARGETS = [
    *[
        Row(f"the target's path holds {what}", _at(name), both(True))
        for what, name in (
            ("spaces", "a  project of mine "),
            ("quotes", 'it\'s "the" one'),
            ("a newline", "two\nlines"),
            ("control characters", "bell\x07 escape\x1b[31m"),
            ("bytes that are not UTF-8", b"caf\xe9 \xff\xfe"),
            ("a right-to-left override", "a\u202eb"),
            ("another script and an emoji", "проект 🚰"),
            ("what a shell would take up", "$(id) `id` & ; * \\ %s"),
            ("nothing that a slug keeps", "§§§"),
            ("a leading dash", "-rf"),
            ("dots alone", "..."),
            ("255 characters", "n" * 255),
        )
    ],
    Row("the target's path is 4,000 characters", _at_depth(4000), both(True)),
    Row("the target's path is 2,000 characters", _at_depth(2000), both(True)),
    Row("the event's cwd is below the target", _in_a_subdirectory, both(True)),
    Row("the target is reached by a link", _through_a_link, both(True)),
    Row("the hook's own cwd is gone", _cwd_is_gone, both(True)),
    Row("the hook's own cwd is neutral", _from_elsewhere, both(True)),
    Row("the hook's own cwd is another target", _beside_another, both(True)),
    Row("the target cannot be written", _target_cannot_be_written, both(True)),
    Row("the target cannot be searched", _target_cannot_be_searched, both(precompact=False, posttooluse=True)),
    Row("there is no .dreamwork", _no_ledger, both(precompact=False, posttooluse=True)),
    Row(
        "the target belongs to another user",
        _of_another_user(lambda scene: scene.target),
        both(precompact=False, posttooluse=True),
        {"posttooluse": "not in a dreamwork target"},
    ),
    Row(
        "the ledger's directory belongs to another user",
        _of_another_user(lambda scene: scene.ledger),
        both(precompact=False, posttooluse=True),
    ),
]

ROWS = [*STATE, *TARGETS]
