"""No scan of the lint takes more than linear time: 1 MB of its worst input, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import worst_inputs

ROOT = Path(__file__).parents[3]
# Seconds of processor time, which a busy machine hardly stretches: the slowest takes 1.5 here, and quadratic work on
# 1 MB would take minutes. The other is how long a process may take before it is given up.
BUDGET = 5.0
PATIENCE = 60.0


@pytest.mark.parametrize("name", worst_inputs.INPUTS)
def test_a_megabyte_is_linted_in_time(name: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    run = subprocess.run(
        [sys.executable, worst_inputs.__file__, name, "1000000"], env=environment, capture_output=True, timeout=PATIENCE
    )
    assert run.returncode == 0, run.stderr
    findings, seconds = run.stdout.split()
    assert findings.isdigit()
    assert float(seconds) < BUDGET


@pytest.mark.parametrize("name", worst_inputs.INPUTS)
def test_the_worst_inputs_are_as_large_as_they_say(name: str) -> None:
    assert max(map(len, worst_inputs.worst(name, 1000))) >= 1000
