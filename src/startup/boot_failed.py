"""What an event answers when its hook cannot even be imported: a truncated archive, an interpreter that is too old.

Given to boot.py as text and compiled only there; must parse on Python 2.7 and hold no single quote.
"""

# fmt: off
import os
import sys

if sys.version_info < (3, 9):
    why = "Python %d.%d is too old; this hook needs 3.9 or newer" % sys.version_info[:2]
else:
    why = "the hook could not be loaded: " + str(sys.exc_info()[1])
why = "".join([c for c in why if " " <= c <= "~" and c not in "\"\\"])[:300]
answer = "{\"ok\":false,\"hook\":\"%s\",\"plugin\":\"ud-dreamwork-hooks\",\"error\":\"%s\"}\n" % (sys.argv[2], why)
try:
    os.write(1, answer.encode())
finally:
    os._exit(0)
