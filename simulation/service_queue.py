"""A process that is slow: what comes is handled one by one, each after its time, in order."""

from collections import deque
from collections.abc import Callable

from kraftsim.controller.time.timeline import Timeline

from .delays import Draw

Action = Callable[[], None]


class ServiceQueue:
    """`room` messages wait at most, and more are lost (`lost` counts them), as by a client that
    gives up; `served` counts those that had to wait. Where nobody `is_open`, nobody waits."""

    def __init__(self, timeline: Timeline, service_us: Draw, room: int) -> None:
        self.served = self.lost = 0
        self.is_open = True
        self._timeline = timeline
        self._service_us = service_us
        self._room = room
        self._busy_until_us = 0
        self._waiting: deque[Action] = deque()

    def put(self, handle: Action) -> bool:
        """False if there is no room."""
        if not self.is_open:
            handle()
            return True
        if len(self._waiting) >= self._room:
            self.lost += 1
            return False
        began_us = max(self._timeline.now_us, self._busy_until_us)
        self._busy_until_us = began_us + self._service_us()
        self._waiting.append(handle)
        self._timeline.at(self._busy_until_us, lambda: self._serve(handle))
        return True

    def open(self) -> None:
        self.is_open = True

    def close(self) -> None:
        """Everything that waits is handled now, and whatever comes at once."""
        self.is_open = False
        self._busy_until_us = 0
        while self._waiting:
            self._waiting.popleft()()

    def _serve(self, handle: Action) -> None:
        if self._waiting and self._waiting[0] is handle:  # else it was closed
            self._waiting.popleft()
            self.served += 1
            handle()
