"""What the shell prefix gives to `python3 -c` for an event.

Arguments: the program of boot_failed.py, the hook's name, the archive, then the words. Compiled at every event, so it
is short; must parse on Python 2.7 and hold no single quote. `-E -s -S` rather than `-I`, which an older one would
refuse with the status 2 that blocks a tool call; the empty first entry of `sys.path`, the one thing `-I` would leave
out, goes before anything is imported from disk. The archive comes last, so that looking for a module of the standard
library does not read its directory. The build fills in PLACES: cache tag -> (where its bundle begins, its length), and
those of RULES.md; a place is counted from the end of the file, since the installer changes the length of the prefix.
"""

# fmt: off
import posix
import sys

PLACES = {}  # type: dict[str, tuple[int, int]]
try:
    archive = sys.argv[3]
    sys.path[:] = sys.path[1:] + [archive]
    if sys.version_info < (3, 9):
        raise ImportError
    place = PLACES.get(sys.implementation.cache_tag)
    if place:
        with open(archive, "rb", 0) as file:
            file.seek(-place[0], 2)
            data = file.read(place[1])
        if data[:16] == b"dreamwork bundle":
            from marshal import loads
            codes = loads(data[16:])
            exec(loads(codes[""]))
    from dreamwork_hooks.event.door import main
except BaseException:
    data = codes = None
    try:
        exec(sys.argv[1])
    finally:  # there was not even the memory for that
        last = b"{\"ok\":false,\"hook\":\"unknown\",\"plugin\":\"ud-dreamwork-hooks\",\"error\":\"out of memory\"}\n"
        posix.write(1, last)
        posix._exit(0)
main(sys.argv[4:])
