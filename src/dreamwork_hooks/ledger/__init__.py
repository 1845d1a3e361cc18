"""The ledger, `questions.md` and `tasks.md`: readers, the embedded lint and its rules. Bytes in, plain data out."""
