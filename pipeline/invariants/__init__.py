"""Checks every committed log independently of the code that wrote it."""
