"""The door for events: bytes on standard input, one JSON object on standard output, exit status 0, inside the budget.

Whatever happens below (an exception, a signal, the deadline, a closed pipe), exactly one object leaves, and the process
leaves by `os._exit(0)` so that nothing can change that. A word that is no event, without anything on standard input
that begins as an object, is a misspelt command instead. Nothing dear is imported here: every edit pays for it.
"""

from __future__ import annotations

import sys
import time
from types import FrameType
from typing import Any, NoReturn

from dreamwork_hooks import HOOKS, MAX_ANSWER, PLUGIN
from dreamwork_hooks.shapes import After

try:
    import _signal as signals  # type: ignore[import-not-found]  # `signal` builds enums: half an interpreter start
except ImportError:  # pragma: no cover - not CPython
    import signal as signals
try:
    import posix as system  # what `os` is made of, without importing `os`
except ImportError:  # pragma: no cover - Windows
    import nt as system  # type: ignore[no-redef]


# A Write carries its content twice and the original once, so this is a 10 MB file.
MAX_EVENT = 32 * 1024 * 1024
NOT_AN_EVENT = "standard input is not one JSON event: "
NOT_ENDED = "it had not ended in time"
NO_ANSWER = b'{"ok":false,"hook":"unknown","plugin":"%s","error":"no answer could be built"}\n' % PLUGIN.encode()
# Of the wall budget: when we answer whatever has come of it. The rest is left for a slow interpreter start before us
# and a slow exit after us.
ANSWER_SHARE = 0.9
# Seconds before that moment at which an event that has not ended is read no further. A compaction's work takes a few
# milliseconds, up to 0.25 s where a transcript is slow to answer.
FOR_THE_WORK = 0.35
QUIET = 0.02  # seconds without another byte after which what came is looked at as a whole


class Stalled(BaseException):
    """Standard input did not end in time."""


class Incoming:
    """The bytes of an event as they come.

    Attributes:
        size: how many came; of more than MAX_EVENT only a beginning is kept, the rest is drained so that the writer is
            not cut off.
        ended: whether there will be no more.
        stalled: whether there was no time to wait for more.
        may_be_whole: whether they end as an object does and have not been looked at since.
        event: the whole JSON object that they are, once they have been seen to be one.
    """

    __slots__ = ("chunks", "ended", "event", "looked_at", "may_be_whole", "size", "stalled")

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.size = self.looked_at = 0
        self.ended = self.stalled = self.may_be_whole = False
        self.event: dict[str, Any] | None = None

    def take(self, chunk: bytes) -> None:
        if self.size <= MAX_EVENT:
            self.chunks.append(chunk)
        self.size += len(chunk)
        self.ended = not chunk or self.size > 4 * MAX_EVENT
        end = chunk[-64:].rstrip() or chunk.rstrip()
        if end:
            self.may_be_whole = end[-1:] == b"}" and self.size <= MAX_EVENT

    def is_whole(self) -> bool:
        """Whether it is one object, looked at only when twice as much has come as the last time: else the looking
        would take longer than the reading."""
        if self.event is None and self.may_be_whole and self.size >= 2 * self.looked_at:
            self.look()
        return self.event is not None

    def look(self) -> None:
        self.looked_at = self.size
        self.may_be_whole = False
        try:
            event = self.parsed()
        except (ValueError, RecursionError):
            return
        if isinstance(event, dict):
            self.event = event

    def begins_an_object(self) -> bool:
        return b"".join(self.chunks).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")

    def parsed(self) -> Any:
        """The JSON value that came.

        Raises:
            ValueError: it is not one JSON document.
            RecursionError: it is nested too deep.
        """
        from dreamwork_hooks.jsonlite import loads

        # surrogateescape: a path that is not UTF-8 must still name its file.
        return loads(b"".join(self.chunks).decode("utf-8", "surrogateescape").lstrip("\ufeff"))


