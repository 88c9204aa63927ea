"""Real time for a timeline: the only place that reads a clock, with exactly one armed timer.

Everything that touches the timeline's participants from outside enters through `now()`, so there
is one writer: no await happens between reading the clock and the end of the step.
"""

import asyncio
import time

from ..timeline import Timeline

LONGEST_SLEEP_S = 3600.0


class Runtime:
    """Moves `timeline` by the clock, `speed` times as fast, until `close`.

    With speed 0 time stands still: what is due now still happens, and only `Timeline.run_until`
    moves it.
    """

    def __init__(self, timeline: Timeline, *, speed: float = 1.0) -> None:
        self.timeline = timeline
        self._speed = speed
        self._loop = asyncio.get_running_loop()
        self._began = time.monotonic() - timeline.now_us / 1e6 / (speed or 1.0)
        self._timer: asyncio.TimerHandle | None = None
        self._armed_us: int | None = None

    def enter(self) -> None:
        """Bring the timeline to now before something from outside happens on it."""
        timeline = self.timeline
        if self._speed == 0.0:
            timeline.run_until(timeline.now_us)
            return
        now_us = int((time.monotonic() - self._began) * 1e6 * self._speed)
        next_us = timeline.next_us()
        if next_us is not None and next_us <= now_us:
            timeline.run_until(now_us)
        elif now_us > timeline.now_us:
            timeline.now_us = now_us

    def leave(self) -> None:
        """Arm the one timer for what is due next; only ever earlier than it is armed."""
        if self._speed == 0.0:
            self.enter()
            return
        next_us = self.timeline.next_us()
        if next_us is not None and (self._armed_us is None or next_us < self._armed_us):
            self._arm(next_us)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._armed_us = -1  # nothing is earlier: never armed again

    def _arm(self, at_us: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._armed_us = at_us
        wait_s = self._began + at_us / 1e6 / self._speed - time.monotonic()
        self._timer = self._loop.call_later(min(max(wait_s, 0.0), LONGEST_SLEEP_S), self._fire)

    def _fire(self) -> None:
        self._timer = self._armed_us = None
        self.enter()
        self.leave()
