"""The timeline: a queue of actions in order of time, which every driver runs.

It is a heap of times, and the actions of each time in the order of their scheduling. Two actions
rarely share a time, and integers compare fastest.

Time is in integer microseconds since the timeline began. The timeline reads no clock: a driver
decides how far to run (virtual time jumps; `server/runtime.py` reads real time).
"""

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush

Action = Callable[[], None]
NEVER_MS = NEVER_US = 1 << 61  # no deadline
WALL_STEPS_MAX = 1_000  # remembered steps of the wall clock, which are rare
ACTIONS_PER_INSTANT_MAX = 250_000  # more than 10,000 brokers schedule: an endless loop


class Timeline:
    """The queue of actions.

    `due_us` is the time of the next action, NEVER_US if there is none. `after_instant` is called
    after all actions of one time.
    """

    def __init__(self, *, wall_start_ms: int) -> None:
        self.now_us = 0
        self.due_us = NEVER_US
        self.after_instant: Action | None = None
        self.wall_start_ms = wall_start_ms
        self._wall_steps: list[tuple[int, int]] = []  # when, and the start before the step
        self._times_us: list[int] = []  # a heap
        self._actions: dict[int, list[Action]] = {}
        self._scheduled_count = 0
        self._pause: Callable[[Action], None] | None = None
        self._postponed: deque[Action] = deque()

    @property
    def now_ms(self) -> int:
        """True time in milliseconds since the timeline began."""
        return self.now_us // 1000

    @property
    def wall_ms(self) -> int:
        """Wall time in milliseconds since the epoch, for timestamps of records and reports only."""
        return self.wall_start_ms + self.now_us // 1000

    def wall_ms_at(self, at_us: int) -> int:
        """Returns what the wall clock showed at a time that is not in the future."""
        start_ms = self.wall_start_ms
        for stepped_us, before_ms in reversed(self._wall_steps):
            if at_us > stepped_us:
                break
            start_ms = before_ms
        return start_ms + at_us // 1000

    def step_wall(self, by_ms: int) -> None:
        """Step the wall clock; times before this keep what it showed then."""
        self._wall_steps.append((self.now_us, self.wall_start_ms))
        del self._wall_steps[:-WALL_STEPS_MAX]
        self.wall_start_ms += by_ms

    @property
    def scheduled_count(self) -> int:
        """Number of actions scheduled since the timeline began."""
        return self._scheduled_count

    def at(self, at_us: int, action: Action) -> None:
        """Schedule `action` at `at_us`, after all actions already scheduled for that time."""
        self._scheduled_count += 1
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
        """Schedule `action` after a delay."""
        self.at(self.now_us + delay_us, action)

    def pause_by(self, pause: Callable[[Action], None] | None) -> None:
        """Run the actions of `soon` after a pause; `pause` runs an action after one.

        None stands for virtual time, which has no pause. Actions that wait for the end of an
        earlier pause wait anew: a copy of a world does not have the pause of its original.
        """
        self._pause = pause
        postponed, self._postponed = self._postponed, deque()
        for action in postponed:
            self.soon(action)

    def soon(self, action: Action) -> None:
        """Run `action` after all actions that are due now.

        In real time a pause first leaves time for external events.
        """
        if self._pause is None:
            self.at(self.now_us, action)
        else:
            self._postponed.append(action)
            self._pause(self._run_postponed)

    def _run_postponed(self) -> None:
        """Run the first action that waits for the end of a pause."""
        if self._postponed:
            self._postponed.popleft()()

    def run_until(self, until_us: int) -> None:
        """Run all actions due up to and including `until_us`, and advance time to `until_us`.

        Raises RuntimeError if actions at one time schedule each other endlessly.
        """
        while self._times_us and self.due_us <= until_us:
            self.run_next()
        self.now_us = max(self.now_us, until_us)

    def run_next(self) -> None:
        """Run the actions at `due_us`, and advance time to it; see `run_until`."""
        times_us = self._times_us
        self.now_us = max(self.now_us, self.due_us)
        self._run_instant(self.due_us)
        self.due_us = times_us[0] if times_us else NEVER_US
        if self.after_instant is not None:
            self.after_instant()

    def _run_instant(self, at_us: int) -> None:
        """Run the actions at one time, with those that they schedule for this time."""
        actions = self._actions[at_us]
        count_max = self._scheduled_count + ACTIONS_PER_INSTANT_MAX
        while actions:
            action = actions.pop(0)
            if self._scheduled_count > count_max:
                raise RuntimeError(f"expected time to pass, but at {at_us} us {action} goes on")
            action()
        if self._actions.get(at_us) is actions:  # unless an action ran the timeline itself
            del self._actions[at_us]
            heappop(self._times_us)
