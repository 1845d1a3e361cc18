"""Where an administrator keeps settings that go before everybody's."""

from __future__ import annotations

import sys


def managed_path(platform: str = sys.platform) -> str:
    """Where an administrator's settings are (documented)."""
    if platform == "darwin":
        return "/Library/Application Support/ClaudeCode/managed-settings.json"
    if platform == "win32":
        return r"C:\Program Files\ClaudeCode\managed-settings.json"
    return "/etc/claude-code/managed-settings.json"
