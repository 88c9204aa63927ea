"""L13: the reply to a request leaves as soon as the log is committed that its decision depends on.

S16 judges that no reply leaves earlier. Rule 0A.5: a reply waits for every record that the log had
when the request was decided, and for nothing else.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import ClassVar

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Reply, Turn
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..oracles.breach_words import seconds_words, words
from ..oracles.property import Broken, Kinds, Property

OPEN_MAX = 1_000  # requests whose replies may be on their way


@dataclass(slots=True)
class Decided:
    """A request, and the end of the leader's log on which the decision depends.

    `committed_us` is the time at which that end was committed; None: it is not yet.
    """

    request: rpc.Request
    node_id: int
    at_us: int
    end_offset: int
    committed_us: int | None


class RepliesLeaveOnceCommitted(Property):
    """Compares the time at which a reply leaves with the time of the commit that it waits for.

    Not judged are a request that arrives while others are decided in slices, errors, and replies
    that a fault may hold.
    """

    number = "L13"
    name = "replies-leave-once-committed"
    claim = "A reply leaves at once, or at the commit of what the log had when it was decided."
    kinds: ClassVar[Kinds] = (
        rpc.AllocateProducerIdsRequest,
        rpc.AlterClientQuotasRequest,
        rpc.AlterConfigsRequest,
        rpc.AlterPartitionReassignmentsRequest,
        rpc.AlterPartitionRequest,
        rpc.AlterUserScramCredentialsRequest,
        rpc.AssignReplicasToDirsRequest,
        rpc.BrokerRegistrationRequest,
        rpc.CreateAclsRequest,
        rpc.CreatePartitionsRequest,
        rpc.CreateTopicsRequest,
        rpc.DecommissionBrokerRequest,
        rpc.DeleteAclsRequest,
        rpc.DeleteTopicsRequest,
        rpc.ElectLeadersRequest,
        rpc.IncrementalAlterConfigsRequest,
        rpc.ListPartitionReassignmentsRequest,
        rpc.UnregisterBrokerRequest,
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._open: OrderedDict[int, Decided] = OrderedDict()  # by the id of the request
        self._left: OrderedDict[int, tuple[Reply, int]] = OrderedDict()  # by the id of the reply
        self._in_slices: dict[int, int] = {}  # ids of decommissions, and of their controllers

    def arrived(self, message: Message) -> None:
        process, request = self.world.controller_of(message.receiver), message.request
        if process is None or not process.is_running or not process.node.is_active:
            return
        node_id, node = message.receiver.number, process.node
        if isinstance(request, rpc.DecommissionBrokerRequest):
            self._in_slices[id(request)] = node_id
        if node.has_work or node_id in self._in_slices.values():
            return
        now_us, end_offset = self.world.timeline.now_us, node.log.end_offset
        committed_us = now_us if node.high_watermark >= end_offset else None
        self._open[id(request)] = Decided(request, node_id, now_us, end_offset, committed_us)
        if len(self._open) > OPEN_MAX:
            self._open.popitem(last=False)
        self.await_step()

    def wrote(self, node: Node, turn: Turn) -> None:
        """Lets what arrived in this instant wait for what was written in this instant."""
        now_us = self.world.timeline.now_us
        for decided in self._open.values() if turn.persist else ():
            if decided.node_id == node.config.node_id and decided.at_us == now_us:
                decided.end_offset, decided.committed_us = node.log.end_offset, None

    def advanced(self, node: Node, turn: Turn) -> None:
        node_id, mark = node.config.node_id, node.high_watermark
        for decided in self._open.values():
            is_due = decided.node_id == node_id and decided.end_offset <= mark
            if is_due and decided.committed_us is None:
                decided.committed_us = self.world.timeline.now_us

    def next_step(self, node: Node, turn: Turn) -> None:
        """Notes when replies leave, in each step while a request is open."""
        if not self._open:
            return
        self.await_step()
        for _, reply in turn.replies:
            if not isinstance(reply, rpc.FetchResponse | ApiError):
                self._left[id(reply)] = reply, self.world.timeline.now_us
                if len(self._left) > OPEN_MAX:
                    self._left.popitem(last=False)

    def stopped(self, message: Message) -> None:
        """Forgets a request that a fault has refused, lost or held, or whose reply it has."""
        self._forget(message.request)

    def _forget(self, request: rpc.Request) -> None:
        self._in_slices.pop(id(request), None)
        self._open.pop(id(request), None)

    def replied(self, message: Message) -> None:
        decided, reply = self._open.get(id(message.request)), message.reply
        self._forget(message.request)
        if decided is None or reply is None or decided.request is not message.request:
            return
        known, left_us = self._left.pop(id(reply), (None, -1))
        if known is not reply or decided.committed_us is None:
            return
        self.exercised += 1
        if left_us > decided.committed_us:
            raise Broken(
                f"controller {decided.node_id} replies to {words(decided.request)} "
                f"{seconds_words(left_us - decided.at_us)} after it came, and its records, up to "
                f"offset {decided.end_offset}, were committed "
                f"{seconds_words(decided.committed_us - decided.at_us)} after it came"
            )


CLASSES: tuple[type[Property], ...] = (RepliesLeaveOnceCommitted,)
