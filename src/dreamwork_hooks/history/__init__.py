"""What the client's own transcripts tell of past sessions: which hooks ran, how they ended, what a new one would do.

Nothing here is recorded by us: Claude Code writes its transcripts for itself, below `projects/` in its configuration
directory, and most hook runs stand there (measured on 2.1.110, 2.1.250 and 2.1.332).
"""
