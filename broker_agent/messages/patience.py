"""The waits of one client that polls, one after the other, with few timers.

Most polls end before their time, and a timer that is not needed any more stays in its queue until
then: a consumer that gets a thousand batches a second would leave thousands of them. So one that is
armed stays armed for the polls that follow, and is armed again when it rings too early.
"""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from kraftsim.controller.time.timeline import NEVER_US, Action


class PollClock(Protocol):
    """The clock of those who poll: a timeline, or the clock of the machine."""

    @property
    def now_us(self) -> int:
        """The time in microseconds."""

    def after(self, delay_us: int, action: Action, /) -> None:
        """Runs an action after a delay."""


class Patience:
    """Runs `action` once a wait has lasted long enough; `clock()` returns the clock of a wait."""

    def __init__(self, clock: Callable[[], PollClock], action: Action) -> None:
        self._clock_of_now, self._action = clock, action
        self._clock = clock()
        self._due_us = self._armed_us = NEVER_US

    def begin(self, wait_ms: int) -> None:
        """Begins a wait, of which there is one at a time."""
        clock = self._clock_of_now()
        if clock is not self._clock:
            self._clock, self._armed_us = clock, NEVER_US
        self._due_us = clock.now_us + wait_ms * 1000
        if self._due_us < self._armed_us:
            self._arm(wait_ms * 1000)

    def end(self) -> None:
        """Ends the wait without the action."""
        self._due_us = NEVER_US

    def _arm(self, wait_us: int) -> None:
        self._armed_us = self._due_us
        self._clock.after(wait_us, partial(self._ring, self._clock, self._armed_us))

    def _ring(self, clock: PollClock, armed_us: int) -> None:
        if clock is not self._clock or armed_us != self._armed_us:
            return  # another was armed since, of another clock or for an earlier time
        self._armed_us = NEVER_US
        left_us = self._due_us - clock.now_us
        if left_us <= 0:
            self._due_us = NEVER_US
            self._action()
        elif self._due_us != NEVER_US:
            self._arm(left_us)
