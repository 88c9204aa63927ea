"""Shrinks a failing run to the smallest scenario that fails in the same way."""
