"""Rules that hold requests or replies for a while: a barrier, and a change of their order."""

from collections.abc import Iterable
from functools import partial
from random import Random
from typing import NamedTuple

from kraftsim.controller.time.timeline import Timeline

from .aim import Aim
from .arrival import Arrival, ReplyTo
from .rule import GoOn, HeldRequest, RequestRule

HELD_MAX = 10_000  # requests that one rule holds; further requests are lost


class Held(NamedTuple):
    """A request or reply that waits; `go_on(reply_to)` releases it."""

    arrival: Arrival
    go_on: GoOn
    reply_to: ReplyTo


class Park(RequestRule):
    """Holds requests or replies until the rule is lifted, and then releases them in order."""

    effect = "{}_held"

    def __init__(self, aim: Aim) -> None:
        super().__init__(aim)
        self._held: list[Held] = []

    def held(self) -> Iterable[HeldRequest]:
        return [HeldRequest(arrival, None) for arrival, _, _ in self._held]

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        if len(self._held) < HELD_MAX:
            self._held.append(Held(arrival, go_on, reply_to))
            arrival.hold(self.is_about_replies)
        else:
            arrival.lose(self.is_about_replies)

    def lift(self) -> None:
        held, self._held = self._held, []
        for arrival, go_on, reply_to in held:
            arrival.release()
            go_on(reply_to)


class Reorder(RequestRule):
    """Collects requests or replies, and releases them in an order that is drawn from `stream`.

    It releases them once there are `window` of them, or `within_us` microseconds after the first.
    """

    effect = "{}_reordered"

    def __init__(
        self, aim: Aim, timeline: Timeline, stream: Random, *, window: int, within_us: int
    ) -> None:
        super().__init__(aim)
        self._timeline, self._stream = timeline, stream
        self._window, self._within_us = window, within_us
        self._held: list[Held] = []
        self._windows = 0  # that began
        self._until_us = 0

    def held(self) -> Iterable[HeldRequest]:
        return [HeldRequest(arrival, self._until_us) for arrival, _, _ in self._held]

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        if not self._held:
            self._windows += 1
            self._until_us = self._timeline.now_us + self._within_us
            self._timeline.after(self._within_us, partial(self._end, self._windows))
        self._held.append(Held(arrival, go_on, reply_to))
        if len(self._held) == self._window:
            self.lift()

    def _end(self, window: int) -> None:
        """Releases the requests of a window whose time is over, unless it was full before."""
        if window == self._windows:
            self.lift()

    def lift(self) -> None:
        held, self._held = self._held, []
        self._stream.shuffle(held)
        for _, go_on, reply_to in held:
            go_on(reply_to)
