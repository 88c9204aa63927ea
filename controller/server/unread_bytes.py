"""The bytes of requests that have arrived and were not handled, over all connections of a process.

Each connection may hold a request that is nearly complete, of up to REQUEST_BYTES_MAX, so thousands
of clients that never send the rest could take all memory. Above BUFFERED_BYTES_MAX the connection
that holds most is closed, and no other.
"""

from typing import Protocol

BUFFERED_BYTES_MAX = 128 * 1024 * 1024


class Holder(Protocol):
    """A connection that holds bytes."""

    def refuse(self, reason: str) -> None:
        """Close the connection, with a line in the log that gives the reason."""


class UnreadBytes:
    """How many bytes each connection holds."""

    def __init__(self) -> None:
        self.total_bytes = 0
        self._by_holder: dict[Holder, int] = {}

    def note(self, holder: Holder, size_bytes: int) -> None:
        """Sets what a connection holds; closes the largest holder while the bound is exceeded."""
        self.total_bytes += size_bytes - self._by_holder.pop(holder, 0)
        if size_bytes:
            self._by_holder[holder] = size_bytes
        while self.total_bytes > BUFFERED_BYTES_MAX:
            largest = max(self._by_holder, key=self._by_holder.__getitem__)
            held = self._by_holder.pop(largest)
            self.total_bytes -= held
            largest.refuse(
                f"expected at most {BUFFERED_BYTES_MAX} bytes of unfinished requests over all "
                f"connections, and this one holds most of them, {held}"
            )
