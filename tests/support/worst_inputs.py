"""Inputs that are as bad as can be for each scan of the lint; run as a script it lints one of them.

`python worst_inputs.py NAME SIZE` prints the number of findings and the seconds of processor time that the lint took.
"""

from __future__ import annotations

import sys

Q = "## Open\n{}\n## Answered\n"
A = "## Open\n## Answered\n{}\n"
T = "Next id: **9**\n## Open\n{}\n## Recently landed\n"
L = "Next id: **9**\n## Open\n## Recently landed\n{}\n"
ENTRY = "- **#5** — a · P2 "
QUESTION = "- **Which valve?** x"
HERE, THERE = ["/".join([f"#{i}" for i in range(first, first + 99)]) for first in (100, 200)]
UUID = "550e8400-e29b-41d4-a716-446655440001"


# name -> (file, frame, one piece that is repeated): the frame's {} takes as many pieces as the size allows (two of them
# share it); %d in a piece is its number
INPUTS = {
    "bold openings": ("q", Q, "- **"),
    "bold opening lines": ("q", Q, "- **\n"),
    "unclosed titles": ("q", Q, "- **a\n"),
    "one unclosed title": ("q", Q.replace("{}", "- **a\n{}"), "b\n"),
    "title of arrows": ("q", Q.replace("{}", "- **a\n{}"), "→ x\n"),
    "stars": ("q", Q, "*"),
    "headings": ("q", "{}", "## Open\n"),
    "entries": ("q", Q, "- **a**\n"),
    "answered entries": ("q", A, "- **a**\n"),
    "answers": ("q", Q.replace("{}", QUESTION + "\n{}"), "  - **Answer (via watch, 2026-03-02 10:00):** y\n"),
    "answer beginnings": ("q", Q.replace("{}", QUESTION + "\n  - **Answer (via watch{}"), ", 2026-03-02 "),
    "notes in one": ("q", A.replace("{}", QUESTION + "\n{}"), "  - **Note (human, 2026-03-02) "),
    "arrows": ("q", A.replace("{}", QUESTION + "\n{}"), "→ (\n"),
    "arrows with colons": ("q", A.replace("{}", QUESTION + "\n{}"), "→ ( :\n"),
    "arrows with dates": ("q", A.replace("{}", QUESTION + "\n{}"), "→ (2026-03-02 \n"),
    "swallowed arrows": ("q", A.replace("{}", QUESTION + "\n  - **Note (human):** a\n{}"), "→ (2026\n"),
    "open dates": ("q", A.replace("{}", QUESTION + " → {}"), "(2026-03-02 "),
    "date and blanks": ("q", A.replace("{}", QUESTION + " → (2026-03-02{}x"), " "),
    "dashes": ("q", Q.replace("{}", QUESTION + "\n  - **Note (a{}):"), "-"),
    "unknown tags": ("q", Q.replace("{}", QUESTION + "\n{}"), "  - **Note (loop, 2026-03-02):** x\n"),
    "parentheses": ("q", Q.replace("{}", QUESTION + "\n  - **Note {}"), " (("),
    "labels": ("q", A.replace("{}", QUESTION + " **Sub-decisions:** {}"), "`Q1`, "),
    "many labels": ("q", A.replace("{}", QUESTION + " **Sub-decisions:** `Q1` `Q2` {}"), "Q3 "),
    "declarations": ("q", A.replace("{}", QUESTION + "\n{}"), "**Sub-decisions:** x\n"),
    "label fragments": ("q", A.replace("{}", QUESTION + "{}\n**Sub-decisions:** `Q1`"), "Q1Q1"),
    "identities": ("q", Q.replace("{}", QUESTION + "\n{}"), f"<!-- qid:{UUID} -->\n"),
    "identities in a line": ("q", Q.replace("{}", QUESTION + "{}"), f"<!-- qid:{UUID} -->"),
    "identity openings": ("q", Q.replace("{}", QUESTION + "{}"), "<!-- qid:"),
    "comments": ("q", Q.replace("{}", QUESTION + "{}"), "<!-- "),
    "conflicts": ("q", Q.replace("{}", QUESTION + "\n{}"), "<<<<<<<\n"),
    "angles": ("q", Q.replace("{}", QUESTION + "\n{}"), "<"),
    "numbers": ("q", Q.replace("{}", "- **{}** x"), "#1"),
    "long number": ("q", Q.replace("{}", "- **#{}** x"), "1"),
    "priority digits": ("q", Q.replace("{}", "- **P{}** x"), "1"),
    "priority blanks": ("q", Q.replace("{}", "- **P1{}x** x"), " "),
    "separators": ("q", Q, "\u2028"),
    "entries cut wide": ("q", Q, "- **a** x\u2028"),
    "strays": ("q", "## Open\n- **a** x\n{}", "## Other\n- **b** y\n"),
    "blocking titles": ("qt", Q, "- **#5 (blocks #5)** x\n"),
    "blocking": ("qt", Q.replace("{}", "- **{}** x"), "#5 (blocks #5"),
    "digits before": ("qt", Q.replace("{}", "- **#{}(blocks #5)** x"), "5"),
    "heads": ("t", T, "- **#5** — a\n"),
    "heads in one": ("t", T.replace("{}", "- **{}** — a"), "#5/"),
    "head of blanks": ("t", T.replace("{}", "- **#5{}** — a"), " "),
    "head digits": ("t", T.replace("{}", "- **#{}** — a"), "5"),
    "4300 digits": ("t", T, "- **#" + "5" * 4300 + "** — a\n"),
    "next ids": ("t", "{}", "Next id: **\n"),
    "next id openings": ("t", "{}", "Next id: **"),
    "task headings": ("t", "{}", "## Open\n## Recently landed\n"),
    "origins": ("t", T.replace("{}", "- **#216** — a {}"), "origin: **"),
    "origin values": ("t", T.replace("{}", "- **#216** — a {}"), "origin: **x** "),
    "origin and blanks": ("t", T.replace("{}", "- **#216** — a origin:{}"), " "),
    "relations": ("t", T.replace("{}", ENTRY + "{}"), "· related: **#1** "),
    "relation openings": ("t", T.replace("{}", ENTRY + "{}"), "related: **"),
    "relation ids": ("t", T.replace("{}", ENTRY + "· related: **{}**"), "#5 #6 "),
    "relation blanks": ("t", T.replace("{}", ENTRY + "·{}related: **#1**"), " "),
    "related entries": ("t", T, "- **#5** — a · related: **#6** ·\n"),
    "heads times relations": ("t", T.replace("{}", "- **#1{}** — a · related: **#1** ·"), "/#2"),
    "distinct heads and relations": ("t", T.replace("{}", "- **#1{}** — a · related: **#1{}** ·"), "/#%d"),
    "distinct cited ids": ("t", T.replace("{}", ENTRY + "\n  blocked on the decision {}"), "#%d "),
    "distinct duplicates": ("t", T.replace("{}", "- **#1{}** — a ·\n- **#1{}** — b ·"), "/#%d"),
    "distinct placeholders": ("t", L, "#%d landed `?` "),
    "distinct labels": ("q", A.replace("{}", QUESTION + " **Sub-decisions:** {}"), "`Q%d`, "),
    "distinct answers": (
        "q",
        Q.replace("{}", QUESTION + "\n{}"),
        "  - **Answer (via watch, 2026-03-02 10:00):** %d\n",
    ),
    "distinct titles asked and answered": ("q", Q, "- **#%d** x\n  - **Answer (via watch, d):** y\n"),
    "distinct blocking": ("qt", Q.replace("{}", "- **{}** x"), "#%d (blocks #5) "),
    "distinct landed": ("t", L, "**#%d** "),
    "distinct entries": ("t", T, "- **#%d** — a · related: **#1** · blocked-on: **human** ·\n"),
    "blocked marks": ("t", T.replace("{}", ENTRY + "{}"), "· blocked-on: ** "),
    "blocked values": ("t", T.replace("{}", ENTRY + "{}"), "· blocked-on: **human** "),
    "gates": ("t", T.replace("{}", ENTRY + "· blocked-on: **human** {}"), "· gate: **#1** "),
    "completed": ("t", T.replace("{}", ENTRY + "{}"), "· completed "),
    "landed words": ("t", T.replace("{}", ENTRY + "· x{}"), " · landed"),
    "blocked title": ("t", T.replace("{}", "- **#5** — {}"), "blocked "),
    "blocked lines": ("t", T.replace("{}", ENTRY + "\n{}"), "  blocked on the decision #1\n"),
    "blocked line": ("t", T.replace("{}", ENTRY + "\n  {}"), "blocked on decision #1. "),
    "waiting words": ("t", T.replace("{}", ENTRY + "\n  #8 {}"), "waiting "),
    "cleared lines": ("t", T.replace("{}", ENTRY + "\n  blocked on the decision #1\n{}"), "  · UNBLOCKED #2\n"),
    "cited ids": ("t", T.replace("{}", ENTRY + "\n  blocked on the decision {}"), "#1 #2 "),
    "back-ticks": ("t", L, "`"),
    "placeholders": ("t", L, "landed `?` "),
    "placeholder blanks": ("t", L.replace("{}", "landed{}`?`"), " "),
    "placeholder stars": ("t", L, "*`?`"),
    "placeholders without a word": ("t", L, "`?` "),
    "bold ids": ("t", L, "**#5** "),
    "bold openings in the landed half": ("t", L, "**#5"),
    "also landed": ("t", L, "also-landed: **#5"),
    "also landed and blanks": ("t", L.replace("{}", "also-landed:{}x"), " "),
    "blanks before also landed": ("t", L, "   also-landed:"),
    "landed lines": ("t", L, "**#5** a\n"),
    "blank lines": ("t", T.replace("{}", ENTRY + "\n{}"), "\n"),
    "dots": ("t", T.replace("{}", ENTRY + "{}"), " · "),
    "notice": ("t", "<!--dreamwork-migration-notice\nmigration: {}\n-->\n", "x"),
    "notice lines": ("t", "<!--dreamwork-migration-notice\n{}-->\n", "migration: x\n"),
    "asked and waiting": (
        "qt",
        "## Open\n{}\n## Answered\n{}\n",
        "- **#1** — a\n  blocked on the decision #2\n- **#2** — b\n",
    ),
    "blocking and blocked": ("qt", Q, "- **#5** — a\n- **#%d (blocks #5)** — b\n"),
    "relations of many to many": (
        "t",
        T.replace("{}", f"- **{THERE}** — b ·\n{{}}"),
        f"- **{HERE}** — a · related: **{THERE}** ·\n",
    ),
    "carriage returns": ("qt", "{}", "\r"),
    "bad bytes": ("qt", "{}", "\udcff"),
    "marks": ("qt", "{}", "\ufeff"),
}


