"""The one reader of settings, held against the table of what Claude Code makes of each text."""

from __future__ import annotations

from pathlib import Path

import pytest

from dreamwork_hooks.host.choosing import status
from dreamwork_hooks.settings.configuration import merge
from dreamwork_hooks.settings.found import Layer
from dreamwork_hooks.settings.layers import USER, LayerFile
from dreamwork_hooks.settings.reading import commands, read_layer
from tests.support.settings_texts import ROWS, Row


def read(row: Row, directory: Path) -> Layer:
    path = directory / "settings.json"
    path.write_bytes(row.data)
    return read_layer(LayerFile(USER, str(path)))


def test_the_table_is_as_long_as_it_should_be() -> None:
    assert len(ROWS) >= 350
    assert len({row.name for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_text_is_read_as_the_client_reads_it(row: Row, tmp_path: Path) -> None:
    layer = read(row, tmp_path)
    configuration = merge([layer])
    running = tuple(
        handler.url or handler.command for handler in layer.handlers if status(handler, configuration, None).runs
    )
    assert (running, layer.void) == (row.runs or (), row.runs is None)
    assert tuple(finding.takes for finding in layer.problems) == row.takes


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_finding_is_told_with_its_place_and_a_remedy(row: Row, tmp_path: Path) -> None:
    layer = read(row, tmp_path)
    lines = row.text.count("\n") + 1
    for finding in layer.problems:
        assert 1 <= finding.line <= lines
        assert finding.column >= 1
        assert finding.remedy
        assert str(finding).startswith(f"{tmp_path}/settings.json:{finding.line}: ")
    if layer.document is not None and not layer.void:
        named = [handler for handler in layer.handlers if handler.type == "command"]
        assert len(commands(layer.document)) == len(named)
