"""The network between nodes, controllers and brokers alike: delay, loss and faults.

No node is notified of a lost message; a sender that waits for a reply times out. Cuts and blocks
apply at the time at which a message arrives, so a cut also stops messages that are in flight.
Without rules a message costs one random draw. Rules are applied in the order of their `rank`
(`network_rules.py`).
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.core.rpc import FetchRequest, Response
from kraftsim.controller.raft.protocol import Reply, Send
from kraftsim.controller.time.timeline import Timeline

from .message import Message
from .network_rules import Rule
from .service_queue import ServiceQueue

SendOutside = Callable[[NodeId, Send, Callable[[Response | None], None]], None]
"""Sends a controller's request to a peer that is no process of the world."""


RETRANSMISSION_US = 200_000  # after which TCP sends a lost segment again
FOLLOWER_FETCH = FetchRequest()
"""What a follower asks its leader, for rules that stop it."""


def _not_reached(_: NodeId, __: Send, on_answer: Callable[[Response | None], None]) -> None:
    on_answer(None)


class Network:
    """Carries messages from node to node.

    `cut` holds directed links (sender, receiver); `mute` nodes send nothing and `deaf` nodes
    receive nothing. `delay_us` draws the delay of one message in microseconds (None: no delay).
    `loss` is the fraction of messages that is lost, 0.0 to 1.0. `departed` listeners get every
    message that its sender hands over, `arrived` listeners every delivered message before its
    receiver does, `stopped` listeners every message that is lost or held back. Requests of a type
    in `armed` are reported by the rules about requests, when they are handled. `queues` holds the
    queues of slow receivers, which get a message when its turn comes. `send_outside` sends
    requests to controllers of other processes; at first they are not reached.
    """

    def __init__(self, timeline: Timeline, random: Callable[[], float]) -> None:
        self.cut: set[tuple[NodeId, NodeId]] = set()
        self.mute: set[NodeId] = set()
        self.deaf: set[NodeId] = set()
        self.loss = 0.0
        self.delay_us: Callable[[], int] | None = None
        self.rules: list[Rule] = []
        self.queues: dict[NodeId, ServiceQueue] = {}
        self.armed: Mapping[type, object] = {}
        self.departed: list[Callable[[Message], None]] = []
        self.arrived: list[Callable[[Message], None]] = []
        self.stopped: list[Callable[[Message], None]] = []
        self.send_outside: SendOutside = _not_reached
        self.changed_us = 0  # when a fault began or ended last
        self._timeline = timeline
        self._random = random
        # Bound once, not for each message.
        self._on_arrival, self._on_return = self._arrive, self._return

    def carry(self, message: Message, deliver: Callable[[], None]) -> None:
        """Calls `deliver` after the delay, if the link is open when the message arrives."""
        for listener in self.departed:
            listener(message)
        if self.loss and self._random() < self.loss:
            self.stop(message)
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
            self.stop(message)
        for lag_us in lags_us:
            self._timeline.after(lag_us, partial(self._arrive, message, deliver))

    def carry_reply(
        self, message: Message, reply_to: Callable[[Any], None], reply: Reply | None
    ) -> None:
        """Carries the reply to the request `message` back, as `carry` does."""
        if self.departed or self.loss or self.rules:
            self.carry(message.answered(reply), partial(reply_to, reply))
            return
        at_us = self._timeline.now_us
        if self.delay_us is not None:
            at_us += self.delay_us()
        self._timeline.at(at_us, partial(self._on_return, message, reply_to, reply))

    def _return(
        self, message: Message, reply_to: Callable[[Any], None], reply: Reply | None
    ) -> None:
        """Delivers a reply; its message is made only if a fault, rule or listener looks at it."""
        if self.arrived or self.cut or self.mute or self.deaf or self.rules or self.queues:
            self._arrive(message.answered(reply), partial(reply_to, reply))
        else:
            reply_to(reply)

    def _arrive(self, message: Message, deliver: Callable[[], None]) -> None:
        if self.cut or self.mute or self.deaf or self.rules or self.queues:
            self._admit_if_let_in(message, deliver)
        elif self.arrived:
            self._deliver(message, deliver)
        else:  # as nearly always in a cluster that no property watches
            deliver()

    def _admit_if_let_in(self, message: Message, deliver: Callable[[], None]) -> None:
        """Admits an arrived message, unless a fault of its link or a rule stops it."""
        if not self.is_open(message.sender, message.receiver):
            self.stop(message)
            return
        for rule in self.rules:
            if not rule.lets_in(message, partial(self.admit, message, deliver)):
                self.stop(message)
                return
        self.admit(message, deliver)

    def admit(self, message: Message, deliver: Callable[[], None]) -> None:
        """Delivers an arrived message, or puts it into the queue of a slow receiver.

        A message that arrives at a full queue is lost.
        """
        queue = self.queues.get(message.receiver)
        if queue is None:
            self._deliver(message, deliver)
        elif not queue.put(partial(self._deliver, message, deliver)):
            self.stop(message)

    def _deliver(self, message: Message, deliver: Callable[[], None]) -> None:
        if not self.armed or message.is_reply or type(message.request) not in self.armed:
            self.report(message)
        deliver()

    def report(self, message: Message) -> None:
        """Passes `message`, which arrives now, to the `arrived` listeners."""
        for listener in self.arrived:
            listener(message)

    @property
    def is_whole(self) -> bool:
        """True if no link is cut and no node is mute or deaf."""
        return not (self.cut or self.mute or self.deaf)

    def is_open(self, sender: NodeId, receiver: NodeId) -> bool:
        """Returns True if the link is not cut, the sender not mute and the receiver not deaf."""
        is_cut = (sender, receiver) in self.cut
        return not (is_cut or sender in self.mute or receiver in self.deaf)

    def silence_ms(self, node: NodeId, peer: NodeId) -> int | None:
        """Returns how long faults may have stopped requests of `peer` to `node`, or their replies.

        None if they do not; else the time since a fault began or ended.
        """
        if self.is_whole and not self.rules:
            return None
        request = Message(peer, node, FOLLOWER_FETCH)
        both = (request, request.answered(None))
        if (
            self.is_open(peer, node)
            and self.is_open(node, peer)
            and not any(rule.stops(message) for rule in self.rules for message in both)
        ):
            return None
        return (self._timeline.now_us - self.changed_us) // 1000

    @property
    def delays(self) -> bool:
        """True if a message may take some time."""
        return self.delay_us is not None or bool(self.rules)

    @property
    def is_plain(self) -> bool:
        """True if every message arrives at once, but for those that `loss` takes."""
        return self.delay_us is None and not (self.rules or self.cut or self.mute or self.deaf)

    def lag_us(self, leader: NodeId, follower: NodeId, *, is_reply: bool) -> int:
        """Draws how long a follower's Fetch or the reply to it takes; a lost one is sent again."""
        lags_us = [0 if self.delay_us is None else self.delay_us()]
        message = Message(follower, leader, FOLLOWER_FETCH)
        if is_reply:
            message = message.answered(None)
        for rule in self.rules:
            lags_us = rule.on_departure(message, lags_us) or [lags_us[0] + RETRANSMISSION_US]
        return min(lags_us)

    def silence(self, node: NodeId) -> None:
        """Lets a node send nothing."""
        self.mute.add(node)
        self._note_change()

    def unsilence(self, node: NodeId) -> None:
        """Ends `silence`."""
        self.mute.discard(node)
        self._note_change()

    def deafen(self, node: NodeId) -> None:
        """Lets a node receive nothing."""
        self.deaf.add(node)
        self._note_change()

    def undeafen(self, node: NodeId) -> None:
        """Ends `deafen`."""
        self.deaf.discard(node)
        self._note_change()

    def _note_change(self) -> None:
        self.changed_us = self._timeline.now_us

    def stop(self, message: Message) -> None:
        """Passes a message that is lost or held back to the `stopped` listeners."""
        for listener in self.stopped:
            listener(message)

    def add(self, rule: Rule) -> None:
        """Activates `rule`, in the order of its rank."""
        self._note_change()
        self.rules.append(rule)
        self.rules.sort(key=lambda rule: rule.rank)

    def remove(self, rule: Rule) -> None:
        """Deactivates `rule`, and releases the messages that it held back."""
        self._note_change()
        self.rules.remove(rule)
        rule.lift()

    def isolate(self, node: NodeId, peers: Iterable[NodeId]) -> None:
        """Cuts the links between `node` and each of `peers`, in both directions."""
        self._note_change()
        for peer in peers:
            if peer != node:
                self.cut |= {(node, peer), (peer, node)}

    def heal(self) -> None:
        """Opens every link and removes every rule, which releases the messages held back."""
        self._note_change()
        self.cut.clear()
        self.mute.clear()
        self.deaf.clear()
        for rule in self.rules[:]:
            self.remove(rule)
