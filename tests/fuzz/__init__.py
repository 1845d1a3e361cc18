"""Whatever is fed to the hooks and to the settings edit.

`nox -s fuzz` is bounded and the same every time; `nox -s fuzz -- --long` searches on its own and remembers below
`.hypothesis/`. What it finds is kept for good as an `@example` of the test that found it.
"""
