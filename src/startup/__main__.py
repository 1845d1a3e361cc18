"""The archive's door for `python3 dreamwork-hooks.pyz WORD...`; must parse on Python 2.7, to tell its user so."""

import os
import sys

from dreamwork_hooks import COMMANDS, HOOKS, OPTIONS, PLUGIN

archive = os.path.dirname(os.path.abspath(__file__))
words = sys.argv[1:]
too_old = "Python %d.%d is too old; dreamwork-hooks needs 3.9 or newer" % sys.version_info[:2]

if words[:1] and (words[0] in COMMANDS or words[0].partition("=")[0] in OPTIONS):
    if sys.version_info < (3, 9):
        sys.exit(too_old)
    # Imported from the archive where it lies: shiv's own bootstrap would unpack it into a cache, which has to be
    # writable, locked, cleaned, and trusted not to have been altered since.
    sys.path.insert(1, archive + "/site-packages")
    from dreamwork_hooks.cli.main import main as command

    command(prog_name="dreamwork-hooks")
elif sys.version_info < (3, 9):
    hook = HOOKS[words[0]][1] if words[:1] and words[0] in HOOKS else "unknown"
    os.write(1, ('{"ok":false,"hook":"%s","plugin":"%s","error":"%s"}\n' % (hook, PLUGIN, too_old)).encode())
    os._exit(0)
else:
    # Started without -E -S: the user's PYTHON* variables and site-packages must not stand in for the standard library.
    library = os.path.dirname(os.__file__)
    kept = (library, os.path.join(library, "lib-dynload"), os.path.join(os.path.dirname(library), "DLLs"))
    sys.path[:] = [p for p in sys.path if p in kept] + [archive]
    try:
        import zipimport
        from marshal import loads

        bundle = zipimport.zipimporter(archive).get_data("bytecode/" + sys.implementation.cache_tag)
        codes = loads(bundle[16:])
        exec(loads(codes[""]))
    except OSError:
        pass  # an interpreter the build had no bytecode for: from source, slower
    from dreamwork_hooks.event.door import main

    main(words)
