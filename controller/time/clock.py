"""A node's own monotonic and wall clock, derived from the timeline's true time.

Without faults both equal the timeline's. Faults change them: the wall clock steps, both drift or
freeze, a machine is suspended, a timer is coarse. The monotonic clock never goes back. A clock
stores its rate, the true time of the last change, and its lead over the true time then: no error
accumulates, and each deadline of the node maps to one exact true time.
"""

from typing import Protocol

from .timeline import NEVER_US, Timeline

PPM = 1_000_000


class Follower(Protocol):
    """What depends on a clock."""

    def rearm(self) -> None:
        """Called after a change of the clock that moved deadlines."""


class Clock:
    """The clock of one node.

    `wall_offset_ms` is the lead of the wall clock over the monotonic clock: wall time is `now_ms +
    wall_offset_ms`. `latest_wall_ms` is the latest time that the wall clock showed before a step
    set it back. `followers` are the wake-ups, which are armed again when a fault moves deadlines.
    """

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self.wall_offset_ms = timeline.wall_start_ms
        self.latest_wall_ms = timeline.wall_start_ms
        self.followers: list[Follower] = []
        self._is_steady = True  # runs at the rate of true time, with 1 ms ticks
        self._anchor_us = 0  # true time of the last change of rate
        self._ahead_us = 0  # lead over true time at the anchor
        self._drift_ppm = 0
        self._freezes = 0
        self._tick_ms = 1
        self._suspended_us = NEVER_US

    @property
    def now_ms(self) -> int:
        """Monotonic time in milliseconds, the only time that affects decisions."""
        if self._is_steady:
            return (self.timeline.now_us + self._ahead_us) // 1000
        anchor_ms = (self._anchor_us + self._ahead_us) // 1000
        passed_ms = self._local_us() // 1000 - anchor_ms
        return anchor_ms + passed_ms // self._tick_ms * self._tick_ms

    @property
    def now_us(self) -> int:
        """Monotonic time in microseconds, for processes whose timers are finer than Kafka's."""
        if self._is_steady:
            return self.timeline.now_us + self._ahead_us
        return self._local_us() if self._tick_ms == 1 else self.now_ms * 1000

    def reached_us(self, at_us: int) -> int:
        """Returns the first true time at which `now_us` is at least `at_us`; NEVER_US if frozen."""
        if self._is_steady:
            return at_us - self._ahead_us
        if at_us <= self.now_us:
            return self.timeline.now_us
        if self._tick_ms > 1 or self._freezes:
            return self.due_us(-(-at_us // 1000))
        wait_us = at_us - self._anchor_us - self._ahead_us
        return self._anchor_us - (-wait_us * PPM // (PPM + self._drift_ppm))

    def due_us(self, at_ms: int) -> int:
        """Returns the first true time at which `now_ms` is at least `at_ms`; NEVER_US if frozen."""
        if self._is_steady:
            return at_ms * 1000 - self._ahead_us
        if at_ms <= self.now_ms:
            return self.timeline.now_us
        if self._freezes:
            return NEVER_US
        anchor_local_us = self._anchor_us + self._ahead_us
        anchor_ms = anchor_local_us // 1000
        ticks = -((anchor_ms - at_ms) // self._tick_ms)
        wait_us = (anchor_ms + ticks * self._tick_ms) * 1000 - anchor_local_us
        return self._anchor_us - (-wait_us * PPM // (PPM + self._drift_ppm))

    # Faults; additive faults may be reverted in any order

    def step_wall(self, by_ms: int) -> None:
        """Step the wall clock; the monotonic clock is unaffected."""
        self.latest_wall_ms = max(self.latest_wall_ms, self.now_ms + self.wall_offset_ms)
        self.wall_offset_ms += by_ms

    def drift(self, by_ppm: int) -> None:
        """Change the rate of both clocks by `by_ppm` parts per million.

        Raises ValueError if the clocks would stop or run backwards.
        """
        if self._drift_ppm + by_ppm <= -PPM:
            raise ValueError(
                f"expected a drift over {-PPM} ppm in all, because a clock does not run backwards, "
                f"got {self._drift_ppm + by_ppm}; to stop it, freeze it"
            )
        self._anchor()
        self._drift_ppm += by_ppm
        self._follow()

    def freeze(self) -> None:
        """Freeze both clocks; the node's process continues to run."""
        self._anchor()
        self._freezes += 1
        self._follow()

    def thaw(self) -> None:
        """Let both clocks continue from where they stopped."""
        self._anchor()
        self._freezes = max(0, self._freezes - 1)
        self._follow()

    def coarsen(self, tick_ms: int) -> None:
        """Let time advance in ticks of `tick_ms`, so that timers fire late; 1 is the finest.

        Raises ValueError below 1 ms.
        """
        if tick_ms < 1:
            raise ValueError(f"expected ticks of 1 ms or more, got {tick_ms}")
        self._anchor()
        self._tick_ms = tick_ms
        self._follow()

    def suspend(self) -> None:
        """Suspend the machine: only its real-time clock continues."""
        if self._suspended_us == NEVER_US:
            self._suspended_us = self.timeline.now_us
            self.freeze()

    def wake(self, *, monotonic_jumps: bool) -> None:
        """Resume a suspended machine: the wall clock is correct again.

        With `monotonic_jumps` the monotonic clock includes the suspension (CLOCK_BOOTTIME, a paused
        virtual machine); otherwise it does not (Linux's CLOCK_MONOTONIC).
        """
        if self._suspended_us == NEVER_US:
            return
        slept_us = self.timeline.now_us - self._suspended_us
        self._suspended_us = NEVER_US
        if monotonic_jumps:
            self._anchor()
            self._ahead_us += slept_us
        else:
            self.wall_offset_ms += slept_us // 1000
        self.thaw()

    def _local_us(self) -> int:
        """Returns monotonic time in microseconds, before rounding to ticks."""
        passed_us = self.timeline.now_us - self._anchor_us
        rate = 0 if self._freezes else PPM + self._drift_ppm
        return self._anchor_us + self._ahead_us + passed_us * rate // PPM

    def _anchor(self) -> None:
        """Store the present lead before a change of rate."""
        self._ahead_us = self._local_us() - self.timeline.now_us
        self._anchor_us = self.timeline.now_us

    def _follow(self) -> None:
        self._is_steady = not self._drift_ppm and not self._freezes and self._tick_ms == 1
        for follower in tuple(self.followers):
            follower.rearm()
