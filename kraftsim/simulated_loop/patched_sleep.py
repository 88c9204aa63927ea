"""`time.sleep` in the time of a cluster, for code that sleeps in the process of a test.

The clocks of the process go on by what it has slept, so that a poll ends at its own time-out.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .dates import pickled, simulated_dates
from .replacing import KEPT, Replacing

# Modules that keep the real functions that they have bound by name: they measure real waits.
REAL = (*KEPT, "_pytest", "kraftsim.service", "queue", "subprocess", "threading")


@contextmanager
def sleep_patched(sleep: Callable[[float], object], thread_id: int) -> Iterator[None]:
    """Context manager: `time.sleep` calls `sleep`, but in the thread of the cluster's loop."""
    clocks = _Clocks(sleep, thread_id)
    dates = simulated_dates(clocks.wall_s)
    replacements = clocks.replacements()
    replacements.update(dates.items())
    replacing = Replacing(replacements, REAL)
    try:
        replacing.walk()
        with pickled(dates):
            yield
    finally:
        replacing.undo()
        Replacing({new: old for old, new in replacing.pairs}, REAL).walk()


class _Clocks:
    """The clocks of a process, ahead of the real ones by what its threads have slept.

    `sleep` lets the time of a cluster pass. In `loop_thread`, where the cluster runs, time is real;
    only the wall clock is that of the process, because it judges timestamps of clients.
    """

    def __init__(self, sleep: Callable[[float], object], loop_thread: int) -> None:
        self._sleep, self._loop_thread = sleep, loop_thread
        self._real_sleep, self._monotonic, self._wall = time.sleep, time.monotonic, time.time
        self._ahead_s = 0.0
        self._changing = threading.Lock()

    def sleep(self, seconds: float, /) -> None:
        """Takes the place of `time.sleep`."""
        if threading.get_ident() == self._loop_thread or not seconds > 0:
            self._real_sleep(seconds)
            return
        until_s = self._monotonic() + self._ahead_s + seconds
        self._sleep(float(seconds))
        with self._changing:  # of two threads that sleep side by side the last one counts
            self._ahead_s = max(self._ahead_s, until_s - self._monotonic())

    def wall_s(self) -> float:
        """Returns the wall clock in seconds since the epoch."""
        return self._wall() + self._ahead_s

    def replacements(self) -> dict[object, object]:
        """Returns what takes the place of each function of `time`."""
        return {
            time.sleep: self.sleep,
            time.monotonic: self._seconds(time.monotonic),
            time.perf_counter: self._seconds(time.perf_counter),
            time.time: self.wall_s,
            time.monotonic_ns: self._nanoseconds(time.monotonic_ns),
            time.perf_counter_ns: self._nanoseconds(time.perf_counter_ns),
            time.time_ns: self._nanoseconds(time.time_ns, is_wall=True),
            time.localtime: self._of_now(time.localtime),
            time.gmtime: self._of_now(time.gmtime),
        }

    def _seconds(self, real: Callable[[], float]) -> Callable[[], float]:
        return lambda: real() + self._ahead_here_s()

    def _nanoseconds(self, real: Callable[[], int], *, is_wall: bool = False) -> Callable[[], int]:
        return lambda: real() + round(1e9 * (self._ahead_s if is_wall else self._ahead_here_s()))

    def _ahead_here_s(self) -> float:
        return 0.0 if threading.get_ident() == self._loop_thread else self._ahead_s

    def _of_now(self, real: Callable[..., time.struct_time]) -> Callable[..., time.struct_time]:
        return lambda at_s=None: real(self.wall_s() if at_s is None else at_s)
