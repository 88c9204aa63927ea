"""A fault that begins and ends over and over until it is stopped."""

from collections.abc import Callable
from functools import partial

from kraftsim.controller.time.clock import Clock
from kraftsim.controller.time.timeline import Timeline

from .delays import Draw


class Recurring:
    """Repeats a fault: waits `rest_us`, calls `do`, waits `lasting_us`, calls `undo`.

    `hits` counts the calls of `do`. Each wait is a new draw, in microseconds.
    """

    def __init__(
        self,
        timeline: Timeline,
        *,
        rest_us: Draw,
        do: Callable[[], None],
        lasting_us: Draw,
        undo: Callable[[], None],
    ) -> None:
        self.hits = 0
        self._timeline = timeline
        self._rest_us, self._lasting_us = rest_us, lasting_us
        self._do, self._undo = do, undo
        self._is_done = self._is_over = False
        timeline.after(rest_us(), self._turn)

    def end(self) -> None:
        """Stops the repetition; calls `undo` if the fault is active."""
        if not self._is_over and self._is_done:
            self._undo()
        self._is_over = True

    def _turn(self) -> None:
        if self._is_over:
            return
        self._is_done = not self._is_done
        if self._is_done:
            self.hits += 1
            self._do()
        else:
            self._undo()
        lag_us = self._lasting_us() if self._is_done else self._rest_us()
        self._timeline.after(lag_us, self._turn)


def strobe(clock: Clock, by_ms: int, every_us: Draw) -> Recurring:
    """Steps the wall clock by `by_ms` milliseconds and back, over and over."""
    return Recurring(
        clock.timeline,
        rest_us=every_us,
        do=partial(clock.step_wall, by_ms),
        lasting_us=every_us,
        undo=partial(clock.step_wall, -by_ms),
    )
