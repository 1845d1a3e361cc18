"""A linter for hooks: what of a configuration cannot work, told without running any of it.

The reader of settings and the judge of one hook (`settings.reading`, `settings.doubts`) find what stands in the
settings; here is what needs a look at the shell's text, at the scripts, and at all sources together.
"""
