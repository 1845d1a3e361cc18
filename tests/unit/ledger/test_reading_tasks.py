"""What the reader sees in tasks.md: heads, ids, halves, the header, the notice."""

from __future__ import annotations

from typing import Any

import pytest

from dreamwork_hooks.ledger.tasks import ids_only, notice_size, title_and_tags
from tests.support.ledgers import counts, planned


def seen(text: str) -> dict[str, Any]:
    found: dict[str, Any] = counts(tasks=text)["tasks"]
    return found


@pytest.mark.parametrize(
    "span",
    ["#7", "#007", "#7/#8", "#7 / #8", "#7\t+\t#8", "#7+#8", "#7 #8", "#7  #8", "#7/ #8+#9 #10", "#٣", "#7/\t#8"],
)
def test_a_span_of_ids_alone(span: str) -> None:
    assert ids_only(span)
    assert seen(planned(f"- **{span}** — x"))["open"]


@pytest.mark.parametrize(
    "span",
    [
        "",
        "#",
        "7",
        "#7a",
        "#7#8",
        "#7, #8",
        "#7 stage 1",
        "#7 — x",
        " #7",
        "#7 ",
        "#7//#8",
        "#7/8",
        "#7\u00a0#8",
        "#²",
        "#7 /",
    ],
)
def test_a_span_with_anything_else(span: str) -> None:
    assert not ids_only(span)
    assert seen(planned(f"- **{span}** — x"))["open"] == []


@pytest.mark.parametrize(
    ("line", "ids", "entries"),
    [
        ("- **#5** — a", ["5"], 1),
        ("- **#5/#6** — a", ["5", "6"], 1),
        ("- **#5**a", ["5"], 1),
        ("- **#5a** — a", [], 1),
        ("- **#5 — a** · P2", [], 1),
        ("- **words** a", [], 1),
        ("- **#5*6** a", [], 0),
        ("- **#5* a", [], 0),
        ("- **#5", [], 0),
        ("- ****", [], 0),
        (" - **#5** — a", [], 0),
        ("-\t**#5** — a", [], 0),
        ("-  **#5** — a", [], 0),
        ("* **#5** — a", [], 0),
        ("- *#5* — a", [], 0),
        ("- #5 — a", [], 0),
        ("```\n- **#5** — a\n```", ["5"], 1),
        ("- **#5** — a\u2028- **#6** — b", ["5"], 1),
        ("- **#12** — a\n- **#5** — b\n- **#007** — c", ["5", "12", "007"], 3),
        ("- **#5** — a\n- **#5** — b", ["5"], 2),
        ("- **#5 #5** — a", ["5"], 1),
    ],
)
def test_heads(line: str, ids: list[str], entries: int) -> None:
    found = seen(planned(line))
    assert (found["open"], found["entries"]) == (ids, entries)


