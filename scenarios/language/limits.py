"""What a run may take, and how it says that it would take more."""


class LimitError(Exception):
    """A run that would not end, and what it was doing."""
