"""What a user did wrong, said so that they know what to do next; and the exit codes that say it."""

from collections.abc import Sequence

GOOD, FAILED, USAGE, VACUOUS, INTERRUPTED = 0, 1, 2, 3, 130


class CommandError(Exception):
    """A verb that cannot be carried out as it was given; the text names the way out."""


class UsageError(CommandError):
    """Words, names or files that cannot be meant: nothing was tried."""


class UnknownBroker(CommandError):
    """No broker of that id; the text names those that there are."""

    def __init__(self, broker_id: int, known: Sequence[int]) -> None:
        ids = ", ".join(str(one) for one in known[:20]) or "none"
        super().__init__(f"no broker {broker_id}: expected one of {ids}")
        self.broker_id = broker_id


class UnknownController(CommandError):
    """No controller of that id; the text names those that there are."""

    def __init__(self, node_id: int, known: Sequence[int]) -> None:
        ids = ", ".join(str(one) for one in known)
        super().__init__(f"no controller {node_id}: expected one of {ids}")


class OffsetGone(CommandError):
    """The log begins after that offset: a snapshot stands for what was there."""

    def __init__(self, offset: int, start_offset: int) -> None:
        super().__init__(
            f"from: expected {start_offset} or above, where the log begins, got {offset}: "
            "a snapshot stands for what was before"
        )
