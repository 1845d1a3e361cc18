"""What a dreamwork target is: finding it, its consent, what the loop is doing there."""
