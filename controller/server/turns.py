"""Turns: how the connections of a process share its event loop.

A client may send thousands of requests at once. So a visit to a connection is bounded, and the
requests that remain wait in a queue which gets a slice of each pass of the event loop. HTTP
requests and the first request of every other connection are served in between. A request whose
answer takes long is answered in steps, each of which waits in the same queue.
"""

import asyncio
import time
from collections import deque
from typing import Protocol

SLICE_S = 0.001  # of a pass; a new HTTP connection needs about ten passes
REQUESTS_PER_VISIT = 4  # with 200 busy connections, the next visit comes within about 50 ms


class Visited(Protocol):
    """A connection, as turns see it."""

    def work(self) -> None:
        """Handle requests that have been read, and write the replies."""


class Turns:
    """The turns of one process: a turn is what its connections do in one pass of the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Visited] = deque()
        self._is_scheduled = False
        self._has_begun = False
        self._end_s = 0.0

    @property
    def is_over(self) -> bool:
        """True if the slice of this turn is used up; the first question begins the turn."""
        if not self._has_begun:
            self._has_begun = True
            self._end_s = time.monotonic() + SLICE_S
            self._loop.call_soon(self._end)
        return time.monotonic() > self._end_s

    def put_off(self, connection: Visited) -> None:
        """Visit the connection again, after those that wait already."""
        self._waiting.append(connection)
        self._schedule()

    def _schedule(self) -> None:
        if self._waiting and not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self._visit_waiting)

    def _end(self) -> None:
        self._has_begun = False

    def _visit_waiting(self) -> None:
        """Visit waiting connections in rotation, at least one, until the slice is used up."""
        try:
            while self._waiting:
                self._waiting.popleft().work()
                if self.is_over:
                    break
        finally:
            self._is_scheduled = False
            self._schedule()
