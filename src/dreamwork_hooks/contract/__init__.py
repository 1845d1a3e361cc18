"""Claude Code's hook contract as data: the events, what their input holds, and what an answer to them does.

Everything here is a table or a pure function over one, uses the standard library alone and imports nothing
else of this package. Each cell of the tables says what it rests on (`events.Evidence`): measured on a
named client version, documented, or unverified.

- `events.EVENTS` is the table, written in `events.txt`; `tools` knows the client's tools.
- `event.parse_event(raw)` gives a typed event or an `EventError` that names the field.
- `answer.validate_output(event, stdout, stderr, exit)` says what the client would do with a hook's output.
- `render.render(decision, event)` writes the answer an event accepts.
- `matcher.matches(matcher, subject)` and `permission_rule.parse(text)` read the two filters a hook can carry.
"""
