"""Things to do, in the order of their times: the one queue that every driver runs.

It is a heap of times, and what is to be done at each of them, in the order in which it was asked
for. Hardly two things are due at one time, and numbers are compared faster than anything else.

Time is integer microseconds since the timeline began. Nothing in here reads a clock: a driver says
how far to run (virtual time jumps there; real time is read by `server/runtime.py`).
"""

from collections.abc import Callable
from heapq import heappop, heappush

Action = Callable[[], None]
NEVER_MS = NEVER_US = 1 << 61  # a deadline of somebody who waits for nothing
ACTIONS_PER_INSTANT_MAX = 1_000_000  # more than a fleet of 10,000 ever does: that is a loop


class Timeline:
    """`due_us` is when the next action is due; NEVER_US if there is none. `pause` does an action a
    moment later; None in virtual time."""

    def __init__(self, *, wall_start_ms: int) -> None:
        self.now_us = 0
        self.due_us = NEVER_US
        self.wall_start_ms = wall_start_ms
        self._times_us: list[int] = []  # a heap
        self._actions: dict[int, list[Action]] = {}
        self._asked = 0
        self.pause: Callable[[Action], None] | None = None

    @property
    def now_ms(self) -> int:
        return self.now_us // 1000

    @property
    def wall_ms(self) -> int:
        """Wall time of now; stamps records and reported times, decides nothing."""
        return self.wall_start_ms + self.now_us // 1000

    @property
    def asked(self) -> int:
        """How many actions have been asked for since the timeline began."""
        return self._asked

    def at(self, at_us: int, action: Action) -> None:
        """Do `action` at `at_us`, after everything already due at that time."""
        self._asked += 1
        if at_us < self.now_us:
            at_us = self.now_us
        actions = self._actions.get(at_us)
        if actions is not None:
            actions.append(action)
            return
        self._actions[at_us] = [action]
        heappush(self._times_us, at_us)
        if at_us < self.due_us:
            self.due_us = at_us

    def after(self, delay_us: int, action: Action) -> None:
        self.at(self.now_us + delay_us, action)

    def soon(self, action: Action) -> None:
        """Do `action` once everything due now is done. Where time is real there is a `pause` before
        it, in which what comes from outside is served; in virtual time work takes none."""
        if self.pause is None:
            self.at(self.now_us, action)
        else:
            self.pause(action)

    def run_until(self, until_us: int) -> None:
        """Do everything due up to and including `until_us`; then it is `until_us`."""
        times_us, began = self._times_us, self._asked
        while times_us and times_us[0] <= until_us:
            at_us = times_us[0]
            action = self._take(at_us)
            if at_us > self.now_us:
                self.now_us, began = at_us, self._asked
            elif self._asked - began > ACTIONS_PER_INSTANT_MAX:
                raise RuntimeError(f"expected time to pass, but at {at_us} us {action} goes on")
            action()
        self.now_us = max(self.now_us, until_us)
        self.due_us = times_us[0] if times_us else NEVER_US

    def _take(self, at_us: int) -> Action:
        """The first action of the first time."""
        actions = self._actions.pop(at_us)
        action = actions.pop(0)
        if actions:
            self._actions[at_us] = actions
        else:
            heappop(self._times_us)
        return action
