"""The fates of the next messages of a world: delivered, lost, or late.

A script gives the fates of the first messages; messages after the script are delivered.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.simulation.message import Message
from kraftsim.simulation.network_rules import Rule

from ..running.names import nodes_text

LATE_US = 3_000_000  # more than the fetch and request timeouts of 2 s: the sender has given up


class Fate(Enum):
    """What becomes of a message; the order is that in which a search tries the fates."""

    DELIVERED = "delivered"
    LOST = "lost"
    LATE = f"{LATE_US // 1_000_000} s late"


@dataclass(frozen=True, slots=True)
class Decision:
    """A message, in words, and its fate."""

    message: str
    fate: Fate

    def __str__(self) -> str:
        return f"{self.message}: {self.fate.value}"


class Fates(Rule):
    """Decides the fate of `depth` messages, from the moment at which the network gets the rule.

    Heartbeats of brokers do not count: they are many, and the next one repeats what one says.
    `decisions` has the messages that were met, in the order in which they left their senders.
    """

    rank = 5  # after the rules of the scenario: a message that these lose has no fate left

    def __init__(self, script: Sequence[Fate], depth: int) -> None:
        super().__init__(is_decided)
        self.decisions: list[Decision] = []
        self._script, self._depth = script, depth

    def on_departure(self, message: Message, lags_us: list[int]) -> list[int]:
        number = len(self.decisions)
        if not lags_us or number == self._depth or not self.concerns(message):
            return lags_us
        fate = self._script[number] if number < len(self._script) else Fate.DELIVERED
        self.decisions.append(Decision(_in_words(message), fate))
        if fate is Fate.LOST:
            return []
        return lags_us if fate is Fate.DELIVERED else [lag_us + LATE_US for lag_us in lags_us]


def is_decided(message: Message) -> bool:
    """Returns True for every message but a heartbeat of a broker and its reply."""
    return not isinstance(message.request, BrokerHeartbeatRequest)


def following(fates: Sequence[Fate]) -> tuple[Fate, ...] | None:
    """Returns the script after the one that gave these fates, in depth-first order; None: the last.

    The fate that is tried next is that of the last message that has a fate left.
    """
    order = list(Fate)
    for place in reversed(range(len(fates))):
        if fates[place] is not order[-1]:
            return (*fates[:place], order[order.index(fates[place]) + 1])
    return None


def _in_words(message: Message) -> str:
    kind = type(message.request).__name__.removesuffix("Request")
    what = f"reply to {kind}" if message.is_reply else kind
    return f"{what} from {nodes_text([message.sender])} to {nodes_text([message.receiver])}"
