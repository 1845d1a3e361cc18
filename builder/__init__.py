"""What build.py does: the archive, the environments it is built and tested in, and the command."""
