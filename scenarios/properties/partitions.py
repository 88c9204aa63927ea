"""Properties of partitions, S25 to S27 (rules 9.18 to 9.28, 3.5, 3.12)."""

from typing import Any, ClassVar

from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.rpc import DecommissionBrokerRequest, UnregisterBrokerRequest
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..oracles.breach_words import registration_words, words
from ..oracles.committed import OfTheCommittedLog
from ..oracles.mentions import MENTIONS
from ..oracles.property import Broken, Kinds, Property
from ..oracles.shadow import Fact, Key


class LeadersAreActive(OfTheCommittedLog):
    """Checks the changed partitions, and all partitions of the changed brokers, after a batch.

    In Kafka 3.9 a broker may register anew after its session is over and before it is fenced. It is
    then fenced and still leads, until it is unfenced (rules 1.34 and 1.35, KAFKA-18106).
    """

    number = "S25"
    name = "leaders-and-isr-are-active"
    claim = (
        "Leaders are in the ISR, registered and unfenced; a broker that is not active is in no ISR,"
        " except as its last member."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._replaced: set[int] = set()  # broker ids that were not fenced before they registered

    def read(self, record: Any, offset: int) -> None:
        if not isinstance(record, r.RegisterBrokerRecord):
            return
        known = self.shadow.broker(record.broker_id)
        is_left = not self.cleans_up_at_registration
        if is_left and known is not None and not known["fenced"]:
            self._replaced.add(record.broker_id)

    def _is_active(self, broker_id: int) -> bool:
        return broker_id in self._replaced or self.shadow.is_active(broker_id)

    def done(self, batch: Batch, touched: set[Key]) -> None:
        for broker_id in [*self._replaced]:
            known = self.shadow.broker(broker_id)
            if known is None or not known["fenced"]:
                self._replaced.discard(broker_id)
        concerned = set()
        for key in touched:
            if key[0] == "Broker" and isinstance(key[1], int):
                concerned |= self.mentions.of("leader", key[1])
                concerned |= self.mentions.of("isr", key[1])
            elif key[0] == "Partition" and key in self.shadow.facts:
                concerned.add(key)
        for key in concerned:
            self.exercised += 1
            self._check(key, self.shadow.facts[key], batch)

    def _check(self, key: Key, fact: Fact, batch: Batch) -> None:
        leader, isr = fact["leader"], fact["isr"]
        at = f"at offset {batch.last_offset} {words(key)} has {words(fact)}"
        if leader != r.NO_LEADER:
            # Kafka writes an empty ISR with the leader still in the ELR (9.18)
            if leader not in isr and (isr or leader not in fact["eligible_leader_replicas"]):
                raise Broken(f"{at}: leader {leader} is not in the ISR")
            known = self.shadow.broker(leader)
            is_left = leader in self._replaced
            if leader in isr and not is_left and (known is None or known["fenced"]):
                raise Broken(f"{at}: leader {leader} is {registration_words(known)}")
        if isr == (leader,) or (len(isr) == 1 and leader == r.NO_LEADER):
            return  # the last member of an ISR stays, whatever its state (4.12)
        for replica in isr:
            if not self._is_active(replica):
                known = self.shadow.broker(replica)
                raise Broken(f"{at}: broker {replica} in the ISR is {registration_words(known)}")


PLACES = {
    "leader": "leadership",
    "isr": "ISR",
    "eligible_leader_replicas": "ELR",
    "replicas": "replica set",
}


class UnregisterRemovesReferences(OfTheCommittedLog):
    """Checks that no partition refers to an unregistered broker.

    A batch that changes replica sets is a decommission: an unregistration never does. The last
    slice of a decommission may change none; without a request to unregister the broker, its
    unregistration is such a slice. An unregistered broker stays in the ELRs (rule 3.5).
    """

    number = "S26"
    name = "unregister-removes-references"
    claim = (
        "An unregistered broker leads no partition and is in no ISR, except as its last member; a"
        " decommissioned broker has no replica, and no partition loses its last replica."
    )
    kinds: ClassVar[Kinds] = (UnregisterBrokerRequest, DecommissionBrokerRequest)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._asked: set[tuple[type, int]] = set()  # kinds of requests, and the brokers they name

    def arrived(self, message: Message) -> None:
        request = message.request
        if isinstance(request, UnregisterBrokerRequest | DecommissionBrokerRequest):
            self._asked.add((type(request), request.broker_id))

    def done(self, batch: Batch, touched: set[Key]) -> None:
        for record in batch.records:
            if isinstance(record, r.UnregisterBrokerRecord):
                self.exercised += 1
                self._check(record.broker_id, batch)

    def partition_changed(self, key: Key, before: Fact | None, after: Fact) -> None:
        if not after["replicas"]:
            raise Broken(
                f"{words(key)} has no replica left: {words(after)}, and before {words(before)}"
            )

    def _check(self, broker_id: int, batch: Batch) -> None:
        is_decommission = _decommissions(batch) or self._is_last_slice(broker_id)
        for kind in MENTIONS if is_decommission else ("leader", "isr"):
            for key in self.mentions.of(kind, broker_id):
                fact = self.shadow.facts[key]
                if is_decommission or not _was_the_last(fact, broker_id):
                    raise Broken(
                        f"broker {broker_id} is unregistered and in the {PLACES[kind]} of "
                        f"{words(key)}: {words(fact)}"
                    )

    def _is_last_slice(self, broker_id: int) -> bool:
        is_unregistered = (UnregisterBrokerRequest, broker_id) in self._asked
        return (DecommissionBrokerRequest, broker_id) in self._asked and not is_unregistered


def _was_the_last(fact: Fact, broker_id: int) -> bool:
    """Returns True if the broker was the only ISR member: it stays there (rules 3.6, 4.12)."""
    return bool(fact["leader"] == r.NO_LEADER and fact["isr"] == (broker_id,))


def _decommissions(batch: Batch) -> bool:
    return any(
        isinstance(record, r.PartitionChangeRecord) and record.replicas is not None
        for record in batch.records
    )


class NoPlacementOnStrangers(OfTheCommittedLog):
    """Checks that replicas are placed on registered brokers only."""

    number = "S27"
    name = "no-placement-on-unregistered"
    claim = "New replicas are placed on registered brokers only."

    def read(self, record: Any, offset: int) -> None:
        match record:
            case r.PartitionRecord():
                placed = set(record.replicas)
            case r.PartitionChangeRecord(replicas=tuple()):
                fact = self.shadow.facts["Partition", record.topic_id, record.partition_id]
                placed = set(record.replicas or ()) - set(fact["replicas"])
            case _:
                return
        self.exercised += bool(placed)
        strangers = [number for number in sorted(placed) if self.shadow.broker(number) is None]
        if strangers:
            raise Broken(
                f"{words(record)} at offset {offset} has replicas on the brokers "
                f"{words(strangers)}, which are not registered"
            )


CLASSES: tuple[type[Property], ...] = (
    LeadersAreActive,
    UnregisterRemovesReferences,
    NoPlacementOnStrangers,
)
