"""The bytes of large requests that were handed over and are not answered, over all connections.

A request waits behind one that is decided in slices (`node/undecided.py`). Decoded, it takes some
twelve times its bytes. So above PENDING_BYTES_MAX the next large request stays with its connection
as bytes, which `unread_bytes.py` bounds. Kafka's bound is `queued.max.requests`.
"""

from collections import OrderedDict
from collections.abc import Callable

from ..raft.protocol import Reply
from .turns import Visited

LARGE_BYTES = 1024  # of a request; heartbeats and fetches are smaller, so that they never wait here
PENDING_BYTES_MAX = 16 * 1024 * 1024


class LargeRequests:
    """Counts pending bytes; `visit` visits a connection again when there is room.

    While it `is_full`, no other large request may be handed over.
    """

    def __init__(self, visit: Callable[[Visited], None]) -> None:
        self._visit = visit
        self._pending_bytes = 0
        self.is_full = False
        self._waiting: OrderedDict[Visited, None] = OrderedDict()

    def wait(self, connection: Visited) -> None:
        """Visits the connection once there is room, after those that wait already."""
        self._waiting[connection] = None

    def counted(self, size_bytes: int, reply_to: Callable[[Reply], None]) -> "LargeReply":
        """Counts a request as pending until the returned callback is called or freed."""
        self._count(size_bytes)
        return LargeReply(self, size_bytes, reply_to)

    def answered(self, size_bytes: int) -> None:
        """Takes a request out of the count, and visits the connection that has waited longest.

        A connection that ended meanwhile hands nothing over. So the last answer visits all: no
        other follows.
        """
        self._count(-size_bytes)
        while self._waiting and not self.is_full:
            connection, _ = self._waiting.popitem(last=False)
            self._visit(connection)
            if self._pending_bytes:
                break

    def _count(self, size_bytes: int) -> None:
        self._pending_bytes += size_bytes
        self.is_full = self._pending_bytes >= PENDING_BYTES_MAX


class LargeReply:
    """Passes the reply to a large request on.

    Nobody replies to a request whose controller is killed: it is pending until it is freed.
    """

    def __init__(
        self, requests: LargeRequests, size_bytes: int, reply_to: Callable[[Reply], None]
    ) -> None:
        self._requests, self._size_bytes = requests, size_bytes
        self._reply_to = reply_to

    def __call__(self, reply: Reply) -> None:
        self._release()
        self._reply_to(reply)

    def __del__(self) -> None:
        self._release()

    def _release(self) -> None:
        size_bytes, self._size_bytes = self._size_bytes, 0
        if size_bytes:
            self._requests.answered(size_bytes)
