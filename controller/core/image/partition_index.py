"""Index of the partitions of each broker, so that a fence does not scan all partitions.

The index uses sets and returns sorted lists, so that hash order never reaches a record.
"""

from collections.abc import Iterable, Mapping

from ..log.records import NO_LEADER
from ..uuid import Uuid
from .partition import (
    Partition,
    PartitionKey,
    has_counted_leader,
    is_imbalanced,
    is_reassigning,
    needs_its_leader,
)

NO_KEYS: set[PartitionKey] = set()
ANY_BROKER = -1  # key of a set that does not belong to one broker


class KeySets:
    """A set of partition keys for each broker.

    Copies share their sets until one is changed (copy on write); `_own` holds the sets of `_sets`
    that no copy shares.
    """

    def __init__(self, sets: dict[int, set[PartitionKey]] | None = None) -> None:
        self._sets: dict[int, set[PartitionKey]] = {} if sets is None else sets
        self._own: dict[int, set[PartitionKey]] = {}

    def of(self, broker_id: int) -> set[PartitionKey]:
        """Returns the broker's keys; callers must not change the set."""
        return self._sets.get(broker_id, NO_KEYS)

    def add(self, broker_id: int, key: PartitionKey) -> None:
        """Add a key to the broker's set."""
        keys = self._own.get(broker_id)
        if keys is None:
            keys = self._owned(broker_id)
        keys.add(key)

    def discard(self, broker_id: int, key: PartitionKey) -> None:
        """Remove a key from the broker's set, if it is present."""
        keys = self._own.get(broker_id)
        if keys is None:
            keys = self._owned(broker_id)
        keys.discard(key)

    def add_all(self, broker_ids: tuple[int, ...], key: PartitionKey) -> None:
        """Add a key to the sets of several brokers."""
        own = self._own
        for broker_id in broker_ids:
            keys = own.get(broker_id)
            if keys is None:
                keys = self._owned(broker_id)
            keys.add(key)

    def discard_all(self, broker_ids: tuple[int, ...], key: PartitionKey) -> None:
        """Remove a key from the sets of several brokers."""
        own = self._own
        for broker_id in broker_ids:
            keys = own.get(broker_id)
            if keys is None:
                keys = self._owned(broker_id)
            keys.discard(key)

    def move(self, key: PartitionKey, old: tuple[int, ...], new: tuple[int, ...]) -> None:
        """Move `key` from the sets of the brokers `old` to those of the brokers `new`."""
        own = self._own
        for broker_id in old:
            if broker_id not in new:
                keys = own.get(broker_id)
                if keys is None:
                    keys = self._owned(broker_id)
                keys.discard(key)
        for broker_id in new:
            if broker_id not in old:
                keys = own.get(broker_id)
                if keys is None:
                    keys = self._owned(broker_id)
                keys.add(key)

    def copy(self) -> "KeySets":
        """Returns an independent copy."""
        self._own = {}
        return KeySets(self._sets.copy())

    def _owned(self, broker_id: int) -> set[PartitionKey]:
        keys = self._sets[broker_id] = self._own[broker_id] = set(self._sets.get(broker_id, ()))
        return keys


