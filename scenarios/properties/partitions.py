"""Properties of partitions, S25 to S27 (rules 9.18 to 9.28, 3.5, 3.12)."""

from collections import defaultdict
from typing import Any

from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.log.batch import Batch
from kraftsim.simulation.world import World

from .committed import OfTheCommittedLog
from .property import Broken, Property
from .shadow import Fact, Key, Shadow

MENTIONS = ("leader", "isr", "eligible_leader_replicas", "replicas")


class _Mentions:
    """Index of the partitions that name a broker as leader, in ISR, in ELR or as replica.

    Each batch updates only the partitions that it changes.
    """

    def __init__(self) -> None:
        self._known: dict[Key, Fact] = {}
        self._keys: dict[tuple[str, int], set[Key]] = defaultdict(set)

    def of(self, kind: str, broker_id: int) -> set[Key]:
        return self._keys.get((kind, broker_id), set())

    def update(self, shadow: Shadow, touched: set[Key]) -> list[Key]:
        """Updates the index; returns the keys of the changed partitions that still exist."""
        changed = [key for key in touched if key[0] == "Partition"]
        for key in changed:
            for mention in _mentions(self._known.pop(key, None)):
                self._keys[mention].discard(key)
            fact = shadow.facts.get(key)
            if fact is not None:
                self._known[key] = fact
                for mention in _mentions(fact):
                    self._keys[mention].add(key)
        return [key for key in changed if key in self._known]


def _mentions(fact: Fact | None) -> set[tuple[str, int]]:
    if fact is None:
        return set()
    return {
        (kind, broker_id)
        for kind in MENTIONS
        for broker_id in ((fact[kind],) if kind == "leader" else fact[kind])
    }


class LeadersAreActive(OfTheCommittedLog):
    """Checks the changed partitions, and all partitions of the changed brokers, after a batch."""

    number = "S25"
    name = "leaders-and-isr-are-active"
    claim = (
        "Leaders are in the ISR, registered and unfenced; a broker that is not active is in no ISR,"
        " except as its last member."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._mentions = _Mentions()

    def done(self, batch: Batch, touched: set[Key]) -> None:
        concerned = set(self._mentions.update(self.shadow, touched))
        for key in touched:
            if key[0] == "Broker" and isinstance(key[1], int):
                concerned |= self._mentions.of("leader", key[1])
                concerned |= self._mentions.of("isr", key[1])
        for key in concerned:
            self.exercised += 1
            self._check(key, self.shadow.facts[key], batch)

    def _check(self, key: Key, fact: Fact, batch: Batch) -> None:
        leader, isr = fact["leader"], fact["isr"]
        at = f"at offset {batch.last_offset} {key} has {fact}"
        if leader != r.NO_LEADER:
            # Kafka writes an empty ISR with the leader still in the ELR (9.18)
            if leader not in isr and (isr or leader not in fact["eligible_leader_replicas"]):
                raise Broken(f"{at}: leader {leader} is not in the ISR")
            known = self.shadow.broker(leader)
            if known is None or known["fenced"]:
                raise Broken(f"{at}: leader {leader} is {known or 'not registered'}")
        if isr == (leader,) or (len(isr) == 1 and leader == r.NO_LEADER):
            return  # the last member of an ISR stays, whatever its state (4.12)
        for replica in isr:
            if not self.shadow.is_active(replica):
                known = self.shadow.broker(replica)
                raise Broken(f"{at}: {replica} in the ISR is {known or 'not registered'}")


class UnregisterRemovesReferences(OfTheCommittedLog):
    """Checks that no partition refers to an unregistered broker.

    A batch that changes replica sets is a decommission: an unregistration never does. An
    unregistered broker stays in the ELRs (rule 3.5).
    """

    number = "S26"
    name = "unregister-removes-references"
    claim = (
        "An unregistered broker leads no partition and is in no ISR, except as its last member; a"
        " decommissioned broker has no replica, and no partition loses its last replica."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._mentions = _Mentions()

    def done(self, batch: Batch, touched: set[Key]) -> None:
        changed = self._mentions.update(self.shadow, touched)
        for record in batch.records:
            if isinstance(record, r.UnregisterBrokerRecord):
                self.exercised += 1
                self._check(record.broker_id, batch)
        for key in changed:
            if not self.shadow.facts[key]["replicas"]:
                raise Broken(f"at offset {batch.last_offset} {key} has no replica left")

    def _check(self, broker_id: int, batch: Batch) -> None:
        is_decommission = _decommissions(batch)
        for kind in MENTIONS if is_decommission else ("leader", "isr"):
            for key in self._mentions.of(kind, broker_id):
                fact = self.shadow.facts[key]
                if is_decommission or not _was_the_last(fact, broker_id):
                    raise Broken(
                        f"broker {broker_id} is unregistered and in {kind} of {key}: {fact}"
                    )


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
                f"{record} at offset {offset} has the replicas {strangers}, which are not "
                "registered"
            )


CLASSES: tuple[type[Property], ...] = (
    LeadersAreActive,
    UnregisterRemovesReferences,
    NoPlacementOnStrangers,
)
