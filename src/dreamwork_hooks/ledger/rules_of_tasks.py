"""What the rules of tasks.md, and of both files together, say. See `rules` for the shape of a row."""

RULES = (
    (
        "tasks/missing-file",
        "warning",
        "Without tasks.md there is no task ledger to read.",
        "there is no tasks.md in .dreamwork/",
        (
            "create .dreamwork/tasks.md with the lines `# Task ledger`, `Next id: **1**`, `## Open` and "
            "`## Recently landed`, blank lines between them"
        ),
        "absent",
        "",
        "# Task ledger\n\nNext id: **1**\n\n## Open\n\n## Recently landed\n",
    ),
    (
        "tasks/not-utf8",
        "error",
        ("The checker reads strictly: one byte that is not UTF-8 and no other rule can be applied to the file."),
        'a byte on this line is not UTF-8, so nothing else in the file was checked: "{quote}"',
        "save the file as UTF-8; replace the damaged character on this line",
        "open",
        "- **#2** — f\udcfcr the scale ·",
        "- **#2** — für the scale ·",
    ),
    (
        "tasks/id-unreadable",
        "error",
        "An id of more than 4300 digits cannot be turned into a number; the checker dies of it.",
        "an id or the next id has more than 4300 digits and cannot be read as a number",
        "write the id as a short number, like `#12`",
        "open",
        "- **#" + "7" * 4301 + "** — x ·",
        "- **#7** — x ·",
    ),
    (
        "tasks/next-id-missing",
        "error",
        "New tasks take their id from the line `Next id: **N**` at column 0.",
        "no line `Next id: **N**` at column 0, so the next task has no id to take",
        "add the line `Next id: **{free}**` at column 0 above `## Open`",
        "file",
        "# Task ledger\n\nNext id: 9\n\n## Open\n\n- **#5** — a ·\n\n## Recently landed\n",
        "# Task ledger\n\nNext id: **9**\n\n## Open\n\n- **#5** — a ·\n\n## Recently landed\n",
    ),
    (
        "tasks/next-id-too-small",
        "error",
        "The next id must be larger than every id that heads an entry.",
        "the next id is {next}, but #{highest} exists: the next task would collide with it",
        "write `Next id: **{free}**`",
        "file",
        "# Task ledger\n\nNext id: **4**\n\n## Open\n\n- **#9** — a ·\n\n## Recently landed\n",
        "# Task ledger\n\nNext id: **10**\n\n## Open\n\n- **#9** — a ·\n\n## Recently landed\n",
    ),
    (
        "tasks/duplicate-id",
        "error",
        "An id heads one entry, open or landed.",
        '#{id} heads a second entry here, "{quote}"; the first is on line {first}',
        (
            "if this is another task, give it the next free id and raise `Next id`; if it is a copy of "
            "line {first}, delete one of the two"
        ),
        "open",
        "- **#5** — a ·\n- **#5** — b ·",
        "- **#5** — a ·\n- **#6** — b ·",
    ),
    (
        "tasks/heading-missing",
        "error",
        "The ledger is written only with exactly one `## Open` and one `## Recently landed`.",
        "the heading `{heading}` is missing",
        "add the line `{heading}`; `## Open` comes first, `## Recently landed` after the open entries",
        "file",
        "# Task ledger\n\nNext id: **9**\n\n## Open\n\n- **#5** — a ·\n",
        "# Task ledger\n\nNext id: **9**\n\n## Open\n\n- **#5** — a ·\n\n## Recently landed\n",
    ),
    (
        "tasks/heading-duplicated",
        "error",
        (
            "The ledger is written only with exactly one of each heading. One that is quoted, indented or "
            "in a fence counts too."
        ),
        "a second `{heading}`; the first is on line {first}",
        (
            "merge the entries below it into the section of line {first} and delete this line; if it is a "
            "quotation, put a word before it (blanks or a fence do not help)"
        ),
        "file",
        "Next id: **9**\n\n## Open\n\n- **#5** — a ·\n\n## Open\n\n- **#6** — b ·\n\n## Recently landed\n",
        "Next id: **9**\n\n## Open\n\n- **#5** — a ·\n- **#6** — b ·\n\n## Recently landed\n",
    ),
    (
        "tasks/headings-inverted",
        "error",
        "The landed half is what follows `## Open`; above it nothing reads as landed.",
        "`## Recently landed` stands above `## Open` (line {open}), so nothing reads as landed",
        "move `## Open` and its entries above `## Recently landed`",
        "file",
        "Next id: **9**\n\n## Recently landed\n\n- **#4** — b ·\n\n## Open\n\n- **#5** — a ·\n",
        "Next id: **9**\n\n## Open\n\n- **#5** — a ·\n\n## Recently landed\n\n- **#4** — b ·\n",
    ),
    (
        "tasks/open-heading-missing",
        "warning",
        "The checks of open entries read below a line that is exactly `## Open`, at column 0.",
        "no line at column 0 is exactly `## Open`, so the open entries were not examined",
        "write `## Open` at column 0 above the open entries",
        "file",
        "Next id: **9**\n\n  ## Open\n\n- **#5** — a ·\n\n## Recently landed\n",
        "Next id: **9**\n\n## Open\n\n- **#5** — a ·\n\n## Recently landed\n",
    ),
    (
        "tasks/no-entries",
        "warning",
        "No entry was found, so there was nothing to examine. Normal on a new target.",
        "no entry was found, so nothing was examined",
        "nothing, if the ledger is new; otherwise start each task at column 0 with `- **#N** — title`",
        "open",
        "",
        "- **#5** — a ·",
    ),
    (
        "tasks/open-count-disagrees",
        "error",
        (
            "Two ways of counting open ids must agree: by headings (any `## ` line ends a section) and as "
            "the dashboard reads (only `## Recently landed` ends the open half). They differ over a stray "
            "heading, a repeated id, or a line separator that only one of them breaks at."
        ),
        "by its headings the file has {sections} open ids, the dashboard reads {reader}",
        "keep two sections, `## Open` and then `## Recently landed`, with each id once",
        "file",
        ("Next id: **9**\n\n## Open\n\n- **#5** — a ·\n\n## Parked\n\n- **#6** — b ·\n\n## Recently landed\n"),
        "Next id: **9**\n\n## Open\n\n- **#5** — a ·\n- **#6** — b · parked ·\n\n## Recently landed\n",
    ),
    (
        "tasks/conflict-marker",
        "error",
        "Exactly seven of `<`, `=`, `>` or `|` at column 0 are what git leaves in an unresolved merge.",
        'the line is a merge conflict marker: "{quote}"',
        "resolve the merge: keep what is right of both sides and delete the marker lines",
        "open",
        "<<<<<<< HEAD\n- **#2** — a ·",
        "- **#2** — a ·",
    ),
    (
        "tasks/origin-missing",
        "error",
        "From #216 on each entry says who asked for it.",
        '{ids} has no origin: "{quote}"',
        ("add one of `· origin: **human** ·`, `· origin: **loop** ·`, `· origin: **unknown** ·` to the head line"),
        "open",
        "- **#216** — a · P2 ·",
        "- **#216** — a · P2 · origin: **loop** ·",
    ),
    (
        "tasks/origin-repeated",
        "error",
        "Two claims of origin are none.",
        "{ids} has more than one origin: {values}",
        "keep one `origin: **...**` and delete the others",
        "open",
        "- **#217** — a · origin: **loop** · origin: **human** ·",
        "- **#217** — a · origin: **loop** ·",
    ),
    (
        "tasks/origin-not-in-vocabulary",
        "error",
        "The origin is `human`, `loop` or `unknown`, in lower case.",
        'the origin of {ids} is "{value}", which is none of human, loop, unknown',
        "write `origin: **human**`, `origin: **loop**` or `origin: **unknown**`, in lower case",
        "open",
        "- **#218** — a · origin: **Human** ·",
        "- **#218** — a · origin: **human** ·",
    ),
    (
        "tasks/related-unparseable",
        "error",
        "A relation is one bold span after `related: `.",
        'the relation of {ids} has no bold span, so it is not read: "{quote}"',
        "write the ids between stars: `related: **#1, #2**`",
        "open",
        "- **#3** — a · related: #7 ·\n- **#7** — b ·",
        "- **#3** — a · related: **#7** ·\n- **#7** — b · related: **#3** ·",
    ),
    (
        "tasks/related-repeated",
        "error",
        "An entry has one `related:` field, and it lists all ids.",
        '{ids} has more than one relation field; the first is "{quote}"',
        "list all ids in one field: `related: **#1, #2**`",
        "open",
        "- **#3** — a · related: **#7** · related: **#8** ·\n- **#7** — b ·\n- **#8** — c ·",
        ("- **#3** — a · related: **#7, #8** ·\n- **#7** — b · related: **#3** ·\n- **#8** — c · related: **#3** ·"),
    ),
    (
        "tasks/related-two-spans",
        "error",
        "Of several bold spans after `related:` only the first is read.",
        'the relation of {ids} has two bold spans and only the first is read: "{quote}"',
        "put all ids into one span: `related: **#1, #2**`",
        "open",
        "- **#3** — a · related: **#7**, **#8** ·\n- **#7** — b · related: **#3** ·\n- **#8** — c ·",
        ("- **#3** — a · related: **#7, #8** ·\n- **#7** — b · related: **#3** ·\n- **#8** — c · related: **#3** ·"),
    ),
    (
        "tasks/related-spelling",
        "error",
        "The field is spelled `related: **`, in lower case, with one space before the stars.",
        'the relation of {ids} is not spelled as it is read: "{quote}"',
        "write `related: **#1**`: lower case, a colon, one space, two stars",
        "open",
        "- **#3** — a · Related: **#7** ·\n- **#7** — b ·",
        "- **#3** — a · related: **#7** ·\n- **#7** — b · related: **#3** ·",
    ),
    (
        "tasks/related-names-no-id",
        "error",
        "A relation names ids, with their number signs.",
        'the relation of {ids} names no id: "{quote}"',
        "name the related task as `related: **#1**`, or delete the field",
        "open",
        "- **#3** — a · related: **soon** ·",
        "- **#3** — a ·",
    ),
    (
        "tasks/related-to-itself",
        "error",
        "An entry is not its own relation.",
        "{ids} is related to itself ({other})",
        "replace {other} in the field by the other task, or delete it",
        "open",
        "- **#8** — a · related: **#8** ·",
        "- **#8** — a · related: **#9** ·\n- **#9** — b · related: **#8** ·",
    ),
    (
        "tasks/related-to-nothing",
        "error",
        "A relation names an entry of this file.",
        "{ids} is related to {other}, and no entry has that id",
        "correct the id, or delete {other} from the field",
        "open",
        "- **#9** — a · related: **#39** ·",
        "- **#9** — a · related: **#10** ·\n- **#10** — b · related: **#9** ·",
    ),
    (
        "tasks/related-one-sided",
        "error",
        "Both sides of a relation carry it.",
        "{id} is related to {other}, but {other} (line {there}) does not name {id}",
        "add {id} to the `related: **...**` of {other} on line {there}, or delete {other} here",
        "open",
        "- **#9** — a · related: **#10** ·\n- **#10** — b ·",
        "- **#9** — a · related: **#10** ·\n- **#10** — b · related: **#9** ·",
    ),
    (
        "tasks/blocked-on-vocabulary",
        "error",
        "`blocked-on:` has one value, `human`. Waiting for another task is a sentence in the body.",
        '{ids} is blocked on "{value}"; the field takes one value only',
        (
            "write `blocked-on: **human**` if a person must decide; otherwise delete the field and say in "
            "the body what it waits for"
        ),
        "open",
        "- **#8** — a · P2 · blocked-on: **#5** ·",
        "- **#8** — a · P2 · waits for 5 ·",
    ),
    (
        "tasks/blocked-without-question",
        "error",
        (
            "A task that waits for a person has a question in questions.md whose title names it, or the "
            "task in its `gate:`."
        ),
        "{ids} waits for a human and no question names it",
        (
            "ask it: add `- **YYYY-MM-DD — {ask} ...?** ...` below `## Open` in questions.md, or name the "
            "task whose question carries the ruling with `gate: **#N**`"
        ),
        "open",
        "- **#7** — a · P2 · blocked-on: **human** ·",
        "- **#7** — a · P2 · blocked-on: **human** · gate: **#2** ·",
    ),
    (
        "tasks/completed-but-open",
        "warning",
        "A completion mark among the tags of an open entry says that it is done.",
        '{ids} is open and its tags say that it is done: "{phrase}"',
        (
            "move the entry below `## Recently landed`, or delete the mark; if only part of it is done, "
            "say so after a `;`"
        ),
        "open",
        "- **#5** — a · P1 · completed 2026-03-02 ·",
        "- **#5** — a · P1 ·",
    ),
    (
        "tasks/title-says-blocked",
        "warning",
        "A title that says `blocked on` without the marker is not shown as waiting.",
        '{ids} says "blocked on" in its title and carries no marker: "{quote}"',
        "add `· blocked-on: **human** ·` if a person must decide, or take the words out of the title",
        "open",
        "- **#5** — port the driver, blocked on the mould · P2",
        "- **#5** — port the driver once the mould is here · P2",
    ),
    (
        "tasks/landing-placeholder",
        "warning",
        "A landing cites its commit. A slot that was never filled says nothing.",
        "the landing of {id} cites `{token}`, which only keeps the place of a commit",
        "replace `{token}` by the commit's short hash",
        "open",
        "- **#4** — a · P2 · landed `PENDING` in part; rest open ·",
        "- **#4** — a · P2 · landed `1a2b3c4` in part; rest open ·",
    ),
    (
        "tasks/blocker-already-answered",
        "warning",
        "The entry says that it waits for a decision, and the question is answered.",
        "{ids} says it waits for {question}, and that question is answered",
        "act on the ruling, or add below it a line `· **UNBLOCKED** YYYY-MM-DD: {question} is answered`",
        "open",
        "- **#5** — a · P2\n  Waiting for the decision on #1.",
        ("- **#5** — a · P2\n  Waiting for the decision on #1.\n  · **UNBLOCKED** 2026-03-02: #1 is answered"),
    ),
    (
        "tasks/blocker-without-question",
        "warning",
        "The entry says that it waits for a decision, and no question answers to that id.",
        "{ids} says it waits for {question}, and no question starts with that id",
        "ask it below `## Open` in questions.md with {question} first in the title, or correct the id",
        "open",
        "- **#3** — a · P2\n  Gated on the question #8.",
        "- **#3** — a · P2\n  Gated on the question #2.",
    ),
    (
        "tasks/head-not-counted",
        "advice",
        (
            "Only a bold span of ids alone (`#7`, `#7/#8`, `#7 + #8`) claims its ids. With other text in "
            "it the entry is missing from the counts, and its id is free to be given away again."
        ),
        '"{span}" holds more than ids, so the entry is not counted and #{id} is free to collide',
        (
            "close the stars right after the id: `- **#{id}** — title`; join several ids with `/` or ` + "
            "`, not with commas"
        ),
        "open",
        "- **#7 — title** · P2",
        "- **#7** — title · P2",
    ),
    (
        "ledger/entries-lost",
        "error",
        (
            "Entries that were in the file when it was last seen are gone, and are not in the other "
            "section either. A partial read that was written back whole looks like this."
        ),
        "{count} {what} {verb} gone since the file was last seen: {names}",
        (
            "restore them: take the lost entries from version control or from what was read earlier, and "
            "put them back; ignore this if they were deleted on purpose"
        ),
        "memory",
        "",
        "",
    ),
)