class PartitionIndex:
    """The partitions each broker hosts, leads, or is in the ISR or ELR of; all lists are sorted.

    A partition is imbalanced if its first replica, the preferred leader, does not lead it.
    """

    def __init__(self) -> None:
        self._hosted = KeySets()
        self._in_isr = KeySets()
        self._in_elr = KeySets()
        self._led = KeySets()
        self._ailing = KeySets()
        self._imbalanced = KeySets()
        self._reassigning = KeySets()

    def add(self, key: PartitionKey, partition: Partition) -> None:
        """Add a new partition."""
        self._hosted.add_all(partition.replicas, key)
        self._in_isr.add_all(partition.isr, key)
        self._in_elr.add_all(partition.elr, key)
        if has_counted_leader(partition):
            self._led.add(partition.leader, key)
        if needs_its_leader(partition):
            self._ailing.add(partition.leader, key)
        if is_imbalanced(partition):
            self._imbalanced.add(ANY_BROKER, key)
        if is_reassigning(partition):
            self._reassigning.add(ANY_BROKER, key)

    def remove(self, key: PartitionKey, partition: Partition) -> None:
        """Remove a deleted partition."""
        self._hosted.discard_all(partition.replicas, key)
        self._in_isr.discard_all(partition.isr, key)
        self._in_elr.discard_all(partition.elr, key)
        if has_counted_leader(partition):
            self._led.discard(partition.leader, key)
        if needs_its_leader(partition):
            self._ailing.discard(partition.leader, key)
        if is_imbalanced(partition):
            self._imbalanced.discard(ANY_BROKER, key)
        if is_reassigning(partition):
            self._reassigning.discard(ANY_BROKER, key)

    def replace(self, key: PartitionKey, old: Partition, new: Partition) -> None:
        """Update the index after a change of a partition from `old` to `new`.

        What a change leaves as it is, is the same object in both.
        """
        if old.replicas != new.replicas:
            self._hosted.move(key, old.replicas, new.replicas)
        if old.isr != new.isr:
            self._in_isr.move(key, old.isr, new.isr)
        if old.elr != new.elr:
            self._in_elr.move(key, old.elr, new.elr)
        if old.leader != new.leader or old.isr is not new.isr:
            if has_counted_leader(old):
                self._led.discard(old.leader, key)
            if has_counted_leader(new):
                self._led.add(new.leader, key)
        was_ailing, is_ailing = needs_its_leader(old), needs_its_leader(new)
        if was_ailing and not (is_ailing and old.leader == new.leader):
            self._ailing.discard(old.leader, key)
        if is_ailing and not (was_ailing and old.leader == new.leader):
            self._ailing.add(new.leader, key)
        if old.leader != new.leader or old.replicas is not new.replicas:
            _note(self._imbalanced, key, is_imbalanced(old), is_imbalanced(new))
        if (
            old.adding_replicas is not new.adding_replicas
            or old.removing_replicas is not new.removing_replicas
        ):
            _note(self._reassigning, key, is_reassigning(old), is_reassigning(new))

    def hosted(self, broker_id: int) -> list[PartitionKey]:
        """Returns the partitions of which the broker has a replica, in sync or not."""
        return sorted(self._hosted.of(broker_id))

    def in_isr(self, broker_id: int) -> list[PartitionKey]:
        """Returns the partitions whose ISR contains the broker."""
        return sorted(self._in_isr.of(broker_id))

    def in_elr(self, broker_id: int) -> list[PartitionKey]:
        """Returns the partitions whose ELR contains the broker."""
        return sorted(self._in_elr.of(broker_id))

    def leaderless(self) -> list[PartitionKey]:
        """Returns the partitions without a leader."""
        return sorted(self._led.of(NO_LEADER))

    def leaderless_of(self, broker_id: int) -> list[PartitionKey]:
        """Returns the leaderless partitions of which the broker has a replica."""
        return sorted(self._led.of(NO_LEADER) & self._hosted.of(broker_id))

    def ailing(self, leader: int) -> list[PartitionKey]:
        """Returns the partitions that `leader` leads and for which `needs_its_leader` is true."""
        return sorted(self._ailing.of(leader))

    def has_ailing(self, leader: int) -> bool:
        """True if `leader` leads a partition for which `needs_its_leader` is true."""
        return bool(self._ailing.of(leader))

    def imbalanced(self) -> list[PartitionKey]:
        """Returns the partitions that their first replica does not lead."""
        return sorted(self._imbalanced.of(ANY_BROKER))

    def imbalanced_by_topic(self) -> Mapping[Uuid, list[int]]:
        """Returns the ids of imbalanced partitions, by topic."""
        return _by_topic(self._imbalanced.of(ANY_BROKER))

    def leaderless_by_topic(self) -> Mapping[Uuid, list[int]]:
        """Returns the ids of partitions without a leader, by topic."""
        return _by_topic(self._led.of(NO_LEADER))

    def reassigning_by_topic(self) -> Mapping[Uuid, list[int]]:
        """Returns the ids of partitions of which a reassignment is in progress, by topic."""
        return _by_topic(self._reassigning.of(ANY_BROKER))

    def led(self, broker_id: int) -> list[PartitionKey]:
        """Returns the partitions that the broker leads as a member of their ISR."""
        return sorted(self._led.of(broker_id))

    def leads(self, broker_id: int) -> bool:
        """True if the broker leads at least one partition as a member of its ISR."""
        return bool(self._led.of(broker_id))

    def copy(self) -> "PartitionIndex":
        """Returns an independent copy."""
        twin = PartitionIndex()
        twin._hosted = self._hosted.copy()
        twin._in_isr = self._in_isr.copy()
        twin._in_elr = self._in_elr.copy()
        twin._led = self._led.copy()
        twin._ailing = self._ailing.copy()
        twin._imbalanced = self._imbalanced.copy()
        twin._reassigning = self._reassigning.copy()
        return twin


def _note(keys: KeySets, key: PartitionKey, was_member: bool, is_member: bool) -> None:
    if is_member and not was_member:
        keys.add(ANY_BROKER, key)
    elif was_member and not is_member:
        keys.discard(ANY_BROKER, key)


def _by_topic(keys: Iterable[PartitionKey]) -> Mapping[Uuid, list[int]]:
    """Returns ascending ids by topic; only the lookup of a topic has an order."""
    by_topic: dict[Uuid, list[int]] = {}
    for topic_id, partition_id in keys:
        by_topic.setdefault(topic_id, []).append(partition_id)
    for partition_ids in by_topic.values():
        partition_ids.sort()
    return by_topic
