"""Rules that hold requests or replies: a barrier, a delay, and a change of their order."""

from functools import partial
from random import Random

from kraftsim.controller.time.timeline import Timeline

from ..delays import Draw
from .aim import Aim
from .arrival import Arrival, ReplyTo
from .held_messages import HeldMessage, HeldMessages
from .rule import GoOn, RequestRule


class Holder(RequestRule):
    """A rule that holds requests or replies in `held`, which belongs to its fault."""

    def __init__(self, aim: Aim, held: HeldMessages) -> None:
        super().__init__(aim)
        self._held = held

    def _message(self, arrival: Arrival, until_us: int | None) -> HeldMessage:
        return HeldMessage(
            type(arrival.request),
            self.is_about_replies,
            arrival.sender,
            arrival.receiver,
            arrival.broker_id,
            until_us,
        )


class Park(Holder):
    """Holds requests or replies until the rule is lifted, and then releases them in order."""

    effect = "{}_held"

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        if self._held.is_full:
            arrival.lose(self.is_about_replies)
            return
        release = partial(_released, arrival, go_on, reply_to)
        self._held.hold(self, self._message(arrival, None), release)
        arrival.hold(self.is_about_replies)

    def lift(self) -> None:
        for go_on in self._held.take(self):
            go_on()


class Postpone(Holder):
    """Handles the request, or sends the reply, by `lag_us` microseconds later."""

    effect = "{}_delayed"

    def __init__(self, aim: Aim, held: HeldMessages, timeline: Timeline, lag_us: Draw) -> None:
        super().__init__(aim, held)
        self._timeline, self._lag_us = timeline, lag_us

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        lag_us = self._lag_us()
        message = self._message(arrival, self._timeline.now_us + lag_us)
        number = self._held.hold(self, message, partial(go_on, reply_to))
        self._timeline.after(lag_us, partial(self._end, number))

    def _end(self, number: int) -> None:
        """Lets a request go on whose time is over, unless it was released before."""
        self._held.release(number)


class Reorder(Holder):
    """Collects requests or replies, and releases them in an order that is drawn from `stream`.

    It releases them once there are `window` of them, or `within_us` microseconds after the first.
    """

    effect = "{}_reordered"

    def __init__(
        self,
        aim: Aim,
        held: HeldMessages,
        timeline: Timeline,
        stream: Random,
        *,
        window: int,
        within_us: int,
    ) -> None:
        super().__init__(aim, held)
        self._timeline, self._stream = timeline, stream
        self._window, self._within_us = window, within_us
        self._windows = 0  # that began
        self._until_us = 0

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        if not len(self._held):
            self._windows += 1
            self._until_us = self._timeline.now_us + self._within_us
            self._timeline.after(self._within_us, partial(self._end, self._windows))
        message = self._message(arrival, self._until_us)
        self._held.hold(self, message, partial(go_on, reply_to))
        if len(self._held) == self._window:
            self.lift()

    def _end(self, window: int) -> None:
        """Releases the requests of a window whose time is over, unless it was full before."""
        if window == self._windows:
            self.lift()

    def lift(self) -> None:
        held = self._held.take(self)
        self._stream.shuffle(held)
        for go_on in held:
            go_on()


def _released(arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
    """Leaves a request that was held to the next rule, or sends the reply."""
    arrival.release()
    go_on(reply_to)
