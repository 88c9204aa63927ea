"""The logs of one partition's replicas, as positions in a tree of leader epochs.

Each leader epoch has one writer, which begins at the end of its own log. So a log is known by the
epoch and the offset of its end: all entries below follow from where each epoch began.
"""

from typing import NamedTuple

EPOCHS_MAX = (
    200  # leader epochs that a tree remembers; logs that differ before them differ from 0 on
)
NO_EPOCH = -1


class Position(NamedTuple):
    """The end of a log: its last entry has the leader epoch `epoch` and the offset `end` - 1."""

    epoch: int
    end: int


EMPTY = Position(NO_EPOCH, 0)


class EpochTree:
    """Where each leader epoch of a partition began."""

    def __init__(self) -> None:
        self._starts: dict[int, Position] = {}

    def begin(self, epoch: int, at: Position) -> Position:
        """Begins a leader epoch at the end `at` of its leader's log; returns the same end in it.

        Beyond 200 epochs the oldest is forgotten.
        """
        self._starts[epoch] = at
        if len(self._starts) > EPOCHS_MAX:
            del self._starts[next(iter(self._starts))]
        return Position(epoch, at.end)

    def cut(self, log: Position, end: int) -> Position:
        """Returns the log without the entries from `end` on."""
        while log.end > end:
            start = self._starts.get(log.epoch, EMPTY)
            log = Position(log.epoch, end) if start.end < end else start
        return log

    def common(self, log: Position, other: Position) -> Position:
        """Returns the longest prefix that both logs have."""
        while log.epoch != other.epoch:
            if log.epoch < other.epoch:
                log, other = other, log
            log = self._starts.get(log.epoch, EMPTY)
        return log if log.end < other.end else other

    def has(self, log: Position, prefix: Position) -> bool:
        """Returns True if the log begins with `prefix`."""
        return self.common(log, prefix).end >= prefix.end
