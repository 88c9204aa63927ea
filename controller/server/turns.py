"""Turns: how the connections of a process share its event loop.

A turn serves the connections that are readable in one pass of the event loop at one time, and
writes their replies at its end. A client may send thousands of requests at once. So a visit to a
connection is bounded, and the requests that remain wait in a queue which gets a slice of each pass.
HTTP requests and the first request of every other connection are served in between. A request whose
answer takes long is answered in steps, each of which waits in the same queue.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Protocol

SLICE_S = 0.001  # of a pass; a new HTTP connection needs about ten passes
REQUESTS_PER_VISIT = 4  # with 200 busy connections, the next visit comes within about 50 ms


class Visited(Protocol):
    """A connection, as turns see it."""

    def work(self) -> None:
        """Handle requests that have been read."""

    def flush(self) -> None:
        """Write the replies."""


class Turns:
    """The turns of one process; `enter` and `leave` are those of its runtime.

    `number` is the number of the turn under way or, between two turns, of the last one.
    """

    def __init__(self, enter: Callable[[], None], leave: Callable[[], None]) -> None:
        self._enter, self._leave = enter, leave
        self.number = 0
        self._loop = asyncio.get_running_loop()
        self._joined: list[Visited] = []
        self._waiting: deque[Visited] = deque()
        self._is_scheduled = False
        self._end_s = 0.0
        self.ended: Callable[[], None] | None = None  # called at the end of every turn

    @property
    def is_busy(self) -> bool:
        """True during a turn, and while a connection waits for another visit."""
        return bool(self._joined or self._waiting)

    @property
    def is_under_way(self) -> bool:
        """True during a turn."""
        return bool(self._joined)

    def join(self, connection: Visited) -> None:
        """Serve the connection in this turn: its replies are written at the end of the turn."""
        if not self._joined:
            self._enter()
            self.number += 1
            self._end_s = time.monotonic() + SLICE_S
            self._loop.call_soon(self._end)
        self._joined.append(connection)

    @property
    def is_over(self) -> bool:
        """True if the slice of this turn is used up."""
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
        joined, self._joined = self._joined, []
        self._leave()
        for connection in joined:
            connection.flush()
        if self.ended is not None:
            self.ended()

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


def in_turns(turns: Turns, steps: Iterator[None]) -> None:
    """Takes the first step now, and each later step after those that wait already."""
    if not _is_over(steps):
        turns.put_off(_Steps(turns, steps))


def _is_over(steps: Iterator[None]) -> bool:
    """Takes a step; True if there was none left."""
    return next(steps, _Steps) is _Steps


class _Steps:
    """Steps of one answer, visited as a connection is."""

    def __init__(self, turns: Turns, steps: Iterator[None]) -> None:
        self._turns = turns
        self._steps = steps

    def work(self) -> None:
        self._turns.join(self)
        in_turns(self._turns, self._steps)

    def flush(self) -> None:
        pass
