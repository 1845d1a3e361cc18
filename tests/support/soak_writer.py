"""One writer of the soak: starts hooks one after the other, kills some of them, and notes what each acknowledged.

Run as a script, with its orders as JSON on standard input; prints one JSON list of what happened. It imports little and
starts hooks by `posix_spawn`, so that what is measured is the hooks.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import sys
import time

KILLED = 0.1  # of the events
TORN = 0.05
LINTED = 0.1
TORN_LINES = (
    b'{"ts":"2026-01-02T03:04:05Z","event":"PreCompact","trig',
    b'{"ts":"2026-01-02T03:04:05Z","note":',
    b'{"ts":"2026-01-02T03:04:05Z","event":"PreCompact","note":nul\n',
    b"\xff\xfe\x00garbage\n",
    b'"',
)


def spawn(command: list[str], env: dict[str, str], event: bytes) -> tuple[int, int]:
    """(process id, descriptor its standard output can be read from)."""
    read_in, write_in = os.pipe()
    read_out, write_out = os.pipe()
    os.write(write_in, event)  # less than a pipe holds
    os.close(write_in)
    actions = [
        (os.POSIX_SPAWN_DUP2, read_in, 0),
        (os.POSIX_SPAWN_DUP2, write_out, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    pid = os.posix_spawn(command[0], command, env, file_actions=actions)
    os.close(read_in)
    os.close(write_out)
    return pid, read_out


def finish(pid: int, out: int) -> tuple[bytes, int]:
    """(what it printed, its exit status; negative: the signal that ended it)."""
    chunks = []
    while chunk := os.read(out, 65536):
        chunks.append(chunk)
    os.close(out)
    return b"".join(chunks), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def plant(state: str, line: bytes) -> None:
    """Leave the log as a writer does that the system ended half-way: under the lock, without the rest of the line."""
    lock = os.open(state + "/lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    log = os.open(state + "/precompact-focus.jsonl", os.O_WRONLY | os.O_APPEND)
    os.write(log, line)
    os.close(log)
    os.close(lock)


def main() -> None:
    orders = json.load(sys.stdin)
    chance = random.Random(orders["seed"])
    happened = []
    usual = 0.02  # seconds a hook takes here; learned, so that kills fall on all of its life
    for number in range(orders["events"]):
        at = chance.randrange(len(orders["targets"])) if orders["targets"] else -1
        command, event, session = orders["bare"], b"", ""
        if at >= 0:
            target, state = orders["targets"][at]
            word = "posttooluse" if chance.random() < LINTED else "precompact"
            session = f"{orders['name']}-{number}"
            command = [orders["pyz"], word]
            event = json.dumps({**orders[word], "session_id": session}).replace("@TARGET@", target).encode()
            if chance.random() < TORN:
                plant(state, chance.choice(TORN_LINES))
        kill = at >= 0 and chance.random() < KILLED
        started = time.monotonic()
        pid, out = spawn(command, orders["env"], event)
        if kill:
            time.sleep(chance.uniform(0, 1.2 * usual))
            os.kill(pid, signal.SIGKILL)
        printed, status = finish(pid, out)
        ended = time.monotonic()
        if not kill:
            usual += 0.1 * (ended - started - usual)
        happened.append([at, session, started, ended, kill, status, printed.decode("ascii", "replace")])
    json.dump(happened, sys.stdout)


if __name__ == "__main__":
    main()
