"""The one armed wake-up of a node or an agent, by that node's own clock."""

from functools import partial

from .clock import Clock
from .timeline import NEVER_MS, NEVER_US, Action


class Wakeup:
    """One armed wake-up of one participant: re-armed only if earlier, stale ones do nothing.

    `armed_ms` is when it will ring by the participant's own clock; compare before calling `arm`,
    which is the rarer case. It never rings early by that clock, and follows when that changes.
    """

    def __init__(self, clock: Clock, wake: Action) -> None:
        self.armed_ms = NEVER_MS
        self._clock = clock
        self._wake = wake
        self._asked_us: set[int] = set()  # when it is going to look whether it is time
        clock.changed.append(self._rearm)

    def arm(self, at_ms: int) -> None:
        if at_ms < self.armed_ms:
            self.armed_ms = at_ms
            self._rearm()

    def end(self) -> None:
        """Never again: whoever waited is gone."""
        self.armed_ms = NEVER_MS
        if self._rearm in self._clock.changed:
            self._clock.changed.remove(self._rearm)

    def _rearm(self) -> None:
        if self.armed_ms == NEVER_MS:
            return
        due_us = self._clock.due_us(self.armed_ms)
        if due_us < NEVER_US and due_us not in self._asked_us:
            self._asked_us.add(due_us)
            self._clock.timeline.at(due_us, partial(self._ring, due_us))

    def _ring(self, due_us: int) -> None:
        self._asked_us.discard(due_us)
        if self.armed_ms <= self._clock.now_ms:
            self.armed_ms = NEVER_MS
            self._wake()
