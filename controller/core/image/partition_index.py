"""Which partitions concern a broker: kept beside the image so that a fence is not a full scan.

Sets, read only through `sorted`, so that no order of a hash ever reaches a record.
"""

from ..log.records import NO_LEADER
from .partition import Partition, PartitionKey, needs_its_leader

NO_KEYS: set[PartitionKey] = set()


class KeySets:
    """A set of partition keys for each broker. Copies share their sets; whoever changes a shared
    set copies it first, so `_own` are the sets of `_sets` that no copy has."""

    def __init__(self, sets: dict[int, set[PartitionKey]] | None = None) -> None:
        self._sets: dict[int, set[PartitionKey]] = {} if sets is None else sets
        self._own: dict[int, set[PartitionKey]] = {}

    def of(self, broker_id: int) -> set[PartitionKey]:
        """The keys of the broker, to be read only."""
        return self._sets.get(broker_id, NO_KEYS)

    def add(self, broker_id: int, key: PartitionKey) -> None:
        keys = self._own.get(broker_id)
        if keys is None:
            keys = self._owned(broker_id)
        keys.add(key)

    def discard(self, broker_id: int, key: PartitionKey) -> None:
        keys = self._own.get(broker_id)
        if keys is None:
            keys = self._owned(broker_id)
        keys.discard(key)

    def add_all(self, broker_ids: tuple[int, ...], key: PartitionKey) -> None:
        own = self._own
        for broker_id in broker_ids:
            keys = own.get(broker_id)
            if keys is None:
                keys = self._owned(broker_id)
            keys.add(key)

    def discard_all(self, broker_ids: tuple[int, ...], key: PartitionKey) -> None:
        for broker_id in broker_ids:
            self.discard(broker_id, key)

    def move(self, key: PartitionKey, old: tuple[int, ...], new: tuple[int, ...]) -> None:
        """`key` concerned the brokers `old` and concerns `new`."""
        for broker_id in old:
            if broker_id not in new:
                self.discard(broker_id, key)
        for broker_id in new:
            if broker_id not in old:
                self.add(broker_id, key)

    def copy(self) -> "KeySets":
        self._own = {}
        return KeySets(self._sets.copy())

    def _owned(self, broker_id: int) -> set[PartitionKey]:
        keys = self._sets[broker_id] = self._own[broker_id] = set(self._sets.get(broker_id, ()))
        return keys


class PartitionIndex:
    def __init__(self) -> None:
        self._hosted = KeySets()
        self._in_isr = KeySets()
        self._in_elr = KeySets()
        self._led = KeySets()
        self._ailing = KeySets()

    def add(self, key: PartitionKey, partition: Partition) -> None:
        self._hosted.add_all(partition.replicas, key)
        self._in_isr.add_all(partition.isr, key)
        self._in_elr.add_all(partition.elr, key)
        self._led.add(partition.leader, key)
        if needs_its_leader(partition):
            self._ailing.add(partition.leader, key)

    def remove(self, key: PartitionKey, partition: Partition) -> None:
        self._hosted.discard_all(partition.replicas, key)
        self._in_isr.discard_all(partition.isr, key)
        self._in_elr.discard_all(partition.elr, key)
        self._led.discard(partition.leader, key)
        if needs_its_leader(partition):
            self._ailing.discard(partition.leader, key)

    def replace(self, key: PartitionKey, old: Partition, new: Partition) -> None:
        """`old` has become `new`; most changes leave most of it as it is."""
        if old.replicas != new.replicas:
            self._hosted.move(key, old.replicas, new.replicas)
        if old.isr != new.isr:
            self._in_isr.move(key, old.isr, new.isr)
        if old.elr != new.elr:
            self._in_elr.move(key, old.elr, new.elr)
        if old.leader != new.leader:
            self._led.discard(old.leader, key)
            self._led.add(new.leader, key)
        if needs_its_leader(old):
            self._ailing.discard(old.leader, key)
        if needs_its_leader(new):
            self._ailing.add(new.leader, key)

    def hosted(self, broker_id: int) -> list[PartitionKey]:
        """Partitions of which the broker has a replica, in sync or not."""
        return sorted(self._hosted.of(broker_id))

    def in_isr_or_led(self, broker_id: int) -> list[PartitionKey]:
        return sorted(self._in_isr.of(broker_id) | self._led.of(broker_id))

    def in_elr(self, broker_id: int) -> list[PartitionKey]:
        return sorted(self._in_elr.of(broker_id))

    def leaderless(self) -> list[PartitionKey]:
        return sorted(self._led.of(NO_LEADER))

    def leaderless_of(self, broker_id: int) -> list[PartitionKey]:
        """Leaderless partitions of which the broker has a replica."""
        return sorted(self._led.of(NO_LEADER) & self._hosted.of(broker_id))

    def ailing(self, leader: int) -> list[PartitionKey]:
        """Partitions that `leader` leads and that only it can bring back to health."""
        return sorted(self._ailing.of(leader))

    def led(self, broker_id: int) -> list[PartitionKey]:
        return sorted(self._led.of(broker_id))

    def leads(self, broker_id: int) -> bool:
        return bool(self._led.of(broker_id))

    def copy(self) -> "PartitionIndex":
        twin = PartitionIndex()
        twin._hosted = self._hosted.copy()
        twin._in_isr = self._in_isr.copy()
        twin._in_elr = self._in_elr.copy()
        twin._led = self._led.copy()
        twin._ailing = self._ailing.copy()
        return twin
