"""Rules about requests that reach a listener: each may refuse, lose, delay, hold or repeat them.

Rules act in the order in which they were added, on requests and then on replies; a rule that lets a
request pass leaves it to the next rule. `RequestRules.armed` has an entry for each type of
request that a rule is about, so that without a rule a request costs one look into an empty mapping.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.raft.protocol import Reply

from ..message import Message
from .arranged import ArrangedRules
from .arrival import Arrival, ReplyTo, broker_of
from .rule import RequestRule, pass_on
from .spoken import Submit


class ConnectionFailed(ApiError):
    """The connection of a request from outside fails because of a fault, which `message` names.

    Scenarios see the error that they see if the controller's process ends.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(ErrorCode.NOT_CONTROLLER, reason)


class Process(Protocol):
    """The process of a controller, as the rules see it."""

    is_alive: bool


class RequestRules:
    """The rules of a world.

    `arrived` is called with each message of the network that is handled although rules are about
    its type, `stopped` with each request and reply that a rule prevents or holds. `armed` maps each
    type of request to its rules. `failing` is why the connection fails that fails now, because of
    a rule; None if its process has ended.
    """

    def __init__(
        self, arrived: Callable[[Message], None], stopped: Callable[[Message], None]
    ) -> None:
        self.arrived, self.stopped = arrived, stopped
        self.armed: dict[type, ArrangedRules] = {}
        self.held_from_outside: list[Request] = []
        self.failing: str | None = None
        self._rules: list[RequestRule] = []
        self._added = 0

    def __len__(self) -> int:
        """The number of rules that are armed."""
        return len(self._rules)

    def add(self, rule: RequestRule) -> None:
        """Arms a rule, after all others."""
        self._added += 1
        rule.number, rule.is_armed = self._added, True
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

    def failure(self) -> ApiError:
        """Returns what a sender from outside gets whose connection fails now."""
        if self.failing is not None:
            return ConnectionFailed(self.failing)
        return ApiError(ErrorCode.NOT_CONTROLLER, "The active controller has just gone.")

    def holds(self, request: Request) -> bool:
        """Returns True while a rule holds this request of `World.dispatch`, or its reply."""
        return any(held is request for held in self.held_from_outside)

    def receive(self, message: Message, process: Process, submit: Submit, reply_to: Any) -> None:
        """Handles a request that the network delivers to the process of a controller."""
        request = message.request
        if not self.armed:
            submit(request, reply_to)
        elif type(request) in self.armed and process.is_alive:
            broker_id = broker_of(request, message.receiver)
            self.arrive(Delivery(message, broker_id, submit, reply_to, self))
        else:
            self.forward(message, process, submit, reply_to)

    def forward(self, message: Message, process: Process, submit: Submit, reply_to: Any) -> None:
        """Handles a request that a broker forwards, without a rule."""
        if type(message.request) in self.armed:
            self.arrived(message)
        submit(message.request, reply_to)

    def arrive(self, arrival: Arrival) -> None:
        """Has the rules act on a request whose type is armed; then it is handled."""
        self._go_on(0, arrival, arrival.reply_to)

    def _go_on(self, number: int, arrival: Arrival, reply_to: ReplyTo) -> None:
        """Leaves a request to the rules after that with this number, then to the node.

        A rule may do so later, or twice; rules are looked up when they act.
        """
        arranged = self.armed.get(type(arrival.request))
        of_replies: tuple[RequestRule, ...] = ()
        for rule in () if arranged is None else arranged.about(arrival):
            if rule.number <= number or not rule.concerns(arrival):
                continue
            if rule.is_about_replies:
                of_replies += (rule,)
            elif self._takes(rule, arrival):
                go_on = partial(self._go_on, rule.number, arrival)
                rule.act(arrival, go_on, self._through(of_replies, arrival, reply_to))
                return
        arrival.submit(self._through(of_replies, arrival, reply_to))

    def _through(
        self, rules: tuple[RequestRule, ...], arrival: Arrival, reply_to: ReplyTo
    ) -> ReplyTo:
        """Returns the function that sends a reply through the rules about replies."""
        return partial(self._on_reply, rules, arrival, reply_to) if rules else reply_to

    def _on_reply(
        self,
        rules: tuple[RequestRule, ...],
        arrival: Arrival,
        reply_to: ReplyTo,
        reply: Reply | None,
    ) -> None:
        """Has the rules act on a reply; without one, the connection fails with the process."""
        for position, rule in enumerate(() if reply is None else rules, 1):
            if reply is not None and self._takes(rule, arrival):
                rest = self._through(rules[position:], arrival, reply_to)
                rule.act(arrival, partial(pass_on, reply), rest)
                return
        reply_to(reply)

    def _takes(self, rule: RequestRule, arrival: Arrival) -> bool:
        """Returns True if the rule acts now and does more than count; disarms a spent rule."""
        takes = rule.takes(arrival)
        if takes and rule.is_spent:
            self.disarm(rule)
        return takes and not rule.lets_pass

    def _arrange(self, kinds: Iterable[type]) -> None:
        """Sorts the rules about these types of requests."""
        for kind in kinds:
            rules = [rule for rule in self._rules if kind in rule.kinds]
            self.armed.pop(kind, None)
            if rules:
                self.armed[kind] = ArrangedRules(rules)


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

    @property
    def sender(self) -> NodeId:
        return self._message.sender

    def submit(self, reply_to: ReplyTo) -> None:
        self._rules.arrived(self._message)
        self._submit(self.request, reply_to)

    def lose(self, is_handled: bool) -> None:
        self._stop(is_handled)

    def ignore(self) -> None:
        self._stop(is_handled=True)

    def prevent(self, reply: Reply) -> None:
        message = self._message
        self._rules.stopped(Message(message.sender, message.receiver, message.request, reply=reply))

    def hold(self, is_handled: bool) -> None:
        self._stop(is_handled)
        if self._is_from_outside:
            self._rules.held_from_outside.append(self.request)

    def fail(self, reason: str, reply_to: ReplyTo) -> None:
        self._rules.failing = reason
        reply_to(None)
        self._rules.failing = None

    def release(self) -> None:
        if self._is_from_outside:
            held = self._rules.held_from_outside
            held[:] = [request for request in held if request is not self.request]

    @property
    def _is_from_outside(self) -> bool:
        return self._message.sender.kind is Kind.OUTSIDE

    def _stop(self, is_handled: bool) -> None:
        message = self._message
        reply = Message(message.receiver, message.sender, message.request, True)
        self._rules.stopped(reply if is_handled else message)
