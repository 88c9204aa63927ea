"""Real time for a timeline: the only module that moves one by a clock, with one armed timer.

Every external event runs between `enter` and `leave`, so there is a single writer: no await happens
between reading the clock and the end of the step.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..core.rpc import Request
from ..raft.protocol import Reply
from ..time.timeline import NEVER_US, Action, Timeline
from .large_requests import LargeRequests
from .spare_buffers import SpareBuffers
from .turns import Turns
from .unread_bytes import UnreadBytes

LONGEST_SLEEP_S = 3600.0
PAUSE_S = 0.002  # between two deferred actions, each of about 1 ms

DelayReply = Callable[[tuple[str, str | None], Request, Reply, Action], bool]
"""Returns True if the reply to a client, of an address and an id, is delayed to a later action."""


class Runtime:
    """Advances `timeline` with the clock, `speed` times as fast, until `close`.

    With speed 0 time stands still: actions due now still run, and only `Timeline.run_until`
    advances time. The connections of all listeners share `turns`, `unread`, `large` and `buffers`.
    `on_change` is called after something has happened on the timeline. `waits_in_real_time`: while
    time stands still, whoever polls waits in real time, and moves nothing. `delays_reply` is called
    with each reply to a Kafka client. `skips`: time also jumps while it runs.
    """

    def __init__(self, timeline: Timeline, *, speed: float = 1.0) -> None:
        self.timeline = timeline
        self.speed = speed  # how many times as fast as real time; 0.0 if time stands still
        self._us_per_s = 1e6 * speed
        self._loop = asyncio.get_running_loop()
        self._begin()
        self._timer: asyncio.TimerHandle | None = None
        self._armed_us = NEVER_US
        self.turns = Turns(self.enter, self.leave)
        self.unread = UnreadBytes()
        self.large = LargeRequests(self.turns.put_off)
        self.buffers = SpareBuffers()
        self.on_change: Callable[[], None] | None = None
        self.waits_in_real_time = self.skips = False
        self.delays_reply: DelayReply | None = None
        self._real_clock = RealClock(self)
        self._pause_actions()

    def set_speed(self, speed: float) -> None:
        """Change the speed from now on."""
        self.enter()
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._armed_us = None, NEVER_US
        self.speed, self._us_per_s = speed, 1e6 * speed
        self._begin()
        self._pause_actions()
        self.leave()

    def enter(self) -> None:
        """Advance the timeline to the present; call it before an external event is handled."""
        timeline = self.timeline
        now_us = timeline.now_us
        if self.speed:
            now_us = max(now_us, self._passed_us())
        if timeline.due_us <= now_us:
            timeline.run_until(now_us)
            self._changed()
        else:
            timeline.now_us = now_us

    def leave(self) -> None:
        """Arm the timer for the timeline's next action; call it after an external event."""
        self._arm_next()
        self._changed()

    def present_us(self) -> int:
        """Returns the time of the timeline, advanced to the present."""
        self.enter()
        self._arm_next()
        return self.timeline.now_us

    @property
    def is_real(self) -> bool:
        """True if time passes as real time does, and only so."""
        return self.speed == 1.0 and not self.skips

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Context manager: the body moves the timeline, and time goes on from there."""
        speed = self.speed
        if not speed:
            yield
            return
        self.set_speed(0.0)
        try:
            yield
        finally:
            self.set_speed(speed)

    @property
    def poll_clock(self) -> "Timeline | RealClock":
        """The clock of clients that poll."""
        return self.timeline if self.speed or not self.waits_in_real_time else self._real_clock

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Calls back in the next pass of the loop that serves the listeners.

        What asks may run in another one: the code of a user's node, or nobody's, where a world
        moves the timeline.
        """
        self._loop.call_soon(callback)

    def after_wait(self, wait_ms: int, action: Action) -> None:
        """Run `action` once a client that polls has waited long enough."""
        self.poll_clock.after(wait_ms * 1000, action)

    def _changed(self) -> None:
        if self.on_change is not None:
            self.on_change()

    def _arm_next(self) -> None:
        """Arm the timer for the next action, if it is not armed for an earlier time."""
        due_us = self.timeline.due_us
        if self.speed == 0.0:
            self.enter()
        elif due_us < self._armed_us:
            self._arm(due_us)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Context manager: `enter` before the body, `leave` after it."""
        self.enter()
        try:
            yield
        finally:
            self.leave()

    def close(self) -> None:
        """Cancel the timer; the timeline no longer advances."""
        if self._timer is not None:
            self._timer.cancel()
        self.timeline.pause_by(None)
        self._armed_us = -1  # below every time, so the timer is never armed again

    def _pause_actions(self) -> None:
        """Lets deferred actions leave time for external events, unless time stands."""
        self.timeline.pause_by(self._pause if self.speed else None)

    def _pause(self, action: Action) -> None:
        """Run `action` after PAUSE_S, in which external events are served."""
        self._loop.call_later(PAUSE_S, self.do, action)

    def do(self, action: Action) -> None:
        """Run `action` as an external event, unless the runtime is closed."""
        if self._armed_us >= 0:
            with self.entered():
                action()

    def _begin(self) -> None:
        """Notes when the timeline began by the clock, at the present speed."""
        self._began = time.monotonic() - self.timeline.now_us / 1e6 / (self.speed or 1.0)

    def _passed_us(self) -> int:
        """Returns the time of the timeline by the clock."""
        return int((time.monotonic() - self._began) * self._us_per_s)

    def _arm(self, at_us: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._armed_us = at_us
        self._timer = self._call_at(at_us)

    def _call_at(self, at_us: int) -> asyncio.TimerHandle:
        wait_s = self._began + at_us / 1e6 / self.speed - time.monotonic()
        return self._loop.call_later(min(max(wait_s, 0.0), LONGEST_SLEEP_S), self._fire)

    def _fire(self) -> None:
        self._timer, self._armed_us = None, NEVER_US
        self.enter()
        self.leave()


class RealClock:
    """The clock of the machine; what it runs are external events of a runtime."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._loop = asyncio.get_running_loop()

    @property
    def now_us(self) -> int:
        """The time in microseconds since any moment."""
        return time.monotonic_ns() // 1000

    def after(self, delay_us: int, action: Action) -> None:
        """Runs an action after a delay."""
        self._loop.call_later(delay_us / 1e6, self._runtime.do, action)
