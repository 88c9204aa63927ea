"""Properties of elections, S33 and S34: who may lead a partition, by the log and by requests.

KIP-966; rules 1.33 to 1.37, 4.5, 4.8 to 4.11, 4.28, 4.32.
"""

from typing import ClassVar

from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.rpc import (
    AlterPartitionRequest,
    BrokerRegistrationRequest,
    DecommissionBrokerRequest,
    ElectLeadersRequest,
    Request,
)
from kraftsim.controller.core.rpc.partitions import UNCLEAN_ELECTION
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..oracles.breach_words import LABELS, differing, words
from ..oracles.committed import OfTheCommittedLog
from ..oracles.ghost import is_unclean_revert
from ..oracles.log_configs import allows_unclean, has_elr
from ..oracles.property import Broken, Kinds, Property
from ..oracles.requested import Requested, names_partition
from ..oracles.shadow import Fact, Key

PROPOSALS_MAX = 1000  # states of partitions whose proposed ISRs are remembered
INCARNATIONS_MAX = 10_000  # registrations whose requests are remembered
NOT_REGISTERED = -2  # epoch that no request has as its previous one

Standing = tuple[Key, int, int, int]
"""A partition, its partition epoch, its leader and its leader epoch."""


class LeadersWereEligible(OfTheCommittedLog):
    """Compares each new leader with the ISR and ELR before, and with the proposals of the leader.

    Another leader is an unclean one: it needs a permission, and must be declared as RECOVERING,
    unless a cancelled reassignment makes a former replica the ISR.
    A request permits an election only in records that were appended while the request was open.
    """

    number = "S33"
    name = "leaders-were-eligible"
    claim = (
        "A new leader was in the ISR or ELR before, unless an unclean election is enabled or"
        " requested; an unclean leader begins as recovering."
    )
    kinds: ClassVar[Kinds] = (AlterPartitionRequest, DecommissionBrokerRequest, ElectLeadersRequest)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._default = world.topology.settings.unclean_leader_election_enable
        # all replicas that the leader of a partition has proposed for its ISR in this standing
        self._proposed: dict[Standing, set[int]] = {}
        self._requested = Requested()
        self._permits: dict[Key, list[Request]] = {}  # by partition, of the records of this batch
        self._registered: set[int] = set()  # brokers that register in this batch

    def read(self, record: object, offset: int) -> None:
        if isinstance(record, r.RegisterBrokerRecord):
            self._registered.add(record.broker_id)
        elif isinstance(record, (r.PartitionRecord, r.PartitionChangeRecord)):
            causes = self._requested.causes_of(offset)
            if causes:
                key: Key = "Partition", record.topic_id, record.partition_id
                self._permits.setdefault(key, []).extend(causes)

    def done(self, batch: Batch, touched: set[Key]) -> None:
        self._registered.clear()
        self._permits.clear()

    def wrote_news(self, node: Node, turn: Turn) -> None:
        self._requested.wrote(node, turn)

    def stopped(self, message: Message) -> None:
        if message.is_reply:
            self._requested.ends(message)

    def replied(self, message: Message) -> None:
        self._requested.ends(message)

    def arrived(self, message: Message) -> None:
        if isinstance(message.request, AlterPartitionRequest):
            self._note_proposals(message.request)
        elif _permits_losses(message.request):
            self._requested.begins(message)

    def partition_settled(self, key: Key, before: Fact | None, after: Fact) -> None:
        leader = after["leader"]
        if before is None:
            return
        standing = key, before["partition_epoch"], before["leader"], before["leader_epoch"]
        proposed = self._proposed.pop(standing, set())
        if leader in (before["leader"], r.NO_LEADER):
            return
        self.exercised += 1
        eligible = {*before["isr"], *before["eligible_leader_replicas"], *proposed}
        if leader in eligible:
            return
        was, became = differing(before, after)
        change = f"leader {leader} of {words(key)}: {was} became {became}"
        if not self._may_lose(key, before, after):
            raise Broken(f"{change}, and no unclean election is enabled or requested")
        is_declared = after["leader_recovery_state"] == r.RECOVERING
        if not is_declared and not is_unclean_revert(before, after):
            raise Broken(f"{change}, an unclean election that is not declared")

    def _note_proposals(self, request: AlterPartitionRequest) -> None:
        for topic in request.topics:
            for data in topic.partitions:
                key: Key = "Partition", topic.topic_id, data.partition_index
                isr = {*data.new_isr, *(member.broker_id for member in data.new_isr_with_epochs)}
                standing = key, data.partition_epoch, request.broker_id, data.leader_epoch
                self._proposed.setdefault(standing, set()).update(isr)
                if len(self._proposed) > PROPOSALS_MAX:
                    del self._proposed[next(iter(self._proposed))]

    def _may_lose(self, key: Key, before: Fact, after: Fact) -> bool:
        """Returns True if an unclean election of this partition is enabled or requested."""
        topic = self.shadow.facts["Topic", key[1]]["name"]
        if allows_unclean(self.shadow, topic, self.world.controllers, self._default):
            return True
        removed = set(before["replicas"]) - set(after["replicas"])
        for request in self._permits.get(key, ()):
            match request:
                case DecommissionBrokerRequest(broker_id=broker_id) if broker_id in removed:
                    return True
                case ElectLeadersRequest() if names_partition(request, topic, key[2]):
                    return True
        return self._is_last_known(before, after["leader"])

    def _is_last_known(self, before: Fact, leader: int) -> bool:
        """Returns True if nobody is eligible, and this is the last known leader (rule 4.28).

        A broker that registers in the batch after an unclean shutdown is eligible no more.
        """
        eligible = {*before["isr"], *before["eligible_leader_replicas"]} - self._registered
        return has_elr(self.shadow) and not eligible and before["last_known_elr"] == (leader,)


