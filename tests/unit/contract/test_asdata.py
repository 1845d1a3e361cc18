"""From our objects to what JSON can hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from dreamwork_hooks.contract.asdata import as_data, of
from dreamwork_hooks.contract.decision import Decision, Dropped
from dreamwork_hooks.contract.events import CLIENT


def test_a_dataclass_is_an_object_of_its_fields_at_any_depth() -> None:
    evidence = {"level": "measured", "client": CLIENT}
    assert as_data({"all": (Dropped("stdout", "why"),)}) == {
        "all": [{"part": "stdout", "reason": "why", "evidence": evidence}]
    }


def test_attributes_can_be_named_and_may_be_properties() -> None:
    assert of(Decision(block=True), "block", "is_empty") == {"block": True, "is_empty": False}


def test_sets_are_sorted_and_paths_are_text() -> None:
    assert as_data([frozenset({"b", "a"}), Path("/x"), None, 1.5]) == [["a", "b"], "/x", None, 1.5]


@pytest.mark.parametrize("value", [b"x", object(), Decision])
def test_what_has_no_json_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="has no JSON"):
        as_data(value)
