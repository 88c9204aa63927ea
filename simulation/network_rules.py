"""Rules that apply a fault to the messages of some links, each with a count of its effects.

Rules are applied in the order block, surgery (the n-th message), loss, duplicate, delay. A message
that is blocked counts as blocked only, and each copy of a message gets its own delay. A rule acts
when a message leaves (`on_departure` returns the lag of each copy that will arrive, an empty list
if the message is lost) and when it arrives (`lets_in`).
"""

from collections.abc import Callable
from random import Random

from kraftsim.controller.core.node_id import Kind, NodeId

from .delays import Draw
from .message import Message
from .requests.held_messages import HeldMessage, HeldMessages
from .requests.hit_log import HitLog

Concerns = Callable[[Message], bool]
Deliver = Callable[[], None]


class Rule:
    """Base of all rules.

    `concerns` selects the messages to which the rule applies. `hits` counts the messages that
    the rule affected, and `log` gets each of them; `done` says what was done to it. Rules of a
    lower `rank` are applied first.
    """

    rank = 0
    done = "affected"

    def __init__(self, concerns: Concerns) -> None:
        self.concerns = concerns
        self.hits = 0
        self.log: HitLog | None = None

    def hit(self, message: Message) -> None:
        """Counts an effect on the message."""
        self.hits += 1
        if self.log is not None:
            broker_id = _broker_of(message)
            kind = f"{'reply' if message.is_reply else 'request'}_{self.done}"
            self.log.note(kind, message.request, message.receiver, broker_id)

    def on_departure(self, message: Message, lags_us: list[int]) -> list[int]:
        """Returns the lag in microseconds of each copy that will arrive; none if it is lost."""
        return lags_us

    def lets_in(self, message: Message, deliver: Deliver) -> bool:
        """Returns False if an arrived message must wait; calling `deliver` later delivers it."""
        return True

    def stops(self, message: Message) -> bool:
        """Returns True if the rule lets no message like this one through; it counts none."""
        return False

    def lift(self) -> None:
        """Ends the rule, and releases the messages that it held back."""


class Block(Rule):
    """Stops every message."""

    done = "blocked"

    def stops(self, message: Message) -> bool:
        return self.concerns(message)

    def lets_in(self, message: Message, deliver: Deliver) -> bool:
        if not self.concerns(message):
            return True
        self.hit(message)
        return False


class Hold(Rule):
    """Holds the messages that arrive, and delivers them in order when the rule is lifted."""

    done = "held"
    rank = 1

    def __init__(self, concerns: Concerns, held: HeldMessages) -> None:
        super().__init__(concerns)
        self._held = held

    def stops(self, message: Message) -> bool:
        return self.concerns(message)

    def lets_in(self, message: Message, deliver: Deliver) -> bool:
        if not self.concerns(message):
            return True
        self.hit(message)
        if not self._held.is_full:
            self._held.hold(self, _held(message), deliver)
        return False

    def lift(self) -> None:
        for deliver in self._held.take(self):
            deliver()


class Nth(Rule):
    """Applies to messages `first` to `first + count - 1` of the selected messages (surgery).

    Each becomes `copies` messages (0: it is lost), which arrive `lag_us` microseconds later than
    without the rule.
    """

    done = "copied"
    rank = 1

    def __init__(
        self, concerns: Concerns, *, first: int, count: int, copies: int, lag_us: int
    ) -> None:
        super().__init__(concerns)
        self._first, self._count, self._copies, self._lag_us = first, count, copies, lag_us
        self._matched = 0

    def on_departure(self, message: Message, lags_us: list[int]) -> list[int]:
        if not self.concerns(message):
            return lags_us
        self._matched += 1
        if not self._first <= self._matched < self._first + self._count:
            return lags_us
        self.hit(message)
        return [lag_us + self._lag_us for lag_us in lags_us for _ in range(self._copies)]


class Loss(Rule):
    """Loses each message with `probability`, on average `burst` messages in a row.

    This is Gilbert's model with a good and a bad state, one per link.
    """

    done = "lost"
    rank = 2

    def __init__(
        self, concerns: Concerns, *, probability: float, burst: float, stream: Random
    ) -> None:
        super().__init__(concerns)
        self._draw = stream.random
        self._stays_bad = 1.0 - 1.0 / burst
        good = 1.0 - probability
        self._turns_bad = probability / (burst * good) if good > 0 else 1.0
        self._is_bad: dict[tuple[NodeId, NodeId], bool] = {}

    def on_departure(self, message: Message, lags_us: list[int]) -> list[int]:
        if not self.concerns(message):
            return lags_us
        way = (message.sender, message.receiver)
        bound = self._stays_bad if self._is_bad.get(way) else self._turns_bad
        is_bad = self._is_bad[way] = self._draw() < bound
        if not is_bad:
            return lags_us
        self.hit(message)
        return []


class Duplicate(Rule):
    """Delivers a second copy with `probability`, `lag` microseconds after the first."""

    done = "duplicated"
    rank = 3

    def __init__(self, concerns: Concerns, *, probability: float, lag: Draw, draw: Random) -> None:
        super().__init__(concerns)
        self._probability, self._lag, self._draw = probability, lag, draw.random

    def on_departure(self, message: Message, lags_us: list[int]) -> list[int]:
        if not lags_us or not self.concerns(message) or self._draw() >= self._probability:
            return lags_us
        self.hit(message)
        return [*lags_us, lags_us[0] + self._lag()]


class Delay(Rule):
    """Delays every message by `lag` microseconds; if `lag` varies, messages overtake each other."""

    done = "delayed"
    rank = 4

    def __init__(self, concerns: Concerns, *, lag: Draw) -> None:
        super().__init__(concerns)
        self._lag = lag

    def on_departure(self, message: Message, lags_us: list[int]) -> list[int]:
        if not lags_us or not self.concerns(message):
            return lags_us
        late_us = [lag_us + self._lag() for lag_us in lags_us]
        if late_us != lags_us:
            self.hit(message)
        return late_us


def _broker_of(message: Message) -> int:
    """Returns the broker at an end of the link, -1 without one."""
    way = (message.sender, message.receiver)
    return next((node.number for node in way if node.kind is Kind.BROKER), -1)


def _held(message: Message) -> HeldMessage:
    sender, receiver = message.sender, message.receiver
    if message.is_reply:
        sender, receiver = receiver, sender
    kind, broker_id = type(message.request), _broker_of(message)
    return HeldMessage(kind, message.is_reply, sender, receiver, broker_id, None)
