"""What the shell prefix gives to `python3 -c` for an event; arguments: the archive, the hook's name, the words.

Compiled at every event, so it is short; must parse on Python 2.7 and hold no single quote. `-E -s -S` rather than `-I`,
which an older interpreter would refuse with the status 2 that blocks a tool call; the empty first entry of `sys.path`,
the one thing `-I` would add, is replaced before anything is imported from disk.
"""

# fmt: off
import sys

try:
    if sys.version_info < (3, 9):
        raise ValueError("Python %d.%d is too old; this hook needs 3.9 or newer" % sys.version_info[:2])
    sys.path[:1] = [sys.argv[1] + "/" + sys.implementation.cache_tag, sys.argv[1]]
    from dreamwork_hooks.entry import main
except BaseException:
    import os

    said = "".join([c for c in str(sys.exc_info()[1]) if " " <= c <= "~" and c not in "\"\\"])
    said = "{\"ok\":false,\"hook\":\"%s\",\"plugin\":\"ud-dreamwork-hooks\",\"error\":\"%s\"}\n" % (sys.argv[2], said)
    try:
        os.write(1, said.encode())
    finally:
        os._exit(0)
main(sys.argv[3:])
