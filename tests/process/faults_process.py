"""Faults around the process: its arguments, environment, interpreter, limits, locks, signals and children."""

from __future__ import annotations

import fcntl
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dreamwork_hooks.records import LOG
from dreamwork_hooks.state import LOCK
from tests.process.faults import Row, Scene, both
from tests.process.faults_stdin import never_closes, waiting
from tests.spawn import Ran

PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))  # before a test has a home of its own

# ---- arguments


def _words(*words: str | bytes, event: bool = True) -> Callable[[Scene], None]:
    """The hook's own word, unless `event` is false, and these."""

    def prepare(scene: Scene) -> None:
        scene.command = [scene.command[0], *([scene.word] if event else []), *[os.fsdecode(word) for word in words]]

    return prepare


def _through_the_interpreter(scene: Scene) -> None:
    scene.command = [str(scene.interpreter), *scene.command]


def _link_to_the_file(scene: Scene) -> None:
    (scene.root / "a link").symlink_to(scene.pyz)
    scene.command[0] = str(scene.root / "a link")


def _copied_to(name: str) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        copy = scene.aside / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(scene.pyz, copy)
        scene.command[0] = str(copy)

    return prepare


def _by_a_relative_path(scene: Scene) -> None:
    scene.popen["cwd"] = scene.pyz.parent
    scene.command[0] = f"./{scene.pyz.name}"


def _found_on_path(scene: Scene) -> None:
    scene.env["PATH"] = f"{scene.pyz.parent}:{os.defpath}"
    scene.command = ["/bin/sh", "-c", 'exec "$@"', "sh", scene.pyz.name, scene.word]


ARGUMENTS = [
    Row("there is no argument", _words(event=False), both(True)),
    Row("the argument is unknown", _words("PreCompact", event=False), both(False), "unknown word"),
    Row("the argument is an unknown flag", _words("--verbose", event=False), both(False), "unknown word"),
    Row("the argument is empty", _words("", event=False), both(True)),
    Row("the argument is a dash", _words("-", event=False), both(False), "unknown word"),
    Row("the argument is two dashes", _words("--", event=False), both(False), "unknown word"),
    Row("the argument is not UTF-8", _words(b"caf\xe9", event=False), both(False), "unknown word"),
    Row("the argument holds quotes", _words("'\";$(x)\n{}\\", event=False), both(False), "unknown word"),
    Row("the argument is 100 KB", _words("x" * 100_000, event=False), both(False), "unknown word"),
    Row("there is an unknown flag after the event", _words("--force"), both(True), "ignored argument"),
    Row("there are a thousand arguments", _words(*["x"] * 1000), both(True), "ignored argument"),
    Row("a second argument is 100 KB of control characters", _words("\x1b" * 100_000), both(True)),
    Row("the file is given to an interpreter", _through_the_interpreter, both(True)),
    Row("the file is called through a link", _link_to_the_file, both(True)),
    Row("the file is called by a relative path", _by_a_relative_path, both(True)),
    Row("the file is found on PATH", _found_on_path, both(True)),
    Row("the file's path holds a space and quotes", _copied_to("a 'b' \"c\"/$(x) `y` &.pyz"), both(True)),
    Row("the file's path is not ASCII", _copied_to("дом/家.pyz"), both(True)),
    Row("the file's path is not UTF-8", _copied_to(os.fsdecode(b"caf\xe9/\xff.pyz")), both(True)),
    Row("the file's path has a newline", _copied_to("two\nlines/x.pyz"), both(True)),
]

# ---- environment


def _env(**more: str) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        scene.env.update(more)

    return prepare


def _no_env(scene: Scene) -> None:
    scene.env.clear()


def _only_home(scene: Scene) -> None:
    scene.env = {"HOME": str(scene.home)}


