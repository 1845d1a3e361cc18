"""Names of failing tests in what pytest, go and jest print."""

from __future__ import annotations

import time

import pytest

from dreamwork_hooks.evidence.failing_tests import MAX_NAME, failing_tests

SHOWN = [
    pytest.param(
        "=== short test summary info ===\nFAILED tests/a.py::test_x - assert 1 == 2\nERROR tests/b.py - no\n",
        ["tests/a.py::test_x", "tests/b.py"],
        id="pytest's summary",
    ),
    pytest.param(
        "FAILED tests/a.py::test_x[a b - c] - no\n", ["tests/a.py::test_x[a b - c]"], id="a parameter with a dash"
    ),
    pytest.param("tests/a.py::T::test_y FAILED    [ 50%]\n", ["tests/a.py::T::test_y"], id="pytest -v"),
    pytest.param(
        "\x1b[31mFAILED\x1b[0m tests/a.py::\x1b[1mtest_x\x1b[0m - no\n", ["tests/a.py::test_x"], id="in colour"
    ),
    pytest.param(
        "--- FAIL: TestOne (0.00s)\n    --- FAIL: TestOne/sub_case (0.00s)\nFAIL\nFAIL\tpkg/x 0.1s\n",
        ["TestOne", "TestOne/sub_case"],
        id="go",
    ),
    pytest.param(
        "FAIL src/sum.test.js\n  ✕ adds (5 ms)\n  ● sum › adds\n\n  ● Console\n\nTests:       1 failed, 1 total\n",
        ["sum › adds"],
        id="jest",
    ),
    pytest.param("  ✕ adds 1 (5 ms)\nTests:  1 failed\n", ["adds 1"], id="jest without its list of failures"),
]
NOT_SHOWN = [
    pytest.param("", id="nothing"),
    pytest.param("4 passed in 0.1s", id="a green run"),
    pytest.param("FAILED to start\nERROR: no such file", id="other programs' words"),
    pytest.param("build FAILED: see a::b", id="a build's verdict"),
    pytest.param("● item\n✕ closed", id="bullets of another program"),
    pytest.param("--- PASS: TestOne (0.00s)\nok pkg 0.1s", id="go's green run"),
]


@pytest.mark.parametrize(("output", "names"), SHOWN)
def test_names_are_taken(output: str, names: list[str]) -> None:
    assert failing_tests(output, 10) == names


@pytest.mark.parametrize("output", NOT_SHOWN)
def test_other_output_names_no_test(output: str) -> None:
    assert failing_tests(output, 10) == []


def test_names_are_bounded_and_distinct() -> None:
    rows = [f"FAILED t.py::test_{number % 15}{'x' * 300} - no" for number in range(40)]
    found = failing_tests("\n".join(rows), 10)
    assert len(set(found)) == 10
    assert {len(name) for name in found} == {MAX_NAME}


def test_a_line_of_nothing_but_brackets_takes_no_time() -> None:
    output = "FAILED a.py::b" + "[" * 30_000 + " - " * 10_000
    assert [len(name) for name in failing_tests(output, 5)] == [MAX_NAME]
    before = time.process_time()
    failing_tests(output, 5)
    assert time.process_time() - before < 0.1