def worst(name: str, size: int) -> tuple[bytes, bytes]:
    """questions.md and tasks.md of which one (or both) is the named input, of at least `size` bytes."""
    files, frame, piece = INPUTS[name]
    share = size // frame.count("{}")
    if "%d" in piece:
        pieces: list[str] = []
        while share > 0:
            pieces.append(piece % len(pieces))
            share -= len(pieces[-1])
        text = "".join(pieces)
    else:
        text = piece * (1 + share // len(piece))
    data = frame.replace("{}", text).encode("utf-8", "surrogateescape")
    questions = data if "q" in files else Q.format("- **#1 which?** x").encode()
    return questions, data if "t" in files else T.format("- **#5** — a ·").encode()


if __name__ == "__main__":
    import time

    from dreamwork_hooks.ledger import losses as identities
    from dreamwork_hooks.ledger.lint import Ledger
    from dreamwork_hooks.ledger.questions import open_question_count

    questions, tasks = worst(sys.argv[1], int(sys.argv[2]))
    begin = time.process_time()
    open_question_count(questions)
    ledger = Ledger(questions, tasks)
    now = identities.entry_identities(ledger)
    identities.lost(identities.remember(None, now), now)
    findings = len(ledger.lint()["findings"])
    print(findings, time.process_time() - begin)
