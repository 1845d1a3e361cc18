"""Claude Code's settings file: the snippet, the edit, the check.

Everything here works with the standard library alone, since `install.py` imports it from a bare checkout.
"""
