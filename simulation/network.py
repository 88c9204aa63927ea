"""The ways between nodes, controllers and brokers alike: delay, loss, and what faults do to both.

Nobody is told that a message was lost; whoever waits for an answer learns it by waiting too long.
A fault belongs to the way at the time at which a message arrives: a cut takes what is on its way.
Without a rule a message costs one draw; rules compose in the order of `network_rules.RANKS`.
"""

from collections.abc import Callable, Iterable
from functools import partial

from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.time.timeline import Timeline

from .message import Message
from .network_rules import Rule
from .service_queue import ServiceQueue


class Network:
    """`cut` holds directed ways (from, to). `delay_us` draws how long one message takes; `loss` is
    the part of all messages that is lost, 0.0 to 1.0. `arrived` hears of every message that gets
    through, before its receiver does, `stopped` of those that are lost or kept back. `queues` are
    those of slow receivers: a message has arrived once it is its turn."""

    def __init__(self, timeline: Timeline, random: Callable[[], float]) -> None:
        self.cut: set[tuple[NodeId, NodeId]] = set()
        self.mute: set[NodeId] = set()
        self.deaf: set[NodeId] = set()
        self.loss = 0.0
        self.delay_us: Callable[[], int] | None = None
        self.rules: list[Rule] = []
        self.queues: dict[NodeId, ServiceQueue] = {}
        self.arrived: list[Callable[[Message], None]] = []
        self.stopped: list[Callable[[Message], None]] = []
        self._timeline = timeline
        self._random = random
        self._on_arrival = self._arrive  # bound once, not for each message

    def carry(self, message: Message, deliver: Callable[[], None]) -> None:
        """Deliver later, if the way is open when the message arrives."""
        if self.loss and self._random() < self.loss:
            self._stop(message)
            return
        delay_us = self.delay_us() if self.delay_us is not None else 0
        if not self.rules:
            timeline = self._timeline
            timeline.at(timeline.now_us + delay_us, partial(self._on_arrival, message, deliver))
            return
        lags_us = [delay_us]
        for rule in self.rules:
            lags_us = rule.on_departure(message, lags_us)
        if not lags_us:
            self._stop(message)
        for lag_us in lags_us:
            self._timeline.after(lag_us, partial(self._arrive, message, deliver))

    def _arrive(self, message: Message, deliver: Callable[[], None]) -> None:
        if not self.is_whole and not self.is_open(message.sender, message.receiver):
            self._stop(message)
            return
        for rule in self.rules:
            if not rule.lets_in(message, partial(self.admit, message, deliver)):
                self._stop(message)
                return
        if self.queues:
            self.admit(message, deliver)
        else:
            self._deliver(message, deliver)

    def admit(self, message: Message, deliver: Callable[[], None]) -> None:
        """It is at its receiver's door: in front of it, behind others, or there is no room."""
        queue = self.queues.get(message.receiver)
        if queue is None:
            self._deliver(message, deliver)
        elif not queue.put(partial(self._deliver, message, deliver)):
            self._stop(message)

    def _deliver(self, message: Message, deliver: Callable[[], None]) -> None:
        for listener in self.arrived:
            listener(message)
        deliver()

    def tell(self, message: Message) -> None:
        """Those who hear of what arrives hear of `message`, which came by another way."""
        self._deliver(message, lambda: None)

    @property
    def is_whole(self) -> bool:
        """Is every way open?"""
        return not (self.cut or self.mute or self.deaf)

    def is_open(self, sender: NodeId, receiver: NodeId) -> bool:
        """Is the way there neither cut, nor its sender mute, nor its receiver deaf?"""
        is_cut = (sender, receiver) in self.cut
        return not (is_cut or sender in self.mute or receiver in self.deaf)

    def _stop(self, message: Message) -> None:
        for listener in self.stopped:
            listener(message)

    def add(self, rule: Rule) -> None:
        """From here on `rule` holds, in its place among the others."""
        self.rules.append(rule)
        self.rules.sort(key=lambda one: one.rank)

    def remove(self, rule: Rule) -> None:
        """What it kept back goes on its way."""
        self.rules.remove(rule)
        rule.lift()

    def isolate(self, node: NodeId, others: Iterable[NodeId]) -> None:
        """Nothing goes from it to the others, nor from them to it."""
        for other in others:
            if other != node:
                self.cut |= {(node, other), (other, node)}

    def heal(self) -> None:
        """Every way is open again, and what rules kept back goes on it."""
        self.cut.clear()
        self.mute.clear()
        self.deaf.clear()
        for rule in self.rules[:]:
            self.remove(rule)
