"""What the rules of questions.md say. See `rules` for the shape of a row."""

RULES = (
    (
        "questions/missing-file",
        "warning",
        "Without questions.md the dashboard has nowhere to read a question from.",
        "there is no questions.md in .dreamwork/",
        (
            "create .dreamwork/questions.md with the lines `# Questions for the human`, `## Open` and `## "
            "Answered`, blank lines between them"
        ),
        "absent",
        "",
        "# Questions for the human\n\n## Open\n\n## Answered\n",
    ),
    (
        "questions/not-utf8",
        "error",
        ("The checker reads strictly: one byte that is not UTF-8 and no other rule can be applied to the file."),
        'a byte on this line is not UTF-8, so nothing else in the file was checked: "{quote}"',
        "save the file as UTF-8; replace the damaged character on this line",
        "open",
        "- **2026-03-02 — Which valve?** br\udce4ss",
        "- **2026-03-02 — Which valve?** bräss",
    ),
    (
        "questions/heading-not-literal",
        "error",
        ("Entries are read below a line that is exactly `## Open`. Without one, every open question is unseen."),
        "no line is exactly `## Open`, so no open question is seen ({headings})",
        "write the heading as `## Open`, at column 0, with nothing before or after it",
        "file",
        "# Questions\n\n## open\n\n- **2026-03-02 — Which valve?** Brass or steel.\n\n## Answered\n",
        "# Questions\n\n## Open\n\n- **2026-03-02 — Which valve?** Brass or steel.\n\n## Answered\n",
    ),
    (
        "questions/no-entries",
        "error",
        ("A file with text but no entry usually holds questions that start in a way the reader does not know."),
        ('no entry is seen in the text of the file, which starts on line {line}: "{quote}" (lines in all: {count})'),
        (
            "start each question at column 0, below `## Open` or `## Answered`, with `- **Title**` (dash, "
            "one space, two stars)"
        ),
        "open",
        "* **2026-03-02 — Which valve?** Brass.",
        "- **2026-03-02 — Which valve?** Brass.",
    ),
    (
        "questions/conflict-marker",
        "error",
        "Exactly seven of `<`, `=`, `>` or `|` at column 0 are what git leaves in an unresolved merge.",
        'the line is a merge conflict marker: "{quote}"',
        (
            "resolve the merge: keep what is right of both sides and delete the marker lines (an underline "
            "of seven `=` needs an eighth)"
        ),
        "open",
        "<<<<<<< HEAD\n- **2026-03-02 — Which valve?** Brass.",
        "- **2026-03-02 — Which valve?** Brass.",
    ),
    (
        "questions/priority-not-taken",
        "error",
        (
            "Only `P1 · `, `P2 · ` and `P3 · ` (spaces on both sides of the middle dot) set a priority; "
            "the rest sorts as P2."
        ),
        ('the title starts "{marker}", which reads as a priority and is not taken: it sorts as P2 ("{quote}")'),
        (
            "start the title with `P1 · `, `P2 · ` or `P3 · `: one of three digits, a space, the middle "
            "dot U+00B7, a space"
        ),
        "open",
        "- **P1: 2026-03-02 — Stop the line?** Now.",
        "- **P1 · 2026-03-02 — Stop the line?** Now.",
    ),
    (
        "questions/resolution-in-title",
        "error",
        "A title runs until `**`. A resolution inside it is shown as title, and its date is unseen.",
        'line {row} is still title and starts with the resolution "{quote}": its date is unseen',
        ("close the title with `**` before line {row}, and begin the body with `→ resolved (YYYY-MM-DD): ...`"),
        "answered",
        "- **2026-03-01 — Who orders the valve\n  → resolved (2026-03-04): brass.** Text.",
        "- **2026-03-01 — Who orders the valve**\n  → resolved (2026-03-04): brass. Text.",
    ),
    (
        "questions/resolution-after-subbullet",
        "error",
        ("A sub-bullet takes every line after it up to a blank line or the next bullet, a resolution included."),
        'the resolution on line {row}, "{quote}", is swallowed by the sub-bullet on line {under}',
        ("move line {row} up, above the first sub-bullet of the entry, so that it follows the title or the body text"),
        "answered",
        (
            "- **2026-03-02 — Which seal?** Context.\n  - **Follow-up (loop, 2026-03-03 09:00):** rubber?\n"
            "  → answered (2026-03-03 10:00): rubber."
        ),
        (
            "- **2026-03-02 — Which seal?** Context.\n  → answered (2026-03-03 10:00): rubber.\n"
            "  - **Follow-up (loop, 2026-03-03 09:00):** rubber?"
        ),
    ),
    (
        "questions/subdecision-dropped",
        "error",
        (
            "A question that declares sub-decisions is folded only when each label is named again: decided "
            "or carried forward."
        ),
        'line {row} declares sub-decisions that the folded entry never names again: {labels} ("{quote}")',
        (
            "say in the resolution what became of {labels}, for example `→ answered (YYYY-MM-DD): ...; "
            "{labels} carried forward`"
        ),
        "answered",
        ("- **2026-03-02 — Two parts.** → answered (2026-03-03): rec on Q1.\n  **Sub-decisions:** `Q1`, `Q2`"),
        (
            "- **2026-03-02 — Two parts.** → answered (2026-03-03): rec on Q1; Q2 carried forward.\n"
            "  **Sub-decisions:** `Q1`, `Q2`"
        ),
    ),
    (
        "questions/qid-malformed",
        "error",
        (
            "An identity comment must hold a whole UUID (version 1 to 5); the dashboard does not start "
            "over one that does not."
        ),
        'the identity comment "{quote}" holds no valid UUID: the dashboard will not start',
        (
            "write `<!-- qid:xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx -->` with a new UUID (hexadecimal "
            "digits), or delete the comment"
        ),
        "open",
        "- **2026-03-02 — Which valve?** <!-- qid:12345 --> Text.",
        "- **2026-03-02 — Which valve?** <!-- qid:550e8400-e29b-41d4-a716-446655440000 --> Text.",
    ),
    (
        "questions/qid-misplaced",
        "error",
        (
            "An identity comment counts only directly after the title's closing `**`; the dashboard does "
            "not start over another."
        ),
        (
            "the identity comment {uuid} does not follow the closing `**` of an entry's title: the "
            "dashboard will not start"
        ),
        "move the comment next to the closing `**` of its entry, on the same line, or delete it",
        "open",
        "- **2026-03-02 — Which valve?** Text. <!-- qid:550e8400-e29b-41d4-a716-446655440000 -->",
        "- **2026-03-02 — Which valve?** <!-- qid:550e8400-e29b-41d4-a716-446655440000 --> Text.",
    ),
    (
        "questions/qid-duplicate",
        "error",
        "One UUID names one question; the dashboard does not start over a second use.",
        "the identity {uuid} is used on line {first} already: the dashboard will not start",
        "give this entry a UUID of its own, or delete the entry if it is a copy of the one on line {first}",
        "open",
        (
            "- **2026-03-02 — Which valve?** <!-- qid:550e8400-e29b-41d4-a716-446655440000 --> a\n"
            "- **2026-03-03 — Which seal?** <!-- qid:550e8400-e29b-41d4-a716-446655440000 --> b"
        ),
        (
            "- **2026-03-02 — Which valve?** <!-- qid:550e8400-e29b-41d4-a716-446655440000 --> a\n"
            "- **2026-03-03 — Which seal?** <!-- qid:550e8400-e29b-41d4-a716-446655440001 --> b"
        ),
    ),
    (
        "questions/no-resolution-date",
        "warning",
        (
            "An answered question should say when it was answered: a dated arrow at a line start or "
            "directly after the title (no colon before the date), or a dated note or answer of a human."
        ),
        'the answered entry has no dated response: "{quote}"',
        (
            "begin its body with `→ resolved (YYYY-MM-DD): ...`, right after the title's `**` or on a line "
            "of its own; leave it if the question was withdrawn"
        ),
        "answered",
        "- **2026-03-02 — Which valve?** Brass, we said.",
        "- **2026-03-02 — Which valve?** → resolved (2026-03-04): brass.",
    ),
    (
        "questions/folded-without-response",
        "warning",
        "`Folded` says that a question was moved, not what the answer was.",
        'the entry records only that it was folded, no response: "{quote}"',
        "add the answer: `→ resolved (YYYY-MM-DD): ...` right after the title",
        "answered",
        "- **2026-03-02 — Which valve?** Text.\n  - **Folded (2026-03-04):** moved.",
        "- **2026-03-02 — Which valve?** → resolved (2026-03-04): brass.\n  Folded on 2026-03-04.",
    ),
    (
        "questions/unknown-resolution-label",
        "warning",
        "A dated sub-bullet whose label the reader does not know is no record of an answer.",
        ('the entry\'s only dated record is labelled "{label}", which is not known as a response: "{quote}"'),
        "write the answer as `→ resolved (YYYY-MM-DD): ...` right after the title, instead of the label",
        "answered",
        "- **2026-03-02 — Which valve?** Text.\n  - **Verdict (2026-03-04):** brass.",
        "- **2026-03-02 — Which valve?** → resolved (2026-03-04): brass.",
    ),
    (
        "questions/author-tag-unknown",
        "warning",
        (
            "Contributions start with `- **Note (human,`, `- **Follow-up (loop,` or `- **Answer (via "
            "watch`. Another tag is body text: its author and time are not read."
        ),
        'the tag "{tag}" is not known, so the line is read as body text',
        (
            "write `- **Follow-up (loop, YYYY-MM-DD HH:MM):**` for the loop, `- **Note (human, YYYY-MM-DD "
            "HH:MM):**` for a human"
        ),
        "open",
        "- **2026-03-02 — Which valve?** Text.\n  - **Note (loop, 2026-03-02 10:00):** brass.",
        "- **2026-03-02 — Which valve?** Text.\n  - **Follow-up (loop, 2026-03-02 10:00):** brass.",
    ),
    (
        "questions/answer-not-folded",
        "warning",
        "A question with an answer still stands under Open, where it is still asked.",
        'the question is answered on line {answer} and still under Open: "{quote}"',
        (
            "act on the answer, then move the whole entry below `## Answered` with `→ answered (YYYY-MM-DD "
            "HH:MM): ...` after the title"
        ),
        "open",
        "- **2026-03-02 — Which valve?** Text.\n  - **Answer (via watch, 2026-03-02 11:00):** brass.",
        "- **2026-03-02 — Which valve?** Text.\n  - **Note (human, 2026-03-02 11:00):** not yet.",
    ),
    (
        "questions/answer-duplicated",
        "warning",
        "Two answers with one minute stamp are one answer that was delivered twice.",
        'two answers are stamped {stamp}, the second on line {second}: one was delivered twice ("{quote}")',
        "delete one of the two answers",
        "open",
        (
            "- **2026-03-02 — Which valve?** Text.\n  - **Answer (via watch, 2026-03-02 11:00):** brass.\n"
            "  - **Answer (via watch, 2026-03-02 11:00):** brass."
        ),
        "- **2026-03-02 — Which valve?** Text.\n  - **Answer (via watch, 2026-03-02 11:00):** brass.",
    ),
    (
        "questions/ask-already-landed",
        "warning",
        "An open question whose title names only tasks that have landed is probably settled.",
        'the question is open and every task it names has landed: {ids} ("{quote}")',
        ("fold the question into `## Answered` with its resolution, or move the task back to `## Open` in tasks.md"),
        "open",
        "- **2026-03-02 — Ship #1?** Text.",
        "- **2026-03-02 — Ship #2?** Text.",
    ),
    (
        "questions/entries-outside-sections",
        "advice",
        "Entries below a heading other than `## Open` and `## Answered` are shown nowhere.",
        'the entries below the heading "{heading}" are seen by no reader (line {line}: "{quote}")',
        "move them below `## Open` or `## Answered`; inside an entry write the heading as `###`",
        "file",
        (
            "# Questions\n\n## Open\n\n- **2026-03-01 — Which pipe?** x\n\n## Parked\n\n"
            "- **2026-03-02 — Which valve?** y\n"
        ),
        "# Questions\n\n## Open\n\n- **2026-03-01 — Which pipe?** x\n\n- **2026-03-02 — Which valve?** y\n",
    ),
    (
        "questions/answered-heading-not-literal",
        "advice",
        "Answered entries are read below a line that is exactly `## Answered`.",
        ('the heading "{heading}" is not read as `## Answered`, so its entries are unseen (line {line}: "{quote}")'),
        "write the heading as `## Answered`",
        "file",
        (
            "# Questions\n\n## Open\n\n- **2026-03-01 — Which pipe?** x\n\n## answered\n\n"
            "- **2026-03-02 — Which valve?** y\n"
        ),
        (
            "# Questions\n\n## Open\n\n- **2026-03-01 — Which pipe?** x\n\n## Answered\n\n"
            "- **2026-03-02 — Which valve?** → resolved (2026-03-04): brass.\n"
        ),
    ),
    (
        "questions/title-unclosed",
        "advice",
        "A title that is never closed takes the whole entry, body and notes, as its title.",
        'the title that starts "{quote}" is never closed with `**`, so the whole entry is its title',
        "end the title with `**` where its body begins",
        "open",
        "- **2026-03-02 — Which valve? Brass or steel.",
        "- **2026-03-02 — Which valve?** Brass or steel.",
    ),
    (
        "questions/open-heading-indented",
        "advice",
        "An indented `## Open` satisfies the checker and is no heading to the dashboard.",
        "`## Open` is indented here and stands nowhere at column 0, so no open question is seen",
        "remove the blanks before `## Open`",
        "file",
        (
            "# Questions\n\n  ## Open\n\n- **2026-03-02 — Which valve?** x\n\n## Answered\n\n"
            "- **2026-03-01 — Which pipe?** → resolved (2026-03-01): copper.\n"
        ),
        (
            "# Questions\n\n## Open\n\n- **2026-03-02 — Which valve?** x\n\n## Answered\n\n"
            "- **2026-03-01 — Which pipe?** → resolved (2026-03-01): copper.\n"
        ),
    ),
)
