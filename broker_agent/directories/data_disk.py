"""The disks with the logs of a broker, which outlive its processes, and how long a write takes."""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from kraftsim.controller.time.timeline import Action, Timeline


class _Write(NamedTuple):
    due_us: int
    then: Action


class DataDisk:
    """All log directories of one broker: writes end in order, at once unless a fault delays them.

    `latency_us` draws the duration of a write (None: no delay). `delayed` counts the writes that
    were delayed. The writes of a paused process (`is_paused()`) end when it is resumed.
    """

    def __init__(self, timeline: Timeline, is_paused: Callable[[], bool]) -> None:
        self.latency_us: Callable[[], int] | None = None
        self.delayed = 0
        self._timeline, self._is_paused = timeline, is_paused
        self._stalls = 0
        self._pending: deque[_Write] = deque()

    @property
    def is_slow(self) -> bool:
        """True while a write takes some time."""
        return self.latency_us is not None or bool(self._stalls or self._pending)

    def write(self, then: Action) -> None:
        """Calls `then` at the end of a write, now if nothing delays it."""
        if not self.is_slow:
            then()
            return
        lag_us = 0 if self.latency_us is None else self.latency_us()
        last_us = self._pending[-1].due_us if self._pending else 0
        due_us = max(self._timeline.now_us + lag_us, last_us)
        self._pending.append(_Write(due_us, then))
        self.delayed += 1
        self._timeline.at(due_us, self.end_writes)

    def stall(self) -> None:
        """Lets no write end until `go_on`."""
        self._stalls += 1

    def go_on(self) -> None:
        """Ends a stall; writes whose time is up end now."""
        self._stalls -= 1
        self.end_writes()

    def end_writes(self) -> None:
        """Ends the writes whose time is up."""
        pending = self._pending
        while pending and pending[0].due_us <= self._timeline.now_us:
            if self._stalls or self._is_paused():
                return
            pending.popleft().then()
