"""A heap of things to do, ordered by (time, sequence): the one queue that every driver runs.

Time is integer microseconds since the timeline began. Nothing in here reads a clock: a driver says
how far to run (virtual time jumps there; real time is read by `server/runtime.py`).
"""

from collections.abc import Callable
from heapq import heappop, heappush

Action = Callable[[], None]
NEVER_MS = 1 << 62  # a deadline of somebody who waits for nothing
ACTIONS_PER_RUN_MAX = 50_000_000  # a run that long is a loop, not a cluster


class Timeline:
    def __init__(self, *, wall_start_ms: int) -> None:
        self.now_us = 0
        self.wall_start_ms = wall_start_ms
        self._heap: list[tuple[int, int, Action]] = []
        self._sequence = 0

    @property
    def now_ms(self) -> int:
        return self.now_us // 1000

    @property
    def wall_ms(self) -> int:
        """Wall time of now; stamps records and reported times, decides nothing."""
        return self.wall_start_ms + self.now_us // 1000

    def at(self, at_us: int, action: Action) -> None:
        """Do `action` at `at_us`, after everything already due at that time."""
        self._sequence += 1
        heappush(self._heap, (max(at_us, self.now_us), self._sequence, action))

    def after(self, delay_us: int, action: Action) -> None:
        self.at(self.now_us + delay_us, action)

    def next_us(self) -> int | None:
        return self._heap[0][0] if self._heap else None

    def run_until(self, until_us: int) -> None:
        """Do everything due up to and including `until_us`; then it is `until_us`."""
        for _ in range(ACTIONS_PER_RUN_MAX):
            if not self._heap or self._heap[0][0] > until_us:
                self.now_us = max(self.now_us, until_us)
                return
            self.now_us, _, action = heappop(self._heap)
            action()
        raise RuntimeError(f"expected the run to end, did {ACTIONS_PER_RUN_MAX} actions")


class Wakeup:
    """One armed wake-up of one participant: re-armed only if earlier, stale ones do nothing.

    `armed_ms` is when it will ring; compare before calling `arm`, which is the rarer case.
    """

    def __init__(self, timeline: Timeline, wake: Action) -> None:
        self.armed_ms = NEVER_MS
        self._timeline = timeline
        self._wake = wake

    def arm(self, at_ms: int) -> None:
        if at_ms < self.armed_ms:
            self.armed_ms = at_ms
            self._timeline.at(at_ms * 1000, lambda: self._ring(at_ms))

    def _ring(self, at_ms: int) -> None:
        if self.armed_ms == at_ms:
            self.armed_ms = NEVER_MS
            self._wake()
