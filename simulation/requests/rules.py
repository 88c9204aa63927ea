"""Rules about requests that reach a listener: each may refuse, lose, delay, hold or repeat them.

Rules act in the order in which they were added; a rule that lets a request pass leaves it to the
next rule. `RequestRules.armed` has an entry for each type of request that a rule is about, so that
without a rule a request costs one look into an empty mapping.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from random import Random
from typing import Any, Protocol, get_args

from kraftsim.controller.core.rpc import Request

from ..message import Message
from .arrival import Arrival, ReplyTo, broker_of

Concerns = Callable[[Arrival], bool]
GoOn = Callable[[ReplyTo], None]
EVERY_REQUEST: frozenset[type] = frozenset(get_args(Request))
UNLIMITED = -1


class When:
    """When a rule acts on the requests that it concerns.

    It acts on every `every`-th request after the first `after` requests, each time with probability
    `probability`, at most `count` times (UNLIMITED: any number of times).
    """

    def __init__(
        self, *, count: int, after: int, every: int, probability: float, stream: Random
    ) -> None:
        self.count = count
        self._after, self._every, self._probability = after, every, probability
        self._draw = stream.random
        self._seen = 0

    def is_now(self) -> bool:
        """Counts a request, and returns True if the rule acts on it."""
        self._seen += 1
        number = self._seen - self._after
        if number <= 0 or number % self._every:
            return False
        return self._probability >= 1.0 or self._draw() < self._probability


class RequestRule:
    """Base of all rules about requests.

    `kinds` are the types of requests, `brokers` the brokers (None: all) and `concerns` all other
    conditions. `on_hit` is called with each request on which the rule acts. A rule with `lets_pass`
    only counts requests.
    """

    lets_pass = False

    def __init__(
        self,
        kinds: Iterable[type],
        brokers: frozenset[int] | None,
        concerns: Concerns,
        when: When,
        on_hit: Callable[[Arrival], None],
    ) -> None:
        self.kinds = frozenset(kinds) or EVERY_REQUEST
        self.brokers = brokers
        self.hits = 0
        self.is_armed = False
        self._concerns, self._when, self._on_hit = concerns, when, on_hit

    @property
    def is_spent(self) -> bool:
        """True if the rule has acted as often as it may."""
        return self.hits == self._when.count

    def takes(self, arrival: Arrival) -> bool:
        """Returns True if the rule acts on the request now, and counts it as a hit."""
        if not (self.is_armed and self._concerns(arrival) and self._when.is_now()):
            return False
        self.hits += 1
        self._on_hit(arrival)
        return True

    def act(self, arrival: Arrival, go_on: GoOn, reply_to: ReplyTo) -> None:
        """Acts on a request; `go_on` leaves it to the next rule and to the node."""
        raise NotImplementedError

    def lift(self) -> None:
        """Ends the rule, and releases the requests that it holds."""


class Process(Protocol):
    """The process of a controller, as the rules see it."""

    is_alive: bool


Submit = Callable[[Request, Any], None]  # for peers, a reply is never an ApiError
RulesOfBroker = Mapping[int, tuple[RequestRule, ...]]


class RequestRules:
    """The rules of a world.

    `arrived` is called with each message of the network that is handled although rules are about
    its type, `stopped` with each request and reply that a rule prevents or holds.

    `armed` maps each type of request to its rules: those for any broker, and those for each broker
    that a rule names.
    """

    def __init__(
        self, arrived: Callable[[Message], None], stopped: Callable[[Message], None]
    ) -> None:
        self.arrived, self.stopped = arrived, stopped
        self.armed: dict[type, tuple[tuple[RequestRule, ...], RulesOfBroker]] = {}
        self._rules: list[RequestRule] = []

    def __len__(self) -> int:
        """The number of rules that are armed."""
        return len(self._rules)

    def add(self, rule: RequestRule) -> None:
        """Arms a rule, after all others."""
        rule.is_armed = True
        self._rules.append(rule)
        self._arrange(rule.kinds)

    def disarm(self, rule: RequestRule) -> None:
        """Ends a rule without releasing the requests that it holds; does nothing if it ended."""
        if rule.is_armed:
            rule.is_armed = False
            self._rules.remove(rule)
            self._arrange(rule.kinds)

    def remove(self, rule: RequestRule) -> None:
        """Ends a rule, and releases the requests that it holds."""
        self.disarm(rule)
        rule.lift()

    def receive(self, message: Message, process: Process, submit: Submit, reply_to: Any) -> None:
        """Handles a request that the network delivers to the process of a controller."""
        request = message.request
        if type(request) in self.armed and process.is_alive:
            broker_id = broker_of(request, message.receiver)
            rules = self.rules_of(request, broker_id)
            if rules:
                delivery = Delivery(message, broker_id, submit, reply_to, self)
                self.go_on(iter(rules), delivery, reply_to)
                return
        self.forward(message, process, submit, reply_to)

    def forward(self, message: Message, process: Process, submit: Submit, reply_to: Any) -> None:
        """Handles a request that a broker forwards, without a rule."""
        if type(message.request) in self.armed:
            self.arrived(message)
        submit(message.request, reply_to)

    def rules_of(self, request: Request, broker_id: int) -> tuple[RequestRule, ...]:
        """Returns the rules about a request of this type and of this broker."""
        entry = self.armed.get(type(request))
        if entry is None:
            return ()
        of_any, of_broker = entry
        return of_broker.get(broker_id, of_any)

    def go_on(self, rules: Iterator[RequestRule], arrival: Arrival, reply_to: ReplyTo) -> None:
        """Has the rules act on a request, in their order; then it is handled."""
        for rule in rules:
            if rule.takes(arrival):
                if rule.is_spent:
                    self.disarm(rule)
                if not rule.lets_pass:
                    rule.act(arrival, partial(self._pass, tuple(rules), arrival), reply_to)
                    return
        arrival.submit(reply_to)

    def _pass(self, rest: tuple[RequestRule, ...], arrival: Arrival, reply_to: ReplyTo) -> None:
        """Leaves a request to the rules that remain; a rule may do so later, or twice."""
        self.go_on(iter(rest), arrival, reply_to)

    def _arrange(self, kinds: Iterable[type]) -> None:
        """Sorts the rules about these types of requests by brokers."""
        for kind in kinds:
            rules = [rule for rule in self._rules if kind in rule.kinds]
            named = {broker for rule in rules for broker in rule.brokers or ()}
            of_any = tuple(rule for rule in rules if rule.brokers is None)
            self.armed.pop(kind, None)
            if rules:
                self.armed[kind] = (
                    of_any,
                    {
                        broker: tuple(
                            rule for rule in rules if rule.brokers is None or broker in rule.brokers
                        )
                        for broker in named
                    },
                )


class Delivery(Arrival):
    """A request that the network delivers: a message."""

    __slots__ = ("_message", "_rules", "_submit")

    def __init__(
        self,
        message: Message,
        broker_id: int,
        submit: Submit,
        reply_to: ReplyTo,
        rules: RequestRules,
    ) -> None:
        super().__init__(message.request, message.receiver, broker_id, reply_to)
        self._message, self._submit, self._rules = message, submit, rules

    def submit(self, reply_to: ReplyTo) -> None:
        self._rules.arrived(self._message)
        self._submit(self.request, reply_to)

    def lose(self, is_handled: bool) -> None:
        message = self._message
        reply = Message(message.receiver, message.sender, message.request, True)
        self._rules.stopped(reply if is_handled else message)

    def hold(self) -> None:
        self._rules.stopped(self._message)
