"""The error for runs that would take too long."""


class LimitError(Exception):
    """Raised for a run that would never end or would exceed its time limit."""
