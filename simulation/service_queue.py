"""The queue of a slow process, which handles its messages one at a time, in order."""

from collections import deque
from collections.abc import Callable
from functools import partial

from kraftsim.controller.time.timeline import Timeline

from .delays import Draw

Action = Callable[[], None]


class ServiceQueue:
    """Messages that wait for a slow process.

    At most `room` messages wait; further messages are lost, as if the client had given up.
    `lost` counts the lost messages, `served` the messages that waited. A queue that is not open
    handles every message at once.
    """

    def __init__(self, timeline: Timeline, service_us: Draw, room: int) -> None:
        self.served = self.lost = 0
        self.is_open = True
        self._timeline = timeline
        self._service_us = service_us
        self._room = room
        self._busy_until_us = 0
        self._waiting: deque[Action] = deque()

    def put(self, handle: Action) -> bool:
        """Queues a message; returns False if there is no room."""
        if not self.is_open:
            handle()
            return True
        if len(self._waiting) >= self._room:
            self.lost += 1
            return False
        began_us = max(self._timeline.now_us, self._busy_until_us)
        self._busy_until_us = began_us + self._service_us()
        self._waiting.append(handle)
        self._timeline.at(self._busy_until_us, partial(self._serve, handle))
        return True

    def open(self) -> None:
        """Makes messages wait from now on."""
        self.is_open = True

    def close(self) -> None:
        """Handles every waiting message now, and every further message at once."""
        self.is_open = False
        self._busy_until_us = 0
        while self._waiting:
            self._waiting.popleft()()

    def _serve(self, handle: Action) -> None:
        if self._waiting and self._waiting[0] is handle:  # otherwise the queue was closed meanwhile
            self._waiting.popleft()
            self.served += 1
            handle()