@pytest.mark.parametrize(
    ("text", "opened", "landed"),
    [
        ("## Open\n- **#5** a\n## Recently landed\n- **#4** b\n", ["5"], ["4"]),
        ("\t## Open \t\n- **#5** a\n  ## Recently landed\n- **#4** b\n", ["5"], ["4"]),
        ("## Open\n- **#5** a\n## Parked\n- **#6** b\n## Recently landed\n", ["5", "6"], []),
        ("## Open\n- **#5** a\n## Recently landed\n- **#4** b\n## Open\n- **#6** c\n", ["5"], ["4", "6"]),
        ("## Open\n- **#5** a\n", ["5"], []),
        ("## Recently landed\n- **#4** b\n## Open\n- **#5** a\n", ["5"], []),
        ("## Recently landed\n- **#4** b\n", [], []),
        ("## open\n- **#5** a\n", [], []),
        ("## Open\u00a0\n- **#5** a\n", [], []),
        ("## Open\x0c\n- **#5** a\n", [], []),
        ("##  Open\n- **#5** a\n", [], []),
        ("```\n## Open\n```\n- **#5** a\n", ["5"], []),
        ("x\u2028## Open\n- **#5** a\n", [], []),
    ],
)
def test_halves(text: str, opened: list[str], landed: list[str]) -> None:
    found = seen(text)
    assert (found["open"], found["landed"]) == (opened, landed)


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("- **#4** — a", ["4"]),
        ("- **#4/#5** — a", ["4", "5"]),
        ("- **#4a** — a", []),
        ("- **#4 — a**", []),
        ("**#4** a **#5** b **#6/#7** c", ["4", "5", "6", "7"]),
        ("text **#4** a", ["4"]),
        ("text **#4, #5** a", []),
        ("  **#4** a", []),
        ("\t**#4** a", []),
        ("\u00a0**#4** a", ["4"]),
        ("- **#4** — a · related: **#5** · **#6**", ["4"]),
        ("- **#4** — a, filed as **#5**", ["4"]),
        ("- **#4** — a **#5** b", ["4", "5"]),
        ("- **#4a** — a · related: **#5**", ["5"]),
        ("text related: **#5**", ["5"]),
        ("- **#4** — a · also-landed: **#5, #6** ·", ["4", "5", "6"]),
        ("- **#4** — a, also-landed: **#5, #6** ·", ["4"]),
        ("- **#4** — a\n  also-landed: **#5, #6**", ["4", "5", "6"]),
        ("- **#4** — a\n  · also-landed: **#5x**", ["4", "5"]),
        ("- **#4** — a\n  so also-landed: **#5**", ["4"]),
        ("- **#4** — a · also-landed: #5", ["4"]),
        ("- **#4** — a · also-landed: **#5", ["4"]),
        ("- **#4** — a\n  **#5** and #6", ["4"]),
        ("- **#007** — a\n- **#7** — b", ["7", "007"]),
        ("**#4**#5**", ["4"]),
        ("a **b** #5 **c**", []),
    ],
)
def test_what_lands_an_id(line: str, ids: list[str]) -> None:
    assert seen(planned("- **#9** — also-landed: **#90** · also-landed: **#91**", line))["landed"] == ids


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Next id: **9**", 9),
        ("Next id: **9** (was 8)", 9),
        ("Next id: **٩**", 9),
        ("Next id: **09**", 9),
        ("Next id: **9**\nNext id: **7**", 9),
        ("Next id: 7\nNext id: **9**", 9),
        ("Next id: **x**\nNext id: **9**", 9),
        ("Next id: 9", None),
        ("Next id: ** 9**", None),
        ("Next id:  **9**", None),
        ("Next id: **9*", None),
        ("Next id: **#9**", None),
        ("next id: **9**", None),
        (" Next id: **9**", None),
        ("> Next id: **9**", None),
        ("\ufeffNext id: **9**", None),
        ("x\u2028Next id: **9**", None),
        ("Next id: **-9**", None),
        ("Next id: ****", None),
        ("Next id: **" + "9" * 4301 + "**", None),
    ],
)
def test_the_next_id(header: str, value: int | None) -> None:
    assert seen(f"{header}\n## Open\n## Recently landed\n")["next_id"] == value


NOTICE = (
    "<!--dreamwork-migration-notice\nmigration: 2026-07-01-01-x.md\nfile: .dreamwork/tasks.md\nsummary: moved\n-->\n"
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (NOTICE, len(NOTICE)),
        (NOTICE + "more", len(NOTICE)),
        (NOTICE[:-1], len(NOTICE) - 1),
        ("<!--dreamwork-migration-notice\nmigration: x\n-->", 47),
        ("<!--dreamwork-migration-notice\nfile: x\n-->\n", 0),
        ("<!--dreamwork-migration-notice\nmigration: x\nmigration: y\n-->\n", 0),
        ("<!--dreamwork-migration-notice\nmigration: x\nother: y\n-->\n", 0),
        ("<!--dreamwork-migration-notice\nmigration: x\n", 0),
        ("<!--dreamwork-migration-notice\nmigration:\n-->\n", 0),
        ("<!--dreamwork-migration-notice\n-->\n", 0),
    ],
)
def test_a_valid_notice(text: str, size: int) -> None:
    assert notice_size(text) == size


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("- **#5** — a · P2 · x: y ·", ("a", "P2 · x: y ·")),
        ("- **#5** - a · P2", ("a", "P2")),
        ("- **#5**— a · P2", ("a", "P2")),
        ("- **#5** — a", ("a", "")),
        ("- **#5** — a ·", ("a ·", "")),
        ("- **#5** — a · b; c · P2", ("a", "")),
        ("- **#5** — a · P2 · " + "x" * 50 + " · y", ("a", "P2 · " + "x" * 50 + " · y")),
        ("- **#5** — a · P2 · " + "x" * 51 + " · y", ("a", "P2")),
        ("- **#5** – a · P2", None),
        ("- **#5** a · P2", None),
        ("- **#5** —a · P2", None),
        ("- **#5** · P2", None),
        ("- **#5**", None),
    ],
)
def test_title_and_tag_run(text: str, parts: tuple[str, str] | None) -> None:
    assert title_and_tags(text, 8) == parts
