"""What a node takes for the time: its own monotonic and wall clock, over the timeline's true time.

By default both are the timeline's. Faults move them: the wall clock steps, both drift or stand
still, a machine is suspended, a timer is coarse. The monotonic clock never goes back. Only how a
clock runs is kept, since when, and how far it was ahead then: nothing ticks, so nothing accumulates
errors, and a deadline of the node is a time of the world, exactly.
"""

from collections.abc import Callable

from .timeline import NEVER_US, Timeline

PPM = 1_000_000


class Clock:
    """`wall_offset_ms` is how far the wall clock is ahead of the monotonic one: wall time is
    `now_ms + wall_offset_ms`. `changed` hears whenever deadlines have moved, as wake-ups must."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self.wall_offset_ms = timeline.wall_start_ms
        self.changed: list[Callable[[], None]] = []
        self._is_steady = True  # as fast as the true time, and every millisecond is seen
        self._anchor_us = 0  # true time since which it runs as it does now
        self._ahead_us = 0  # of the true time, then
        self._drift_ppm = 0
        self._freezes = 0
        self._tick_ms = 1
        self._suspended_us = NEVER_US

    @property
    def now_ms(self) -> int:
        """The monotonic time, the only one that decides."""
        if self._is_steady:
            return (self.timeline.now_us + self._ahead_us) // 1000
        anchor_ms = (self._anchor_us + self._ahead_us) // 1000
        passed_ms = self._local_us() // 1000 - anchor_ms
        return anchor_ms + passed_ms // self._tick_ms * self._tick_ms

    def due_us(self, at_ms: int) -> int:
        """The true time from which on `now_ms` is at least `at_ms`; NEVER_US while it stands."""
        if self._is_steady:
            return at_ms * 1000 - self._ahead_us
        if at_ms <= self.now_ms:
            return self.timeline.now_us
        if self._freezes:
            return NEVER_US
        anchor_local_us = self._anchor_us + self._ahead_us
        anchor_ms = anchor_local_us // 1000
        ticks = -((anchor_ms - at_ms) // self._tick_ms)
        left_us = (anchor_ms + ticks * self._tick_ms) * 1000 - anchor_local_us
        return self._anchor_us - (-left_us * PPM // (PPM + self._drift_ppm))

    # Faults; those that add up may be taken back in any order

    def step_wall(self, by_ms: int) -> None:
        """Somebody sets the wall clock; the monotonic one does not notice."""
        self.wall_offset_ms += by_ms

    def drift(self, by_ppm: int) -> None:
        """Both clocks run faster by so many millionths of a second a second, or slower."""
        if self._drift_ppm + by_ppm <= -PPM:
            raise ValueError(
                f"expected a drift over {-PPM} ppm in all, because a clock does not run backwards, "
                f"got {self._drift_ppm + by_ppm}; to stop it, freeze it"
            )
        self._anchor()
        self._drift_ppm += by_ppm
        self._follow()

    def freeze(self) -> None:
        """Both clocks stand still; those who look at them go on."""
        self._anchor()
        self._freezes += 1
        self._follow()

    def thaw(self) -> None:
        """They go on from where they stood."""
        self._anchor()
        self._freezes = max(0, self._freezes - 1)
        self._follow()

    def coarsen(self, tick_ms: int) -> None:
        """Time is seen to pass in steps of `tick_ms` only, and timers ring late by as much; 1 is
        as fine as it gets."""
        if tick_ms < 1:
            raise ValueError(f"expected ticks of 1 ms or more, got {tick_ms}")
        self._anchor()
        self._tick_ms = tick_ms
        self._follow()

    def suspend(self) -> None:
        """The machine sleeps: nothing counts time but the battery's clock."""
        if self._suspended_us == NEVER_US:
            self._suspended_us = self.timeline.now_us
            self.freeze()

    def wake(self, *, monotonic_jumps: bool) -> None:
        """The wall clock is right again; the monotonic one either has counted the sleep
        (CLOCK_BOOTTIME, a paused virtual machine) or has not (Linux's CLOCK_MONOTONIC)."""
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
        """Monotonic time, before it is seen in ticks."""
        passed_us = self.timeline.now_us - self._anchor_us
        rate = 0 if self._freezes else PPM + self._drift_ppm
        return self._anchor_us + self._ahead_us + passed_us * rate // PPM

    def _anchor(self) -> None:
        """Before it runs in another way: keep what it has come to."""
        self._ahead_us = self._local_us() - self.timeline.now_us
        self._anchor_us = self.timeline.now_us

    def _follow(self) -> None:
        self._is_steady = not self._drift_ppm and not self._freezes and self._tick_ms == 1
        for rearm in tuple(self.changed):
            rearm()
