"""The base of all rules about requests."""

from collections.abc import Callable
from typing import ClassVar

from kraftsim.controller.raft.protocol import Reply

from .aim import EVERY_REQUEST, Aim
from .arrival import Arrival, ReplyTo

GoOn = Callable[[ReplyTo], None]


class RequestRule:
    """A rule about requests.

    `effect` is the kind of its hits; {} stands for the request or the reply. A rule with
    `lets_pass` only counts. `number` is the position of the rule in the order in which rules act.
    """

    effect: ClassVar[str]
    lets_pass: ClassVar[bool] = False

    def __init__(self, aim: Aim) -> None:
        self.kinds = aim.kinds or EVERY_REQUEST
        # A rule is found by its first condition (`arranged.py`); the others are checked here.
        self.found_by = aim.conditions[0] if aim.conditions else None
        self._others = aim.conditions[1:]
        self.is_about_replies = aim.is_about_replies
        self.hit_kind = self.effect.format("reply" if aim.is_about_replies else "request")
        self.fault_id = aim.fault_id
        self.hits = 0
        self.number = 0
        self.is_armed = False
        self._predicate, self._when, self._on_hit = aim.predicate, aim.when, aim.on_hit

    @property
    def is_spent(self) -> bool:
        """True if the rule has acted as often as it may."""
        return self.hits == self._when.count

    def concerns(self, arrival: Arrival) -> bool:
        """Returns True if the rule is about the request, which meets `found_by`."""
        if not self.is_armed:
            return False
        for condition in self._others:
            if condition.read(arrival) not in condition.values:
                return False
        return self._predicate is None or bool(self._predicate(arrival.request))

    def takes(self, arrival: Arrival) -> bool:
        """Returns True if the rule acts now on a request that it is about, and counts a hit."""
        if not (self.is_armed and self._when.is_now()):
            return False
        self.hits += 1
        self._on_hit(self.hit_kind, arrival)
        return True

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        """Acts on a request or on its reply; `go_on` leaves it to the next rule and to the node."""
        raise NotImplementedError

    def lift(self) -> None:
        """Ends the rule, and releases the requests that it holds."""


def pass_on(reply: Reply, reply_to: ReplyTo) -> None:
    """Sends a reply; with its first argument it is the `GoOn` of a rule about replies."""
    reply_to(reply)