def _shadowing_modules(scene: Scene) -> None:
    """Modules that would say so if they were imported: on PYTHONPATH, and in the cwd."""
    for name in ("json", "os", "stat", "fcntl", "zlib", "marshal", "dreamwork_hooks", "encodings", "sitecustomize"):
        (scene.aside / f"{name}.py").write_text(f"open({str(scene.root / 'ran')!r}, 'w')\nraise SystemExit(2)\n")
    scene.env["PYTHONPATH"] = str(scene.aside)
    scene.popen["cwd"] = scene.aside


def _large_environment(scene: Scene) -> None:
    for number in range(12):
        scene.env[f"LARGE{number}"] = "x" * 120_000


def _brimful_environment(scene: Scene) -> None:
    """So much that the shell still starts, and the interpreter, which is given more arguments, no longer does."""
    limit = os.sysconf("SC_ARG_MAX")
    probe = [*scene.command]

    def starts(size: int) -> bool:
        env = {
            **scene.env,
            **{f"L{at}": "x" * 100_000 for at in range(size // 100_000)},
            "REST": "x" * (size % 100_000),
        }
        try:
            subprocess.run(["/bin/sh", probe[0], "--"], env=env, stdin=subprocess.DEVNULL, capture_output=True)
        except OSError:
            return False
        scene.env = env
        return True

    low, high = 0, limit
    while high - low > 64:
        middle = (low + high) // 2
        low, high = (middle, high) if starts(middle) else (low, middle)
    assert starts(low - 256)  # a little less: the hook's own words are longer


ENVIRONMENT = [
    Row(
        "the environment is empty", _no_env, both(precompact=False, posttooluse=True), {"precompact": "HOME is not set"}
    ),
    Row("the environment is HOME alone", _only_home, both(True)),
    Row("modules lie in wait on PYTHONPATH and in the cwd", _shadowing_modules, both(True)),
    Row("PYTHONHOME is bogus", _env(PYTHONHOME="/nonexistent"), both(True)),
    Row("PYTHONIOENCODING is cp932", _env(PYTHONIOENCODING="cp932"), both(True)),
    Row("PYTHONSTARTUP and PYTHONINSPECT are set", _env(PYTHONSTARTUP="/etc/passwd", PYTHONINSPECT="1"), both(True)),
    Row("PYTHONWARNINGS makes errors of warnings", _env(PYTHONWARNINGS="error", PYTHONDEVMODE="1"), both(True)),
    Row(
        "PYTHONVERBOSE and PYTHONPROFILEIMPORTTIME are set",
        _env(PYTHONVERBOSE="2", PYTHONPROFILEIMPORTTIME="1"),
        both(True),
    ),
    Row("PYTHONMALLOC is bogus", _env(PYTHONMALLOC="bogus", PYTHONHASHSEED="bogus"), both(True)),
    Row("PYTHONPLATLIBDIR is bogus", _env(PYTHONPLATLIBDIR="bogus", PYTHONEXECUTABLE="/bogus"), both(True)),
    Row("the locale is C", _env(LC_ALL="C"), both(True)),
    Row(
        "the locale is POSIX and UTF-8 mode is off",
        _env(LC_ALL="POSIX", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"),
        both(True),
    ),
    Row("the locale does not exist", _env(LC_ALL="xx_XX.bogus", LANG="bogus"), both(True)),
    Row("the time zone is bogus", _env(TZ=":/etc/passwd"), both(True)),
    Row(
        "the shell's own variables are hostile",
        _env(IFS="/e", CDPATH="/", ENV="/dev/full", PS4="$(exit 2)"),
        both(True),
    ),
    Row("the prefix's own names are variables", _env(python="/bin/false", hook="x", kind="command"), both(True)),
    Row("BASH_VERSION is set", _env(BASH_VERSION="5", BASH_ENV="/dev/full", SHELLOPTS="xtrace"), both(True)),
    Row("LD_PRELOAD is bogus", _env(LD_PRELOAD="/nonexistent.so"), both(True)),
    Row("PATH is bogus", _env(PATH="/nonexistent:::"), both(True)),
    Row("the environment is 1.4 MB", _large_environment, both(True)),
    Row(
        "the environment leaves no room for the interpreter",
        _brimful_environment,
        both(False),
        "no python3 that can be started",
        once=True,
    ),
    Row("CLAUDE_PROJECT_DIR is bogus", _env(CLAUDE_PROJECT_DIR="/nonexistent"), both(True)),
    Row("CLAUDE_PROJECT_DIR is relative", _env(CLAUDE_PROJECT_DIR="../.."), both(True)),
]

# ---- interpreter


def _pinned(make: Callable[[Scene], str]) -> Callable[[Scene], None]:
    """Another interpreter pinned into a copy of the archive."""

    def prepare(scene: Scene) -> None:
        copy = scene.aside / "pinned.pyz"
        pin(scene.pyz, copy, make(scene))
        scene.command[0] = str(copy)

    return prepare


def pin(pyz: Path, copy: Path, interpreter: str) -> None:
    data = pyz.read_bytes()
    start = data.index(b"\npython='", 0, 1024) + len(b"\npython='")
    end = data.index(b"'\n", start)
    copy.write_bytes(data[:start] + os.fsencode(interpreter) + data[end:])
    copy.chmod(0o755)


def _script(scene: Scene, name: str, text: str, mode: int = 0o755) -> str:
    path = scene.aside / name
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def _none_at_all(scene: Scene) -> None:
    _pinned(lambda scene: "")(scene)
    (scene.aside / "empty").mkdir()
    scene.env["PATH"] = str(scene.aside / "empty")


def _pin_gone(scene: Scene) -> None:
    _pinned(lambda scene: "/nonexistent/python3")(scene)
    (scene.aside / "bin").mkdir()
    (scene.aside / "bin" / "python3").symlink_to(scene.interpreter)
    scene.env["PATH"] = f"{scene.aside / 'bin'}:{os.defpath}"


def _older(version: str) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        _pinned(lambda scene: str(older_interpreter(version)))(scene)

    return prepare


def older_interpreter(version: str) -> Path:
    """An interpreter below the oldest supported one; these are optional."""
    found = sorted(PYENV.glob(f"versions/{version}.*/bin/python{version}"))
    found += [Path(name) for name in [shutil.which(f"python{version}")] if name is not None]
    for path in found:
        ran = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True)
        if ran.stdout.decode().strip() == version:
            return path
    pytest.skip(f"no Python {version} on this machine to be told that it is too old")


def _broken_elf(scene: Scene) -> str:
    path = scene.aside / "broken"
    path.write_bytes(b"\x7fELF\x02\x01\x01" + b"\0" * 9 + b"junk" * 20)
    path.chmod(0o755)
    return str(path)


INTERPRETER = [
    Row("there is no python3", _none_at_all, both(False), "no python3 that can be started", once=True),
    Row("the pinned interpreter is gone and python3 is on PATH", _pin_gone, both(True)),
    Row("the pinned interpreter is a directory", _pinned(lambda scene: str(scene.aside)), both(None), once=True),
    Row(
        "the pinned interpreter may not be run",
        _pinned(lambda scene: _script(scene, "python3", "#!/bin/sh\n", 0o644)),
        both(None),
        once=True,
    ),
    Row(
        "the pinned interpreter's own interpreter is gone",
        _pinned(lambda scene: _script(scene, "python3", "#!/nonexistent/python3\n")),
        both(False),
        "no python3 that can be started",
        once=True,
    ),
    Row(
        "the pinned interpreter is no program",
        _pinned(_broken_elf),
        both(False),
        "no python3 that can be started",
        once=True,
    ),
    *[
        Row(
            f"the interpreter is Python {version}",
            _older(version),
            both(False),
            f"Python {version} is too old",
            once=True,
        )
        for version in ("2.7", "3.6", "3.7", "3.8")
    ],
]

# ---- resource limits


def _limit(name: str, value: int) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        number = getattr(resource, name)

        def lower() -> None:
            resource.setrlimit(number, (value, value))

        scene.popen["preexec_fn"] = lower

    return prepare


def _few_files(files: int) -> Callable[[Scene], None]:
    def prepare(scene: Scene) -> None:
        text = f'#!/bin/sh\nulimit -n {files}\nexec "{scene.interpreter}" "$@"\n'
        _pinned(lambda scene: _script(scene, "few", text))(scene)

    return prepare


def _no_room_in_the_log(extra: int) -> Callable[[Scene], None]:
    """Files may grow to a little more than the log is: a record is written in part, and then no further."""

    def prepare(scene: Scene) -> None:
        _limit("RLIMIT_FSIZE", scene.log.stat().st_size + extra)(scene)

    return prepare


def _little_memory(spare: int) -> Callable[[Scene], None]:
    """The address space in which the interpreter just starts, and `spare` bytes."""

    def prepare(scene: Scene) -> None:
        limit = 0

        def lower() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        command = [str(scene.interpreter), "-E", "-s", "-S", "-c", "pass"]
        low, high = 1 << 20, 1 << 30
        while high - low > 1 << 18:
            limit = (low + high) // 2
            ran = subprocess.run(command, capture_output=True, preexec_fn=lower)
            low, high = (low, limit) if ran.returncode == 0 else (limit, high)
        limit = high + spare

        def did_not_start(ran: Ran) -> bool:
            """Whether the interpreter itself gave up before it read a word of ours; then a little more is given."""
            nonlocal limit
            limit += 1 << 17
            return ran.code == 1 and b"<string>" not in ran.err

        scene.popen["preexec_fn"] = lower
        scene.again = did_not_start

    return prepare


def _large_event_in_little_memory(scene: Scene) -> None:
    scene.event["padding"] = "x" * (24 << 20)
    _little_memory(40 << 20)(scene)


def _busy(scene: Scene) -> None:
    """Four processes that compute while the hook runs, and an end of their own."""
    for _ in range(4):
        process = subprocess.Popen([sys.executable, "-c", "import time\nt=time.time()\nwhile time.time()-t<8: pass"])
        scene.helpers.add(process.pid)

        def end(process: subprocess.Popen[bytes] = process) -> None:
            process.kill()
            process.wait()

        scene.closers.append(end)


LIMITS = [
    # A dash that may not open 11 files cannot open its script either, and leaves with 2 before a word of it is read; so
    # the lower limits are set behind it.
    *[Row(f"the shell may open {files} files", _limit("RLIMIT_NOFILE", files), both(None)) for files in (11, 12, 16)],
    *[Row(f"the interpreter may open {files} files", _few_files(files), both(None)) for files in (4, 5, 6, 8)],
    Row(
        "no byte may be written to a file",
        _limit("RLIMIT_FSIZE", 0),
        both(precompact=False, posttooluse=True),
        "",
        log_kept=True,
    ),
    Row("the log may not grow", _no_room_in_the_log(0), both(precompact=False, posttooluse=True)),
    Row("the log may grow by half a record", _no_room_in_the_log(100), both(precompact=False, posttooluse=True)),
    *[
        Row(f"{spare} KB of memory are left beyond the start", _little_memory(spare << 10), both(None))
        for spare in (256, 512, 1024, 2048, 4096, 8192)
    ],
    Row("the memory does not hold the event", _large_event_in_little_memory, both(None)),
    Row("no process may be started", _limit("RLIMIT_NPROC", 0), both(True)),
    Row("no core may be dumped and nothing be locked", _limit("RLIMIT_MEMLOCK", 0), both(True)),
    Row("the stack is 256 KB", _limit("RLIMIT_STACK", 256 << 10), both(True)),
    Row("four busy processes steal the processor", _busy, both(True), once=True),
]

# ---- locks and other hooks


def _locked(scene: Scene) -> None:
    fd = scene.keep_open(os.open(scene.state / LOCK, os.O_RDWR | os.O_CREAT, 0o600))
    fcntl.flock(fd, fcntl.LOCK_EX)


def _locked_by_the_dead(scene: Scene) -> None:
    program = "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); print('held', flush=True)"
    program += "; time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", program, scene.state / LOCK], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    assert (scene.state / LOCK).exists()


def _killed_in_a_rotation(scene: Scene) -> None:
    (scene.state / (LOG + ".tmp")).write_bytes(b'{"ts":"2026-01-02T03:04:05Z","ev')
    (scene.state / (LOG + ".tmp")).chmod(0o400)


LOCKS = [
    Row(
        "the lock is held by a living process",
        _locked,
        both(precompact=False, posttooluse=True),
        {"precompact": "locked"},
    ),
    Row("the lock was held by a process that is dead", _locked_by_the_dead, both(True)),
    Row("a process was killed in the midst of a rotation", _killed_in_a_rotation, both(True)),
]

# ---- signals


def _signalled(number: signal.Signals) -> Callable[[Scene], None]:
    """While the hook waits for the rest of its event."""

    def prepare(scene: Scene) -> None:
        never_closes(40)(scene)
        read = scene.stdin
        assert isinstance(read, int)

        def during(process: subprocess.Popen[bytes]) -> None:
            waiting(read)
            process.send_signal(number)

        scene.during = during

    return prepare


def _signalled_at_the_start(number: signal.Signals) -> Callable[[Scene], None]:
    """Before the hook can have taken the signal over: its interpreter takes a while to start."""

    def prepare(scene: Scene) -> None:
        up = scene.aside / "up"
        slow = f'#!/bin/sh\n: >"{up}"\nsleep 0.3\nexec "{scene.interpreter}" "$@"\n'
        _pinned(lambda scene: _script(scene, "slow", slow))(scene)

        def during(process: subprocess.Popen[bytes]) -> None:
            wait_for(up)
            process.send_signal(number)

        scene.during = during

    return prepare


def wait_for(path: Path) -> None:
    until = time.monotonic() + 10
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.002)
    assert path.exists(), f"{path} never came"


