"""The error for runs that would take too long."""


class LimitError(Exception):
    """A run that would not end, or would exceed its limit."""