class Door:
    """One answer for one event.

    Args:
        word: the first argument, or "" when there is none.
    """

    __slots__ = (
        "answered",
        "begun",
        "deadline",
        "hook",
        "last_words",
        "overdue",
        "reading",
        "started",
        "word",
        "written",
    )

    def __init__(self, word: str) -> None:
        self.started = time.monotonic()
        self.answered = False  # the answer is being written, or was
        self.begun = False  # some of it has left, or cannot
        self.written = False
        self.overdue = False
        self.reading = False
        self.word = word
        self.hook = HOOKS[word][1] if word in HOOKS else "unknown"
        # Made while there is memory for it.
        self.last_words = b'{"ok":false,"hook":"%s","plugin":"%s","error":"no answer could be built"}\n' % (
            self.hook.encode(),
            PLUGIN.encode(),
        )
        # An unknown word gets the longest budget that is safe for every event.
        self.deadline = self.started + ANSWER_SHARE * (HOOKS[word][2] if word in HOOKS else 2.0)

    def arm(self) -> None:
        """Take over the signals that end a process, and the alarm; also when whoever started us has blocked them."""
        for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGXCPU", "SIGUSR1", "SIGUSR2"):
            number = getattr(signals, name, None)
            if number is not None:
                signals.signal(number, self.on_end)
        if hasattr(signals, "setitimer"):
            signals.signal(signals.SIGALRM, self.on_alarm)
            signals.pthread_sigmask(signals.SIG_SETMASK, ())

    def alarm_at(self, when: float) -> None:
        if hasattr(signals, "setitimer"):
            signals.setitimer(signals.ITIMER_REAL, max(0.001, when - time.monotonic()))

    def on_alarm(self, number: int, frame: FrameType | None) -> None:
        if self.reading:
            raise Stalled
        if time.monotonic() < self.deadline - 0.005:  # the read deadline's, come late
            self.alarm_at(self.deadline)
            return
        if self.answered and not self.written and not self.overdue:
            # The answer is on its way, unless nobody empties a full pipe: a moment more, and no longer.
            self.overdue = True
            self.alarm_at(time.monotonic() + 0.05)
            return
        self.give_up("ran out of its time")

    def on_end(self, number: int, frame: FrameType | None) -> None:
        if self.answered and not self.written:
            return  # in the midst of the answer: leaving now would cut it off
        self.give_up("stopped by signal " + str(number))

    def give_up(self, error: str) -> NoReturn:
        corelint = sys.modules.get("dreamwork_hooks.event.corelint")
        if corelint is not None:
            corelint.kill_running()
        self.overdue = True
        self.alarm_at(time.monotonic() + 0.05)  # nor may a full pipe that nobody empties hold this last word
        self.say(failure(self.hook, error))
        system._exit(0)

    def read(self) -> Incoming:
        """What comes on standard input: until it ends, is one whole JSON object, or has taken nearly all the time.

        An event may come in pieces, and whoever sends it may keep the pipe open after it.
        """
        came = Incoming()
        try:
            self.reading = True
            self.alarm_at(self.deadline - FOR_THE_WORK)
            while not came.ended and not came.is_whole():
                if came.may_be_whole and _is_quiet():
                    came.look()
                    continue
                try:
                    came.take(system.read(0, 1 << 20))
                except BlockingIOError:
                    time.sleep(0.002)
            self.reading = False  # here, so that an alarm just before it is caught below
        except Stalled:
            came.stalled = True
        except OSError:
            pass
        finally:
            self.reading = False
            self.alarm_at(self.deadline)
        return came

    def fail(self, error: BaseException) -> None:
        """Answer that something went wrong that should not have."""
        try:
            # The alarm may strike where `read` has just left what would have caught it (seen on 3.13).
            stalled = isinstance(error, Stalled)
            answer = failure(self.hook, NOT_AN_EVENT + NOT_ENDED if stalled else _in_words(error))
        except BaseException:
            answer = None
        self.say(answer)

    def say(self, answer: dict[str, Any] | None) -> None:
        """Write the one answer; a reader that has gone or a full disk is not our failure."""
        if self.answered:
            return
        self.answered = True
        data = self.last_words
        if answer is not None:
            try:
                data = _on_the_wire(answer)
            except BaseException:
                pass
        try:
            while data:
                try:
                    sent = system.write(1, data)
                    self.begun = True
                    data = data[sent:]
                except BlockingIOError:
                    if time.monotonic() > self.deadline:
                        return
                    time.sleep(0.002)
        except OSError:
            pass
        self.begun = self.written = True


def _on_the_wire(answer: dict[str, Any]) -> bytes:
    from dreamwork_hooks.jsonlite import dumps

    data = (dumps(answer) + "\n").encode("ascii")
    if len(data) > MAX_ANSWER:  # bounded texts still grow sixfold when they are escaped
        from dreamwork_hooks.memory.focus_log import encode

        data = encode(answer, MAX_ANSWER)
    return data


def failure(hook: str, error: str) -> dict[str, Any]:
    return {"ok": False, "hook": hook, "plugin": PLUGIN, "error": error}


def main(words: list[str]) -> NoReturn:
    """Answer one event and leave the process with status 0."""
    door = None
    try:
        word = words[0] if words else ""
        if words == ["precompact", "--show"]:
            _show()
        door = Door(word)
        door.arm()
        _fill_closed_streams()
        if word not in HOOKS and system.isatty(0):
            _tell_a_person(word)  # nobody pipes an event from a terminal
        answer, after = _answer(door, words)
        door.say(answer)
        if after is not None:
            after()
    except BaseException as error:
        if door is not None:
            door.fail(error)
    finally:
        try:
            if door is None or not door.begun:  # not even the failure could be told
                system.write(1, NO_ANSWER if door is None else door.last_words)
        finally:
            system._exit(0)


