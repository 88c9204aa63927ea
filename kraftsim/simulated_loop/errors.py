"""What a simulated loop refuses, and what ends it."""


class NotSimulated(RuntimeError):
    """Something that waits for the real system, which a simulated loop does not do."""


class BlockingCallRefused(RuntimeError):
    """A call that would block the thread of a simulated loop."""


class Deadlock(RuntimeError):
    """Nothing can happen any more: no timer, no message, no thread."""
