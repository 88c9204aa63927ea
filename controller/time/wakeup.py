"""The single armed wake-up of a node or an agent, by that node's own clock."""

from functools import partial

from .clock import Clock
from .timeline import NEVER_MS, NEVER_US, Action


class Wakeup:
    """The one armed wake-up of a node or an agent, at the earliest time that was requested.

    `armed_ms` is that time by the clock of the node; callers compare it before they call `arm`,
    which is rarely needed. The wake-up never fires early by that clock, and follows changes of the
    clock.
    """

    def __init__(self, clock: Clock, wake: Action) -> None:
        self.armed_ms = NEVER_MS
        self._clock = clock
        self._wake = wake
        self._scheduled_us: set[int] = set()  # true times at which a check is scheduled
        self._on_time = self._ring_on_time  # bound once, not for each check
        clock.followers.append(self)

    def arm(self, at_ms: int) -> None:
        """Arm the wake-up at `at_ms`, if that is earlier."""
        if at_ms < self.armed_ms:
            self.armed_ms = at_ms
            self.rearm()

    def end(self) -> None:
        """Disarm the wake-up for good, because its node or agent ended."""
        self.armed_ms = NEVER_MS
        if self in self._clock.followers:
            self._clock.followers.remove(self)

    def rearm(self) -> None:
        """Schedule a check for the armed time, unless there is one."""
        if self.armed_ms == NEVER_MS:
            return
        due_us, timeline = self._clock.due_us(self.armed_ms), self._clock.timeline
        if due_us < NEVER_US and due_us not in self._scheduled_us:
            self._scheduled_us.add(due_us)
            is_past = due_us < timeline.now_us
            timeline.at(due_us, partial(self._ring, due_us) if is_past else self._on_time)

    def _ring_on_time(self) -> None:
        self._ring(self._clock.timeline.now_us)

    def _ring(self, due_us: int) -> None:
        self._scheduled_us.discard(due_us)
        if self.armed_ms <= self._clock.now_ms:
            self.armed_ms = NEVER_MS
            self._wake()