def _answer(door: Door, words: list[str]) -> tuple[dict[str, Any], After | None]:
    if door.word in HOOKS:  # all of it before waiting for the event: the archive may be replaced meanwhile
        __import__("dreamwork_hooks.event." + door.word)
    came = door.read()
    if door.word not in HOOKS and not came.begins_an_object():
        _tell_a_person(door.word)
    if came.size > MAX_EVENT:
        return failure(door.hook, "the event is larger than " + str(MAX_EVENT >> 20) + " MiB"), None
    event: Any = came.event
    try:
        if event is None:
            event = came.parsed()
    except ValueError as error:
        why = NOT_ENDED if came.stalled else _line(str(error), 120)
        return failure(door.hook, NOT_AN_EVENT + why), None
    except RecursionError:
        return failure(door.hook, "standard input is not an event: it is nested too deep"), None
    if not isinstance(event, dict):
        return failure(door.hook, "standard input is not an event: a JSON object was expected"), None

    named = event.get("hook_event_name")
    if door.word not in HOOKS:
        known = [word for word in HOOKS if HOOKS[word][0] == named]
        if door.word or not known:
            what = "unknown word " + repr(_line(door.word, 40)) if door.word else "no word"
            return failure("unknown", what + "; the events are " + ", ".join(HOOKS)), None
        door.word = known[0]
        door.hook = HOOKS[door.word][1]
    elif named is not None and named != HOOKS[door.word][0]:
        error_text = "called as " + door.word + " with a " + _line(str(named), 40) + " event"
        return failure(door.hook, error_text), None
    name = "dreamwork_hooks.event." + door.word
    __import__(name)
    answer, after = sys.modules[name].answer(event, _environment(), door.deadline)
    if len(words) > 1:
        note = "; ".join([*([answer["note"]] if answer.get("note") else []), "ignored argument " + _line(words[1], 40)])
        from dreamwork_hooks.jsonlite import dumps

        if len(_on_the_wire(answer)) + len(dumps(note)) < MAX_ANSWER - 10:  # else the room is for what matters
            answer["note"] = note
    return answer, after


def _is_quiet() -> bool:
    """Whether nothing more is on its way: no byte came for a moment."""
    from select import select

    try:
        return not select([0], [], [], QUIET)[0]
    except (OSError, ValueError):  # pragma: no cover - Windows, where only sockets can be asked
        return False


def _environment() -> dict[str, str]:
    """The variables the hooks read, without importing `os` for it."""
    names = (
        "HOME",
        "CLAUDE_PROJECT_DIR",
        "DREAMWORK_HOOKS_CONFIG",
        "DREAMWORK_LINT",
        "DREAMWORK_LINT_TIMEOUT",
    )
    found = {}
    environ: dict[Any, Any] = system.environ  # bytes on POSIX, str on Windows
    for name in names:
        value: bytes | str | None = environ.get(name.encode()) or environ.get(name)
        if value:
            found[name] = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
    return found


def _fill_closed_streams() -> None:
    """Put /dev/null where a standard stream is closed: else the next file opened would become it, and be written to."""
    for fd in (0, 1, 2):
        try:
            system.fstat(fd)
        except OSError:
            try:
                system.open("/dev/null", system.O_RDWR)
            except OSError:
                return


def _line(text: str, limit: int) -> str:
    from dreamwork_hooks.quoting import one_line  # which most events never need

    return one_line(text, limit)


def _in_words(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "out of memory"
    try:
        text = str(error)
    except BaseException:
        text = ""
    return _line("unexpected " + type(error).__name__ + ": " + text, 200)


def _show() -> NoReturn:
    """What a compaction here would do now; standard input is not looked at."""
    from dreamwork_hooks.event.precompact import preview

    try:
        system.write(1, (preview(_environment(), system.getcwd()) + "\n").encode("utf-8", "replace"))
    except OSError as error:
        system.write(2, ("dreamwork-hooks: " + _line(str(error), 200) + "\n").encode())
        system._exit(1)
    system._exit(0)


def _tell_a_person(word: str) -> NoReturn:
    """Leave with 2: whoever gave this word, and no event with it, meant a command."""
    from dreamwork_hooks.cli.usage import unknown_word

    data = ("Error: " + unknown_word(word) + "\n").encode("ascii", "backslashreplace")
    try:
        system.write(2, data)
    except OSError:
        pass
    system._exit(2)
