"""What a controller has given to a disk that takes its time, and what may not be said before.

The log has an event of its own, `Persisted`, and the quorum itself waits for it: what a leader
counts, what a follower acknowledges, what is replied. An election state has none. Whatever is said
after a vote leaves only once the vote is durable (rule 10.5), or a crash could take it back.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any

from .raft.protocol import Reply, Send, Turn

NOTHING = -1  # an end offset: no batch was written

Sends = tuple[Send, ...]
Replies = tuple[tuple[Any, Reply], ...]


@dataclass(slots=True, eq=False)
class PendingWrite:
    """`end_offset` is where the log is safe once this is durable."""

    end_offset: int
    is_vote: bool


def writes(turn: Turn) -> bool:
    """Does it say anything that a disk must keep?"""
    is_cut = turn.truncate_to is not None or turn.snapshot is not None
    return bool(turn.persist) or turn.election is not None or is_cut


class PendingWrites:
    """In the order in which they were begun, which is that in which a disk says that they are
    durable."""

    def __init__(self) -> None:
        self._writes: deque[PendingWrite] = deque()
        self._votes: deque[PendingWrite] = deque()
        self._unsaid: deque[tuple[PendingWrite, Sends, Replies]] = deque()

    @property
    def has_vote(self) -> bool:
        return bool(self._votes)

    def begin(self, write: PendingWrite) -> None:
        self._writes.append(write)
        if write.is_vote:
            self._votes.append(write)

    def cut(self, end_offset: int) -> None:
        """The log ends at `end_offset` now: what was written behind it is durable in vain."""
        for write in self._writes:
            write.end_offset = min(write.end_offset, end_offset)

    def keep_unsaid(self, sends: Sends, replies: Replies) -> None:
        """Until the latest vote is durable."""
        if sends or replies:
            self._unsaid.append((self._votes[-1], sends, replies))

    def done(self, write: PendingWrite) -> tuple[Sends, Replies]:
        """It is durable; what may be said now."""
        self._writes.remove(write)
        sends: Sends = ()
        replies: Replies = ()
        if write.is_vote:
            self._votes.remove(write)
            while self._unsaid and self._unsaid[0][0] is write:
                _, more_sends, more_replies = self._unsaid.popleft()
                sends, replies = sends + more_sends, replies + more_replies
        return sends, replies