def _storm(scene: Scene) -> None:
    """Signals without end from the moment the hook is up."""
    never_closes(40)(scene)
    read = scene.stdin
    assert isinstance(read, int)

    def during(process: subprocess.Popen[bytes]) -> None:
        waiting(read)
        for _ in range(200):
            if process.poll() is not None:
                return
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                process.send_signal(number)

    scene.during = during


def _stopped_for_a_while(scene: Scene) -> None:
    never_closes(None)(scene)
    read = scene.stdin
    assert isinstance(read, int)

    def during(process: subprocess.Popen[bytes]) -> None:
        waiting(read)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        process.send_signal(signal.SIGCONT)

    scene.during = during


def _handed_down(how: str) -> Callable[[Scene], None]:
    """Signals ignored or blocked by whoever started us."""

    def prepare(scene: Scene) -> None:
        never_closes(None)(scene)
        numbers = {signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGCHLD}

        def before() -> None:
            if how == "blocked":
                signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
            else:
                for number in numbers:
                    signal.signal(number, signal.SIG_IGN)

        scene.popen["preexec_fn"] = before

    return prepare


ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SIGNALS = [
    *[
        Row(f"{number.name} comes while the event is read", _signalled(number), both(False), f"signal {int(number)}")
        for number in (*ENDING, signal.SIGQUIT, signal.SIGXCPU, signal.SIGUSR1)
    ],
    *[
        Row(f"{number.name} comes before the hook is up", _signalled_at_the_start(number), both(True))
        for number in ENDING
    ],
    Row("SIGALRM comes from elsewhere", _signalled(signal.SIGALRM), both(False), "not one JSON event"),
    Row("SIGPIPE comes from elsewhere", _signalled(signal.SIGPIPE), both(False), "not one JSON event"),
    Row("signals come in a storm", _storm, both(False), "stopped by signal"),
    Row("the hook is stopped for a while", _stopped_for_a_while, both(True)),
    Row("the signals are ignored from above", _handed_down("ignored"), both(True)),
    Row("the signals are blocked from above", _handed_down("blocked"), both(True)),
]

ROWS = [*ARGUMENTS, *ENVIRONMENT, *INTERPRETER, *LIMITS, *LOCKS, *SIGNALS]