def _permits_losses(request: Request) -> bool:
    if isinstance(request, ElectLeadersRequest):
        return request.election_type == UNCLEAN_ELECTION
    return isinstance(request, DecommissionBrokerRequest) and request.force


class UncleanLeavesElr(OfTheCommittedLog):
    """Checks that a broker is in no ISR and ELR once its unclean restart is registered.

    A restart is clean if the request names the epoch that was registered before (rule 1.35).
    """

    number = "S34"
    name = "unclean-restart-leaves-elr"
    claim = "A broker that restarts after an unclean shutdown stays in no ISR and no ELR."
    kinds: ClassVar[Kinds] = (BrokerRegistrationRequest,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._previous: dict[Uuid, int] = {}  # by incarnation, the epoch that its request names
        self._unclean: dict[int, int] = {}  # broker -> offset of the registration, in this batch

    def arrived(self, message: Message) -> None:
        request = message.request
        if isinstance(request, BrokerRegistrationRequest):
            if len(self._previous) == INCARNATIONS_MAX:
                del self._previous[next(iter(self._previous))]
            self._previous[request.incarnation_id] = request.previous_broker_epoch

    def read(self, record: object, offset: int) -> None:
        if not isinstance(record, r.RegisterBrokerRecord):
            return
        known = self.shadow.broker(record.broker_id) or {}
        previous = self._previous.get(record.incarnation_id)
        is_same = known.get("incarnation_id") == record.incarnation_id
        if previous is None or is_same or not self.cleans_up_at_registration:
            return
        if previous != known.get("broker_epoch", NOT_REGISTERED) and has_elr(self.shadow):
            self._unclean[record.broker_id] = offset

    def done(self, batch: Batch, touched: set[Key]) -> None:
        unclean, self._unclean = self._unclean, {}
        for broker_id, offset in unclean.items():
            for kind in ("isr", "eligible_leader_replicas"):
                keys = self.mentions.of(kind, broker_id)
                self.exercised += 1
                for key in keys:
                    raise Broken(
                        f"broker {broker_id} is registered at offset {offset} after an unclean "
                        f"shutdown, and stays in the {LABELS[kind]} of {words(key)}: "
                        f"{words(self.shadow.facts[key])}"
                    )


CLASSES: tuple[type[Property], ...] = (LeadersWereEligible, UncleanLeavesElr)
