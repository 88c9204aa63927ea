"""Partitions, S25 to S27 (rules 9.18 to 9.28, 3.5, 3.12)."""

from collections import defaultdict
from typing import Any

from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.log.batch import Batch
from kraftsim.simulation.world import World

from .committed import OfTheCommittedLog
from .property import Broken, Property
from .shadow import Fact, Key, Shadow

ELR = "eligible_leader_replicas"
MENTIONS = ("leader", "isr", ELR, "replicas")


class _Mentions:
    """Which partitions name a broker as leader, in the ISR, in the ELR and as a replica; kept from
    what each batch touches."""

    def __init__(self) -> None:
        self._known: dict[Key, Fact] = {}
        self._keys: dict[tuple[str, int], set[Key]] = defaultdict(set)

    def of(self, kind: str, broker_id: int) -> set[Key]:
        return self._keys.get((kind, broker_id), set())

    def update(self, shadow: Shadow, touched: set[Key]) -> list[Key]:
        """The partitions among what was touched that still exist."""
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
    number = "S25"
    name = "leaders-and-isr-are-active"
    claim = (
        "Leaders are in the ISR, registered and unfenced; who is not active is in no ISR, but as"
        " its last member."
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
        at = f"at {batch.last_offset} {key} has {fact}"
        if leader != r.NO_LEADER:
            # Isr [] with the leader left over in the ELR: as Kafka writes it (9.18)
            if leader not in isr and (isr or leader not in fact["eligible_leader_replicas"]):
                raise Broken(f"{at}: {leader} leads and is not in sync")
            known = self.shadow.broker(leader)
            if known is None or known["fenced"]:
                raise Broken(f"{at}: {leader} leads, and is {known or 'not registered'}")
        if isr == (leader,) or (len(isr) == 1 and leader == r.NO_LEADER):
            return  # the last one stays where it is, whatever becomes of it (4.12)
        for replica in isr:
            if not self.shadow.is_active(replica):
                known = self.shadow.broker(replica)
                raise Broken(f"{at}: {replica} is in sync, and is {known or 'not registered'}")


class UnregisterRemovesReferences(OfTheCommittedLog):
    """A decommission is told by its rewriting of replicas, which nothing else does together with an
    unregistration. Of an unregistration Kafka makes two passes over one view: whom the first puts
    from the ISR into the ELR, the second does not see (rules 3.5 to 3.7)."""

    number = "S26"
    name = "unregister-removes-references"
    claim = (
        "Who is unregistered leads nothing and is in no ISR or ELR, but in the ISR as its last"
        " member and in an ELR that it has just come into; who is decommissioned is in no"
        " partition, and none loses its last replica."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._mentions = _Mentions()

    def done(self, batch: Batch, touched: set[Key]) -> None:
        changed = self._mentions.update(self.shadow, touched)
        for record in batch.records:
            if isinstance(record, r.UnregisterBrokerRecord):
                self.exercised += 1
                self._check(record.broker_id, batch, set(changed))
        for key in changed:
            if not self.shadow.facts[key]["replicas"]:
                raise Broken(f"at {batch.last_offset} {key} has lost its last replica")

    def _check(self, broker_id: int, batch: Batch, changed: set[Key]) -> None:
        is_decommission = _decommissions(batch)
        for kind in MENTIONS if is_decommission else MENTIONS[:3]:
            for key in self._mentions.of(kind, broker_id):
                fact = self.shadow.facts[key]
                stays = _was_the_last(fact, broker_id) if kind != ELR else key in changed
                if is_decommission or not stays:
                    raise Broken(f"{broker_id} has left, and is in {kind} of {key}: {fact}")


def _was_the_last(fact: Fact, broker_id: int) -> bool:
    """It alone was in sync: without ELR it stays so (rules 3.6, 4.12)."""
    return bool(fact["leader"] == r.NO_LEADER and fact["isr"] == (broker_id,))


def _decommissions(batch: Batch) -> bool:
    return any(
        isinstance(record, r.PartitionChangeRecord) and record.replicas is not None
        for record in batch.records
    )


class NoPlacementOnStrangers(OfTheCommittedLog):
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
        strangers = [one for one in sorted(placed) if self.shadow.broker(one) is None]
        if strangers:
            raise Broken(f"{record} at {offset} is placed on {strangers}, which nobody registered")


CLASSES: tuple[type[Property], ...] = (
    LeadersAreActive,
    UnregisterRemovesReferences,
    NoPlacementOnStrangers,
)
